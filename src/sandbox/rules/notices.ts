import * as z from 'zod/mini'
import {noticeWindowMs} from '../../contract/limits.ts'
import type {CallOf, Rules} from '../core/call.ts'
import {find, findAll, insertAndRead} from '../core/rows.ts'
import {deliveries, groups, type Notice, notices, type OrderLine} from '../core/schema.ts'
import type {State} from '../core/state.ts'
import type {World} from '../core/world.ts'
import {invalid, refuse} from '../door/reply.ts'
import {iso, isoOrNull} from '../time/clock.ts'
import {type EventBody, type EventType, emit} from './events.ts'
import {findOrder, orderById} from './order-moves.ts'
import {landRefund, lineRefund, linesOf, refundFor, refundPayload} from './refunds.ts'

/**
 * PATCH .../respond. N09: an unknown choice makes the body invalid. The deadline itself is already too late (N02),
 * whether or not the expiry has run (N03).
 */
function respondToNotice(call: CallOf<'respondToNotice'>): object {
  const {state, world, partner, params, body, now} = call
  const notice = find(world, notices, {id: params.noticeId.toLowerCase(), partner_id: partner.id})
  if (notice === undefined) refuse('NOT_FOUND_UNFULFILLABLE_NOTICE') // G19. not shown: the name of the 404.
  if (notice.status !== 'AwaitingPartnerResponse' || now >= notice.deadline_at) {
    // It was open when the request came in, and expired while the request waited: the expiry won the race.
    const isRace = notice.status !== 'Resolved' && (call.arrived ?? now) < notice.deadline_at
    refuse(isRace ? 'CONFLICT_NOTICE_ALREADY_RESOLVED' : 'BUSINESS_NOTICE_NOT_AWAITING_RESPONSE')
  }
  const update = "UPDATE notices SET status = 'Resolved', choice = ?, responded_at = ? WHERE id = ?"
  world.run(update, body.choice, now, notice.id)
  const resolved: Notice = {...notice, status: 'Resolved', choice: body.choice, responded_at: now}
  settle(state, resolved, body.choice === 'ShipAvailable', now)
  tellOfNotice(state, resolved, 'notice.resolved', now)
  return noticePayload(world, resolved)
}

/** The service's own default, if the window passes without a response. */
export function expireNotice(state: State, id: string, at: number): void {
  const {world} = state
  const notice = find(world, notices, {id})
  if (notice?.status !== 'AwaitingPartnerResponse') return
  // N05: what is lost can't be shipped, departed or not.
  const ships = notice.departed === 1 && notice.reason !== 'Lost'
  const status = ships ? 'ExpiredShipAvailable' : 'ExpiredCancelledWhole'
  world.run('UPDATE notices SET status = ? WHERE id = ?', status, id)
  const expired: Notice = {...notice, status}
  settle(state, expired, ships, at)
  tellOfNotice(state, expired, 'notice.expired', at)
}

/** Cancels and refunds the shortfall, or the whole line; a Lost one always whole, whatever was chosen (N04). */
function settle(state: State, notice: Notice, ships: boolean, at: number): void {
  const {world} = state
  const order = orderById(world, notice.order_id)
  const lines = linesOf(world, order.id)
  const line = lines.find(({id}) => id === notice.line_id)
  if (line === undefined) throw new Error(`notice ${notice.id} names no line of its order`)
  const quantity = ships && notice.reason !== 'Lost' ? notice.ordered - notice.available : notice.ordered
  const left = (one: OrderLine) => one.quantity - one.cancelled - (one.id === line.id ? quantity : 0)
  const isGone = lines.every((one) => left(one) === 0)
  landRefund(state, {
    kind: 'Cancel',
    subjectId: notice.id,
    referenceId: notice.id,
    order,
    lines: [lineRefund(line, quantity)],
    withShipping: isGone, // N07: it is a fee of the order
    at,
  })
  const sql = "UPDATE groups SET status = 'Cancelled' WHERE order_id = ? AND status <> 'Lost'"
  if (isGone) world.run(sql, order.id)
}

/** The notice of the spec. N06: its impact is filled when the refund has landed, for the branch that was applied. */
export function noticePayload(world: World, notice: Notice): object {
  const refund = refundFor(world, notice.id)
  const landed = refund === undefined ? null : refundPayload(refund)
  const ships = isShipped(notice)
  return {
    id: notice.id,
    scentOrderId: notice.order_id,
    reason: notice.reason,
    status: notice.status,
    responseChoice: notice.choice,
    notifiedAt: iso(notice.notified_at),
    responseDeadlineAt: iso(notice.deadline_at),
    respondedAt: isoOrNull(notice.responded_at),
    hasShipmentDeparted: notice.departed === 1,
    line: linePayload(world, notice),
    impact: {cancelWhole: ships ? null : landed, shipAvailable: ships ? landed : null},
  }
}

