import type {Client} from '../../client/client.ts'
import type {Delivery} from '../../contract/webhooks.ts'
import {deliveriesSince, momentOf} from '../../flows/webhooks.ts'
import type {Desk} from '../desk.ts'
import type {Run} from '../receipts/runs.ts'
import {type Arrived, readHere} from './here.ts'
import {type RoundTrip, verdictOf} from './round-trip.ts'

interface Waiting {
  client: Client
  waitMs: number
  sleep(ms: number): Promise<void>
}

const EVERY_MS = 1_000

/**
 * Waits until a test that was fired has come here and the service knows, or was refused, or the time is over. One request a
 * second. Says what became of it, and which listeners run. Fails as any request.
 */
export async function awaitRoundTrip(
  desk: Pick<Desk, 'folders' | 'identity'>,
  webhookId: string,
  fired: Delivery,
  {client, waitMs, sleep}: Waiting,
): Promise<{trip: RoundTrip; listeners: Run[]}> {
  const end = performance.now() + waitMs
  for (;;) {
    const recorded = await recordOf(client, webhookId, fired)
    const {copies: all, runs} = readHere(desk, momentOf(fired), (eventId) => eventId === fired.eventId)
    const copies = all.get(String(fired.eventId)) ?? []
    const verdict = verdictOf(recorded, copies)
    const listeners = runs.filter(({to}) => to === Number.POSITIVE_INFINITY)
    const isOver =
      verdict === 'round-trip' ||
      verdict === 'refused' ||
      (verdict === 'delivered-elsewhere' && listeners.length === 0)
    const left = end - performance.now()
    if (isOver || left <= 0)
      return {trip: {verdict, fired, received: receivedOf(copies), recorded}, listeners}
    await sleep(Math.min(EVERY_MS, left))
  }
}

function receivedOf(copies: readonly Arrived[]): RoundTrip['received'] {
  const best = copies.find(({trust}) => trust === 'verified' || trust === 'unchecked') ?? copies[0]
  if (best === undefined) return null
  const {at, trust, why} = best
  return {at: new Date(at).toISOString(), trust, why, copies: copies.length}
}

/** The attempt that was taken, or the last one; the answer to the test is a record as well. */
async function recordOf(client: Client, webhookId: string, fired: Delivery): Promise<Delivery | null> {
  const found: Delivery[] = typeof fired.succeeded === 'boolean' ? [fired] : []
  const since = momentOf(fired)
  for await (const one of deliveriesSince(client, webhookId, () => since))
    if (typeof one?.eventId === 'string' && one.eventId === fired.eventId) found.push(one)
  found.sort((a, b) => momentOf(a) - momentOf(b))
  return found.find(({succeeded}) => succeeded === true) ?? found.at(-1) ?? null
}
