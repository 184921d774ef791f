import type {Writable} from 'node:stream'
import {guarded} from '../contract/forms.ts'
import {printJson} from '../contract/money.ts'
import {type Cell, isNumeric, plain} from './cells.ts'
import {type Column, chosen, fieldsText, liveLines, type Rows, type Table, tableText} from './table.ts'
import {paintFor, roomOf, safe, wrap} from './text.ts'
import {anyView} from './views/any.ts'

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
  items: Rows
  pagination?: unknown
}

/** A document whose rows have all come. */
export async function collected(document: unknown): Promise<unknown> {
  if (!holdsRows(document)) return document
  const entries: [string, unknown][] = []
  for (const [name, value] of Object.entries(document))
    entries.push([name, isRows(value) ? await all(value) : value])
  return Object.fromEntries(entries)
}

async function all<Row>(rows: Rows<Row>): Promise<Row[]> {
  const list: Row[] = []
  for await (const row of rows) list.push(row)
  return list
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isAwaited = (value: unknown) => isObject(value) && Symbol.asyncIterator in value
export const isRows = (value: unknown): value is Rows =>
  isAwaited(value) || (isObject(value) && !Array.isArray(value) && Symbol.iterator in value)

const holdsRows = (value: unknown): value is object =>
  isObject(value) &&
  !Array.isArray(value) &&
  Object.values(value).some((inner) => isRows(inner) || holdsRows(inner))

/** Rows that are written at a time. */
const BATCH = 200

/** The texts of rows as they come, some at a time: to write each by itself takes long. */
export async function* batches<Row>(
  rows: Rows<Row>,
  textOf: (row: Row) => string,
  size = BATCH,
): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const row of rows) {
    batch.push(textOf(row))
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** The JSON of a document piece by piece, as printJson() would print it: one batch of rows in memory at a time. */
async function* jsonTexts(value: unknown, indent = ''): AsyncGenerator<string> {
  if (isRows(value)) yield* listTexts(value, indent)
  else if (!holdsRows(value)) yield indented(value, indent)
  else {
    let between = '{'
    for (const [name, inner] of Object.entries(value)) {
      if (inner === undefined) continue
      yield `${between}\n${indent}  ${printJson(name)}: `
      between = ','
      yield* jsonTexts(inner, `${indent}  `)
    }
    yield `\n${indent}}`
  }
}

async function* listTexts(rows: Rows, indent: string): AsyncGenerator<string> {
  let between = '['
  const textOf = (row: unknown) => `\n${indent}  ${indented(row, `${indent}  `)}`
  for await (const batch of batches(rows, textOf)) {
    yield between + batch.join(',')
    between = ','
  }
  yield between === '[' ? '[]' : `\n${indent}]`
}

const indented = (value: unknown, indent: string) => printJson(value).replaceAll('\n', `\n${indent}`)

/**
 * Prints a document, as far as anybody reads it; `shown` is how its text is written. A list whose rows are on their way
 * is printed once all have come: a failure among them is all that is printed then. They are kept as texts, which take a
 * third of what they take as objects.
 */
export async function printDocument(
  out: Outlet,
  document: unknown,
  shown: (text: string) => string = String,
): Promise<void> {
  const texts = jsonTexts(document)
  const isOnItsWay = isAwaited((document as Partial<Listing> | null | undefined)?.items)
  for await (const text of isOnItsWay ? await all(texts) : texts) {
    await out.write(shown(text))
    if (out.closed) return
  }
  await out.write('\n')
}

type Stream = Writable & {isTTY?: boolean; columns?: number}

/** A stream that ends quietly once its reader is gone, as `head` does. */
export class Outlet {
  readonly stream: Stream
  /** Whether anything was written to it. */
  begun = false
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
    this.begun = true
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
  for await (const batch of batches(rows, line, live ? 1 : BATCH)) {
    await out.write(batch.join(''))
    if (out.closed) return
  }
}

async function showInTerminal(out: Outlet, view: View, columns: Column<unknown>[]): Promise<void> {
  const paint = paintFor(out.stream)
  const terminalWidth = roomOf(out.stream)
  if (!('upright' in view) && view.live) return stream(out, view, liveLines(columns, {terminalWidth, paint}))
  const rows: unknown[] = []
  for await (const row of view.rows) rows.push(row)
  const title = view.title ? `${paint(wrap(safe(view.title), terminalWidth), 'bold')}\n` : ''
  if ('upright' in view) {
    const fields = columns.map(({header, get}) => ({label: header, cell: get(rows[0])}))
    await out.write(title + fieldsText(fields, {terminalWidth, paint}))
    return
  }
  const body =
    rows.length === 0 && view.empty
      ? `${wrap(safe(view.empty), terminalWidth)}\n`
      : await tableText(columns, rows, {terminalWidth, paint})
  const below = view.below && rows.length > 0 ? `\n${fieldsText(view.below, {terminalWidth, paint})}` : ''
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
