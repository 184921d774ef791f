import {Failure} from '../../contract/failure.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import {bytesOf} from './body.ts'
import {readSegments, segmentsOf} from './read.ts'
import type {ReceiptRecord, Received} from './records.ts'

/** Which events are wanted; what is undefined does not matter. */
export interface Filter {
  types?: readonly string[] | undefined
  order?: string | undefined
  notice?: string | undefined
  trust?: Received['trust'] | undefined
  differs?: boolean
  /** Milliseconds. */
  since: number
  until: number
}

type Handed = Extract<ReceiptRecord, {kind: 'forwarded'}>

/** A copy in the records, and how it was handed on. */
export interface Copy {
  record: Received
  segment: string
  forward?: Pick<Handed, 'to' | 'status' | 'ms' | 'error'>
}

/** An event in the records: the copy that counts, and how many there are. */
export interface RecordedEvent {
  eventId: string | null
  eventType: string | null
  at: string
  trust: Received['trust']
  why: string | null
  scheme: string | null
  notices: string[]
  orderId: string | null
  bytes: number
  copies: number
  differs: boolean
  forward: Copy['forward'] | null
}

const ORDER = /"(?:orderId|scentOrderId)"\s*:\s*"([\da-f-]{36})"/i

/** The order that a body speaks of, as far as one look tells. */
export const orderIn = ({body}: Pick<Received, 'body'>): string | null => ORDER.exec(body)?.[1] ?? null

const worth = {verified: 3, unchecked: 2, stale: 1, refused: 0} as const

const placeOf = ({sha256, receivedAt}: Pick<Handed, 'sha256' | 'receivedAt'>) => `${receivedAt} ${sha256}`
const handed = ({to, status, ms, error}: Handed) => ({to, status, ms, error})

/** Events that fit, the newest first. A copy without an id stands for itself. */
export function recordedEvents(folders: Folders, identity: Identity, filter: Filter): RecordedEvent[] {
  const events = new Map<string, RecordedEvent & {sha256: string}>()
  const places = new Map<string, string>()
  for (const {record} of readSegments(segmentsOf(folders, identity, filter.since), identity)) {
    if (record.kind === 'forwarded') {
      const event = events.get(places.get(placeOf(record)) ?? '')
      if (event) event.forward = handed(record)
    }
    if (record.kind !== 'received' || !fits(record, filter)) continue
    const place = placeOf({sha256: record.sha256, receivedAt: record.at})
    const key = record.eventId && worth[record.trust] > 1 ? record.eventId : place
    places.set(place, key)
    const before = events.get(key)
    if (before === undefined) events.set(key, eventOf(record))
    else if (worth[record.trust] > worth[before.trust])
      events.set(key, {
        ...eventOf(record),
        copies: before.copies + 1,
        differs: before.sha256 !== record.sha256,
      })
    else {
      before.copies += 1
      before.differs ||= before.sha256 !== record.sha256
    }
  }
  return [...events.values()]
    .filter(({differs}) => differs || !filter.differs)
    .map(({sha256: _, ...event}) => event)
    .sort((a, b) => (a.at < b.at ? 1 : -1))
}

function eventOf(record: Received): RecordedEvent & {sha256: string} {
  const {eventId, eventType, at, trust, why, scheme, notices, bytes, sha256} = record
  const orderId = orderIn(record)
  return {
    ...{eventId, eventType, at, trust, why, scheme, notices, orderId, bytes, copies: 1, differs: false},
    ...{forward: null, sha256},
  }
}

function fits(record: Received, {types, order, notice, trust, since, until}: Filter): boolean {
  const at = Date.parse(record.at)
  return (
    at >= since &&
    at < until &&
    (types === undefined || types.includes(record.eventType ?? '')) &&
    (trust === undefined || record.trust === trust) &&
    (notice === undefined || record.notices.includes(notice.toLowerCase())) &&
    (order === undefined || bytesOf(record).includes(order))
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
export function onlyOne(ids: readonly string[], start: string): string | undefined {
  if (ids.length > 1 && !ids.includes(start))
    throw new Failure('INVALID_INPUT', {
      message: `"${start}" fits ${ids.length} events: ${ids.slice(0, 3).join(', ')}.`,
      hint: 'Give more of the id.',
    })
  return ids.includes(start) ? start : ids[0]
}

/**
 * The copies of the event with this id, or with the only id that begins so, the one that counts first. Fails with INVALID_INPUT
 * if the beginning is too short or fits several.
 */
export function findCopies(folders: Folders, identity: Identity, start: string): Copy[] {
  requireLong(start)
  const found = new Map<string, Copy[]>()
  const byPlace = new Map<string, Copy>()
  for (const {record, segment} of readSegments(segmentsOf(folders, identity), identity)) {
    if (record.kind === 'forwarded') {
      const copy = byPlace.get(placeOf(record))
      if (copy) copy.forward = handed(record)
    }
    if (record.kind !== 'received' || !record.eventId?.startsWith(start)) continue
    const copy = {record, segment: segment.path}
    byPlace.set(placeOf({sha256: record.sha256, receivedAt: record.at}), copy)
    found.set(record.eventId, [...(found.get(record.eventId) ?? []), copy])
  }
  const copies = found.get(onlyOne([...found.keys()], start) ?? '') ?? []
  return copies.sort(
    (a, b) => worth[b.record.trust] - worth[a.record.trust] || (a.record.at < b.record.at ? -1 : 1),
  )
}
