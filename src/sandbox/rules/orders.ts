import {isCountry} from '../../contract/countries.ts'
import type {OrderBody} from '../../contract/orders.ts'
import type {Assumptions} from '../core/assumptions.ts'
import {type CallOf, Created, type FieldRules, type Judging, type Rules} from '../core/call.ts'
import {insert} from '../core/rows.ts'
import {groups, orderLines, orders, type Terms} from '../core/schema.ts'
import type {InFlight} from '../core/state.ts'
import {uuidOf} from '../core/world.ts'
import {type FieldFault, faultsOfTexts} from '../door/body.ts'
import {refuse} from '../door/reply.ts'
import {deleteCart, refuseUnlessActive} from './cart.ts'
import {faultsOfRef} from './cart-view.ts'
import {type LockedLine, usableLock} from './checkout.ts'
import {emit} from './events.ts'
import {type Halalas, sar} from './money.ts'
import {
  chargedWithVat,
  commissionWithVat,
  isInZone,
  type LineAmounts,
  lineAmounts,
  type Totals,
  totalsOf,
} from './pricing.ts'
import {type Discount, discountOf, redeem} from './redemption.ts'
import {availabilityOf, moveStock, type StockFacts} from './stock.ts'
import {allowOverdraft, moveWallet} from './wallet.ts'

type OrderCall = CallOf<'createOrder'>

interface PricedLine extends LockedLine {
  amounts: LineAmounts
}

interface NewOrder {
  n: number
  id: string
  lines: PricedLine[]
  totals: Totals
  discount: Discount | null
  failureReason: string | null
}

/**
 * POST /scent/orders, all of it inside one transaction. O06: the checks stand in a fixed order, so that a
 * repeated success is a CONFLICT_ORDER_DUPLICATE_REFERENCE, never a lock or a code that is used up.
 */
export function createOrder(call: OrderCall): Created {
  const {world, partner, body, state} = call
  const ref = body.customerRef ?? ''
  refuseKnownReference(call)
  refuseUnlessActive(partner)
  const lock = usableLock(call, body.lockId.toLowerCase(), ref)
  const lines = lock.lines.map((line) => ({
    ...line,
    amounts: lineAmounts(line.unit, line.quantity, line.mode, line.commissionBp, partner),
  }))
  const discount = body.discountCode === undefined ? null : discountOf(call, body.discountCode, ref, lines)
  refuseUnlessStillSold(call, lines)
  // O13: the zone is known only now, so the total may differ from the preview's.
  const {city, countryCode} = body.shippingAddress
  const amounts = lines.map((line) => line.amounts)
  const totals = totalsOf(amounts, isInZone(city, countryCode))
  const n = world.next('order')
  const id = uuidOf(state.seed, 'order', n)
  const failureReason = walletRefusal(partner.wallet, totals, state.assumptions.L04)
  const order = {n, id, lines, totals, discount, failureReason}
  insertOrder(call, order, ref)
  if (order.failureReason === null) settle(call, order, lock.cartId)
  tellOfOrder(call, order)
  return new Created(createdPayload(call, order), `/api/v1/scent/orders/${id}`) // O02
}

/**
 * Says whether an order may start, and marks it as being made. The caller takes the mark away. O19: an order
 * is made at once, unless a fault slows it down.
 */
export function startOrder(call: OrderCall): InFlight {
  refuseKnownReference(call)
  const {externalReference, customerRef} = call.body
  const order = {partnerId: call.partner.id, externalReference, customerRef: customerRef ?? ''}
  call.state.inFlight.push(order)
  return order
}

/** Field rules that the shape of the body does not say. Lengths: not shown. (O05, O17) */
function faultsOfOrder({body}: Judging<'createOrder'>): FieldFault[] {
  const {externalReference, discountCode, customerRef} = body
  const address: Partial<OrderBody['shippingAddress']> = body.shippingAddress ?? {}
  const faults = [...faultsOfTexts({externalReference}, 128), ...faultsOfTexts({discountCode})]
  for (const [name, value = ''] of Object.entries(address)) {
    const longest = name === 'phone' ? 32 : 256
    if (value.length <= longest) continue
    faults.push({name: `shippingAddress.${name}`, message: `must not exceed ${longest} characters`})
  }
  if (customerRef !== undefined) faults.push(...faultsOfRef(customerRef))
  if (address.countryCode !== undefined && !isCountry(address.countryCode)) {
    const message = 'is not a valid ISO 3166-1 alpha-3 code'
    faults.push({name: 'shippingAddress.countryCode', message, code: 'VALIDATION_INVALID_COUNTRY_CODE'})
  }
  return faults
}

