import type {Client} from '../../client/client.ts'
import {isFailure} from '../../contract/failure.ts'
import {millis} from '../../contract/forms.ts'
import {noticeWindowMs} from '../../contract/limits.ts'
import type {Delivery} from '../../contract/webhooks.ts'
import {deliveriesSince, momentOf} from '../../flows/webhooks.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import {webhookRecords} from '../../store/webhooks.ts'
import type {SentEvent} from './records.ts'

// What the service says that it has sent; check.ts compares it with what is here.

/** The service's own records of what it sent within the window. */
export interface Sent {
  /** How many subscriptions were asked about. */
  asked: number
  events: SentEvent[]
  /** Subscriptions that it does not know any more. */
  gone: string[]
  /** How the newest delivery of each subscription ended, if one has ended, and when. */
  ends: Map<string, {isGivenUp: boolean; at: number}>
}

/**
 * Asks for the deliveries of each subscription that is known here: one request each, unless it has more than 100 within 72
 * hours. Fails as any request; a subscription that the service does not know is no failure.
 */
export async function askSent(
  {folders, identity}: {folders: Folders; identity: Identity},
  client: Client,
  serviceNow: () => number,
): Promise<Sent> {
  const records = webhookRecords(folders, identity)
  const sent: Sent = {asked: 0, events: [], gone: [], ends: new Map()}
  for (const {id, lastDeliveryStatus: before} of await records.all()) {
    sent.asked += 1
    try {
      const events = new Map<string, SentEvent>()
      for await (const one of deliveriesSince(client, id, () => serviceNow() - noticeWindowMs))
        take(sent, events, id, one, serviceNow())
      sent.events.push(...events.values())
    } catch (error) {
      if (!isFailure(error, 'NOT_FOUND_WEBHOOK_SUBSCRIPTION')) throw error
      sent.gone.push(id)
    }
    const end = sent.ends.get(id)
    const lastDeliveryStatus = end && (end.isGivenUp ? 'DeadLettered' : 'Success')
    if (end && lastDeliveryStatus !== before)
      await records.note({id, lastDeliveryStatus}, new Date().toISOString())
  }
  return sent
}

/** A try that was due no longer ago than this may be on its way, and not recorded yet. */
const UNTOLD_MS = 60_000

function take(
  {ends}: Sent,
  events: Map<string, SentEvent>,
  subscription: string,
  one: Delivery,
  now: number,
): void {
  const at = momentOf(one)
  const [isTaken, isGivenUp] = [one.succeeded === true, typeof one.deadLetteredAt === 'string']
  if ((isTaken || isGivenUp) && at >= (ends.get(subscription)?.at ?? 0))
    ends.set(subscription, {isGivenUp, at})
  if (typeof one.eventId !== 'string') return
  const before = events.get(one.eventId)
  events.set(one.eventId, {
    ...{id: one.eventId, type: String(one.eventType ?? 'unknown'), subscription},
    firstAt: Math.min(at, before?.firstAt ?? at),
    isTaken: isTaken || before?.isTaken === true,
    isGivenUp: isGivenUp || before?.isGivenUp === true,
    comesAgain: millis(String(one.nextAttemptAt)) > now - UNTOLD_MS || before?.comesAgain === true,
  })
}
