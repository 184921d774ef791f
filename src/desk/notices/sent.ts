import type {Client} from '../../client/client.ts'
import {isFailure} from '../../contract/failure.ts'
import {noticeWindowMs} from '../../contract/limits.ts'
import type {Delivery} from '../../contract/webhooks.ts'
import {deliveriesSince, momentOf} from '../../flows/webhooks.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import {webhookRecords} from '../../store/webhooks.ts'
import {counted} from '../../terminal/text.ts'
import {type Blindness, iso} from './blindness.ts'
import type {Evidence} from './evidence.ts'

// What the service says that it has sent, compared with what is here.

/** An event that the service has sent, or tried to. */
interface SentEvent {
  id: string
  type: string
  /** Milliseconds of the service's clock. */
  firstAt: number
  lastAt: number
  isTaken: boolean
  isGivenUp: boolean
  subscription: string
}

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
        take(sent, events, id, one)
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

function take({ends}: Sent, events: Map<string, SentEvent>, subscription: string, one: Delivery): void {
  const at = momentOf(one)
  const [isTaken, isGivenUp] = [one.succeeded === true, typeof one.deadLetteredAt === 'string']
  if ((isTaken || isGivenUp) && at >= (ends.get(subscription)?.at ?? 0))
    ends.set(subscription, {isGivenUp, at})
  if (typeof one.eventId !== 'string') return
  const before = events.get(one.eventId)
  events.set(one.eventId, {
    ...{id: one.eventId, type: String(one.eventType ?? 'unknown'), subscription},
    firstAt: Math.min(at, before?.firstAt ?? at),
    lastAt: Math.max(at, before?.lastAt ?? at),
    isTaken: isTaken || before?.isTaken === true,
    isGivenUp: isGivenUp || before?.isGivenUp === true,
  })
}

/** Events that were sent, and of which no copy is here that counts. */
export function missing({events}: Sent, evidence: Evidence): Blindness[] {
  const {receipts, importedEvents} = evidence
  const taken = receipts.filter(({trust}) => trust !== 'refused')
  const here = new Set([...taken.map(({eventId}) => eventId), ...importedEvents])
  // What has come before, and never told of a notice, hides none.
  const telling = new Set(taken.filter(tellsOfNotice).map(({eventType}) => eventType))
  const proved = taken.filter(
    ({trust, eventType}) => trust === 'verified' && !/notice/i.test(eventType ?? ''),
  )
  const harmless = new Set(proved.map(({eventType}) => eventType).filter((type) => !telling.has(type)))
  const lacking = events.filter(({id, type}) => !here.has(id) && !harmless.has(type))
  const byId = new Map(lacking.map((one) => [one.id, one]))
  const all = [...byId.values()].sort((a, b) => a.firstAt - b.firstAt)
  const [first] = all
  if (first === undefined) return []
  const types = [...new Set(all.map(({type}) => type))]
  const kinds = types
    .slice(0, 3)
    .map((type) => `${all.filter((one) => one.type === type).length} ${type}`)
    .join(', ')
  const are = all.length === 1 ? 'is' : 'are'
  return [
    {
      code: 'missing',
      since: iso(first.firstAt),
      until: iso(Math.max(...all.map(({firstAt}) => firstAt)) + noticeWindowMs),
      says: `${counted(all.length, 'event')} of the last 72 hours that the service has sent ${are} not here (${kinds}). ${whereOf(all)}`,
      next: `scent webhooks timeline ${first.subscription} --missing`,
    },
  ]
}

const tellsOfNotice = ({notices, unreadable}: Evidence['receipts'][number]) =>
  notices.length > 0 || unreadable

/** Whether they will come yet, and who may have them. */
function whereOf(all: readonly SentEvent[]): string {
  const taken = all.filter(({isTaken}) => isTaken).length
  const over = all.filter(({isTaken, isGivenUp}) => isGivenUp && !isTaken).length
  const open = all.length - taken - over
  return [
    taken > 0 && `Another receiver took ${taken}.`,
    open > 0 && `The service will send ${open} again.`,
    over > 0 && `It has given up ${over}.`,
    taken + over > 0 && 'What another receiver keeps can be taken in: `scent notices import FILE`.',
  ]
    .filter(Boolean)
    .join(' ')
}