/** O05: a reference is taken for all carts of the partner. O07: whatever else the body says. */
function refuseKnownReference({world, partner, body, state}: OrderCall): void {
  const {externalReference, customerRef = ''} = body
  // O08: a failed attempt leaves its reference free, not its lock.
  const known = world.get<{id: string; intervention: number}>(
    `SELECT id, intervention FROM orders
     WHERE partner_id = ? AND external_reference = ? AND status <> 'Failed'`,
    partner.id,
    externalReference,
  )
  if (known?.intervention) refuse('CONFLICT_ORDER_REQUIRES_INTERVENTION')
  const own = state.inFlight.filter((order) => order.partnerId === partner.id)
  if (own.some((order) => order.externalReference === externalReference)) refuse('CONFLICT_ORDER_IN_PROGRESS')
  if (known !== undefined) refuse('CONFLICT_ORDER_DUPLICATE_REFERENCE', {orderId: known.id})
  if (own.some((order) => order.customerRef === customerRef)) refuse('CONFLICT_CART_HAS_PENDING_ORDER')
}

/** Lines are charged as locked, but they must still be in the assortment, priced (O12) and in stock (O11). */
function refuseUnlessStillSold({world, partner}: OrderCall, lines: PricedLine[]): void {
  const sql = `SELECT v.active, v.withheld, v.stock, a.mode, a.price FROM variants v
    LEFT JOIN assortment a ON a.partner_id = ? AND a.variant_id = v.id WHERE v.id = ?`
  const facts = lines.map((line) => ({
    line,
    now: world.get<StockFacts & {[Name in 'mode' | 'price']: Terms[Name] | null}>(
      sql,
      partner.id,
      line.variantId,
    ),
  }))
  const unassigned = facts.filter(({now}) => now === undefined || now.mode === null)
  if (unassigned.length > 0) {
    const variantIds = unassigned.map(({line}) => line.variantId)
    refuse('BUSINESS_CART_NOT_CHECKOUT_READY', {cartIssue: 'VARIANT_NOT_ASSIGNED', variantIds})
  }
  if (facts.some(({now}) => now?.price === null)) refuse('BUSINESS_PRICE_NOT_AVAILABLE')
  const short = facts.filter(({line, now}) => now && availabilityOf(now).availableQuantity < line.quantity)
  if (short.length > 0) {
    refuse('BUSINESS_CART_NOT_CHECKOUT_READY', {variantIds: short.map(({line}) => line.variantId)})
  }
}

// O09, O10. not shown: the refusal for a wallet that is empty or missing. No code is listed, but the status Failed is.
function walletRefusal(wallet: Halalas | null, totals: Totals, overdraft: Assumptions['L04']): string | null {
  if (wallet === null) return 'WALLET_NOT_PROVISIONED'
  const isShort = wallet < chargedWithVat(totals)
  return isShort && overdraft === 'refused' ? 'INSUFFICIENT_WALLET_BALANCE' : null
}

