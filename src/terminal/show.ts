import {guarded} from '../contract/forms.ts'
import {isDigits, printJson} from '../contract/money.ts'
import {bare, type Cell, plain} from './cells.ts'
import {type Column, chosen, rawOf} from './columns.ts'
import {BATCH, batches, isObject, jsonText, type Mode, type Outlet} from './output.ts'
import {fieldsText, liveLines, type Rows, type Table, tableText, type View} from './table.ts'
import {paintFor, roomOf, safe, wrap} from './text.ts'
import {anyView} from './views/any.ts'

type AnyColumn = Column<unknown>

/**
 * Writes views as `mode` says, JSON excepted: a document is no view. The first one is the data and obeys --columns;
 * the others are shown in a terminal only. `settled`: the columns were checked before something was changed, and one
 * that is not there is empty. Returns what is to be said of columns for which there was no room.
 */
export async function showViews(
  out: Outlet,
  [first, ...others]: View[],
  mode: Exclude<Mode, 'json'>,
  names: string | undefined,
  settled = false,
): Promise<string[]> {
  if (!first) return []
  const inTerminal = mode === 'table' && out.stream.isTTY === true
  const view =
    mode !== 'ndjson' && isStrange(first) ? anyView(first.upright ? first.rows[0] : first.rows) : first
  const {head, rows} = await begun(view, names)
  // Who asks for columns gets these.
  const {block, ...rest} = view
  const data = {...rest, rows, ...(names === undefined && block && {block})} as View
  const target = inTerminal ? 'terminal' : 'plain'
  const columns = droppingNothing(chosen(view.columns, names, target, head, settled), names)
  if (mode === 'ndjson')
    await stream(out, data, names === undefined ? lineOf : (row) => lineOf(pickedOf(columns, row)))
  else if (mode === 'csv') await showCsv(out, data, columns)
  else if (!inTerminal) await showPlain(out, data, columns)
  if (!inTerminal) return []
  const said = [asideOf(await showInTerminal(out, data, columns), true)]
  for (const other of others) {
    await out.write('\n')
    const shown = droppingNothing(chosen(other.columns, undefined, 'terminal'), undefined)
    said.push(asideOf(await showInTerminal(out, other, shown), false))
  }
  return said.flat()
}

const lineOf = (row: unknown) => `${jsonText(row, 0)}\n`

const pickedOf = (columns: AnyColumn[], row: unknown) =>
  Object.fromEntries(columns.map((column) => [column.key, rawOf(column, row) ?? null]))

/** Reads the first rows, which show what --columns may ask for, unless they are watched. Returns all rows once more. */
async function begun({rows, live}: View, names: string | undefined): Promise<{head: unknown[]; rows: Rows}> {
  if (names === undefined || live || Array.isArray(rows)) return {head: Array.isArray(rows) ? rows : [], rows}
  const head: unknown[] = []
  const all = (async function* () {
    yield* rows
  })()
  while (head.length < BATCH) {
    const next = await all.next()
    if (next.done) break
    head.push(next.value)
  }
  const again = async function* () {
    yield* head
    yield* all
  }
  return {head, rows: again()}
}

/** Writes each row by `line`, some rows at a time unless they are watched, and stops when nobody reads any more. */
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

async function showInTerminal(out: Outlet, view: View, columns: AnyColumn[]): Promise<AnyColumn[]> {
  const screen = {
    paint: paintFor(out.stream),
    terminalWidth: roomOf(out.stream),
    get now() {
      return out.clock()
    },
  }
  if (view.live) return showLive(out, view, liveLines(columns, screen))
  const rows: unknown[] = []
  for await (const row of view.rows) rows.push(row)
  const titled = (text: string) =>
    out.write(
      view.title ? `${screen.paint(wrap(safe(view.title), screen.terminalWidth), 'bold')}\n${text}` : text,
    )
  if (view.upright) {
    const fields = columns.map(({header, get}) => ({label: header, cell: get(rows[0])}))
    await titled(fieldsText(fields, screen))
    return []
  }
  if (rows.length === 0 && view.empty) {
    await titled(`${wrap(safe(view.empty), screen.terminalWidth)}\n`)
    return []
  }
  const {text, hidden} = await tableText(columns, rows, screen, view.block)
  await titled(text + (view.below && rows.length > 0 ? `\n${fieldsText(view.below, screen)}` : ''))
  return hidden as AnyColumn[]
}

async function showLive(
  out: Outlet,
  {rows}: View,
  drawn: ReturnType<typeof liveLines>,
): Promise<AnyColumn[]> {
  const all: AnyColumn[] = []
  for await (const row of rows) {
    const {text, hidden} = await drawn(row)
    all.push(...(hidden as AnyColumn[]))
    await out.write(text)
    if (out.closed) break
  }
  return all
}

/** Says which columns of a table are not shown, and what shows them. */
function asideOf(hidden: AnyColumn[], isData: boolean): string[] {
  if (hidden.length === 0) return []
  const [columns, them] = hidden.length === 1 ? ['1 column', 'it'] : [`${hidden.length} columns`, 'them']
  return isData
    ? [`${columns} hidden: --columns ${hidden.map(({key}) => key).join(',')} shows ${them}.`]
    : [`${columns} hidden (${hidden.map(({header}) => header).join(', ')}): a wider terminal shows ${them}.`]
}

async function showPlain(out: Outlet, view: View, columns: AnyColumn[]): Promise<void> {
  const textOf = (column: AnyColumn, row: unknown) => safe(plain(bare(rawOf(column, row))))
  if (view.upright) {
    const [row] = view.rows
    await out.write(columns.map((column) => `${column.key}\t${textOf(column, row)}\n`).join(''))
    return
  }
  await stream(out, view, (row) => `${columns.map((column) => textOf(column, row)).join('\t')}\n`)
}

/**
 * Writes rows as CSV: text that a spreadsheet would run gets a leading apostrophe, numbers stay numbers. `shown` is how
 * text is written: safe for a terminal, or as it is if a program reads it again.
 */
export async function showCsv(
  out: Outlet,
  view: Pick<View, 'rows' | 'live'>,
  columns: AnyColumn[],
  shown: (text: string) => string = safe,
): Promise<void> {
  const {stringify} = await import('csv-stringify/sync')
  const textOf = (value: unknown) => (isDigits(value) ? String(value) : guarded(shown(plain(bare(value)))))
  await out.write(stringify([columns.map(({key}) => textOf(key))]))
  await stream(out, view, (row) => stringify([columns.map((column) => textOf(rawOf(column, row)))]))
}

const isBlank = (columns: AnyColumn[], row: unknown) =>
  !isObject(row) || columns.every((column) => (rawOf(column, row) ?? '') === '')

/** Rows of which no column at all has a value: they have another shape than the one that is known. */
function isStrange({rows, columns}: View): boolean {
  return Array.isArray(rows) && rows.length > 0 && rows.every((row) => isBlank(columns, row))
}

/** A row that has no value in any of these columns stands in the first one as it came, unless they were asked for. */
function droppingNothing(columns: AnyColumn[], names: string | undefined): AnyColumn[] {
  const orWhole = (row: unknown, at: number, found: () => unknown): unknown => {
    if (at > 0 || names !== undefined || !isBlank(columns, row)) return isObject(row) ? found() : null
    return isObject(row) ? printJson(row, 0) : row
  }
  return columns.map((column, at) => ({
    ...column,
    get: (row) => orWhole(row, at, () => column.get(row)) as Cell,
    value: (row) => orWhole(row, at, () => rawOf(column, row)),
  }))
}
