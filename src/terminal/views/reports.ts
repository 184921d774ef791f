import {millis} from '../../contract/forms.ts'
import {isDigits} from '../../contract/money.ts'

type Row = Record<string, unknown>

/** Values to draw over time. */
interface Series {
  name: string
  points: number[]
  /** The first date and the last one. */
  ends: [string, string]
}

interface Asked {
  report: string
  from: string
  to: string
}

interface Point {
  date: string
  value: number
}

/**
 * The values of a report to draw: the first amount of rows that carry a date; undefined if there is none. Of a report by
 * day a day without a row sold nothing.
 */
export function seriesOf(answer: unknown[], asked: Asked, now = Date.now()): Series | undefined {
  const rows = answer.filter((row): row is Row => typeof row === 'object' && row !== null)
  const [first = {}] = rows
  const keys = Object.keys(first)
  const dateKey = keys.find((key) => /^(date|day)$/i.test(key))
  const amounts = keys.filter((key) => isDigits(first[key]))
  const name = amounts.find((key) => /sales|amount|total|net/i.test(key)) ?? amounts[0]
  if (dateKey === undefined || name === undefined) return undefined
  const told = rows.map((row) => ({date: String(row[dateKey]), value: Number(String(row[name]))}))
  // What carries no date, or no number, has no place in a picture.
  if (told.some(({date, value}) => Number.isNaN(millis(date)) || Number.isNaN(value))) return undefined
  // not shown: the names of reports, and their order.
  const isDaily = /day|daily/i.test(asked.report) || /^day$/i.test(dateKey)
  const points = (isDaily ? eachDay(told, asked, now) : undefined) ?? told.sort(byDate)
  return {
    name,
    points: points.map(({value}) => value),
    ends: [points[0]?.date ?? '', points.at(-1)?.date ?? ''],
  }
}

const byDate = (a: Point, b: Point) => millis(a.date) - millis(b.date) || 0

const DAY = 86_400_000
const LONGEST = 1_000

/** Every day of the window, but none that is still to come; undefined if a date or the window can't be read. */
function eachDay(told: Point[], {from, to}: Asked, now: number): Point[] | undefined {
  const dayOf = (ms: number) => Math.floor(ms / DAY)
  const days = told.map(({date}) => dayOf(millis(date)))
  const first = Math.min(dayOf(millis(from)), ...days)
  const last = Math.max(Math.min(dayOf(millis(to) - 1), dayOf(now)), ...days)
  if (!(last - first < LONGEST)) return undefined
  const all = Array.from({length: last - first + 1}, (_, at) => {
    const date = new Date((first + at) * DAY).toISOString().slice(0, 10)
    return {date, value: 0}
  })
  for (const [at, {value}] of told.entries()) {
    const day = all[(days[at] ?? 0) - first]
    if (day) day.value += value
  }
  return all
}
