import {count, find, findAll, insert, insertAndRead} from '../core/rows.ts'
import {type Order, type OrderLine, orderLines, type Refund, refundLines, refunds} from '../core/schema.ts'
import type {State} from '../core/state.ts'
import type {World} from '../core/world.ts'
import {type Halalas, portion, sar, sarOrNull} from './money.ts'
import {moveStock} from './stock.ts'
import {moveWallet} from './wallet.ts'

interface LineRefund {
  line: OrderLine
  quantity: number
  net: Halalas
  vat: Halalas
  /** null if these units carried no commission. */
  clawback: Halalas | null
}

export function linesOf(world: World, orderId: string): OrderLine[] {
  return findAll(world, orderLines, {order_id: orderId}, 'position')
}

/**
 * The refund of `quantity` more units of a line: goods, VAT, and their share of the commission with VAT (R14). The
 * shares are differences of running totals, so that the parts of a line add up to the line to the halala.
 */
export function lineRefund(line: OrderLine, quantity: number): LineRefund {
  const before = line.returned + line.cancelled
  const share = (amount: Halalas) =>
    portion(amount, before + quantity, line.quantity) - portion(amount, before, line.quantity)
  const clawback = share((line.commission ?? 0) + (line.commission_vat ?? 0))
  return {line, quantity, net: share(line.net), vat: share(line.vat), clawback: clawback || null}
}

interface Landing {
  kind: 'Return' | 'Cancel'
  /** The return request or the notice. */
  subjectId: string
  /** As the ledger names it: an RMA number or a notice's id (L11). */
  referenceId: string
  order: Order
  lines: LineRefund[]
  /** Whether the order's shipping fee is given back too, if it was not before. */
  withShipping: boolean
  at: number
}

/**
 * Lands a refund: a credit for the goods, and one of its own for the shipping fee (R13). The clawback is a debit of
 * the partner's earnings; the wallet never sees it.
 */
export function landRefund(state: State, landing: Landing): Refund {
  const {world} = state
  const {order, lines, at} = landing
  const sum = (pick: (line: LineRefund) => Halalas | null) =>
    lines.reduce((total, line) => total + (pick(line) ?? 0), 0)
  const refund = insertAndRead(world, refunds, {
    subject_id: landing.subjectId,
    kind: landing.kind,
    reference_id: landing.referenceId,
    partner_id: order.partner_id,
    order_id: order.id,
    net: sum((line) => line.net),
    vat: sum((line) => line.vat),
    clawback: sum((line) => line.clawback) || null,
    shipping: landing.withShipping ? unrefundedShipping(world, order) : null,
    at,
  })
  for (const {line, ...parts} of lines) {
    insert(world, refundLines, {...parts, refund_n: refund.n, line_id: line.id})
    takeFromLine(world, landing, line, parts.quantity)
  }
  // A wallet that was taken away is there again: a refund needs a place.
  world.run('UPDATE partners SET wallet = 0 WHERE id = ? AND wallet IS NULL', order.partner_id)
  const reference = {type: 'Refund', id: landing.referenceId} as const
  moveWallet(world, order.partner_id, refund.net + refund.vat, reference, at)
  if (refund.shipping !== null) moveWallet(world, order.partner_id, refund.shipping, reference, at)
  moveOrder(state, landing)
  return refund
}

/** Cancelled units go back into stock, returned ones don't (O30). */
function takeFromLine(world: World, {kind, order, at}: Landing, line: OrderLine, quantity: number): void {
  const column = kind === 'Return' ? 'returned' : 'cancelled'
  const sql = `UPDATE order_lines SET ${column} = ${column} + ? WHERE order_id = ? AND id = ?`
  world.run(sql, quantity, order.id, line.id)
  if (kind === 'Cancel') moveStock(world, line.variant_id, quantity, 'Cancel', order.id, at)
}

/** The order-level fee, given back once in an order's life (R15, N07); null if there is none left. */
function unrefundedShipping(world: World, order: Order): Halalas | null {
  const fee = order.shipping_net + order.shipping_vat
  const from = 'FROM refunds WHERE order_id = ? AND shipping IS NOT NULL'
  return fee === 0 || count(world, from, order.id) > 0 ? null : fee
}

/** A first return makes an order PartiallyReturned, even if nothing is left of it, unless O20 is turned. */
function moveOrder({world, assumptions}: State, {kind, order}: Landing): void {
  const isGone = linesOf(world, order.id).every((line) => line.returned + line.cancelled === line.quantity)
  const whole = kind === 'Return' ? 'Returned' : 'Cancelled'
  const status =
    isGone && assumptions.O20 === 'synced' ? whole : kind === 'Return' ? 'PartiallyReturned' : order.status
  world.run('UPDATE orders SET status = ? WHERE id = ?', status, order.id)
}

export function refundFor(world: World, subjectId: string): Refund | undefined {
  return find(world, refunds, {subject_id: subjectId})
}

/** The refund object of returns and notices; its total is the goods, the shipping fee a leg of its own. */
export function refundPayload({net, vat, clawback, shipping}: Refund): object {
  return {
    currency: 'SAR',
    goods: {net: sar(net), vat: sar(vat), total: sar(net + vat)},
    commissionClawback: sarOrNull(clawback),
    shippingFeeRefund: sarOrNull(shipping),
    total: sar(net + vat),
  }
}
