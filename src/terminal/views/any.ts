import {isDigits, printJson} from '../../contract/money.ts'
import type {Cell} from '../cells.ts'
import {type Column, fieldOf} from '../columns.ts'
import {currencyOf, isAmount, isCurrency, isMoment, unitOf, words} from '../guess.ts'
import type {Card, View} from '../table.ts'

type Row = Record<string, unknown>

const isScalar = (value: unknown) => typeof value !== 'object' || value === null || isDigits(value)

/**
 * The fields of all rows, in the order in which they come. Only for programs are those that are empty, currencies that
 * stand beside their amounts, and in a list fields that hold more, unless there is nothing else to see.
 */
function columnsOf(rows: Row[], around?: Row): Column<Row>[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const isEmpty = (key: string) => rows.every((row) => (row[key] ?? null) === null)
  const isFlat = (key: string) => rows.every((row) => isScalar(row[key]))
  const isList = around !== undefined
  const anyFlat = isList && keys.some((key) => !isEmpty(key) && isFlat(key))
  const amountKeys = keys.filter(
    (key) => isAmount(key) && rows.some((row) => isDigits(row[key]) && currencyOf(row, key, around)),
  )
  const isUnit = (key: string) =>
    amountKeys.some((one) => unitOf(one) === key) && rows.every((row) => isCurrency(row[key]))
  const anyFull = keys.some((key) => !isEmpty(key))
  const isHidden = (key: string) => anyFull && (isEmpty(key) || isUnit(key) || (anyFlat && !isFlat(key)))
  return keys.map((key) => ({
    ...fieldOf<Row>(key, around),
    header: headerOf(key, rows),
    // A list within is written as JSON, as it came.
    ...(!isFlat(key) && {
      get: (row: Row) => (isScalar(row[key]) ? row[key] : printJson(row[key], 0)) as Cell,
    }),
    ...(isHidden(key) && {shown: 'plain' as const}),
    ...(key === amountKeys[0] && {keeps: true as const}),
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
  const isNothing = isRow(payload) && Object.keys(payload).length === 0
  if (payload === null || payload === undefined || isNothing) return {rows: [], columns: [], empty}
  const list = Array.isArray(payload) ? payload : isRow(payload) ? rowsOf(payload) : undefined
  if (list !== undefined) {
    const rows = list.map((value): Row => (isRow(value) ? value : {value}))
    return {rows, columns: columnsOf(rows, isRow(payload) ? payload : {}), empty}
  }
  const row = isRow(payload) ? payload : {value: payload}
  return {rows: [row], upright: true, columns: columnsOf([row])} satisfies Card<Row>
}

const empty = 'The answer is empty.'

/** The first list of objects in an answer. */
export function rowsOf(answer: Row): Row[] | undefined {
  return Object.values(answer).find(
    (value): value is Row[] => Array.isArray(value) && (value.length === 0 || value.some(isRow)),
  )
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isDigits(value)
