import type {Call} from '../core/call.ts'
import {find} from '../core/rows.ts'
import {type Cart, carts, type Partner, type Terms, type Variant} from '../core/schema.ts'
import type {World} from '../core/world.ts'
import {type FieldFault, isStorable, refuseFields} from '../door/body.ts'
import {iso} from '../time/clock.ts'
import {type Currency, type Halalas, sar, shownIn} from './money.ts'
import {
  chargedWithVat,
  commissionWithVat,
  freeShippingFrom,
  type LineAmounts,
  lineAmounts,
  marketingOf,
  type Totals,
  totalsOf,
} from './pricing.ts'
import {availabilityOf, type StockFacts} from './stock.ts'

/** A line with all that its price and its availability depend on, as of now; without terms it left the assortment. */
export type CartLine = Pick<Variant, 'sku' | 'size_ml' | 'compare_at' | 'badges' | 'rrp' | 'floor'> &
  StockFacts & {variant_id: string; quantity: number; current_price: Halalas} & {
    [Name in 'price' | 'mode' | 'commission_bp']: Terms[Name] | null
  }

/** C01. A name such as `items` is fine, although some routes can't reach its cart (C04). */
export function faultsOfRef(ref: string): FieldFault[] {
  const name = 'customerRef'
  if (ref === '') return [{name, message: 'must not be empty; leave it out for the partner-level cart'}]
  if (ref.length > 128) {
    return [{name, message: 'must not exceed 128 characters', code: 'VALIDATION_CUSTOMER_REF_TOO_LONG'}]
  }
  return isStorable(ref) ? [] : [{name, message: 'holds characters that are not text'}]
}

/** A customerRef as it came, if it is not to be refused. */
export function checkedRef(ref: string): string {
  refuseFields(faultsOfRef(ref))
  return ref
}

export function cartOf(world: World, partnerId: string, ref: string): Cart | undefined {
  return find(world, carts, {partner_id: partnerId, customer_ref: ref})
}

function cartLines(world: World, cartId: string, partnerId: string): CartLine[] {
  return world.all<CartLine>(
    `SELECT l.variant_id, l.quantity, v.sku, v.size_ml, v.price AS current_price, v.compare_at, v.badges, v.rrp,
       v.floor, v.stock, v.withheld, v.active, a.price, a.mode, a.commission_bp
     FROM cart_lines l JOIN variants v ON v.id = l.variant_id
     LEFT JOIN assortment a ON a.partner_id = ? AND a.variant_id = l.variant_id
     WHERE l.cart_id = ? ORDER BY l.position`,
    partnerId,
    cartId,
  )
}

/** A line with its amounts; null while it has no price. */
export interface PricedLine {
  line: CartLine
  amounts: LineAmounts | null
}

function priced(line: CartLine, partner: Partner): PricedLine {
  const {price, mode, commission_bp: ratio, quantity} = line
  const amounts =
    price === null || mode === null ? null : lineAmounts(price, quantity, mode, ratio ?? 0, partner)
  return {line, amounts}
}

/**
 * A cart, its lines and its totals, which leave out a line without a price (C15, P07). The city is not known yet: the
 * zone is taken as inside (C17).
 */
export function pricedCart(world: World, partner: Partner, ref: string) {
  const cart = cartOf(world, partner.id, ref)
  const found = cart === undefined ? [] : cartLines(world, cart.id, partner.id)
  const lines = found.map((line) => priced(line, partner))
  const totals = totalsOf(
    lines.flatMap(({amounts}) => amounts ?? []),
    true,
  )
  return {cart, lines, totals}
}

/** A cart's answer; without a row, the empty representation, its totals zero (C19). */
export function cartPayload(
  call: Pick<Call, 'world' | 'partner' | 'currency' | 'now'>,
  ref: string,
): Record<string, unknown> {
  const {world, partner, currency, now} = call
  const {cart, lines, totals} = pricedCart(world, partner, ref)
  return {
    id: cart?.id ?? null,
    customerRef: ref === '' ? null : ref, // C02: the bare cart has none
    status: cart === undefined ? 'None' : 'Open',
    baseCurrency: 'SAR',
    items: lines.map(({line, amounts}) => item(line, amounts, partner, currency)),
    totals: totalsPayload(totals, currency),
    pricedAt: cart === undefined ? null : iso(now),
  }
}

function item(
  line: CartLine,
  amounts: LineAmounts | null,
  partner: Partner,
  currency: Currency | null,
): object {
  const {state, availableQuantity} = availabilityOf(line)
  return {
    variantId: line.variant_id,
    sku: line.sku,
    sizeMl: line.size_ml,
    quantity: line.quantity,
    pricing: amounts === null || line.price === null ? null : pricingOf(line, line.price, amounts, currency),
    availability: {state, availableQuantity, insufficientForQuantity: availableQuantity < line.quantity},
    ...marketingOf(partner, line, currency),
  }
}

function pricingOf(line: CartLine, unit: Halalas, amounts: LineAmounts, currency: Currency | null): object {
  const shown = (amount: Halalas) => (currency === null ? 0 : shownIn(currency, amount))
  return {
    currency: 'SAR',
    unitPrice: sar(unit),
    line: pricesOf(line, amounts, sar),
    rrp: sar(line.rrp),
    display: currency && {
      unitPrice: shown(unit),
      line: pricesOf(line, amounts, shown),
      rrp: shown(line.rrp),
    },
  }
}

/** The amounts of a line in a currency; those of the commission are null on a line without one. */
function pricesOf(
  {commission_bp}: CartLine,
  {net, vat, commission}: LineAmounts,
  shape: (amount: Halalas) => number,
): object {
  return {
    subtotal: shape(net),
    goodsVatAmount: shape(vat),
    totalWithVat: shape(net + vat),
    commission: {
      amount: commission && shape(commission.net),
      vatAmount: commission && shape(commission.vat),
      netAfterCommission: commission && shape(net + vat - commission.net - commission.vat),
      rate: commission && (commission_bp ?? 0) / 10_000, // a ratio has no currency
    },
  }
}

function totalsPayload(totals: Totals, currency: Currency | null): object {
  const charged = chargedWithVat(totals)
  const commission = commissionWithVat(totals)
  const shipping = {
    amount: totals.shippingNet,
    vatAmount: totals.shippingVat,
    amountWithVat: totals.shippingNet + totals.shippingVat,
    freeThreshold: freeShippingFrom,
  }
  const amounts = {
    chargedWithVat: charged,
    commissionWithVat: commission,
    netAfterCommission: charged - commission,
  }
  return {
    ...each(amounts, sar),
    shipping: {...each(shipping, sar), isFree: totals.isFreeShipping},
    display: currency && {
      currency: currency.code,
      rate: currency.rate,
      ...each(amounts, (amount) => shownIn(currency, amount)),
      shipping: each(shipping, (amount) => shownIn(currency, amount)),
    },
  }
}

function each<K extends string>(
  amounts: Record<K, Halalas>,
  shape: (amount: Halalas) => number,
): Record<K, number> {
  const shaped = Object.entries<Halalas>(amounts).map(([name, amount]) => [name, shape(amount)])
  return Object.fromEntries(shaped) as Record<K, number>
}
