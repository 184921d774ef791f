import type {Client} from '../../client/client.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import type {Delivery} from '../../contract/webhooks.ts'
import {deliveriesSince, momentOf} from '../../flows/webhooks.ts'
import {webhookRecords} from '../../store/webhooks.ts'
import {localTime} from '../../terminal/cells.ts'
import {commandText} from '../../terminal/next.ts'
import {isObject} from '../../terminal/output.ts'
import type {Desk} from '../desk.ts'
import {findCopies, onlyOne, requireLong} from '../receipts/recorded.ts'
import {type Here, readHere} from './here.ts'
import {KEPT_MS, type Row, type Sent, timeline} from './timeline.ts'
import type {Known} from './whose.ts'

/** Which events are looked at; what is undefined does not matter. */
interface Wanted {
  /** Of this subscription alone. */
  subscription: string | undefined
  type: string | undefined
  /** An event's id, or its beginning. */
  id: string | undefined
  /** Milliseconds of the service's clock. */
  since: number | undefined
  isFailed: boolean
  isMissing: boolean
}

type Records = Pick<Desk, 'folders' | 'identity'>

/** Whose records they are, and who asks the service. */
interface Asking extends Records {
  client: Client
  serviceNow(): number
}

/** What is known of both sides at a moment. */
export interface Sides {
  rows: Row[]
  /** How many subscriptions were asked about, and those that the service does not know any more. */
  asked: number
  gone: string[]
  /** Those to which nothing is sent, as far as is known here: they are switched off. */
  off: string[]
  /** How many events of the time asked about the service keeps, whether they are wanted or not. */
  kept: number
  here: Here
  /** Milliseconds of the service's clock. */
  now: number
}

/**
 * Asks the service what it sent, and compares it with what is here: a request for each 100 attempts, of which only those that
 * are wanted stay in memory. Fails as any request; with INVALID_INPUT and NOTHING_MATCHED if the id is not that of one event.
 */
export async function lookAtBoth({client, serviceNow, ...desk}: Asking, wanted: Wanted): Promise<Sides> {
  if (wanted.id !== undefined) requireLong(wanted.id)
  const known = await knownTo(desk)
  const asked = wanted.subscription === undefined ? known : [knownAs(known, wanted.subscription)]
  const sent: Sent[] = []
  const gone: string[] = []
  let kept = 0
  const began = Date.now()
  for (const subscription of asked) {
    try {
      const {attempts, events} = await attemptsOf(client, subscription.id, wanted)
      sent.push({subscription, attempts})
      kept += events
    } catch (error) {
      const isGone = isFailure(error, 'NOT_FOUND_WEBHOOK_SUBSCRIPTION') && wanted.subscription === undefined
      if (!isGone) throw error
      gone.push(subscription.id)
    }
  }
  // After the service was asked: what it has recorded has arrived before.
  const asking = serviceNow()
  // Of an event that is found it need not be known what else came.
  const isFound = wanted.id !== undefined && sent.some(({attempts}) => attempts.length > 0)
  const from = isFound ? Number.POSITIVE_INFINITY : (wanted.since ?? asking - KEPT_MS)
  const here = hereOf(desk, sent, {...wanted, from})
  // What came may be of one that is gone.
  const there = known.map((one) => (gone.includes(one.id) ? {...one, isActive: false} : one))
  const around = {known: there, now: began, isWhole: wanted.since === undefined}
  const all = timeline(sent, {...here, ...around, askedFrom: here.localOf(from)})
  const found = wanted.id === undefined ? all : rowsOfOne(desk, all, wanted.id, wanted)
  const rows = found.filter((row) => isShown(row, wanted))
  const off = asked.flatMap(({id, isActive}) => (isActive === false && !gone.includes(id) ? [id] : []))
  return {rows, asked: asked.length, gone, off, kept, here, now: asking}
}

async function knownTo({folders, identity}: Records): Promise<Known[]> {
  const records = webhookRecords(folders, identity)
  const urls = records.urls()
  return (await records.all()).map(({id, isActive}) => ({
    id,
    isActive,
    urls: urls.get(id.toLowerCase()) ?? [],
  }))
}

const knownAs = (known: readonly Known[], id: string): Known =>
  known.find((one) => one.id.toLowerCase() === id.toLowerCase()) ?? {id, urls: []}

