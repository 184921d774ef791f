import {type Digits, isDigits, printJson} from '../../contract/money.ts'
import {type Cell, money, time} from '../cells.ts'
import type {Card, View} from '../output.ts'
import type {Column, Table} from '../table.ts'

type Row = Record<string, unknown>

const isScalar = (value: unknown) => typeof value !== 'object' || value === null || isDigits(value)

/** A value as it came, but a moment as a time, and an amount with its currency where the answer names one. */
function cellOf(key: string, row: Row, around: Row): Cell {
  const value = row[key]
  if (value === null || value === undefined) return null
  if (isMoment(value)) return time(value)
  const currency = isDigits(value) && isAmount(key) ? currencyOf(key, row, around) : undefined
  if (currency !== undefined) return money(value as Digits, currency)
  return isScalar(value) ? (value as Cell) : printJson(value, 0)
}

const isMoment = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/.test(value)

const amounts = 'amount price net gross subtotal vat revenue fee commission refund balance rrp'.split(' ')
/** Of these a bare one may be a number of things. */
const totals = 'sales total value cost debits credits'.split(' ')
const things = 'count number quantity units orders lines items'.split(' ')

/** Whether a number of this name is plainly an amount of money, such as `netSales` or `commissionVatDisplay`. */
function isAmount(name: string): boolean {
  const parts = words(name.replace(/Display$/, ''))
    .toLowerCase()
    .split(' ')
  const last = parts.at(-1) ?? ''
  if (parts.some((part) => things.includes(part))) return false
  return amounts.includes(last) || (parts.length > 1 && totals.includes(last))
}

const unitOf = (key: string) => (key.endsWith('Display') ? 'displayCurrency' : 'currency')

/** What the currency of an amount is, by its row or else by the answer around it. */
function currencyOf(key: string, row: Row, around: Row): string | undefined {
  const unit = unitOf(key)
  return [row[unit], around[unit]].find(isCurrency)
}

const isCurrency = (value: unknown): value is string => typeof value === 'string' && /^[A-Z]{3}$/.test(value)

/** Words of a field's name: `netSales` is `Net sales`, `vat` is `VAT`. */
export function words(name: string): string {
  const text = name.replace(
    /([a-z\d])([A-Z])/g,
    (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
  )
  const spelt = text.replace(/\b(?:vat|utc|id|sku|url)\b/g, (short) => short.toUpperCase())
  return spelt.slice(0, 1).toUpperCase() + spelt.slice(1)
}

/**
 * The fields of all rows, in the order in which they come. Only for programs are those that are empty, currencies that
 * stand beside their amounts, and fields that hold more, unless there is nothing else to see.
 */
function columnsOf(rows: Row[], around: Row = {}): Column<Row>[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const isEmpty = (key: string) => rows.every((row) => (row[key] ?? null) === null)
  const isFlat = (key: string) => rows.every((row) => isScalar(row[key]))
  const anyFlat = keys.some((key) => !isEmpty(key) && isFlat(key))
  const amountKeys = keys.filter(
    (key) => isAmount(key) && rows.some((row) => isDigits(row[key]) && currencyOf(key, row, around)),
  )
  const isUnit = (key: string) =>
    amountKeys.some((one) => unitOf(one) === key) && rows.every((row) => isCurrency(row[key]))
  const isHidden = (key: string) => isEmpty(key) || isUnit(key) || (anyFlat && !isFlat(key))
  return keys.map((key, at) => ({
    key,
    header: headerOf(key, rows),
    get: (row: Row) => cellOf(key, row, around),
    ...(isHidden(key) && {shown: 'plain' as const}),
    // The first field names the row; of the others those at the end go first where room is short.
    ...(at === 0 && {whole: true as const}),
    ...(at > (amountKeys.length > 0 ? 1 : 3) && key !== amountKeys[0] && {yields: true as const}),
  }))
}

/** A moment is shown in local time, whatever its name says, and an amount to be displayed is about that. */
function headerOf(key: string, rows: Row[]): string {
  if (key.endsWith('Display') && isAmount(key)) return `${words(key.slice(0, -'Display'.length))}, about`
  return words(rows.some((row) => isMoment(row[key])) ? key.replace(/Utc$/, '') : key)
}

/**
 * A payload whose shape is not documented, as far as it can be drawn: a list, alone or the first one inside an object,
 * as a table, an object as a card of its own fields, anything else as one value.
 */
export function anyView(payload: unknown): View {
  if (payload === null || payload === undefined) return {rows: [], columns: [], empty}
  const list = Array.isArray(payload) ? payload : isRow(payload) ? rowsOf(payload) : undefined
  if (list !== undefined) {
    const rows = list.map((value): Row => (isRow(value) ? value : {value}))
    const view: Table<Row> = {rows, columns: columnsOf(rows, isRow(payload) ? payload : {}), empty}
    return view
  }
  const row = isRow(payload) ? payload : {value: payload}
  return {rows: [row], upright: true, columns: columnsOf([row])} as Card<Row>
}

const empty = 'The answer is empty.'

/** The first list of objects in an answer. */
export function rowsOf(answer: Row): Row[] | undefined {
  return Object.values(answer).find((value): value is Row[] => Array.isArray(value) && value.every(isRow))
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isDigits(value)
