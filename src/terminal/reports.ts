import {isDigits} from '../contract/money.ts'

type Row = Record<string, unknown>

/** What to draw over time: the first amount of rows that carry a date; undefined where there is none. */
export function seriesOf(rows: Row[]): {name: string; points: number[]} | undefined {
  const [first] = rows
  if (!first || !Object.keys(first).some((key) => /^(date|day)$/i.test(key))) return undefined
  const keys = Object.keys(first).filter((key) => isDigits(first[key]))
  const name = keys.find((key) => /sales|amount|total|net/i.test(key)) ?? keys[0]
  return name === undefined ? undefined : {name, points: rows.map((row) => Number(String(row[name])))}
}
