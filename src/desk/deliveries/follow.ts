import type {Client} from '../../client/client.ts'
import type {Delivery} from '../../contract/webhooks.ts'
import {deliveriesSince, momentOf} from '../../flows/webhooks.ts'
import type {Desk} from '../desk.ts'
import {isThere, type Run} from '../receipts/runs.ts'
import {type Arrived, readHere} from './here.ts'
import {type RoundTrip, verdictOf} from './round-trip.ts'

interface Waiting {
  client: Client
  waitMs: number
  sleep(ms: number): Promise<void>
}

/** What became of a test, and who was there. */
export interface Followed {
  trip: RoundTrip
  /** When it was sent, by this machine's clock. */
  sentAt: number
  /** Those that are there. */
  listeners: Run[]
  /** The one that has stored it. */
  keeper: Run | null
}

const EVERY_MS = 1_000

/**
 * Waits until a test that was fired has come here and the service knows, or was refused, or the time is over. One request a
 * second. Fails as any request.
 */
export async function awaitRoundTrip(
  desk: Pick<Desk, 'folders' | 'identity'>,
  webhookId: string,
  fired: Delivery,
  {client, waitMs, sleep}: Waiting,
): Promise<Followed> {
  const end = performance.now() + waitMs
  for (;;) {
    const recorded = await recordOf(client, webhookId, fired)
    const {
      copies: all,
      runs,
      localOf,
    } = readHere(desk, momentOf(fired), (eventId) => eventId === fired.eventId)
    const copies = all.get(String(fired.eventId)) ?? []
    const verdict = verdictOf({recorded, fired}, copies)
    const listeners = runs.filter(isThere)
    const isOver =
      verdict === 'round-trip' ||
      verdict === 'refused' ||
      (verdict === 'delivered-elsewhere' && recorded !== null && listeners.length === 0)
    const left = end - performance.now()
    if (isOver || left <= 0) {
      const best = bestOf(copies)
      const trip = {verdict, fired, received: receivedOf(copies), recorded}
      const sentAt = localOf(momentOf(recorded ?? fired))
      return {trip, sentAt, listeners, keeper: best && isStored(best) ? best.run : null}
    }
    await sleep(Math.min(EVERY_MS, left))
  }
}

const isStored = ({trust}: Arrived) => trust === 'verified' || trust === 'unchecked'
const bestOf = (copies: readonly Arrived[]) => copies.find(isStored) ?? copies[0]

function receivedOf(copies: readonly Arrived[]): RoundTrip['received'] {
  const best = bestOf(copies)
  if (best === undefined) return null
  const {at, trust, why} = best
  return {at: new Date(at).toISOString(), trust, why, copies: copies.length}
}

/** The attempt in the list of deliveries that was taken, or the last one. */
async function recordOf(client: Client, webhookId: string, fired: Delivery): Promise<Delivery | null> {
  const found: Delivery[] = []
  const since = momentOf(fired)
  for await (const one of deliveriesSince(client, webhookId, () => since))
    if (typeof one?.eventId === 'string' && one.eventId === fired.eventId) found.push(one)
  found.sort((a, b) => momentOf(a) - momentOf(b))
  return found.find(({succeeded}) => succeeded === true) ?? found.at(-1) ?? null
}
