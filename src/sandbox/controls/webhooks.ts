import {find, update} from '../core/rows.ts'
import {type Attempt, subscriptions} from '../core/schema.ts'
import type {State} from '../core/state.ts'
import type {World} from '../core/world.ts'
import {refuse} from '../door/reply.ts'
import {queueDelivery} from '../rules/events.ts'
import {attemptPayload, newSecret} from '../rules/webhooks.ts'

/** A shorter beginning of an event's id could mean too many. */
const SHORTEST = 6

/**
 * Sends the event of a delivery record again, with the same id and the same bytes; returns the new record. An event may be
 * named as well, by its id or a beginning of it: then of its last record.
 */
export function redeliver(state: State, id: string): Promise<object> {
  const sql = `SELECT * FROM attempts WHERE id = ? OR (length(?) >= ? AND substr(event_id, 1, length(?)) = ?) ORDER BY n DESC LIMIT 1`
  const key = id.toLowerCase()
  const row =
    state.world.get<Attempt>(sql, key, key, SHORTEST, key, key) ?? refuse('NOT_FOUND_WEBHOOK_DELIVERY')
  return again(state, row)
}

/** Sends the last event of a subscription a second time, as may happen to any (H25); returns the new record. */
export function duplicateLast(state: State, id: string): Promise<object> {
  const {world} = state
  const known = find(world, subscriptions, {id: id.toLowerCase()})
  if (known === undefined) refuse('NOT_FOUND_WEBHOOK_SUBSCRIPTION')
  const sql = 'SELECT * FROM attempts WHERE subscription_id = ? ORDER BY n DESC LIMIT 1'
  const row = world.get<Attempt>(sql, id.toLowerCase()) ?? refuse('NOT_FOUND_WEBHOOK_DELIVERY')
  return again(state, row)
}

async function again(state: State, {subscription_id, event_id}: Attempt): Promise<object> {
  const delivery = queueDelivery(state.world, subscription_id, event_id, state.clock.now())
  return attemptPayload(await state.deliverer.fire(delivery))
}

/** H27. not shown: how a secret is changed. The next attempt is signed with the new one. */
export function rotateSecret(world: World, id: string): object {
  const own = {id: id.toLowerCase()}
  const signingSecret = newSecret()
  if (update(world, subscriptions, own, {secret: signingSecret}) === 0)
    refuse('NOT_FOUND_WEBHOOK_SUBSCRIPTION')
  return {...own, signingSecret}
}
