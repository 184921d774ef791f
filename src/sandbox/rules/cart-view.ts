import type {Call} from '../core/call.ts'
import {find} from '../core/rows.ts'
import {type Cart, carts, type Partner, type Terms, type Variant} from '../core/schema.ts'
import type {World} from '../core/world.ts'
import {isStorable} from '../door/body.ts'
import {invalid} from '../door/reply.ts'
import {iso} from '../time/clock.ts'
import {type Currency, type Halalas, sar, shownIn} from './money.ts'
import {
  chargedWithVat,
  commissionWithVat,
  displayedCommission,
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

/**
 * A customerRef as it came, or the refusal of an empty (C01) or overlong one. A name such as `items` is
 * fine, although some routes can't reach its cart (C04).
 */
export function checkedRef(ref: string): string {
  if (ref === '') invalid({customerRef: ['must not be empty; leave it out for the partner-level cart']})
  if (ref.length > 128)
    invalid({customerRef: ['must not exceed 128 characters']}, 'VALIDATION_CUSTOMER_REF_TOO_LONG')
  if (!isStorable(ref)) invalid({customerRef: ['holds characters that are not text']})
  return ref
}

export function cartOf(world: World, partnerId: string, ref: string): Cart | undefined {
  return find(world, carts, {partner_id: partnerId, customer_ref: ref})
}

export function cartLines(world: World, cartId: string, partnerId: string): CartLine[] {
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

/** The amounts of a line, or null while it has no price: totals leave it out (C15, P07). */
export function amountsOf(line: CartLine, partner: Partner): LineAmounts | null {
  if (line.price === null || line.mode === null) return null
  return lineAmounts(line.price, line.quantity, line.mode, line.commission_bp ?? 0, partner)
}

/**
 * A cart's answer; without a row, the empty representation, its totals zero (C19). Its city is not known yet:
 * the zone is taken as inside (C17).
 */
export function cartPayload(
  call: Pick<Call, 'world' | 'partner' | 'currency' | 'now'>,
  ref: string,
): Record<string, unknown> {
  const {world, partner, currency, now} = call
  const cart = cartOf(world, partner.id, ref)
  const lines = cart === undefined ? [] : cartLines(world, cart.id, partner.id)
  const priced = lines.map((line) => ({line, amounts: amountsOf(line, partner)}))
  const totals = totalsOf(
    priced.flatMap(({amounts}) => (amounts === null ? [] : [amounts])),
    true,
  )
  return {
    id: cart?.id ?? null,
    customerRef: ref === '' ? null : ref, // C02: the bare cart has none
    status: cart === undefined ? 'None' : 'Open',
    baseCurrency: 'SAR',
    items: priced.map(({line, amounts}) => item(line, amounts, partner, currency)),
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
  const {net, vat, commission} = amounts
  return {
    currency: 'SAR',
    unitPrice: sar(unit),
    line: {
      subtotal: sar(net),
      goodsVatAmount: sar(vat),
      totalWithVat: sar(net + vat),
      commission: {
        amount: commission && sar(commission.net),
        vatAmount: commission && sar(commission.vat),
        netAfterCommission: commission && sar(net + vat - commission.net - commission.vat),
        rate: commission && (line.commission_bp ?? 0) / 10_000,
      },
    },
    rrp: sar(line.rrp),
    display: currency && {
      unitPrice: shownIn(currency, unit),
      line: {
        subtotal: shownIn(currency, net),
        goodsVatAmount: shownIn(currency, vat),
        totalWithVat: shownIn(currency, net + vat),
        commission: displayedCommission(currency, amounts, line.commission_bp),
      },
      rrp: shownIn(currency, line.rrp),
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