async function attemptsOf(
  client: Client,
  webhookId: string,
  {type, id, since}: Wanted,
): Promise<{attempts: Delivery[]; events: number}> {
  const attempts: Delivery[] = []
  const events = new Set<unknown>()
  for await (const one of deliveriesSince(client, webhookId, () => since ?? 0)) {
    if (!isObject(one)) continue
    events.add(one.eventId ?? one)
    const isOfType = type === undefined || one.eventType === type
    if (isOfType && (id === undefined || String(one.eventId).startsWith(id))) attempts.push(one)
  }
  return {attempts, events: events.size}
}

/** The rows of the one event whose id begins so. */
function rowsOfOne(desk: Records, rows: readonly Row[], start: string, {since, type}: Wanted): Row[] {
  const ids = rows.map(({item}) => String(item.eventId))
  const id = onlyOne([...new Set(ids)], start)
  if (id === undefined) throw notKept(desk, start, since !== undefined || type !== undefined)
  return rows.filter(({item}) => item.eventId === id)
}

/** Nothing that was read is of this event: whether it is here all the same, and what to look at. */
function notKept({folders, identity}: Records, start: string, isNarrowed: boolean): Failure {
  const [copy] = findCopies(folders, identity, start)
  const here = copy ? `, though it came here at ${localTime(copy.record.at)}` : ''
  const such = isNarrowed ? ' that fits the other filters and is' : ''
  const look = copy
    ? `${commandText('webhooks', 'events', start, '--copies')} shows what is here.`
    : '`scent webhooks events` shows what was received here.'
  return new Failure('NOTHING_MATCHED', {
    message: `The service keeps no delivery${such} of an event whose id begins with "${start}"${here}.`,
    hint: `It keeps them for 30 days${isNarrowed ? ': leave out the other filters to see all of them' : ''}. ${look}`,
  })
}

function hereOf(desk: Records, sent: readonly Sent[], {type, id, from}: Wanted & {from: number}): Here {
  const ids = new Set<unknown>()
  let first = from
  for (const {attempts} of sent)
    for (const one of attempts) {
      ids.add(one.eventId)
      first = Math.min(first, momentOf(one))
    }
  const isChosen = (eventId: string, eventType?: string | null) =>
    (type === undefined || eventType === type) && (id === undefined || eventId.startsWith(id))
  return readHere(desk, first, (eventId, eventType) => ids.has(eventId) || isChosen(eventId, eventType))
}

function isShown({item}: Row, {isFailed, isMissing}: Wanted): boolean {
  const {attempts, here, state} = item
  const isHere = here !== null && here.trust !== 'refused' && here.trust !== 'stale'
  const isOneSided = !isHere || state !== 'delivered'
  return (!isFailed || attempts.some(({succeeded}) => succeeded === false)) && (!isMissing || isOneSided)
}

interface Watching {
  everyMs: number
  /** Ends early when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  signal: AbortSignal
}

/**
 * The attempts of the one event whose id begins so. Fails with INVALID_INPUT if it may be several, and with NOTHING_MATCHED
 * if there is none; `isNarrowed`: some were left out before.
 */
export async function* attemptsOfOne(
  desk: Records,
  attempts: AsyncIterable<Delivery>,
  start: string,
  isNarrowed: boolean,
): AsyncGenerator<Delivery> {
  requireLong(start)
  const found: Delivery[] = []
  for await (const one of attempts) if (String(one?.eventId).startsWith(start)) found.push(one)
  const id = onlyOne([...new Set(found.map(({eventId}) => String(eventId)))], start)
  if (id === undefined) throw notKept(desk, start, isNarrowed)
  yield* found.filter(({eventId}) => eventId === id)
}

/** Looks again and again until the signal is aborted: each event as it is, the oldest first, then again when it changes. */
export async function* watchBoth(
  look: () => Promise<Sides>,
  {everyMs, sleep, signal}: Watching,
): AsyncGenerator<Omit<Sides, 'gone' | 'off' | 'kept'>> {
  const known = new Map<string, string>()
  while (!signal.aborted) {
    const {rows, ...around} = await look()
    for (const row of rows.reverse()) {
      const {eventId, subscriptionId} = row.item
      const text = JSON.stringify(row.item)
      const key = JSON.stringify([subscriptionId, eventId ?? text])
      if (known.get(key) !== text) yield {rows: [row], ...around}
      known.set(key, text)
    }
    await sleep(everyMs, signal)
  }
}
