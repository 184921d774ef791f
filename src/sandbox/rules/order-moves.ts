import * as z from 'zod/mini'
import {find, findAll} from '../core/rows.ts'
import {groups, type Order, orders} from '../core/schema.ts'
import type {State} from '../core/state.ts'
import type {World} from '../core/world.ts'
import {invalid, refuse} from '../door/reply.ts'
import {iso} from '../time/clock.ts'
import {emit} from './events.ts'
import {groupsOf} from './order-reads.ts'
import {globalIdOf} from './orders.ts'

/** An order by its id, its global id or the partner's own reference, whoever it belongs to. */
export function findOrder(world: World, key: string): Order {
  const n = Number(/^SCN-(\d{10})$/.exec(key)?.[1] ?? -1)
  const order = find(world, orders, {id: key.toLowerCase()}) ?? find(world, orders, {n})
  if (order) return order
  const sql = "SELECT * FROM orders WHERE external_reference = ? AND status <> 'Failed'"
  const referred = world.all<Order>(sql, key)
  if (referred.length > 1) invalid({orderId: ['is a reference of several partners: give the order id']})
  return referred[0] ?? refuse('NOT_FOUND_ORDER', {orderId: key})
}

export function orderById(world: World, id: string): Order {
  return find(world, orders, {id}) ?? refuse('NOT_FOUND_ORDER', {orderId: id})
}

/** O22: nothing but the operator moves a group. */
export function shipOrder({world}: State, key: string): object {
  const order = findOrder(world, key)
  world.run("UPDATE groups SET status = 'Shipped' WHERE order_id = ? AND status = 'Pending'", order.id)
  return view(world, order)
}

/** Delivers what is on its way. The order's own status stays, as the service has it today, unless O20 is turned. */
export function deliverOrder({world, clock, assumptions}: State, key: string): object {
  const order = findOrder(world, key)
  const sql = `UPDATE groups SET status = 'Delivered', delivered_at = ?
    WHERE order_id = ? AND status IN ('Pending', 'Shipped')`
  const delivered = world.run(sql, clock.now(), order.id)
  if (delivered > 0) tellOfDelivery(world, order, clock.now())
  if (delivered > 0 && assumptions.O20 === 'synced' && order.status === 'Processing') {
    world.run("UPDATE orders SET status = 'Completed', completed_at = ? WHERE id = ?", clock.now(), order.id)
  }
  return view(world, order)
}

function tellOfDelivery(world: World, order: Order, at: number): void {
  for (const {id} of findAll(world, groups, {order_id: order.id}, 'id')) {
    const data = {orderId: order.id, fulfillmentGroupId: id, deliveredAt: iso(at)}
    emit(world, {type: 'shipment.delivered', partnerId: order.partner_id, subject: id, data, at})
  }
}

/** O27: an order beyond repair: its reference is refused with CONFLICT_ORDER_REQUIRES_INTERVENTION from now on. */
export function interveneIn({world}: State, key: string): object {
  const order = findOrder(world, key)
  world.run('UPDATE orders SET intervention = 1 WHERE id = ?', order.id)
  return view(world, order)
}

export const detailOrder = z.strictObject({reason: z.nullable(z.string())})

/** O29: the detail of an order can't be had, for any reason in words; null brings it back. */
export function hideDetail({world}: State, key: string, {reason}: z.output<typeof detailOrder>): object {
  const order = findOrder(world, key)
  world.run('UPDATE orders SET detail_reason = ? WHERE id = ?', reason, order.id)
  return view(world, order)
}

const view = (world: World, {n, id}: Order) => ({
  orderId: id,
  orderGlobalId: globalIdOf(n),
  groups: groupsOf(world, id),
})
