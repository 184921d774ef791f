import {randomUUID} from 'node:crypto'
import * as z from 'zod/mini'
import {find} from '../core/rows.ts'
import {events, type Subscription, subscriptions} from '../core/schema.ts'
import type {State} from '../core/state.ts'
import {refuse} from '../door/reply.ts'
import {type EventBody, eventOf, keepEvent, queueDelivery} from '../rules/events.ts'

export const eventOrder = z.strictObject({
  /** Any word: receivers must bear types that they do not know. */
  type: z.string().check(z.minLength(1), z.maxLength(200)),
  data: z.optional(z.record(z.string(), z.unknown())),
  /** The one subscription that gets it, whatever its types; by default all active ones that have the type. */
  webhook: z.optional(z.string()),
})

/** Sends an event of which nothing else tells; returns it with the number of its deliveries. */
export function sendEvent(
  state: State,
  _: string,
  {type, data = {}, webhook}: z.output<typeof eventOrder>,
): {event: EventBody | null; deliveries: number} {
  const {world} = state
  const at = state.clock.now()
  const subject = randomUUID()
  const receivers = webhook === undefined ? listening(state, type) : [named(state, webhook)]
  const sent = receivers.map(({id, partner_id: partnerId}) => {
    const event = eventOf({type, partnerId, subject, data, at})
    if (find(world, events, {id: event.eventId}) === undefined) keepEvent(world, event, at)
    queueDelivery(world, id, event.eventId, at)
    return event
  })
  return {event: sent[0] ?? null, deliveries: sent.length}
}

const listening = ({world}: State, type: string) =>
  world.all<Subscription>(
    `SELECT * FROM subscriptions WHERE active
     AND EXISTS (SELECT 1 FROM json_each(event_types) WHERE value = ?) ORDER BY n`,
    type,
  )

const named = ({world}: State, id: string) =>
  find(world, subscriptions, {id: id.toLowerCase()}) ?? refuse('NOT_FOUND_WEBHOOK_SUBSCRIPTION')
