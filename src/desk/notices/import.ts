import {Failure} from '../../contract/failure.ts'
import {parseJson, printJson} from '../../contract/money.ts'
import {localTime} from '../../terminal/cells.ts'
import {commandText} from '../../terminal/next.ts'
import {counted} from '../../terminal/text.ts'
import type {Desk} from '../desk.ts'
import {encodeBody, sha256} from '../receipts/body.ts'
import type {Glance} from '../receipts/glances.ts'
import {referenceOf} from '../receipts/reference.ts'
import {webhookSecrets} from '../receipts/secrets.ts'
import {storedCopy} from '../receipts/stored.ts'
import {judge, TOLERANCE} from '../signature/judge.ts'
import {bodyIn, type Evidence, importedFacts, readEvidence} from './evidence.ts'
import type {LeftOut, NoticeFacts} from './facts.ts'
import type {InboxItem} from './inbox.ts'
import {inboxJournal} from './records.ts'

interface Imported {
  imported: number
  known: number
  otherEvents: number
  unreadable: (Place & {why: string})[]
  /** Fields that are not what they must be, and are not taken. */
  leftOut: (Place & {notice: string; field: string; value: string})[]
  /** Those of deliveries that were refused here and still don't fit: they may open a notice, and close none. */
  unchecked: (Place & {receipt: string})[]
  /** Ids of the notices that the new texts tell of. */
  notices: string[]
}

/** Where in a file a text is: in which line, or which element of an array, from 1. */
type Place = {line: number} | {element: number}

/** One text of a file. */
interface Part {
  place: Place
  raw?: string
  why?: string
  /** Its bytes as they came, of which a receipt may be known. */
  bytes?: string | Buffer
}

/** What a part tells. */
interface Read {
  raw: string
  sha256: string
  event: string | undefined
  notices: string[]
  leftOut: readonly LeftOut[]
}

/** A longer text would not fit into a line of the records. */
const LONGEST = 1024 * 1024

/**
 * Takes in what a file tells of notices: one JSON document, an array, or NDJSON. Texts that were imported before, and
 * events of which a copy that fits its signature tells the same, change nothing. What was refused here is judged once more,
 * with the secrets that are at hand now. Fails with INVALID_INPUT if nothing in it can be read, and with KEYCHAIN_UNAVAILABLE.
 */
export async function importNotices(
  desk: Desk,
  text: string,
  bytes: Buffer = Buffer.from(text),
): Promise<Imported> {
  const {folders, identity} = desk
  const evidence = readEvidence(folders, identity, 0)
  const before = evidence.imported
  const here = new Set(evidence.receipts.filter(({trust}) => trust === 'verified').map(eventOf))
  const refused = refusedBytes(evidence)
  const found: Imported = {
    ...{imported: 0, known: 0, otherEvents: 0},
    ...{unreadable: [], leftOut: [], unchecked: [], notices: []},
  }
  const fresh: {raw: string; sha256: string}[] = []
  for (const part of partsOf(text, bytes)) {
    const receipt = refused.get(sha256(part.bytes ?? ''))
    const again = receipt && (await judgedAgain(desk, receipt))
    const read = readAgain(part, again)
    if (typeof read === 'string') {
      found.unreadable.push({...part.place, why: read})
      continue
    }
    for (const {id, field, value} of read.leftOut)
      found.leftOut.push({...part.place, notice: id, field, value: textOf(value)})
    if (before.has(read.sha256) || here.has(read.event ?? '')) {
      found.known += 1
      continue
    }
    if (again && !again.fits) found.unchecked.push({...part.place, receipt: again.receipt})
    before.add(read.sha256)
    fresh.push({raw: read.raw, sha256: read.sha256})
    found.imported += 1
    if (read.notices.length === 0) found.otherEvents += 1
    for (const notice of read.notices) found.notices.push(notice)
  }
  if (found.imported + found.known === 0) throw unreadable(found)
  const at = new Date().toISOString()
  if (fresh.length > 0)
    await inboxJournal(folders, identity).append(
      fresh.map((one) => ({kind: 'imported' as const, at, ...one})),
      {sync: true},
    )
  return {...found, notices: [...new Set(found.notices)]}
}

/** Receipts that were refused, by their bytes; without those whose bytes came with a fitting signature as well. */
function refusedBytes({receipts}: Evidence): Map<string, Glance> {
  const fitted = new Set(receipts.filter(({trust}) => trust === 'verified').map((one) => one.sha256))
  const refused = receipts.filter((one) => one.trust === 'refused' && !fitted.has(one.sha256))
  return new Map(refused.map((one) => [one.sha256, one]))
}

/** A receipt that was refused, as an import keeps it: with what its signature makes of it now. */
async function judgedAgain(
  desk: Desk,
  glance: Glance,
): Promise<{receipt: string; fits: boolean; raw: string}> {
  const receipt = referenceOf(glance)
  const {delivery, listener, scheme} = await storedCopy(desk, receipt)
  const secrets = await webhookSecrets(desk, {
    stdin: false,
    subscription: listener?.subscription ?? undefined,
  })
  const judging = {secrets, scheme, tolerance: TOLERANCE, now: delivery.at ?? Date.now()}
  const fits = judge(delivery, judging).trust === 'verified'
  const body = encodeBody(delivery.body)
  return {receipt, fits, raw: printJson(fits ? body : {trust: 'unchecked', ...body}, 0)}
}

