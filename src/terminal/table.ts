import {Failure} from '../contract/failure.ts'
import {type Cell, isNumeric, isTime, pretty} from './cells.ts'
import {cut, noPaint, type Paint, pad, width, wrap} from './text.ts'

export interface Column<Row> {
  /** What --columns and a CSV header call it. */
  key: string
  header: string
  get(row: Row): Cell
  /**
   * `plain`: in pipes and CSV, not in a terminal, where another cell says it (a currency beside its amount);
   * `terminal`: the other way round; `asked`: only when --columns names it.
   */
  shown?: 'plain' | 'terminal' | 'asked'
  /** Never cut, whatever the width: an id that is no use in half. Numbers and times never are. */
  whole?: true
  /** Left out where the terminal is too narrow for all; the last such column goes first. */
  yields?: true
}

interface Field {
  label: string
  cell: Cell
}

/** Rows that are read while they are printed: from memory or disk, or awaited from wherever they come. */
export type Rows<Row = unknown> = Iterable<Row> | AsyncIterable<Row>

/** Rows to show, as data. `title`, `below` and `empty` are for people: a pipe gets the rows only. */
export interface Table<Row> {
  columns: Column<Row>[]
  rows: Rows<Row>
  title?: string
  /** Facts below the rows, such as totals. */
  below?: Field[]
  /** One sentence in the place of no rows. */
  empty?: string
  /** Rows come while they are watched: each is written at once. */
  live?: true
}

/** A list inside an answer, where nothing has checked that it is one. */
export function rowsOf<Row>(list: readonly Row[] | null | undefined): Row[] {
  return Array.isArray(list) ? list.filter((row) => typeof row === 'object' && row !== null) : []
}

/** The columns --columns names, in its order, else those that are shown by themselves. */
export function chosen<Row>(
  columns: Column<Row>[],
  names: string | undefined,
  target: 'terminal' | 'plain',
): Column<Row>[] {
  if (names === undefined) {
    return columns.filter(({shown}) => shown === undefined || shown === target)
  }
  return names.split(',').map((name) => {
    const {yields: _, ...found} = columns.find(({key}) => key === name.trim()) ?? {}
    // A column that was asked for does not yield.
    if ('get' in found) return found
    throw new Failure('INVALID_INPUT', {
      message: `There is no column "${name.trim()}".`,
      hint: `Known columns: ${columns.map(({key}) => key).join(', ')}.`,
    })
  })
}

interface Cut {
  column: Column<never>
  /** Each cell as text, and the same with its colours. */
  cells: {text: string; painted: string}[]
  numeric: boolean
  /** Cells of the terminal that it wants, that it should have, and that it can do with. */
  wanted: number
  fair: number
  least: number
}

const GAP = 2
const FAIR = 24
const LEAST = 8

function measure<Row>(column: Column<Row>, rows: Row[], paint: Paint, now: number | undefined): Cut {
  const values = rows.map((row) => column.get(row))
  const cells = values.map((cell) => ({text: pretty(cell, noPaint, now), painted: pretty(cell, paint, now)}))
  const filled = values.filter((cell) => cell !== null && cell !== undefined)
  const numeric = filled.length > 0 && filled.every(isNumeric)
  const whole = column.whole || numeric || (filled.length > 0 && filled.every(isTime))
  const wanted = cells.reduce((most, {text}) => Math.max(most, width(text)), width(column.header))
  const atLeast = (room: number) => (whole ? wanted : Math.min(wanted, Math.max(room, width(column.header))))
  return {column: column as Column<never>, cells, numeric, wanted, fair: atLeast(FAIR), least: atLeast(LEAST)}
}

const total = (cuts: Cut[], room: 'wanted' | 'fair') => cuts.reduce((sum, cut) => sum + cut[room] + GAP, -GAP)

/** Leaves out what yields, then cuts the widest first, until the columns fit. */
function fitted(cuts: Cut[], terminalWidth: number): Cut[] {
  let kept = cuts
  while (total(kept, 'fair') > terminalWidth) {
    const last = kept.findLast(({column}) => column.yields)
    if (!last) break
    kept = kept.filter((cut) => cut !== last)
  }
  for (let excess = total(kept, 'wanted') - terminalWidth; excess > 0; excess -= 1) {
    const spare = kept.filter(({wanted, least}) => wanted > least)
    const widest = spare.reduce<Cut | undefined>(
      (best, cut) => (best && best.wanted >= cut.wanted ? best : cut),
      undefined,
    )
    if (!widest) break
    widest.wanted -= 1
  }
  return kept
}

