import {Failure} from '../../contract/failure.ts'
import {type Problem, type Report, reportTo} from '../../store/problems.ts'
import type {Row, RowFile} from '../../store/rows.ts'
import {checkHeader, type RequiredColumn} from './header.ts'
import {copyOf, type FileLine, type Reading, type VariantsBySku} from './rows.ts'

/** A row, read: the order or the cart that it belongs to, and its lines. */
export interface RowRead {
  /** Undefined if that was reported. */
  key: string | undefined
  /** What it says of the whole, in the order of `shared`: '' for nothing, undefined if that was reported. */
  values: (string | undefined)[]
  lines: FileLine[]
}

/** What the rows of a file add up to. */
export interface RowKind {
  /** What rows of one key form. */
  forms: 'order' | 'cart'
  /** The column that names it. */
  key: string
  /** The columns that a CSV file may have, and those that it must have. */
  known: readonly string[]
  required: readonly RequiredColumn[]
  /** What all rows of one key share: equal on each of them, or empty after the first. The rule is the first one's. */
  shared: readonly {column: string; rule(value: string): string | undefined}[]
  read(row: Row, reading: Reading): RowRead
}

/** What a whole file adds up to. Nothing of it may be sent if it has a problem. */
export interface RowsFile {
  /** Orders, or carts. */
  groups: number
  lines: number
  /** Rows of the keys that have several of them. */
  index: ReadonlyMap<string, number>
  /** Every SKU that is still to be looked up, once. */
  skus: string[]
}

export type Source = Pick<RowFile, 'form' | 'header' | 'rows'>

export const NO_ROWS = 'has a header and no rows'

/**
 * Reads a whole file: yields what is wrong with it, line by line, and returns what it adds up to. SKUs are judged as far
 * as they were `found` or not. Memory holds of an order its reference and some numbers, and of each line one number.
 */
export async function* checkRows(
  file: Source,
  kind: RowKind,
  found: VariantsBySku = new Map(),
): AsyncGenerator<Problem, RowsFile> {
  const problems: Problem[] = []
  const report = reportTo(problems)
  const reading = {report, found, skus: new Set<string>()}
  const groups = openGroups(kind, report)
  const readable = checkHeader(file, kind.known, kind.required, report)
  let rows = 0
  for await (const row of readable ? file.rows() : []) {
    rows += 1
    groups.add(row.line, readRow(kind, row, reading))
    yield* problems.splice(0)
  }
  if (readable && rows === 0) report(file.header.line, null, null, NO_ROWS)
  yield* problems
  return {...groups.result(), skus: [...reading.skus]}
}

function readRow(kind: RowKind, row: Row, reading: Reading): RowRead {
  if (row.problem === undefined) return kind.read(row, reading)
  reading.report(row.line, null, null, row.problem)
  return {key: undefined, values: [], lines: []}
}

/** All rows of one key. */
interface RowGroup extends RowRead {
  key: string
  /** The lines of the file that it comes from. */
  rows: number[]
}

/**
 * The orders or carts of a file that was checked, in the order of their last rows. Rows of one that stand apart are kept
 * until the last of them was read. With `found`, lines that name a SKU carry its variant too.
 */
export async function* groupsIn(
  file: Source,
  kind: RowKind,
  {index}: Pick<RowsFile, 'index'>,
  found: VariantsBySku = new Map(),
): AsyncGenerator<RowGroup> {
  const open = new Map<string, RowGroup>()
  for await (const row of file.rows()) {
    const {key, values, lines} = readRow(kind, row, {report: changed, found})
    if (key === undefined) changed(row.line)
    const group = open.get(key) ?? {key, values, lines: [], rows: []}
    group.rows.push(row.line)
    for (const line of lines) group.lines.push(line)
    open.set(key, group)
    if (group.rows.length < (index.get(key) ?? 1)) continue
    open.delete(key)
    yield group
  }
}

/** A checked file that is read again holds no problem; if it does, it is another file. */
function changed(line: number): never {
  throw new Failure('INVALID_INPUT', {message: `The file changed after it was checked (line ${line}).`})
}

/** not shown: the most lines of a cart, and so of an order. A record of a job has room for so many. */
export const MOST_LINES = 1000
export const tooMany = (forms: RowKind['forms']) => `has more than ${MOST_LINES} lines in one ${forms}`

