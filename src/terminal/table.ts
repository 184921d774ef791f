import {Failure} from '../contract/failure.ts'
import {type Cell, isNumeric, pretty} from './cells.ts'
import {noPaint, type Paint, pad, width} from './text.ts'

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

/** Room for each column, the widest ones cut first until the line fits. */
function rooms(columns: Column<never>[], lines: string[][], terminalWidth: number): number[] {
  const wanted = columns.map(({header}, index) =>
    Math.max(width(header), ...lines.map((line) => width(line[index] ?? ''))),
  )
  const gaps = GAP * (columns.length - 1)
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

/** Rows without lines around them, as gh and kubectl draw them. */
const bare = {
  ...{top: '', 'top-mid': '', 'top-left': '', 'top-right': '', mid: '', 'left-mid': '', 'mid-mid': ''},
  ...{bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '', left: '', right: ''},
  ...{'right-mid': '', middle: '', truncate: '…'},
}

const GAP = 2

/** An aligned table for people. Text only: the caller writes it. */
export async function tableText<Row>(
  columns: Column<Row>[],
  rows: Row[],
  options: {terminalWidth: number; paint?: Paint; now?: number},
): Promise<string> {
  const {default: CliTable} = await import('cli-table3')
  const paint = options.paint ?? noPaint
  const cells = rows.map((row) => columns.map((column) => column.get(row)))
  const texts = cells.map((line) => line.map((cell) => pretty(cell, noPaint, options.now)))
  const room = rooms(columns as Column<never>[], texts, options.terminalWidth)
  const numeric = columns.map((_, index) => {
    const filled = cells.flatMap((line) => line[index] ?? [])
    return filled.length > 0 && filled.every(isNumeric)
  })
  const table = new CliTable({
    head: columns.map(({header}) => paint(header.toUpperCase(), 'dim')),
    colWidths: room.map((width) => width + GAP),
    colAligns: numeric.map((right) => (right ? 'right' : 'left')),
    chars: bare,
    style: {head: [], border: [], 'padding-left': 0, 'padding-right': GAP},
  })
  table.push(...cells.map((line) => line.map((cell) => pretty(cell, paint, options.now))))
  return table
    .toString()
    .split('\n')
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

/** Label and value below each other, for one thing instead of a list. */
export function fieldsText(fields: Field[], options: {paint?: Paint; now?: number} = {}): string {
  const paint = options.paint ?? noPaint
  const room = Math.max(0, ...fields.map(({label}) => width(label)))
  return fields
    .map(({label, cell}) => `${paint(pad(label, room), 'dim')}  ${pretty(cell, paint, options.now)}\n`)
    .join('')
}
