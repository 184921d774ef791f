import {isUuid} from '../contract/forms.ts'
import {type Cell, isNumeric, isTime, pretty, prettyInList} from './cells.ts'
import type {Column} from './columns.ts'
import {cut, noPaint, overcounted, type Paint, pad, width, wrap} from './text.ts'

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
  /** The lines of one row where there is no room for columns, fit for a terminal; otherwise labels and values. */
  block?(row: Row, paint: Paint): string[]
}

/** How the rows of a paged list are shown. */
export interface ListView<Row> extends Omit<Table<Row>, 'rows'> {
  /** What the rows go through on their way to a person. */
  through?(rows: Rows<Row>): Rows<Row>
}

/** One thing instead of a list: its facts below each other. */
export interface Card<Row> extends Table<Row> {
  rows: [Row]
  upright: true
}

/** A table or a card of any row. Rows go only into the columns of their own view. */
// biome-ignore lint/suspicious/noExplicitAny: a heterogeneous list of views, each closed in itself
export type View = (Table<any> & {upright?: never}) | Card<any>

/** A card of one row, with what a list shows only if asked. A person does not see such a fact if it is empty. */
export function card<Row>(row: Row, columns: Column<Row>[], title?: string): Card<Row> {
  const shown = columns.map(({shown, ...column}): Column<Row> => {
    if (shown !== 'asked') return shown === undefined ? column : {...column, shown}
    return isEmpty(column.get(row)) ? {...column, shown: 'plain'} : column
  })
  return {rows: [row], upright: true, columns: shown, ...(title !== undefined && {title})}
}

/** A list inside an answer, which may be anything else, as may its rows. */
export function rowsOf<Row>(list: readonly Row[] | null | undefined): Row[] {
  return Array.isArray(list) ? list : []
}

interface Screen {
  /** Cells of a line. */
  terminalWidth: number
  paint?: Paint
  now?: number
}

/** Text for people, and the columns for which there was no room. */
interface Drawn {
  text: string
  hidden: Column<never>[]
}

interface Measured {
  column: Column<never>
  /** Each cell as text, and the same with its colours. */
  cells: {text: string; painted: string; empty: boolean}[]
  numeric: boolean
  isId: boolean
  empty: boolean
  /** Cells of the terminal that it takes, and how few will do. */
  room: number
  least: number
}

const GAP = 2
/** A text is not cut to less than this, and a reason not wrapped to less. */
const LEAST_TEXT = 20
const LEAST_REASON = 32
const INDENT = '  '

const isLongId = (cell: Cell) => typeof cell === 'string' && isUuid(cell)
const isEmpty = (cell: Cell) => cell === null || cell === undefined || cell === ''

function measure<Row>(
  column: Column<Row>,
  rows: Row[],
  {paint = noPaint, now}: Screen,
  textOf: typeof pretty,
): Measured {
  const values = rows.map((row) => column.get(row))
  const cells = values.map((cell) => ({
    text: textOf(cell, noPaint, now),
    painted: textOf(cell, paint, now),
    empty: isEmpty(cell),
  }))
  const filled = values.filter((cell) => !isEmpty(cell))
  const isAll = (test: (cell: Cell) => boolean) => filled.length > 0 && filled.every(test)
  const numeric = isAll(isNumeric)
  const room = cells.reduce((most, {text}) => Math.max(most, width(text)), width(column.header))
  const fewest = Math.max(column.wraps ? LEAST_REASON : LEAST_TEXT, width(column.header))
  const isId = column.isId ?? isAll(isLongId)
  const isWhole =
    (column.keeps && !column.wraps && !column.cuts) || numeric || isAll(isTime) || isAll(isLongId)
  const least = isWhole ? room : Math.min(room, fewest)
  return {column: column as Column<never>, cells, numeric, isId, empty: filled.length === 0, room, least}
}

const total = (columns: Measured[], kind: 'room' | 'least') =>
  columns.reduce((sum, one) => sum + one[kind] + GAP, -GAP)

