import type {Partner, Terms} from '../core/schema.ts'
import {type Currency, type Halalas, portion, sar, shownInOrNull, vatOn} from './money.ts'

/** The amounts of one line. Commission is taken on Retail lines only. */
export interface LineAmounts {
  net: Halalas
  vat: Halalas
  commission: {net: Halalas; vat: Halalas} | null
}

/** The amounts of a cart or an order; shipping is one fee for all of it. */
export interface Totals {
  goodsNet: Halalas
  goodsVat: Halalas
  shippingNet: Halalas
  shippingVat: Halalas
  commissionNet: Halalas
  commissionVat: Halalas
  isFreeShipping: boolean
}

// C16. not shown: the shipping tariff. Both branches can be reached: by city, and by the value of the goods.
export const freeShippingFrom: Halalas = 50_000
const feeInZone: Halalas = 2_500
const feeOutsideZone: Halalas = 4_500

// C18. not shown: the within-Riyadh list.
const zone = new Set(['riyadh', 'ar riyadh', 'الرياض'])

/** O18: any country may be sent to, at the fee outside the zone. */
export function isInZone(city: string, countryCode: string): boolean {
  return countryCode === 'SAU' && zone.has(city.trim().toLowerCase())
}

/** Tax is rounded per line. C20: VAT on commission is due from a VAT-registered partner only. */
export function lineAmounts(
  unit: Halalas,
  quantity: number,
  mode: Terms['mode'],
  commissionBp: number,
  partner: Partner,
): LineAmounts {
  const net = unit * quantity
  if (mode === 'Wholesale') return {net, vat: vatOn(net), commission: null}
  const commission = portion(net, commissionBp, 10_000)
  const commissionVat = partner.vat_number === null ? 0 : vatOn(commission)
  return {net, vat: vatOn(net), commission: {net: commission, vat: commissionVat}}
}

export function totalsOf(lines: readonly LineAmounts[], inZone: boolean): Totals {
  const sum = (pick: (line: LineAmounts) => Halalas) => lines.reduce((total, line) => total + pick(line), 0)
  const goodsNet = sum((line) => line.net)
  const goodsVat = sum((line) => line.vat)
  const isFreeShipping = goodsNet + goodsVat >= freeShippingFrom
  const fee = lines.length === 0 || isFreeShipping ? 0 : inZone ? feeInZone : feeOutsideZone
  return {
    goodsNet,
    goodsVat,
    shippingNet: fee,
    shippingVat: vatOn(fee),
    commissionNet: sum((line) => line.commission?.net ?? 0),
    commissionVat: sum((line) => line.commission?.vat ?? 0),
    isFreeShipping,
  }
}

/** The single VAT-inclusive gross amount that the wallet is charged. */
export const chargedWithVat = (totals: Totals): Halalas =>
  totals.goodsNet + totals.goodsVat + totals.shippingNet + totals.shippingVat

export const commissionWithVat = (totals: Totals): Halalas => totals.commissionNet + totals.commissionVat

/** The presentational block; absent for a partner without the feature (G11). C25: badges are given data. */
export function marketingOf(
  partner: Partner,
  facts: {current_price: Halalas; compare_at: Halalas | null; badges: string},
  currency: Currency | null,
): {marketing?: object} {
  if (!partner.marketing) return {}
  const {current_price: current, compare_at: before} = facts
  return {
    marketing: {
      currentPrice: sar(current),
      compareAtPrice: before === null ? null : sar(before),
      discountPercent: before === null ? null : portion(before - current, 10_000, before) / 100,
      badges: JSON.parse(facts.badges) as string[],
      currentPriceDisplay: shownInOrNull(currency, current),
      compareAtPriceDisplay: shownInOrNull(currency, before),
    },
  }
}
