import {isDigits} from '../contract/money.ts'
import {bare, type Cell, money, time} from './cells.ts'
import {valueAt} from './paths.ts'

/** A cell of a field that the contract does not know: by its value, and by its name if that is plainly an amount's. */
export function guessed(row: unknown, path: string, around: unknown = {}): Cell {
  const value = valueAt(row, path)
  if (isMoment(value)) return time(value)
  const currency = isDigits(value) && isAmount(path) ? currencyOf(row, path, around) : undefined
  return currency === undefined ? bare(value) : money(value as never, currency)
}

export const isMoment = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/.test(value)

const amounts = 'amount price net gross subtotal vat revenue fee commission refund balance rrp'.split(' ')
/** A field whose whole name is one of these may be a number of things. */
const totals = 'sales total value cost debits credits'.split(' ')
const things = 'count number quantity units orders lines items'.split(' ')

/** Whether a number of this name is plainly an amount of money, such as `netSales` or `commissionVatDisplay`. */
export function isAmount(path: string): boolean {
  const parts = words(path.replace(/Display$/, ''))
    .toLowerCase()
    .split(' ')
  const last = parts.at(-1) ?? ''
  if (parts.some((part) => things.includes(part))) return false
  return amounts.includes(last) || (parts.length > 1 && totals.includes(last))
}

/** The name of the field that holds the currency of an amount. */
export const unitOf = (path: string) => (path.endsWith('Display') ? 'displayCurrency' : 'currency')

export const isCurrency = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Z]{3}$/.test(value)

/** The currency of an amount: of its own row, or else of the answer around it. */
export function currencyOf(row: unknown, path: string, around: unknown): string | undefined {
  const unit = unitOf(path)
  return [valueAt(row, unit), valueAt(around, unit)].find(isCurrency)
}

/** Words of a path's last field: `netSales` is `Net sales`, `pricing.vat` is `VAT`. */
export function words(path: string): string {
  const name = path.split('.').at(-1) ?? path
  const text = name.replace(
    /([a-z\d])([A-Z])/g,
    (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
  )
  const spelt = text.replace(/\b(?:vat|utc|id|sku|url)\b/g, (short) => short.toUpperCase())
  return spelt.slice(0, 1).toUpperCase() + spelt.slice(1)
}
