import type {Preview} from '../../contract/checkout.ts'
import {type Digits, digits, exact, isDigits, sameAmount} from '../../contract/money.ts'

/** What a preview will cost, exact; null if the preview does not tell. */
export interface Price {
  currency: string
  goodsWithVat: Digits | null
  goodsVat: Digits | null
  /** With VAT: what is charged beyond the goods. */
  shipping: Digits | null
  charged: Digits | null
  commission: Digits | null
  netAfterCommission: Digits | null
}

export function priceOf(preview: Preview): Price {
  const goodsWithVat = sum(preview.lines.map((line) => line.lineTotalWithVat))
  const charged = amount(preview.chargedWithVat)
  return {
    currency: preview.lines.find((line) => line.baseCurrency)?.baseCurrency ?? 'SAR',
    goodsWithVat,
    goodsVat: sum(preview.lines.map((line) => line.lineGoodsVatAmount)),
    shipping: charged === null || goodsWithVat === null ? null : minus(charged, goodsWithVat),
    charged,
    commission: amount(preview.commissionWithVat),
    netAfterCommission: amount(preview.netAfterCommission),
  }
}

function amount(value: unknown): Digits | null {
  return isDigits(value) ? value : null
}

/** null when one of the parts is unknown: a sum without it would be a wrong one. */
function sum(parts: unknown[]): Digits | null {
  if (!parts.every(isDigits)) return null
  return digits(parts.reduce((total, part) => total.plus(exact(part)), exact(0)).toFixed())
}

export function minus(a: Digits, b: Digits): Digits {
  return digits(exact(a).minus(exact(b)).toFixed())
}

export function plus(a: Digits, b: Digits): Digits {
  return digits(exact(a).plus(exact(b)).toFixed())
}

export interface Difference {
  what: string
  before: Digits | null
  after: Digits | null
  /** That of an amount; null for a number of units. */
  currency: string | null
}

/** What changed between two prices of one cart, line by line, then the total. */
export function differences(before: Preview, after: Preview): Difference[] {
  const found: Difference[] = []
  const {currency} = priceOf(after)
  const add = (what: string, old: unknown, now: unknown, unit: string | null = currency) => {
    const [a, b] = [amount(old), amount(now)]
    if (a === null && b === null) return
    if (a === null || b === null || !sameAmount(a, b)) found.push({what, before: a, after: b, currency: unit})
  }
  const named = (line: {sku?: string | null | undefined; variantId: string}) => line.sku ?? line.variantId
  const old = new Map(before.lines.map((line) => [line.variantId, line]))
  for (const line of after.lines) {
    const was = old.get(line.variantId)
    old.delete(line.variantId)
    add(`Quantity of ${named(line)}`, was?.quantity, line.quantity, null)
    add(`${named(line)} incl. VAT`, was?.lineTotalWithVat, line.lineTotalWithVat)
  }
  for (const gone of old.values()) add(`Quantity of ${named(gone)}`, gone.quantity, 0, null)
  add('Charged incl. VAT', before.chargedWithVat, after.chargedWithVat)
  return found
}

/** Whether `total` is above what was approved. */
export function isAbove(total: Digits | string, approved: Digits | string): boolean {
  return exact(total).gt(exact(approved))
}