/** Columns of what is kept of an order: its first line, its rows and lines, and a hash of each value that its rows share. */
const LINE = 0
const ROWS = 1
const LINES = 2
const HASHES = 3

/** Puts rows together to orders or carts, and reports what does not fit. */
function openGroups({key: keyColumn, forms, shared}: RowKind, report: Report) {
  const places = new Map<string, number>()
  const kept = openNumbers(HASHES + shared.length)
  const variants = openVariants(report)
  let lines = 0
  /** The first row says all that is said of the whole; of a row without a key nobody knows whether it is one. */
  function judge(line: number, values: RowRead['values'], isFirst: boolean): void {
    for (const [at, {column, rule}] of shared.entries()) {
      const value = values[at]
      const broken = value === undefined || (value === '' && !isFirst) ? undefined : rule(value)
      if (broken !== undefined) report(line, column, value, broken)
    }
  }
  function addFirst(line: number, key: string, values: RowRead['values']): number {
    judge(line, values, true)
    const place = kept.add([line, 0, 0, ...values.map((value) => hashOf(value ?? ''))])
    places.set(copyOf(key), place)
    return place
  }
  return {
    add(line: number, {key, values, lines: added}: RowRead): void {
      if (key === undefined) {
        judge(line, values, false)
        return
      }
      const place = places.get(key) ?? addFirst(line, key, values)
      for (const [at, {column}] of shared.entries()) {
        const value = values[at]
        if (!value || hashOf(value) === kept.at(place, HASHES + at)) continue
        report(
          line,
          column,
          value,
          `differs from line ${kept.at(place, LINE)}, which is of the same ${forms}`,
        )
      }
      kept.increase(place, ROWS)
      lines += added.length
      for (const one of added) {
        kept.increase(place, LINES)
        if (kept.at(place, LINES) === MOST_LINES + 1) report(line, keyColumn, key, tooMany(forms))
        variants.add(place, one, line)
      }
    },
    result() {
      const index = new Map<string, number>()
      for (const [key, place] of places) if (kept.at(place, ROWS) > 1) index.set(key, kept.at(place, ROWS))
      return {groups: places.size, lines, index}
    },
  }
}

/** Room for the number of a variant beside that of its group in one exact number. */
const WIDTH = 2 ** 26

/**
 * The variants of a file's orders or carts (`group`, a number for each), so that none stands in one of them twice: most
 * likely that is a mistake, and nobody should have to know whether the service would add the quantities up.
 */
function openVariants(report: Report) {
  const numbers = new Map<string, number>()
  const lines = new Map<number, number>()
  return {
    /** Notes a line of a group, and reports it if an earlier one holds the same variant. */
    add(group: number, {variantId, sku}: FileLine, row: number): void {
      const key = variantId ?? `sku ${sku}`
      let number = numbers.get(key)
      if (number === undefined) {
        number = numbers.size
        numbers.set(copyOf(key), number)
      }
      const place = group * WIDTH + number
      const earlier = lines.get(place)
      if (earlier === undefined) lines.set(place, row)
      else report(row, sku === undefined ? 'variantId' : 'sku', sku ?? variantId, twice(earlier))
    },
  }
}

const twice = (earlier: number) =>
  `is the variant of line ${earlier} once more; put the whole quantity into one line`

/** FNV-1a, 32 bits. Two texts that share one count as equal: the first row's value is taken, and every row of a key is
 * expected to repeat it. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash | 0
}

/** Rows of whole numbers of 32 bits, packed: an object for each would take five times the room. */
function openNumbers(width: number) {
  let table = new Int32Array(width * 1024)
  let count = 0
  return {
    /** Returns the place of the new row. */
    add(row: readonly number[]): number {
      if ((count + 1) * width > table.length) {
        const larger = new Int32Array(table.length * 2)
        larger.set(table)
        table = larger
      }
      table.set(row, count * width)
      count += 1
      return count - 1
    },
    at: (place: number, column: number): number => table[place * width + column] ?? 0,
    increase(place: number, column: number): void {
      table[place * width + column] = (table[place * width + column] ?? 0) + 1
    },
  }
}
