import {parseJson} from '../../contract/money.ts'
import {serviceOffset} from '../../store/clock.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import {type BodyFacts, bodyFacts, bytesOf, readBody} from '../receipts/body.ts'
import type {Glance} from '../receipts/glances.ts'
import {readGlances, segmentsOf} from '../receipts/read.ts'
import {openRuns, type Run} from '../receipts/runs.ts'
import type {NoticeFacts} from './facts.ts'
import type {Answer, Known, Told} from './inbox.ts'
import {type Check, type InboxRecord, inboxJournal} from './records.ts'

/** All that the records of an identity say about notices, and about what they may lack. */
export interface Evidence extends Known {
  /** How far the service's clock is ahead of this machine's, in milliseconds. */
  offsetMs: number
  listening: Run[]
  /** Copies that arrived here, without their bodies, the oldest first. */
  receipts: Glance[]
  /** Files of receipts that are damaged: what stands behind the damage was not read. */
  damaged: string[]
  /** SHA-256 of each imported text, and the ids of the events in them. */
  imported: Set<string>
  importedEvents: Set<string>
  /** What came of asking the service the last time. */
  check?: Check
}

/** Reads everything since `since` (milliseconds), as if the files `without` were not there; imports and answers always. */
export function readEvidence(
  folders: Folders,
  identity: Identity,
  since: number,
  without: ReadonlySet<string> = new Set(),
): Evidence {
  const {offsetMs, timeAt} = serviceOffset(folders, identity).told()
  const known: Evidence = {
    ...{told: [], answers: [], listening: [], receipts: [], damaged: []},
    offsetMs,
    imported: new Set(),
    importedEvents: new Set(),
  }
  const runs = openRuns()
  const segments = segmentsOf(folders, identity, since).filter(({path}) => !without.has(path))
  const damaged = (path: string) => known.damaged.push(path)
  for (const {record, segment} of readGlances(segments, identity, {damaged})) {
    runs.take(segment.path, record)
    if (record.kind === 'received') known.receipts.push(record)
  }
  const told = toldBy(known.receipts, timeAt)
  const answers = new Map<string, Answer>()
  for (const record of inboxJournal(folders, identity).records()) {
    const at = Date.parse(record.at)
    takeRecord(known, told, answers, record, {at, by: timeAt(at)})
  }
  const receipts = known.receipts.sort((a, b) => a.time - b.time)
  return {...known, told, receipts, answers: [...answers.values()], listening: runs.all(segments)}
}

/** A copy of an event that was not refused. */
type Copy = Glance & {trust: Exclude<Glance['trust'], 'refused'>}
const isCounted = (receipt: Glance): receipt is Copy => receipt.trust !== 'refused'

/** What the copies tell: of an event the first copy of the highest trust decides, and copies with other bytes tell nothing. */
function toldBy(receipts: readonly Glance[], timeAt: (localMs: number) => number): Told[] {
  const worth = (trust: Told['trust']) => ['stale', 'unchecked', 'verified'].indexOf(trust)
  // Of 100,000 events few tell of a notice, and only these are looked at more closely.
  const telling = receipts.filter((one): one is Copy => one.facts.length > 0 && isCounted(one))
  const events = new Set(telling.map(({eventId}) => eventId))
  const best = new Map<string, Copy>()
  for (const copy of receipts) {
    // One that came too late never takes an id.
    if (!events.has(copy.eventId) || !isCounted(copy) || copy.eventId === null || copy.trust === 'stale')
      continue
    const before = best.get(copy.eventId)
    const isBetter =
      before === undefined ||
      worth(copy.trust) > worth(before.trust) ||
      (copy.trust === before.trust && copy.time < before.time)
    if (isBetter) best.set(copy.eventId, copy)
  }
  return telling
    .filter(({eventId, sha256}) => (best.get(eventId ?? '')?.sha256 ?? sha256) === sha256)
    .flatMap(({facts, trust, time: at}) => {
      const by = timeAt(at)
      return facts.map(({id, fields, saysEnd}) => ({id, fields, saysEnd, trust, at, by}))
    })
}

function takeRecord(
  known: Evidence,
  told: Told[],
  answers: Map<string, Answer>,
  record: InboxRecord,
  when: Pick<Told, 'at' | 'by'>,
): void {
  if (record.kind === 'imported') {
    known.imported.add(record.sha256)
    const {notices, eventId, trust} = importedFacts(record.raw)
    if (eventId !== null && trust === 'imported') known.importedEvents.add(eventId)
    if (trust !== 'refused') for (const fact of notices) told.push({...fact, trust, ...when})
  }
  if (record.kind === 'checked') {
    const {at, lacking, isCut, gone} = record
    known.check = {at, lacking: lacking ?? known.check?.lacking ?? [], isCut, gone}
  }
  if (record.kind === 'answering') {
    const {attempt, id, choice} = record
    answers.set(attempt, {...answers.get(attempt), attempt, id, choice, ...when})
  }
  if (record.kind === 'answered') {
    const {attempt, id, choice, outcome, payload} = record
    const {at, by} = answers.get(attempt) ?? when
    answers.set(attempt, {attempt, id, choice, at, by, outcome})
    if (payload === null) return
    told.push(...answeredFacts(id, payload).map((fact) => ({...fact, trust: 'service' as const, ...when})))
  }
}

/** The notice that the service answered; it is the one that was asked for, whatever else the answer holds. */
const answeredFacts = (id: string, payload: string): NoticeFacts[] =>
  bodyFacts(parseJson(payload)).notices.filter((fact) => fact.id === id)

/**
 * What one imported JSON text tells: a delivery's body, a bare notice, or a line of `listen --save`, which holds the body
 * as text and what it was worth. Throws SyntaxError and RangeError if it is not JSON.
 */
export function importedFacts(
  raw: string,
): BodyFacts & {trust: 'imported' | 'unchecked' | 'stale' | 'refused'} {
  const value = parseJson(raw)
  const body = bodyIn(value)
  if (body) return {...readBody(body.toString()), trust: keptTrust((value as {trust?: unknown}).trust)}
  // Nobody imports what keeps the program busy for long.
  return {...bodyFacts(value, Number.POSITIVE_INFINITY), trust: 'imported'}
}

/** The bytes of the body that a line of `listen --save` holds; undefined if a document is not such a line. */
export function bodyIn(value: unknown): Buffer | undefined {
  if (typeof value !== 'object' || value === null || !('body' in value)) return undefined
  const {body, encoding} = value as {body: unknown; encoding?: unknown}
  if (typeof body !== 'string') return undefined
  return bytesOf({body, encoding: encoding === 'base64' ? 'base64' : 'utf8'})
}

/** A line that says what its listener made of the signature is never worth more than that. */
const keptTrust = (trust: unknown) =>
  trust === 'unchecked' || trust === 'stale' || trust === 'refused' ? trust : 'imported'
