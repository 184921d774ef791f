import type {State} from '../core/state.ts'
import type {World} from '../core/world.ts'
import {type Halalas, portion, sar, sarOrNull} from './money.ts'
import type {OrderRow} from './order-reads.ts'
import {moveStock} from './stock.ts'
import {moveWallet} from './wallet.ts'

/** A line of an order with what has gone from it. Cancelled units are counted beside the quantity (N08). */
export interface OrderLine {
  id: string
  order_id: string
  variant_id: string
  quantity: number
  net: Halalas
  vat: Halalas
  commission: Halalas | null
  commission_vat: Halalas | null
  returned: number
  cancelled: number
}

export interface LineRefund {
  line: OrderLine
  quantity: number
  net: Halalas
  vat: Halalas
  /** null when these units carried no commission. */
  clawback: Halalas | null
}

/** What has landed for one return or notice. */
export interface RefundRow {
  net: Halalas
  vat: Halalas
  clawback: Halalas | null
  /** VAT-inclusive; null when the fee is not part of it. */
  shipping: Halalas | null
  at: number
}

export function linesOf(world: World, orderId: string): OrderLine[] {
  return world.all<OrderLine>('SELECT * FROM order_lines WHERE order_id = ? ORDER BY position', orderId)
}

/**
 * What `quantity` more units of a line give back: goods, VAT, and the commission incl. VAT in proportion (R14). The
 * shares are differences of running totals, so that the parts of a line add up to the line to the halala.
 */
export function lineRefund(line: OrderLine, quantity: number): LineRefund {
  const before = line.returned + line.cancelled
  const share = (amount: Halalas) =>
    portion(amount, before + quantity, line.quantity) - portion(amount, before, line.quantity)
  const clawback = share((line.commission ?? 0) + (line.commission_vat ?? 0))
  return {line, quantity, net: share(line.net), vat: share(line.vat), clawback: clawback || null}
}

export interface Landing {
  kind: 'Return' | 'Cancel'
  /** The return request or the notice. */
  subjectId: string
  /** What the ledger names: an RMA number or a notice's id (L11). */
  referenceId: string
  order: OrderRow
  lines: LineRefund[]
  /** Whether the order's shipping fee is given back too, if it was not before. */
  withShipping: boolean
  at: number
}

/**
 * Lands a refund: a credit for the goods, and one of its own for the shipping fee (R13). The clawback is a debit of
 * the partner's earnings; the wallet never sees it.
 */
export function landRefund(state: State, landing: Landing): RefundRow {
  const {world} = state
  const {order, lines, at} = landing
  const sum = (pick: (line: LineRefund) => Halalas | null) =>
    lines.reduce((total, line) => total + (pick(line) ?? 0), 0)
  const refund: RefundRow = {
    net: sum((line) => line.net),
    vat: sum((line) => line.vat),
    clawback: sum((line) => line.clawback) || null,
    shipping: landing.withShipping ? unrefundedShipping(world, order) : null,
    at,
  }
  keepRefund(world, landing, refund)
  for (const {line, quantity} of lines) takeFromLine(world, landing, line, quantity)
  // A wallet that was taken away is there again: a refund needs a place.
  world.run('UPDATE partners SET wallet = 0 WHERE id = ? AND wallet IS NULL', order.partner_id)
  const reference = {type: 'Refund', id: landing.referenceId} as const
  moveWallet(world, order.partner_id, refund.net + refund.vat, reference, at)
  if (refund.shipping !== null) moveWallet(world, order.partner_id, refund.shipping, reference, at)
  moveOrder(state, landing)
  return refund
}

function keepRefund(world: World, {kind, subjectId, referenceId, order, lines}: Landing, refund: RefundRow) {
  const {n = 0} =
    world.get<{n: number}>(
      `INSERT INTO refunds (subject_id, kind, reference_id, partner_id, order_id, net, vat, clawback, shipping, at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n`,
      subjectId,
      kind,
      referenceId,
      order.partner_id,
      order.id,
      refund.net,
      refund.vat,
      refund.clawback,
      refund.shipping,
      refund.at,
    ) ?? {}
  for (const {line, quantity, net, vat, clawback} of lines) {
    world.run('INSERT INTO refund_lines VALUES (?, ?, ?, ?, ?, ?)', n, line.id, quantity, net, vat, clawback)
  }
}

/** Cancelled units go back into stock, returned ones don't (O30). */
function takeFromLine(world: World, {kind, order, at}: Landing, line: OrderLine, quantity: number): void {
  const column = kind === 'Return' ? 'returned' : 'cancelled'
  const sql = `UPDATE order_lines SET ${column} = ${column} + ? WHERE order_id = ? AND id = ?`
  world.run(sql, quantity, order.id, line.id)
  if (kind === 'Cancel') moveStock(world, line.variant_id, quantity, 'Cancel', order.id, at)
}

/** The order-level fee, given back once in an order's life (R15, N07); null when there is none left. */
function unrefundedShipping(world: World, order: OrderRow): Halalas | null {
  const fee = order.shipping_net + order.shipping_vat
  const sql = 'SELECT 1 AS found FROM refunds WHERE order_id = ? AND shipping IS NOT NULL'
  return fee === 0 || world.get(sql, order.id) !== undefined ? null : fee
}

/** A first return makes an order PartiallyReturned, even when nothing is left of it, unless O20 is turned. */
function moveOrder({world, assumptions}: State, {kind, order}: Landing): void {
  const isGone = linesOf(world, order.id).every((line) => line.returned + line.cancelled === line.quantity)
  const whole = kind === 'Return' ? 'Returned' : 'Cancelled'
  const status =
    isGone && assumptions.O20 === 'synced' ? whole : kind === 'Return' ? 'PartiallyReturned' : order.status
  world.run('UPDATE orders SET status = ? WHERE id = ?', status, order.id)
}

export function refundFor(world: World, subjectId: string): RefundRow | undefined {
  return world.get<RefundRow>('SELECT * FROM refunds WHERE subject_id = ?', subjectId)
}

/** The refund object of returns and notices; its total is the goods, the shipping fee a leg of its own. */
export function refundPayload({net, vat, clawback, shipping}: RefundRow): object {
  return {
    currency: 'SAR',
    goods: {net: sar(net), vat: sar(vat), total: sar(net + vat)},
    commissionClawback: sarOrNull(clawback),
    shippingFeeRefund: sarOrNull(shipping),
    total: sar(net + vat),
  }
}