type Again = Awaited<ReturnType<typeof judgedAgain>>

/** What a part tells; of a receipt that was refused, and that nobody vouches for, only what fits now. */
function readAgain(part: Part, again: Again | undefined): Read | string {
  const read = readPart(part)
  if (again === undefined || (typeof read === 'string' && !again.fits)) return read
  return readPart({...part, raw: again.raw})
}

/** Returns what a part tells, or why it can't be read. */
function readPart({raw, why}: Part): Read | string {
  if (raw === undefined) return why ?? 'is not JSON'
  if (Buffer.byteLength(raw) > LONGEST) return 'is over 1 MiB'
  const {eventId, notices, trust, leftOut} = importedFacts(raw)
  if (trust === 'refused') return 'is of a delivery that was refused for its signature'
  if (eventId === null && notices.length === 0) return 'holds neither an event nor a notice'
  if (notices.length === 0 && isBare(raw)) return 'names an event, and holds nothing of its body'
  const event = eventId === null ? undefined : eventOf({eventId, facts: notices})
  return {raw, sha256: sha256(raw), event, notices: notices.map(({id}) => id), leftOut}
}

/** A value as its JSON has it, without quotes if it is text; as much of it as anybody needs to find it. */
const textOf = (value: unknown) => {
  const text = typeof value === 'string' ? value : printJson(value, 0)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/** An event by its id and what it tells: two copies that have this in common tell the same. */
const eventOf = ({eventId, facts}: {eventId: string | null; facts: readonly NoticeFacts[]}) =>
  printJson([eventId, facts], 0)

/** Whether it is a row about an event, as `webhooks events` and `webhooks deliveries` print it, and not the event. */
function isBare(raw: string): boolean {
  const value = parseJson(raw) as object
  return !('body' in value) && ('trust' in value || 'attemptNumber' in value)
}

/** One document, the members of one array, or one document a line. */
function partsOf(text: string, bytes: Buffer): Part[] {
  const whole = text.replace(/^\ufeff/, '')
  const value = parsed(whole)
  if ('why' in value) return linesOf(whole)
  const list = listIn(value.value)
  if (list === undefined) return [{place: {line: 1}, ...partOf(value.value, bytes)}]
  return list.map((one, at) => ({place: {element: at + 1}, ...partOf(one, printJson(one, 0))}))
}

/** A parsed document. The bytes of a line that holds a body are those of the body. */
const partOf = (value: unknown, bytes: string | Buffer) => ({
  raw: printJson(value, 0),
  bytes: bodyIn(value) ?? bytes,
})

/** The elements of an array, or of a list as `notices inbox --json` prints it. */
function listIn(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (typeof value !== 'object' || value === null || 'eventId' in value || !('items' in value))
    return undefined
  return Array.isArray(value.items) ? value.items : undefined
}

function linesOf(text: string): Part[] {
  return text.split('\n').flatMap((raw, at): Part[] => {
    if (raw.trim() === '') return []
    const value = parsed(raw)
    return [{place: {line: at + 1}, ...('why' in value ? value : partOf(value.value, raw))}]
  })
}

function parsed(text: string): {value: unknown} | {why: string} {
  try {
    return {value: parseJson(text)}
  } catch (error) {
    if (error instanceof SyntaxError) return {why: 'is not JSON'}
    if (error instanceof RangeError) return {why: 'nests too deep'}
    throw error
  }
}

/** `Line 4`. */
export const placeText = (place: Place) =>
  'line' in place ? `Line ${place.line}` : `Element ${place.element}`

/** That a text proves nothing, and how to find out why. */
export const uncheckedText = ({receipt, ...place}: Imported['unchecked'][number]): string =>
  `${placeText(place)} is of a delivery that was refused here, and its signature fits no secret that is at hand: it is taken in as unchecked, may open a notice, and closes none. Why it does not fit: ${commandText('webhooks', 'verify', '--stored', receipt)}.`

/** That a field was not taken, and what the inbox counts by if it is the deadline. */
export function leftOutText(
  {notice, field, value, ...place}: Imported['leftOut'][number],
  every: readonly InboxItem[],
): string {
  const item = every.find(({id}) => id === notice)
  const instead = field === 'responseDeadlineAt' && item ? insteadText(item) : ''
  return `${placeText(place)}: ${field} "${value}" of notice ${notice} can't be read, and is left out.${instead}`
}

function insteadText({responseDeadlineAt: at, desk}: InboxItem): string {
  if (desk.leftMs === null || !at) return ''
  const due = localTime(at)
  if (desk.deadline === 'told') return ` The inbox counts by the deadline that another copy tells: ${due}.`
  if (desk.deadline === 'raised') return ` The inbox counts 72 hours from when it was raised: until ${due}.`
  return ` The inbox counts 72 hours from when it was first known here: until ${due} at the latest.`
}

function unreadable({unreadable: [first, ...others]}: Imported): Failure {
  const where = first === undefined ? 'It is empty' : `${placeText(first)} ${first.why}`
  return new Failure('INVALID_INPUT', {
    message: `Nothing in it can be read. ${where}${others.length > 0 ? `, and ${counted(others.length, 'other')}` : ''}.`,
    hint: 'Give bodies of deliveries, notices, or lines of `scent webhooks listen --save`, as JSON.',
  })
}
