import type {Writable} from 'node:stream'
import {printJson} from '../contract/money.ts'
import {guarded} from '../contract/spreadsheet.ts'
import {anyView} from './any.ts'
import {type Cell, isNumeric, plain} from './cells.ts'
import {type Column, chosen, fieldsText, liveLines, type Table, tableText} from './table.ts'
import {paintFor, safe} from './text.ts'

export const modes = ['table', 'json', 'ndjson', 'csv'] as const
export type Mode = (typeof modes)[number]

/** One thing instead of a list: its facts below each other. */
export interface Card<Row> extends Table<Row> {
  rows: [Row]
  upright: true
}

/** A table or a card of any row. Rows go only into the columns of their own view. */
// biome-ignore lint/suspicious/noExplicitAny: a heterogeneous list of views, each closed in itself
export type View = Table<any> | Card<any>

/** A list as a document; its rows may still be on their way. */
export interface Listing {
  items: Iterable<unknown> | AsyncIterable<unknown>
  pagination?: unknown
}

/** A document whose rows have all come. */
export async function collected(document: unknown): Promise<unknown> {
  if (isObject(document) && Object.values(document).some(isRows)) {
    return Object.fromEntries(
      Object.entries(document).map(([name, value]) => [name, isRows(value) ? [...value] : value]),
    )
  }
  const rows = (document as Partial<Listing> | null | undefined)?.items
  if (!isAwaited(rows)) return document
  const items: unknown[] = []
  for await (const row of rows) items.push(row)
  return {...(document as Listing), items}
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isRows = (value: unknown): value is Iterable<unknown> =>
  isObject(value) && !Array.isArray(value) && Symbol.iterator in value

/**
 * Prints a document whose rows stand ready on disk, one row in memory at a time. False, and nothing printed, where it
 * is none of that kind.
 */
export async function printRows(out: Outlet, document: unknown): Promise<boolean> {
  if (!isObject(document) || !Object.values(document).some(isRows)) return false
  let between = '{\n'
  for (const [name, value] of Object.entries(document)) {
    await out.write(`${between}  ${printJson(name)}: `)
    between = ',\n'
    if (!isRows(value)) {
      await out.write(indented(printJson(value)))
      continue
    }
    let batch = '['
    let count = 0
    for (const row of value) {
      batch += `${count === 0 ? '' : ','}\n    ${indented(indented(printJson(row)))}`
      count += 1
      if (count % BATCH !== 0) continue
      await out.write(batch)
      batch = ''
    }
    await out.write(`${batch}${count === 0 ? ']' : '\n  ]'}`)
  }
  await out.write('\n}\n')
  return true
}

const indented = (text: string) => text.replaceAll('\n', '\n  ')

/** Rows that are written at a time. */
const BATCH = 200

/**
 * Prints a list whose rows are on their way, once all have come: a failure among them is all that is printed then. They
 * are kept as texts, which take a third of what they take as objects; one text of all of them may be too long for any.
 * False, and nothing printed, where it is no such list.
 */
export async function printAwaited(out: Outlet, document: unknown): Promise<boolean> {
  const {items, ...others} = isObject(document) ? (document as Partial<Listing>) : {}
  if (!isAwaited(items) || Object.keys(others).length > 0) return false
  const batches: string[] = []
  const batch: string[] = []
  for await (const row of items) {
    batch.push(`\n    ${indented(indented(printJson(row)))}`)
    if (batch.length === BATCH) batches.push(batch.splice(0).join(','))
  }
  if (batch.length > 0) batches.push(batch.join(','))
  await out.write('{\n  "items": [')
  for (const [at, text] of batches.entries()) await out.write(`${at > 0 ? ',' : ''}${text}`)
  await out.write(`${batches.length > 0 ? '\n  ' : ''}]\n}\n`)
  return true
}

const isAwaited = (rows: unknown): rows is AsyncIterable<unknown> =>
  typeof rows === 'object' && rows !== null && Symbol.asyncIterator in rows

type Stream = Writable & {isTTY?: boolean; columns?: number}

/** A stream that ends quietly once its reader is gone, as `head` does. */
export class Outlet {
  readonly stream: Stream
  closed = false
  /** Why nothing can be written any more, where it is not for want of a reader. */
  problem: NodeJS.ErrnoException | undefined

  constructor(stream: Stream) {
    this.stream = stream
    // oclif's own listener throws what is not EPIPE from an event, where nothing can catch it.
    stream.removeAllListeners('error')
    stream.on('error', () => {})
  }

  /** Waits until the text has left, so that a long list takes no memory, and an error is known. */
  async write(text: string): Promise<void> {
    if (this.closed) return
    const error = await new Promise<NodeJS.ErrnoException | null | undefined>((done) => {
      this.stream.write(text, done)
    })
    if (!error) return
    this.closed = true
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') this.problem = error
  }
}

/** Writes each row by `line`, some rows at a time, and stops when nobody reads any more. */
async function stream<Row>(
  out: Outlet,
  {rows, live}: Pick<Table<Row>, 'rows' | 'live'>,
  line: (row: Row) => string,
): Promise<void> {
  let batch = ''
  let count = 0
  for await (const row of rows) {
    batch += line(row)
    count += 1
    if (live || count % BATCH === 0) {
      await out.write(batch)
      batch = ''
    }
    if (out.closed) return
  }
  if (batch) await out.write(batch)
}

async function showInTerminal(out: Outlet, view: View, columns: Column<unknown>[]): Promise<void> {
  const paint = paintFor(out.stream)
  if (!('upright' in view) && view.live)
    return stream(out, view, liveLines(columns, {terminalWidth: out.stream.columns ?? 80, paint}))
  const rows: unknown[] = []
  for await (const row of view.rows) rows.push(row)
  const title = view.title ? `${paint(safe(view.title), 'bold')}\n` : ''
  if ('upright' in view) {
    const fields = columns.map(({header, get}) => ({label: header, cell: get(rows[0])}))
    await out.write(title + fieldsText(fields, {paint}))
    return
  }
  const body =
    rows.length === 0 && view.empty
      ? `${safe(view.empty)}\n`
      : await tableText(columns, rows, {terminalWidth: out.stream.columns ?? 80, paint})
  const below = view.below && rows.length > 0 ? `\n${fieldsText(view.below, {paint})}` : ''
  await out.write(title + body + below)
}

async function showPlain(out: Outlet, view: View, columns: Column<unknown>[]): Promise<void> {
  if ('upright' in view) {
    await out.write(columns.map(({key, get}) => `${key}\t${safe(plain(get(view.rows[0])))}\n`).join(''))
    return
  }
  await stream(out, view, (row) => `${columns.map(({get}) => safe(plain(get(row)))).join('\t')}\n`)
}

/**
 * Writes rows as CSV: text that a spreadsheet would run gets a leading apostrophe, numbers stay numbers. `shown` is how
 * text is written: safe for a terminal, or as it is where a program reads it again.
 */
export async function showCsv(
  out: Outlet,
  view: Pick<View, 'rows'>,
  columns: Column<unknown>[],
  shown: (text: string) => string = safe,
): Promise<void> {
  const {stringify} = await import('csv-stringify/sync')
  const cellOf = (cell: Cell) => (isNumeric(cell) ? plain(cell) : guarded(shown(plain(cell))))
  await out.write(stringify([columns.map(({key}) => key)]))
  await stream(out, view, (row) => stringify([columns.map(({get}) => cellOf(get(row)))]))
}

const cellOf = (column: Column<unknown>, row: unknown): Cell => (isObject(row) ? column.get(row) : null)
const isBlank = (columns: Column<unknown>[], row: unknown) =>
  columns.every((column) => plain(cellOf(column, row)) === '')

/** Rows of which no column at all has a value: they have another shape than the one that is known. */
function isStrange({rows, columns}: View): boolean {
  return Array.isArray(rows) && rows.length > 0 && rows.every((row) => isBlank(columns, row))
}

/** A row that has no value in any of these columns stands in the first one as it came, unless they were asked for. */
function droppingNothing(columns: Column<unknown>[], names: string | undefined): Column<unknown>[] {
  return columns.map((column, at) => ({
    ...column,
    get(row) {
      const cell = cellOf(column, row)
      if (at > 0 || names !== undefined || plain(cell) !== '' || !isBlank(columns, row)) return cell
      return isObject(row) ? printJson(row, 0) : ((row ?? null) as Cell)
    },
  }))
}

/**
 * Writes views as `mode` says, JSON excepted: a document is no view. The first one is the data and obeys --columns;
 * the others are shown in a terminal only.
 */
export async function showViews(
  out: Outlet,
  [first, ...others]: View[],
  mode: Exclude<Mode, 'json'>,
  names: string | undefined,
): Promise<void> {
  if (!first) return
  if (mode === 'ndjson') return stream(out, first, (row) => `${printJson(row, 0)}\n`)
  const view = isStrange(first) ? anyView('upright' in first ? first.rows[0] : first.rows) : first
  const inTerminal = mode === 'table' && out.stream.isTTY === true
  const columns = droppingNothing(chosen(view.columns, names, inTerminal ? 'terminal' : 'plain'), names)
  if (mode === 'csv') return showCsv(out, view, columns)
  if (!inTerminal) return showPlain(out, view, columns)
  await showInTerminal(out, view, columns)
  for (const other of others) {
    await out.write('\n')
    await showInTerminal(out, other, chosen(other.columns, undefined, 'terminal'))
  }
}