/**
 * The columns that fit, long ids being the first to go, then those that matter least; reasons stand below their row
 * before anything goes. Undefined if what has to stay does not fit.
 */
function fitting(
  all: Measured[],
  terminalWidth: number,
): {beside: Measured[]; below: Measured[]} | undefined {
  const fits = (columns: Measured[]) => total(columns, 'least') <= terminalWidth
  const [below, rest] = fits(all)
    ? [[], all]
    : [all.filter(({column}) => column.wraps), all.filter(({column}) => !column.wraps)]
  let beside = rest
  while (!fits(beside)) {
    const open = beside.length > 1 ? beside.filter(({column}) => !column.keeps) : []
    const next = open.findLast(({isId}) => isId) ?? open.findLast(({column}) => column.yields) ?? open.at(-1)
    if (next === undefined) return undefined
    beside = beside.filter((one) => one !== next)
  }
  return {beside: narrowed(beside, terminalWidth), below}
}

/** Takes the excess from the widest columns that can be cut. */
function narrowed(columns: Measured[], terminalWidth: number): Measured[] {
  const kept = columns.map((one) => ({...one}))
  for (let excess = total(kept, 'room') - terminalWidth; excess > 0; excess -= 1) {
    const [widest] = kept.filter(({room, least}) => room > least).sort((a, b) => b.room - a.room)
    if (widest === undefined) break
    widest.room -= 1
  }
  return kept
}

/** Rows without lines around them, as gh and kubectl draw them. */
const bare = {
  ...{top: '', 'top-mid': '', 'top-left': '', 'top-right': '', mid: '', 'left-mid': '', 'mid-mid': ''},
  ...{bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '', left: '', right: ''},
  ...{'right-mid': '', middle: '', truncate: '…'},
}