function insertOrder(call: OrderCall, order: NewOrder, ref: string): void {
  const {world, partner, body, now} = call
  const {totals, discount} = order
  const consumed = world.run(
    'UPDATE locks SET order_id = ? WHERE id = ? AND order_id IS NULL',
    order.id,
    body.lockId.toLowerCase(),
  )
  if (consumed !== 1) throw new Error('a lock was consumed twice')
  insert(world, orders, {
    n: order.n,
    id: order.id,
    partner_id: partner.id,
    saga_id: uuidOf(call.state.seed, 'saga', order.n),
    external_reference: body.externalReference,
    customer_ref: ref,
    lock_id: body.lockId.toLowerCase(),
    status: order.failureReason === null ? 'Processing' : 'Failed',
    failure_reason: order.failureReason,
    goods_net: totals.goodsNet,
    goods_vat: totals.goodsVat,
    shipping_net: totals.shippingNet,
    shipping_vat: totals.shippingVat,
    commission_net: totals.commissionNet,
    commission_vat: totals.commissionVat,
    discount_id: discount?.id ?? null,
    discount_amount: discount?.amount ?? null,
    address: JSON.stringify(body.shippingAddress),
    created_at: now,
  })
  order.lines.forEach(({variantId, quantity, unit, mode, amounts}, position) => {
    const {net, vat, commission} = amounts
    insert(world, orderLines, {
      id: world.id('order-line'),
      order_id: order.id,
      position,
      variant_id: variantId,
      quantity,
      unit,
      net,
      vat,
      mode,
      commission: commission?.net ?? null,
      commission_vat: commission?.vat ?? null,
    })
  })
}

/** Moves what a successful order moves: stock, wallet, discount usage, its one group (O22), and the cart (C13). */
function settle(call: OrderCall, order: NewOrder, cartId: string): void {
  const {state, world, partner, now} = call
  for (const line of order.lines) moveStock(world, line.variantId, -line.quantity, 'Order', order.id, now)
  const charged = chargedWithVat(order.totals)
  if (state.assumptions.L04 === 'allowed') allowOverdraft(world, partner.id)
  moveWallet(world, partner.id, -charged, {type: 'Order', id: globalIdOf(order.n)}, now)
  if (order.discount !== null) redeem(world, order.discount.id)
  insert(world, groups, {id: world.id('group'), order_id: order.id, status: 'Pending'})
  deleteCart(world, cartId)
}

/** H03: an order counts as completed when its create commits as charged. */
function tellOfOrder({world, partner, body, now}: OrderCall, order: NewOrder): void {
  const {id, n, failureReason} = order
  const data = {
    orderId: id,
    orderGlobalId: globalIdOf(n),
    externalReference: body.externalReference,
    customerRef: body.customerRef ?? null,
    status: failureReason === null ? 'Processing' : 'Failed',
    failureReason,
    total: sar(chargedWithVat(order.totals)),
    currency: 'SAR',
  }
  const type = failureReason === null ? 'order.completed' : 'order.failed'
  emit(world, {type, partnerId: partner.id, subject: id, data, at: now})
}

/** not shown: the form of a global id. (O03) */
export const globalIdOf = (n: number): string => `SCN-${String(n).padStart(10, '0')}`

/** O26: the modes that are there, and sums that are never null. */
function createdPayload({body}: OrderCall, order: NewOrder): object {
  const {totals, failureReason, lines, discount} = order
  const charged = chargedWithVat(totals)
  const commission = commissionWithVat(totals)
  const byMode: Record<string, number> = {}
  for (const {mode, amounts} of lines) byMode[mode] = (byMode[mode] ?? 0) + amounts.net
  return {
    id: order.id,
    externalReference: body.externalReference,
    customerRef: body.customerRef ?? null,
    status: failureReason === null ? 'Processing' : 'Failed',
    ...(failureReason === null ? {} : {failureReason}), // G11
    pricing: {
      currency: 'SAR',
      subtotal: sar(totals.goodsNet),
      vat: sar(totals.goodsVat),
      shippingFee: {
        amount: sar(totals.shippingNet),
        vatAmount: sar(totals.shippingVat),
        amountWithVat: sar(totals.shippingNet + totals.shippingVat),
      },
      discount: discount && {code: discount.code, amount: sar(discount.amount)},
      total: sar(charged),
      commission: {
        amount: sar(totals.commissionNet),
        vatAmount: sar(totals.commissionVat),
        amountWithVat: sar(commission),
        netAfterCommission: sar(charged - commission),
      },
    },
    modeBreakdown: Object.fromEntries(Object.entries(byMode).map(([mode, net]) => [mode, sar(net)])),
  }
}

export const fieldRules = {createOrder: faultsOfOrder} satisfies FieldRules

export const rules = {createOrder} satisfies Rules
