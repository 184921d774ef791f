/** G09: money is an integer number of halalas inside; 100 halalas are 1 SAR. */
export type Halalas = number

/** An amount as the JSON number of the wire: halalas become SAR with at most two decimals. */
export function sar(amount: Halalas): number {
  return amount / 100
}

export function sarOrNull(amount: Halalas | null): number | null {
  return amount === null ? null : sar(amount)
}

/** `amount × numerator / denominator` in whole units, half away from zero, never through a rounded double. */
export function portion(amount: number, numerator: number, denominator: number): number {
  const doubled = 2 * amount * numerator
  if (!Number.isSafeInteger(doubled)) return exactPortion(amount, numerator, denominator)
  return Math.sign(doubled) * Math.floor((Math.abs(doubled) + denominator) / (2 * denominator))
}

function exactPortion(amount: number, numerator: number, denominator: number): number {
  const doubled = 2n * BigInt(amount) * BigInt(numerator)
  const size = doubled < 0n ? -doubled : doubled
  const whole = Number((size + BigInt(denominator)) / (2n * BigInt(denominator)))
  return doubled < 0n ? -whole : whole
}

/** G10: output VAT, the Saudi standard rate. */
export const vatRate = 0.15
export const vatOn = (net: Halalas): Halalas => portion(net, 15, 100)

/** A display currency: informational only, it never changes what is charged. */
export interface Currency {
  code: string
  /** Display amount for 1 SAR. */
  rate: number
  /** The same rate as an exact fraction of a million. */
  millionths: number
  /** Digits after the point. */
  digits: number
}

// G14. not shown: the list of supported currencies and their rates. One has three decimals.
export const currencies: readonly Currency[] = [
  {code: 'USD', rate: 0.266667, millionths: 266_667, digits: 2},
  {code: 'EUR', rate: 0.245, millionths: 245_000, digits: 2},
  {code: 'AED', rate: 0.979333, millionths: 979_333, digits: 2},
  {code: 'KWD', rate: 0.0818, millionths: 81_800, digits: 3},
]

/** G15: SAR × rate, rounded to the digits of the currency. */
export function shownIn(currency: Currency, amount: Halalas): number {
  const scale = 10 ** currency.digits
  return portion(amount, currency.millionths * (scale / 100), 1_000_000) / scale
}

export function shownInOrNull(currency: Currency | null, amount: Halalas | null): number | null {
  return currency === null || amount === null ? null : shownIn(currency, amount)
}

/** The currency of the display amounts beside it, and its rate. */
export const displayIn = (currency: Currency | null) => ({
  displayCurrency: currency?.code ?? null,
  rate: currency?.rate ?? null,
})
