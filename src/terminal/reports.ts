import {isDigits} from '../contract/money.ts'
import type {Cell} from './cells.ts'
import type {Card, View} from './output.ts'
import type {Table} from './table.ts'

type Row = Record<string, unknown>

const cellOf = (value: unknown): Cell =>
  isDigits(value) || typeof value === 'string' || typeof value === 'boolean' ? value : null

const isScalar = (value: unknown) => typeof value !== 'object' || value === null || isDigits(value)

/** Words of a field's name: `netSales` is `net Sales`, which the header shows in capitals. */
const words = (name: string) => name.replace(/([a-z])([A-Z])/g, '$1 $2')

function columnsOf(row: Row) {
  return Object.keys(row)
    .filter((key) => isScalar(row[key]))
    .map((key) => ({key, header: words(key), get: (one: Row) => cellOf(one[key])}))
}

/** not shown: the shape of a report. Its first list is drawn as a table, and without one its own fields as a card. */
export function reportView(report: Row): View {
  const list = rowsOf(report)
  if (list === undefined) return {rows: [report], upright: true, columns: columnsOf(report)} as Card<Row>
  const view: Table<Row> = {rows: list, columns: columnsOf(list[0] ?? {}), empty: 'Nothing was sold.'}
  return view
}

export function rowsOf(report: Row): Row[] | undefined {
  const list = Object.values(report).find((value) => Array.isArray(value) && value.every(isRow))
  return list as Row[] | undefined
}

const isRow = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What to draw over time: the first amount of rows that carry a date; undefined where there is none. */
export function seriesOf(rows: Row[]): {name: string; points: number[]} | undefined {
  const [first] = rows
  if (!first || !Object.keys(first).some((key) => /^(date|day)$/i.test(key))) return undefined
  const keys = Object.keys(first).filter((key) => isDigits(first[key]))
  const name = keys.find((key) => /sales|amount|total|net/i.test(key)) ?? keys[0]
  return name === undefined ? undefined : {name, points: rows.map((row) => Number(String(row[name])))}
}
