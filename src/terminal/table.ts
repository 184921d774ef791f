import {Failure} from '../contract/failure.ts'
import {type Cell, isNumeric, pretty} from './cells.ts'
import {cut, noPaint, type Paint, pad, width} from './text.ts'

export interface Column<Row> {
  /** What --columns and a CSV header call it. */
  key: string
  header: string
  get(row: Row): Cell
  /**
   * `plain`: in pipes and CSV, not in a terminal, where another cell says it (a currency beside its amount);
   * `asked`: only when --columns names it.
   */
  shown?: 'plain' | 'asked'
  /** Never cut, whatever the width: an id that is no use in half. */
  whole?: true
}

export interface Field {
  label: string
  cell: Cell
}

/** Rows to show, as data. `title`, `below` and `empty` are for people: a pipe gets the rows only. */
export interface Table<Row> {
  columns: Column<Row>[]
  rows: Iterable<Row> | AsyncIterable<Row>
  title?: string
  /** Facts below the rows, such as totals. */
  below?: Field[]
  /** One sentence in the place of no rows. */
  empty?: string
}

/** The columns --columns names, in its order, else those that are shown by themselves. */
export function chosen<Row>(
  columns: Column<Row>[],
  names: string | undefined,
  target: 'terminal' | 'plain',
): Column<Row>[] {
  if (names === undefined) {
    return columns.filter(({shown}) => shown === undefined || (shown === 'plain' && target === 'plain'))
  }
  return names.split(',').map((name) => {
    const found = columns.find(({key}) => key === name.trim())
    if (found) return found
    throw new Failure('INVALID_INPUT', {
      message: `There is no column "${name.trim()}".`,
      hint: `Known columns: ${columns.map(({key}) => key).join(', ')}.`,
    })
  })
}

interface Line {
  text: string
  tone: string
}

/** Room for each column, the widest ones cut first until the line fits. */
function rooms(columns: Column<never>[], lines: Line[][], terminalWidth: number): number[] {
  const wanted = columns.map(({header}, index) =>
    Math.max(width(header), ...lines.map((line) => width(line[index]?.text ?? ''))),
  )
  const gaps = 2 * (columns.length - 1)
  const floor = columns.map(({header, whole}, index) =>
    whole ? (wanted[index] ?? 0) : Math.min(wanted[index] ?? 0, Math.max(8, width(header))),
  )
  let excess = wanted.reduce((sum, room) => sum + room, gaps) - terminalWidth
  while (excess > 0) {
    const widest = wanted.reduce((best, room, index) => {
      const spare = room - (floor[index] ?? 0)
      return spare > 0 && (best < 0 || room > (wanted[best] ?? 0)) ? index : best
    }, -1)
    if (widest < 0) break
    wanted[widest] = (wanted[widest] ?? 0) - 1
    excess -= 1
  }
  return wanted
}

/** An aligned table for people. Text only: the caller writes it. */
export function tableText<Row>(
  columns: Column<Row>[],
  rows: Row[],
  options: {terminalWidth: number; paint?: Paint; now?: number},
): string {
  const paint = options.paint ?? noPaint
  const lines = rows.map((row) =>
    columns.map((column): Line => {
      const cell = column.get(row)
      return {text: pretty(cell, noPaint, options.now), tone: pretty(cell, paint, options.now)}
    }),
  )
  const right = columns.map((column) => {
    const filled = rows.map((row) => column.get(row)).filter((cell) => cell !== null && cell !== undefined)
    return filled.length > 0 && filled.every(isNumeric)
  })
  const room = rooms(columns as Column<never>[], lines, options.terminalWidth)
  const align = (text: string, index: number) => pad(text, room[index] ?? 0, right[index] ? 'right' : 'left')
  const header = columns.map(({header}, index) => paint(align(header.toUpperCase(), index), 'dim'))
  const body = lines.map((line) =>
    line.map(({text, tone}, index) => {
      const short = cut(text, room[index] ?? 0)
      return align(short, index).replace(short, () => (short === text ? tone : short))
    }),
  )
  return [header, ...body].map((cells) => `${cells.join('  ').trimEnd()}\n`).join('')
}

/** Label and value below each other, for one thing instead of a list. */
export function fieldsText(fields: Field[], options: {paint?: Paint; now?: number} = {}): string {
  const paint = options.paint ?? noPaint
  const room = Math.max(0, ...fields.map(({label}) => width(label)))
  return fields
    .map(({label, cell}) => `${paint(pad(label, room), 'dim')}  ${pretty(cell, paint, options.now)}\n`)
    .join('')
}
