import {Failure} from '../../contract/failure.ts'
import {parseJson, printJson} from '../../contract/money.ts'
import {localTime} from '../../terminal/cells.ts'
import {commandText} from '../../terminal/next.ts'
import {counted} from '../../terminal/text.ts'
import type {Desk} from '../desk.ts'
import {encodeBody, sha256} from '../receipts/body.ts'
import {type Doubt, type Doubts, findDoubts, type Mark, marksIn, toldBy} from './doubts.ts'
import {bodyIn, importedFacts, readEvidence} from './evidence.ts'
import type {LeftOut} from './facts.ts'
import type {InboxItem} from './inbox.ts'
import {inboxJournal} from './records.ts'

interface Imported {
  imported: number
  known: number
  otherEvents: number
  /** Whether there is a secret to judge anything with. */
  hasSecret: boolean
  unreadable: (Place & {why: string})[]
  /** Fields that are not what they must be, and are not taken. */
  leftOut: (Place & {notice: string; field: string; value: string})[]
  /** Those of deliveries that were not verified here and still don't fit: they may open a notice, and close none. */
  unchecked: (Place & Doubt)[]
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
  /** The body in it, if it is a line of `listen --save`. */
  body?: string | undefined
  marks: Mark[]
}

/** What a part tells. */
interface Read {
  raw: string
  sha256: string
  trust: ReturnType<typeof importedFacts>['trust']
  eventId: string | null
  told: string
  notices: string[]
  leftOut: readonly LeftOut[]
}

/** A longer text would not fit into a line of the records. */
const LONGEST = 1024 * 1024

/**
 * Takes in what a file tells of notices: one JSON document, an array, or NDJSON. Texts that were imported before, and
 * events of which a copy that fits its signature tells the same, change nothing. What was not verified here is judged
 * once more, with the secrets that are at hand now. Fails with INVALID_INPUT if nothing in it can be read, and with KEYCHAIN_UNAVAILABLE.
 */
export async function importNotices(desk: Desk, text: string): Promise<Imported> {
  const {folders, identity} = desk
  const evidence = readEvidence(folders, identity, 0)
  const before = evidence.imported
  const here = new Set(evidence.receipts.filter(({trust}) => trust === 'verified').map(toldBy))
  const parts = partsOf(text)
  const isProven = evidence.receipts.every(({trust}) => trust === 'verified')
  const marks = parts.flatMap((part) => part.marks)
  const doubts = isProven ? undefined : await findDoubts(desk, marks)
  const found: Imported = {
    ...{imported: 0, known: 0, otherEvents: 0, hasSecret: doubts?.hasSecret ?? true},
    ...{unreadable: [], leftOut: [], unchecked: [], notices: []},
  }
  const fresh: {raw: string; sha256: string}[] = []
  for (const part of parts) {
    const {read, doubt} = readDoubting(part, doubts, here)
    if (typeof read === 'string') {
      found.unreadable.push({...part.place, why: read})
      continue
    }
    for (const {id, field, value} of read.leftOut)
      found.leftOut.push({...part.place, notice: id, field, value: textOf(value)})
    if (before.has(read.sha256) || (read.eventId !== null && here.has(read.told))) {
      found.known += 1
      continue
    }
    if (doubt) found.unchecked.push({...part.place, ...doubt})
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

/** What a part tells, and the receipt that it comes from, if that proves nothing: then it is worth no more than that. */
function readDoubting(
  part: Part,
  doubts: Doubts | undefined,
  here: ReadonlySet<string>,
): {read: Read | string; doubt?: Doubt | undefined} {
  const read = readPart(part)
  const bare = part.body === undefined ? read : readPart({...part, raw: withTrust(part.body)})
  if (doubts === undefined || typeof bare === 'string' || here.has(bare.told)) return {read}
  if (doubts.fits(bare.told)) return {read: bare}
  const doubt = doubts.of(part.marks)
  if (doubt === undefined) return {read}
  const isStale = doubt.trust === 'stale' || (typeof read !== 'string' && read.trust === 'stale')
  return {
    read: readPart({...part, raw: withTrust(part.body ?? bare.raw, isStale ? 'stale' : 'unchecked')}),
    doubt,
  }
}

/** A body as a line of `listen --save` has it; written anew, so that it is the same however it came. */
function withTrust(body: string, trust?: 'unchecked' | 'stale'): string {
  const value = parsed(body)
  const text = 'why' in value ? body : printJson(value.value, 0)
  return printJson({...(trust && {trust}), ...encodeBody(Buffer.from(text))}, 0)
}

/** Returns what a part tells, or why it can't be read. */
function readPart({raw, why}: Part): Read | string {
  if (raw === undefined) return why ?? 'is not JSON'
  if (Buffer.byteLength(raw) > LONGEST) return 'is over 1 MiB'
  const {eventId, notices, trust, leftOut} = importedFacts(raw)
  if (trust === 'refused') return 'is of a delivery that was refused for its signature'
  if (eventId === null && notices.length === 0) return 'holds neither an event nor a notice'
  if (notices.length === 0 && isBare(raw)) return 'names an event, and holds nothing of its body'
  const told = toldBy({eventId, facts: notices})
  return {raw, sha256: sha256(raw), trust, eventId, told, notices: notices.map(({id}) => id), leftOut}
}

/** A value as its JSON has it, without quotes if it is text; as much of it as anybody needs to find it. */
const textOf = (value: unknown) => {
  const text = typeof value === 'string' ? value : printJson(value, 0)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/** Whether it is a row about an event, as `webhooks events` and `webhooks deliveries` print it, and not the event. */
function isBare(raw: string): boolean {
  const value = parseJson(raw) as object
  return !('body' in value) && ('trust' in value || 'attemptNumber' in value)
}

/** One document, the members of one array, or one document a line. */
function partsOf(text: string): Part[] {
  const whole = text.replace(/^\ufeff/, '')
  const value = parsed(whole)
  if ('why' in value) return linesOf(whole)
  const list = listIn(value.value)
  if (list === undefined) return [{place: {line: 1}, ...partOf(value.value)}]
  return list.map((one, at) => ({place: {element: at + 1}, ...partOf(one)}))
}

function partOf(value: unknown): Pick<Part, 'raw' | 'body' | 'marks'> {
  const raw = printJson(value, 0)
  const body = bodyIn(value)?.toString()
  return {raw, body, marks: [...marksIn(body ?? raw)]}
}

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
    const part = 'why' in value ? {...value, marks: []} : partOf(value.value)
    return [{place: {line: at + 1}, ...part}]
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

const doubtful: Record<Doubt['trust'], string> = {
  refused: 'was refused here',
  stale: 'was signed too long before it came',
  unchecked: 'was not checked when it came',
}

/** That a text proves nothing, and how to find out why. */
export function uncheckedText(
  {receipt, trust, ...place}: Imported['unchecked'][number],
  hasSecret: boolean,
): string {
  const now = hasSecret
    ? 'its signature fits no secret that is at hand'
    : 'there is no secret at hand to check its signature with'
  const why = trust === 'stale' ? '' : `, and ${now}`
  return `${placeText(place)} is of a delivery that ${doubtful[trust]}${why}: it is taken in as unchecked, may open a notice, and closes none. Why it does not fit: ${commandText('webhooks', 'verify', '--stored', receipt)}.`
}

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
