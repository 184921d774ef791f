import {Failure} from '../../contract/failure.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import {bytesOf} from './body.ts'
import type {Glance} from './glances.ts'
import {readGlances, segmentsOf} from './read.ts'
import {type Handed, isTaken, type Received} from './records.ts'
import {referenceOf} from './reference.ts'
import {receiptsFile} from './segment.ts'

/** Which events are wanted; what is undefined does not matter. */
export interface Filter {
  types?: readonly string[] | undefined
  order?: string | undefined
  notice?: string | undefined
  trust?: Received['trust'] | undefined
  differs?: boolean
  /** Only what was refused, came too late, differs, or was not taken by the receiver of its listener. */
  problems?: boolean
  /** The receiver that is asked about besides that of its listener. */
  to?: string
  /** Milliseconds. */
  since: number
  until: number
}

/** A copy in the records, and how it was handed on. */
export interface Copy {
  record: Received
  /** Its file, and the byte at which it begins there. */
  segment: string
  place: number
  forward?: Forward
}

interface Forward extends Pick<Handed, 'to' | 'status' | 'ms' | 'error'> {
  /** When it was sent again, if that is what counts. */
  replayedAt?: string
}

type Found = Omit<Copy, 'record'>

/** An event in the records: the copy that counts, and how many there are. */
export interface RecordedEvent {
  /** The name of the copy that counts. */
  receipt: string
  eventId: string | null
  eventType: string | null
  at: string
  trust: Received['trust']
  why: string | null
  scheme: string | null
  notices: readonly string[]
  orderId: string | null
  bytes: number
  copies: number
  differs: boolean
  forward: Forward | null
}

const worth = {verified: 3, unchecked: 2, stale: 1, refused: 0} as const

const placeOf = ({sha256, receivedAt}: Pick<Handed, 'sha256' | 'receivedAt'>) => `${receivedAt} ${sha256}`

/**
 * How a copy was handed on, after it was once more: what its receiver has failed on it may have taken later, and so may the
 * receiver that is asked about.
 */
function handed(before: Forward | null | undefined, {at, again, ...facts}: Handed, wanted?: string): Forward {
  const {to, status, ms, error} = facts
  const isOther = to !== before?.to && to !== wanted
  return before && (isTaken(before) || isOther)
    ? before
    : {to, status, ms, error, ...(again && {replayedAt: at})}
}

/** The copies of one event so far, and the one that counts, with its file. */
interface Tally extends Pick<RecordedEvent, 'copies' | 'differs' | 'forward'> {
  best: Glance
  /** Behind how many copies it came. */
  bestAt: number
  segment: string
  takenAt?: string | undefined
}

/** What a copy is counted under. One that did not prove its id takes none, and is one only with those of the same bytes. */
function keyOf({place, eventId, trust, sha256}: Glance, segment: string): string {
  if (eventId === null) return JSON.stringify([segment, place])
  return worth[trust] > 1 ? eventId : JSON.stringify([eventId, sha256])
}

/** The newest `limit` events that fit, and how many do. A copy without an id stands for itself. */
export function recordedEvents(
  folders: Folders,
  identity: Identity,
  filter: Filter,
  limit?: number,
): {items: RecordedEvent[]; count: number} {
  const all = fitting(folders, identity, filter).sort((a, b) => compareTimes(b, a))
  return {items: all.slice(0, limit).map(eventOf), count: all.length}
}

/** The copy of an event that counts. */
interface Counting {
  event: RecordedEvent
  /** When the receiver that is asked about took it last, if it did: as it came, or sent again. */
  takenAt: string | undefined
  /** Gets it whole. */
  read(): Received | undefined
}

/** Of each event that fits the copy that counts, the oldest first. */
export function countingCopies(folders: Folders, identity: Identity, filter: Filter): Counting[] {
  return fitting(folders, identity, filter)
    .sort(compareTimes)
    .map((tally) => ({
      event: eventOf(tally),
      takenAt: tally.takenAt,
      read: () => wholeOf(tally.segment, tally.best.place, identity),
    }))
}

const compareTimes = ({best: {at: a}}: Tally, {best: {at: b}}: Tally) => (a < b ? -1 : a > b ? 1 : 0)

function wholeOf(segment: string, place: number, identity: Identity): Received | undefined {
  const record = receiptsFile(segment, identity).at(place)
  return record.kind === 'received' ? record : undefined
}

/** The events that fit, in the order in which their first copies arrived. */
function fitting(folders: Folders, identity: Identity, filter: Filter): Tally[] {
  const tallies = new Map<string, Tally>()
  // Each copy that fits, and the tally it is in; and what was handed on, behind so many copies.
  const [copies, owners]: [Glance[], Tally[]] = [[], []]
  const forwards: {record: Handed; after: number}[] = []
  const {order, since} = filter
  const isWanted = order === undefined ? undefined : (record: Received) => bytesOf(record).includes(order)
  for (const {record, segment} of readGlances(segmentsOf(folders, identity, since), identity, {isWanted})) {
    if (record.kind === 'forwarded') forwards.push({record, after: copies.length})
    if (record.kind !== 'received' || !fits(record, filter)) continue
    const {trust, sha256} = record
    const {path} = segment
    const key = keyOf(record, path)
    let tally = tallies.get(key)
    if (tally === undefined) {
      tally = {best: record, bestAt: copies.length, segment: path, copies: 1, differs: false, forward: null}
      tallies.set(key, tally)
    } else {
      tally.copies += 1
      const differs = tally.best.sha256 !== sha256
      if (worth[trust] > worth[tally.best.trust])
        Object.assign(tally, {best: record, bestAt: copies.length, segment: path, differs})
      else tally.differs ||= differs
    }
    copies.push(record)
    owners.push(tally)
  }
  hand(forwards, {copies, owners}, filter.to)
  return [...tallies.values()].filter(
    (tally) => (tally.differs || !filter.differs) && (isProblem(tally) || !filter.problems),
  )
}

