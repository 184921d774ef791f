import type {Call, CallOf, Rules} from '../core/call.ts'
import {find, insert} from '../core/rows.ts'
import {type Cart, locks, type Partner, type Terms} from '../core/schema.ts'
import {invalid, refuse} from '../door/reply.ts'
import {iso, isoOrNull} from '../time/clock.ts'
import {type CartLine, cartOf, checkedRef, type PricedLine, pricedCart} from './cart-view.ts'
import {type Currency, displayIn, type Halalas, sar, shownInOrNull} from './money.ts'
import {chargedWithVat, commissionWithVat, marketingOf} from './pricing.ts'
import {availabilityOf} from './stock.ts'

const lockMinutes = 15

/** A line as a lock freezes it. */
export interface LockedLine {
  variantId: string
  quantity: number
  unit: Halalas
  mode: Terms['mode']
  commissionBp: number
}

type CheckoutCall = Pick<Call, 'state' | 'world' | 'partner' | 'currency' | 'now'>

type Standing = ReturnType<typeof standingOf>

/** P17: its query is as strict as a list's. P14: a `lock` of false asks for none. */
function previewCheckout(call: CallOf<'previewCheckout'>): unknown {
  const ref = call.query.customerRef === undefined ? '' : checkedRef(call.query.customerRef)
  return previewOf(call, ref, call.query.lock === true)
}

function previewCheckoutOf(call: CallOf<'previewCheckoutOf'>): unknown {
  return previewOf(call, checkedRef(call.params.customerRef), call.query.lock === true)
}

function takePriceLock(call: CallOf<'takePriceLock'>): unknown {
  return lockOf(call, checkedRef(call.params.customerRef))
}

/** P08. not shown: the answer. A preview with its lock, or a refusal if the cart can't check out. */
export function lockOf(call: CheckoutCall, ref: string): unknown {
  const standing = standingOf(call, ref)
  if (!standing.canCheckout) {
    const {cartIssue} = standing
    refuse('BUSINESS_CART_NOT_CHECKOUT_READY', cartIssue && {cartIssue})
  }
  return previewPayload(call, ref, standing, true)
}

function previewOf(call: CheckoutCall, ref: string, lock: boolean): unknown {
  return previewPayload(call, ref, standingOf(call, ref), lock)
}

/** P01: no cart is an empty one. P06: paused access blocks too, but a pending order is named first. */
function standingOf(call: CheckoutCall, ref: string) {
  const {state, world, partner} = call
  const {cart, lines: priced, totals} = pricedCart(world, partner, ref)
  const lines = priced.map((one) => ({...one, issue: issueOf(one.line)}))
  const pending = state.inFlight.find((order) => order.partnerId === partner.id && order.customerRef === ref)
  const cartIssue =
    pending !== undefined
      ? 'CART_HAS_PENDING_ORDER'
      : partner.product_access
        ? null
        : 'PRODUCT_ACCESS_DISABLED'
  return {
    cart,
    lines,
    totals,
    cartIssue,
    pendingReference: pending?.externalReference ?? null, // P16
    canCheckout: cartIssue === null && lines.length > 0 && lines.every(({issue}) => issue === null),
  }
}

/** The most blocking issue of a line (P03). A variant that left the assortment counts as unavailable (P05). */
function issueOf(line: CartLine): string | null {
  if (line.mode === null) return 'UNAVAILABLE'
  if (line.price === null) return 'NOT_PRICED' // P04
  const {state, availableQuantity} = availabilityOf(line)
  if (state === 'Unavailable') return 'UNAVAILABLE'
  if (availableQuantity < line.quantity) return 'INSUFFICIENT_STOCK'
  return line.price < line.floor ? 'PRICE_BELOW_FLOOR' : null
}