/** Lays texts out in columns, and returns the lines. A text may have several lines. */
async function layOut(columns: {room: number; numeric?: boolean}[], texts: string[][]): Promise<string[]> {
  const {default: CliTable} = await import('cli-table3')
  const isOdd = texts.some((row) => row.some((text) => overcounted(text) > 0))
  if (isOdd && texts.length > 1) {
    const lines: string[] = []
    for (const row of texts) lines.push(...(await layOut(columns, [row])))
    return lines
  }
  const table = new CliTable({
    colWidths: columns.map(({room}, at) => room + GAP + (isOdd ? overcounted(texts[0]?.[at] ?? '') : 0)),
    colAligns: columns.map(({numeric}) => (numeric ? 'right' : 'left')),
    chars: bare,
    style: {head: [], border: [], 'padding-left': 0, 'padding-right': GAP},
  })
  // One by one: a call takes no more than some ten thousand arguments.
  for (const row of texts) table.push(row)
  const lines = texts.length === 0 ? [] : table.toString().split('\n')
  return lines.map((line) => `${inOrder(line.trimEnd())}\n`)
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u

/**
 * Terminals that draw Arabic from right to left take a number behind it for a part of it, and would change the order of
 * columns. A mark in each gap ends that (LRM); between blanks, so that nobody copies it with a value.
 */
const inOrder = (line: string) =>
  RIGHT_TO_LEFT.test(line) ? line.replace(/ {2,}/g, (gap) => ` \u200e${gap.slice(1)}`) : line

function cellText({column, cells, room}: Measured, at: number): string {
  const {text = '', painted = ''} = cells[at] ?? {}
  if (width(text) <= room) return painted
  return column.wraps ? wrap(text, room) : cut(text, room)
}

const headText = ({column}: Measured, paint: Paint = noPaint) => paint(column.header.toUpperCase(), 'dim')

/** An aligned table for people, never wider than the terminal. Text only: the caller writes it. */
export async function tableText<Row>(
  columns: Column<Row>[],
  rows: Row[],
  screen: Screen,
  block?: Table<Row>['block'],
): Promise<Drawn> {
  const {terminalWidth, paint} = screen
  const all = columns.map((column) => measure(column, rows, screen, prettyInList))
  const filled = all.filter(({empty, column}) => !empty || column.keeps || rows.length === 0)
  const shown = filled.length > 0 ? filled : all
  const found = fitting(shown, terminalWidth)
  if (found === undefined && block) return {text: blocksText(block, rows, screen), hidden: []}
  if (found === undefined) {
    const kept = columns.filter((one) => shown.some(({column}) => column === one))
    return {text: uprightText(kept, rows, screen), hidden: []}
  }
  const {beside, below} = found
  const head = beside.map((one) => headText(one, paint))
  const lines = await layOut(beside, [head, ...rows.map((_, at) => beside.map((one) => cellText(one, at)))])
  const reasonsOf = (at: number) =>
    below
      .flatMap(({cells}) => cells[at] ?? [])
      .filter(({empty}) => !empty)
      .map(({text}) => `${wrap(`${INDENT}${text}`, terminalWidth, INDENT.length)}\n`)
  // Without reasons beside it, a row is one line.
  const text =
    below.length === 0
      ? lines
      : lines.flatMap((line, at) => (at === 0 ? [line] : [line, ...reasonsOf(at - 1)]))
  const kept = new Set([...beside, ...below].map(({column}) => column))
  return {text: text.join(''), hidden: shown.map(({column}) => column).filter((column) => !kept.has(column))}
}

/** Rows as blocks of a few lines, of which the first stands out. */
function blocksText<Row>(
  block: NonNullable<Table<Row>['block']>,
  rows: Row[],
  {terminalWidth, paint = noPaint}: Screen,
): string {
  const lineOf = (line: string, at: number) =>
    `${wrap(`${at > 0 ? INDENT : ''}${line}`, terminalWidth, INDENT.length)}\n`
  return rows.flatMap((row) => block(row, paint).map(lineOf)).join('')
}

/** Rows as blocks of label and value, for a terminal that is too narrow for a table. */
function uprightText<Row>(columns: Column<Row>[], rows: Row[], screen: Screen): string {
  const fieldsOf = (row: Row) => columns.map(({header, get}) => ({label: header, cell: get(row)}))
  return rows.map((row) => fieldsText(fieldsOf(row), screen)).join('\n')
}

/** A value that needs more lines than one gets at least this room beside its label. */
const LEAST_VALUE = 20

/**
 * Labels below each other with their values, for one thing instead of a list. A value that does not fit beside its
 * label stands below it, if that keeps it or its words in one line, and else wraps.
 */
export function fieldsText(fields: Field[], {paint = noPaint, now, terminalWidth}: Screen): string {
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

/**
 * Lines of a table whose rows are not known yet: columns grow with what came so far, and those for which the first row
 * leaves no room are left out.
 */
export function liveLines<Row>(columns: Column<Row>[], screen: Screen): (row: Row) => Promise<Drawn> {
  const {terminalWidth, paint} = screen
  let kept: Measured[] | undefined
  return async (row) => {
    const measured = columns.map((column) => measure(column, [row], screen, pretty))
    const isFirst = kept === undefined
    const before = kept ?? fitting(measured, terminalWidth)?.beside ?? measured
    const cells = measured.flatMap((one) => {
      const room = before.find(({column}) => column === one.column)?.room
      return room === undefined ? [] : [{...one, room: Math.max(room, one.room)}]
    })
    kept = cells
    const drawn = narrowed(cells, terminalWidth)
    const isKept = (column: Column<never>) => cells.some((one) => one.column === column)
    const hidden = isFirst ? measured.map(({column}) => column).filter((column) => !isKept(column)) : []
    if (total(drawn, 'room') > terminalWidth) return {text: uprightText(columns, [row], screen), hidden}
    const head = isFirst ? [drawn.map((one) => headText(one, paint))] : []
    return {text: (await layOut(drawn, [...head, drawn.map((one) => cellText(one, 0))])).join(''), hidden}
  }
}
