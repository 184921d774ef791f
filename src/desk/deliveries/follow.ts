import type {Client} from '../../client/client.ts'
import type {Delivery} from '../../contract/webhooks.ts'
import {deliveriesSince, momentOf} from '../../flows/webhooks.ts'
import type {Desk} from '../desk.ts'
import {type Arrived, readHere} from './here.ts'
import {type RoundTrip, verdictOf} from './round-trip.ts'

interface Waiting {
  client: Client
  waitMs: number
  /** Ends early when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  signal: AbortSignal
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
  {client, waitMs, sleep, signal}: Waiting,
): Promise<RoundTrip> {
  const end = performance.now() + waitMs
  for (;;) {
    const recorded = await recordOf(client, webhookId, fired)
    const {copies: all, runs} = readHere(desk, momentOf(fired), (eventId) => eventId === fired.eventId)
    const copies = all.get(String(fired.eventId)) ?? []
    const verdict = verdictOf(recorded, copies)
    const isListening = runs.some(({to}) => to === Number.POSITIVE_INFINITY)
    const isOver =
      verdict === 'round-trip' || verdict === 'refused' || (verdict === 'delivered-elsewhere' && !isListening)
    const left = end - performance.now()
    if (isOver || left <= 0 || signal.aborted) return {verdict, fired, received: receivedOf(copies), recorded}
    await sleep(Math.min(EVERY_MS, left), signal)
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