function previewPayload(call: CheckoutCall, ref: string, standing: Standing, lock: boolean): object {
  const {partner, currency, now} = call
  const {cart, lines, totals, canCheckout} = standing
  const charged = chargedWithVat(totals)
  const commission = commissionWithVat(totals)
  const taken = lock && canCheckout && cart !== undefined ? takeLock(call, ref, cart, lines) : null
  return {
    cartId: cart?.id ?? null,
    partnerId: partner.id,
    customerRef: ref === '' ? null : ref,
    lines: lines.map((priced) => linePayload(priced, partner, currency)),
    canCheckout,
    cartIssue: standing.cartIssue,
    pendingOrderReference: standing.pendingReference,
    pricedAt: iso(now),
    lockId: taken?.id ?? null,
    lockExpiresAt: isoOrNull(taken?.expiresAt ?? null),
    chargedWithVat: sar(charged),
    commissionWithVat: sar(commission),
    netAfterCommission: sar(charged - commission),
    ...displayIn(currency),
    chargedWithVatDisplay: shownInOrNull(currency, charged),
    commissionWithVatDisplay: shownInOrNull(currency, commission),
    netAfterCommissionDisplay: shownInOrNull(currency, charged - commission),
  }
}

/** P02: a line without a price has no amounts, not zeros. */
function linePayload(
  {line, amounts, issue}: Standing['lines'][number],
  partner: Partner,
  currency: Currency | null,
): object {
  const commission = amounts?.commission ?? null
  const gross = amounts && amounts.net + amounts.vat
  const {state, availableQuantity} = availabilityOf(line)
  return {
    variantId: line.variant_id,
    quantity: line.quantity,
    ok: issue === null,
    issue,
    sku: line.sku,
    listPrice: line.price === null ? null : sar(line.price),
    baseCurrency: 'SAR',
    lineGoodsVatAmount: amounts && sar(amounts.vat),
    lineTotalWithVat: gross === null ? null : sar(gross),
    availability: state,
    availableQuantity,
    lineCommission: commission && sar(commission.net),
    lineCommissionVatAmount: commission && sar(commission.vat),
    lineNetAfterCommission: commission && sar((gross ?? 0) - commission.net - commission.vat),
    ...marketingOf(partner, line, currency),
  }
}

/** Freezes the prices. The newest lock of a cart is the one in force (P09); stock is not reserved (P10). */
function takeLock(
  call: CheckoutCall,
  ref: string,
  cart: Cart,
  lines: PricedLine[],
): {id: string; expiresAt: number} {
  const {world, partner, now} = call
  const frozen: LockedLine[] = lines.map(({line}) => ({
    variantId: line.variant_id,
    quantity: line.quantity,
    unit: line.price ?? 0,
    mode: line.mode ?? 'Wholesale',
    commissionBp: line.commission_bp ?? 0,
  }))
  const id = world.id('lock')
  const expiresAt = now + lockMinutes * 60_000
  insert(world, locks, {
    id,
    partner_id: partner.id,
    customer_ref: ref,
    cart_id: cart.id,
    cart_version: cart.version,
    lines: JSON.stringify(frozen),
    created_at: now,
    expires_at: expiresAt,
  })
  world.run('UPDATE carts SET lock_id = ? WHERE id = ?', id, cart.id)
  return {id, expiresAt}
}

/** The frozen lines of a usable lock, or the refusal that fits: the most definite reason first (P13). */
export function usableLock(
  call: Pick<Call, 'world' | 'partner' | 'now'>,
  lockId: string,
  ref: string,
): {cartId: string; lines: LockedLine[]} {
  const {world, partner, now} = call
  const lock = find(world, locks, {id: lockId, partner_id: partner.id})
  if (lock === undefined || lock.customer_ref !== ref)
    invalid({lockId: ['is not a lock of this cart']}, 'VALIDATION_PRICE_LOCK_INVALID')
  if (lock.order_id !== null) refuse('CONFLICT_PRICE_LOCK_ALREADY_USED', {orderId: lock.order_id})
  const cart = cartOf(world, partner.id, ref)
  const isCurrent = cart?.id === lock.cart_id && cart.version === lock.cart_version && cart.lock_id === lockId
  if (!isCurrent) invalid({lockId: ['is no longer in force']}, 'VALIDATION_PRICE_LOCK_INVALID')
  // P11: its last moment is too late.
  if (now >= lock.expires_at) invalid({lockId: ['has expired']}, 'VALIDATION_PRICE_LOCK_EXPIRED')
  return {cartId: lock.cart_id, lines: JSON.parse(lock.lines) as LockedLine[]}
}

export const rules = {previewCheckout, previewCheckoutOf, takePriceLock} satisfies Rules