/** Adds how copies were handed on, each to the tally of the last copy of those bytes that had come by then. */
function hand(
  forwards: readonly {record: Handed; after: number}[],
  {copies, owners}: {copies: readonly Glance[]; owners: readonly Tally[]},
  to: string | undefined,
): void {
  // Most copies were not handed on, if any was: only the others need to be found.
  const wanted = new Set(forwards.map(({record}) => placeOf(record)))
  const places = new Map<string, Tally>()
  let next = 0
  for (const {record, after} of forwards) {
    for (; next < after; next += 1) {
      const [copy, tally] = [copies[next], owners[next]]
      const place = copy && placeOf({sha256: copy.sha256, receivedAt: copy.at})
      if (tally && place && wanted.has(place)) places.set(place, tally)
    }
    const tally = places.get(placeOf(record))
    // What counts is how the copy that counts was handed on, or one that came after it.
    if (tally === undefined || after <= tally.bestAt) continue
    tally.forward = handed(tally.forward, record, to)
    if (record.to === to && isTaken(record)) tally.takenAt = record.at
  }
}

const isProblem = ({best, differs, forward}: Tally) =>
  differs || worth[best.trust] < worth.unchecked || Boolean(forward && !isTaken(forward))

function eventOf({best, copies, differs, forward}: Tally): RecordedEvent {
  const {eventId, eventType, at, trust, why, scheme, notices, orderId, bytes} = best
  const facts = {eventId, eventType, at, trust, why, scheme, notices, orderId, bytes}
  return {receipt: referenceOf(best), ...facts, copies, differs, forward}
}

function fits(record: Glance, {types, notice, trust, since, until}: Filter): boolean {
  return (
    record.time >= since &&
    record.time < until &&
    (types === undefined || types.includes(record.eventType ?? '')) &&
    (trust === undefined || record.trust === trust) &&
    (notice === undefined || record.notices.includes(notice.toLowerCase()))
  )
}

/** A shorter beginning could mean too many. */
const SHORTEST = 6

/** Fails with INVALID_INPUT if the beginning of an event's id is too short to name one. */
export function requireLong(start: string): void {
  if (start.length < SHORTEST)
    throw new Failure('INVALID_INPUT', {
      message: `"${start}" is too short: give at least ${SHORTEST} characters of the id.`,
    })
}

/** Which of these ids, each of which begins with `start`, is meant; undefined if there is none. Fails with INVALID_INPUT if it may be several. */
export function onlyOne(ids: readonly string[], start: string, noun = 'event'): string | undefined {
  if (ids.length > 1 && !ids.includes(start))
    throw new Failure('INVALID_INPUT', {
      message: `"${start}" fits ${ids.length} ${noun}s: ${ids.slice(0, 3).join(', ')}.`,
      hint: 'Give more of the id.',
    })
  return ids.includes(start) ? start : ids[0]
}

/**
 * The copies of the event with this id, the one that counts first, or the one copy of this reference; or what else is the
 * only one whose id or reference begins so. A whole reference means its copy, whatever ids the senders of events choose.
 * Fails with INVALID_INPUT if the beginning is too short or fits several.
 */
export function findCopies(folders: Folders, identity: Identity, name: string): Copy[] {
  const byId = new Map<string, Found[]>()
  const byReference = new Map<string, Found[]>()
  const byPlace = new Map<string, Found>()
  const isMeant = (text: string) => text === name || (name.length >= SHORTEST && text.startsWith(name))
  for (const {record, segment} of readGlances(segmentsOf(folders, identity), identity)) {
    if (record.kind === 'forwarded') {
      const copy = byPlace.get(placeOf(record))
      if (copy) copy.forward = handed(copy.forward, record)
    }
    if (record.kind !== 'received') continue
    const copy = {segment: segment.path, place: record.place}
    const {eventId} = record
    const reference = name.startsWith('r-') ? referenceOf(record) : ''
    if (isMeant(reference)) byReference.set(reference, [...(byReference.get(reference) ?? []), copy])
    if (eventId !== null && isMeant(eventId)) byId.set(eventId, [...(byId.get(eventId) ?? []), copy])
    else if (!isMeant(reference)) continue
    byPlace.set(placeOf({sha256: record.sha256, receivedAt: record.at}), copy)
  }
  const names = [...byReference.keys(), ...byId.keys()]
  if (names.length === 0) requireLong(name)
  const only = onlyOne(names, name) ?? ''
  const meant = byReference.get(only) ?? byId.get(only)
  const copies = (meant ?? []).flatMap((copy): Copy[] => {
    const record = wholeOf(copy.segment, copy.place, identity)
    return record ? [{...copy, record}] : []
  })
  return copies.sort(
    (a, b) => worth[b.record.trust] - worth[a.record.trust] || (a.record.at < b.record.at ? -1 : 1),
  )
}
