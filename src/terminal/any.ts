import {isDigits, printJson} from '../contract/money.ts'
import type {Cell} from './cells.ts'
import type {Card, View} from './output.ts'
import type {Column, Table} from './table.ts'

type Row = Record<string, unknown>

const isScalar = (value: unknown) => typeof value !== 'object' || value === null || isDigits(value)

const cellOf = (value: unknown): Cell =>
  value === null || value === undefined ? null : isScalar(value) ? (value as Cell) : printJson(value, 0)

/** Words of a field's name: `netSales` is `Net sales`, `vat` is `VAT`. */
export function words(name: string): string {
  const text = name.replace(
    /([a-z\d])([A-Z])/g,
    (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
  )
  const spelt = text.replace(/\b(?:vat|utc|id|sku|url)\b/g, (short) => short.toUpperCase())
  return spelt.slice(0, 1).toUpperCase() + spelt.slice(1)
}

/** The fields of all rows, in the order in which they come; those that are empty only for programs, and those that hold
 * more too, unless there is nothing else to see. */
function columnsOf(rows: Row[]): Column<Row>[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const isEmpty = (key: string) => rows.every((row) => (row[key] ?? null) === null)
  const isFlat = (key: string) => rows.every((row) => isScalar(row[key]))
  const anyFlat = keys.some((key) => !isEmpty(key) && isFlat(key))
  const isHidden = (key: string) => isEmpty(key) || (anyFlat && !isFlat(key))
  return keys.map((key, at) => {
    const hidden = isHidden(key)
    return {
      key,
      header: words(key),
      get: (row: Row) => cellOf(row[key]),
      ...(hidden && {shown: 'plain' as const}),
      // The first field names the row; those at the end go first where room is short.
      ...(at === 0 ? {whole: true as const} : at > 3 ? {yields: true as const} : {}),
    }
  })
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
    const view: Table<Row> = {rows, columns: columnsOf(rows), empty}
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