/** Rows without lines around them, as gh and kubectl draw them. */
const bare = {
  ...{top: '', 'top-mid': '', 'top-left': '', 'top-right': '', mid: '', 'left-mid': '', 'mid-mid': ''},
  ...{bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '', left: '', right: ''},
  ...{'right-mid': '', middle: '', truncate: '…'},
}

/** An aligned table for people. Text only: the caller writes it. */
export async function tableText<Row>(
  columns: Column<Row>[],
  rows: Row[],
  options: {terminalWidth: number; paint?: Paint; now?: number},
): Promise<string> {
  const {default: CliTable} = await import('cli-table3')
  const paint = options.paint ?? noPaint
  const cuts = columns.map((column) => measure(column, rows, paint, options.now))
  const kept = fitted(cuts, options.terminalWidth)
  const table = new CliTable({
    head: kept.map(({column}) => paint(column.header.toUpperCase(), 'dim')),
    colWidths: kept.map(({wanted}) => wanted + GAP),
    colAligns: kept.map(({numeric}) => (numeric ? 'right' : 'left')),
    chars: bare,
    style: {head: [], border: [], 'padding-left': 0, 'padding-right': GAP},
  })
  const shownText = ({cells, wanted}: Cut, at: number) => {
    const {text = '', painted = ''} = cells[at] ?? {}
    return width(text) > wanted ? cut(text, wanted) : painted
  }
  table.push(...rows.map((_, at) => kept.map((column) => shownText(column, at))))
  return table
    .toString()
    .split('\n')
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

/**
 * Lines of a table whose rows are not known yet: columns grow with what came so far, nothing is cut, and what yields
 * is left out where the first row is too wide.
 */
export function liveLines<Row>(
  columns: Column<Row>[],
  {terminalWidth, paint = noPaint}: {terminalWidth: number; paint?: Paint},
): (row: Row) => string {
  type Kept = {column: Column<Row>; room: number}
  let kept: Kept[] | undefined
  const roomOf = (column: Column<Row>, row: Row) =>
    Math.max(width(column.header), width(pretty(column.get(row))))
  const lineOf = (cellOf: (column: Column<Row>, painter: Paint) => string) =>
    (kept ?? [])
      .map(({column, room}) => {
        const blank = ' '.repeat(Math.max(0, room - width(cellOf(column, noPaint))))
        return cellOf(column, paint) + blank
      })
      .join(' '.repeat(GAP))
      .trimEnd()
  return (row) => {
    const isFirst = kept === undefined
    kept ??= columns.map((column) => ({column, room: roomOf(column, row)}))
    const excess = () => (kept ?? []).reduce((sum, {room}) => sum + room + GAP, -GAP) > terminalWidth
    while (isFirst && excess()) {
      const last: Kept | undefined = kept.findLast(({column}) => column.yields)
      if (!last) break
      kept = kept.filter((one) => one !== last)
    }
    for (const one of kept) one.room = Math.max(one.room, roomOf(one.column, row))
    const head = isFirst ? `${lineOf(({header}, painter) => painter(header.toUpperCase(), 'dim'))}\n` : ''
    return `${head}${lineOf(({get}, painter) => pretty(get(row), painter))}\n`
  }
}

/** A value that needs more lines than one gets at least this room beside its label. */
const LEAST_VALUE = 20

/**
 * Labels below each other with their values, for one thing instead of a list. A value that does not fit beside its
 * label stands below it, if that keeps it or its words in one line, and else wraps.
 */
export function fieldsText(
  fields: Field[],
  {paint = noPaint, now, terminalWidth}: {paint?: Paint; now?: number; terminalWidth: number},
): string {
  const labels = Math.max(0, ...fields.map(({label}) => width(label)))
  const beside = terminalWidth - labels - GAP
  return fields
    .map(({label, cell}) => {
      const text = pretty(cell, noPaint, now)
      if (width(text) <= beside) return `${paint(pad(label, labels), 'dim')}  ${pretty(cell, paint, now)}\n`
      const hasLongWord = text.split(' ').some((word) => width(word) > beside)
      const isBelow = beside < LEAST_VALUE || hasLongWord || width(text) <= terminalWidth - GAP
      const hang = isBelow ? GAP : labels + GAP
      const lines = wrap(' '.repeat(hang) + text, terminalWidth, hang)
      if (isBelow) return `${paint(label, 'dim')}\n${lines}\n`
      return `${paint(pad(label, labels), 'dim')}${lines.slice(labels)}\n`
    })
    .join('')
}