/** Whether the available units were kept: by choice or by default. */
const isShipped = ({reason, status, choice}: Notice) =>
  reason !== 'Lost' && (choice === 'ShipAvailable' || status === 'ExpiredShipAvailable')

function linePayload(world: World, notice: Notice): object {
  const sql = `SELECT l.variant_id, v.sku FROM order_lines l JOIN variants v ON v.id = l.variant_id
    WHERE l.order_id = ? AND l.id = ?`
  const line = world.get<{variant_id: string; sku: string}>(sql, notice.order_id, notice.line_id)
  return {
    scentOrderLineId: notice.line_id,
    variantId: line?.variant_id,
    sku: line?.sku,
    orderedQuantity: notice.ordered,
    availableQuantity: notice.available,
    shortfallQuantity: notice.ordered - notice.available,
  }
}

/** N01: no route reads a notice, so its event carries it whole, unless H04 says otherwise. */
function tellOfNotice({world, assumptions}: State, notice: Notice, type: EventType, at: number): EventBody {
  const ids = {orderId: notice.order_id, noticeId: notice.id}
  const whole = noticePayload(world, notice)
  const data = {nested: {...ids, notice: whole}, flat: {...ids, ...whole}, 'id-only': ids}[assumptions.H04]
  return emit(world, {type, partnerId: notice.partner_id, subject: notice.id, data, at})
}

export const noticeOrder = z.strictObject({
  /** The line's id, or the id or SKU of its variant. */
  lineId: z.string(),
  reason: z.optional(z.enum(['OutOfStock', 'Lost'])),
  /** Units that can still be shipped; 0 by default. */
  availableQuantity: z.optional(z.int().check(z.gte(0))),
  /** Whether the shipment has left; as its group says by default. */
  departed: z.optional(z.boolean()),
})

/** The operator's side: raises a notice on a line of an order that is not delivered yet. */
export function raiseNotice(
  state: State,
  orderKey: string,
  wanted: z.output<typeof noticeOrder>,
  at = state.clock.now(),
): {notice: object; event: EventBody; deliveries: number} {
  const {world} = state
  const order = findOrder(world, orderKey)
  const line = lineOf(world, order.id, wanted.lineId)
  const group = find(world, groups, {order_id: order.id})
  if (group === undefined || group.status === 'Delivered')
    invalid({order: ['has nothing that is still to be delivered']})
  if (find(world, notices, {line_id: line.id, status: 'AwaitingPartnerResponse'}) !== undefined)
    invalid({lineId: ['has an open notice already']}) // N10
  const {reason = 'OutOfStock', availableQuantity = 0} = wanted
  const outstanding = line.quantity - line.cancelled
  if (availableQuantity >= outstanding) invalid({availableQuantity: [`must be less than ${outstanding}`]})
  if (reason === 'Lost' && availableQuantity > 0) invalid({availableQuantity: ['must be 0 for what is lost']})
  const departed = wanted.departed ?? group.status !== 'Pending'
  // O22: what is declared lost stays so.
  if (reason === 'Lost') world.run("UPDATE groups SET status = 'Lost' WHERE order_id = ?", order.id)
  const notice = insertAndRead(world, notices, {
    id: world.id('notice'),
    partner_id: order.partner_id,
    order_id: order.id,
    line_id: line.id,
    reason,
    status: 'AwaitingPartnerResponse',
    notified_at: at,
    deadline_at: at + noticeWindowMs,
    departed,
    ordered: outstanding,
    available: availableQuantity,
  })
  const event = tellOfNotice(state, notice, 'notice.raised', at)
  const sent = findAll(world, deliveries, {event_id: event.eventId}, 'n')
  return {notice: noticePayload(world, notice), event, deliveries: sent.length}
}

function lineOf(world: World, orderId: string, key: string): OrderLine {
  const sql = `SELECT l.* FROM order_lines l JOIN variants v ON v.id = l.variant_id
    WHERE l.order_id = ?1 AND (l.id = lower(?2) OR v.id = lower(?2) OR v.sku = ?2)`
  return world.get<OrderLine>(sql, orderId, key) ?? refuse('NOT_FOUND_ORDER_LINE')
}

export const rules = {respondToNotice} satisfies Rules
