import {pipeline, Readable} from 'node:stream'
import {parse} from 'csv-parse'
import {Failure} from '../contract/failure.ts'
import {parseJson} from '../contract/money.ts'
import {type Input, LONGEST_LINE, openInput} from './input.ts'

/** One record of a file of rows. */
export interface Row {
  /** The line of the file in which it begins, from 1. */
  line: number
  /** Cells as text, by the names of their columns; or the members of a JSON object. Bytes that are not UTF-8 are U+FFFD. */
  fields: Record<string, unknown>
  /** Why it can't be read; `fields` is empty then. */
  problem?: string
}

/** A file of rows: CSV with a header, or NDJSON. It can be read as often as needed. */
export interface RowFile {
  form: 'csv' | 'ndjson'
  /** The line of the header, and its names in order, with duplicates. Empty for NDJSON. */
  header: {line: number; columns: readonly string[]}
  /** SHA-256 of its bytes. */
  hash: string
  /**
   * Its rows from the first to the last, one at a time in memory. A row that can't be read has a `problem`; a misplaced
   * quotation mark ends the rows. Fails with INVALID_INPUT if the file has changed.
   */
  rows(): AsyncGenerator<Row>
  close(): Promise<void>
}

/**
 * Opens a file of rows that the user names, or stdin for `-`. Its first letter decides its form. Fails with
 * INVALID_INPUT if it can't be read or is empty.
 */
export async function openRows(path: string, stdin: Readable): Promise<RowFile> {
  const input = await openInput(path, stdin)
  try {
    const first = await firstLetter(input)
    if (first === undefined) throw refused(input, 'is empty')
    if (first === '[') throw refused(input, 'is one JSON array; write one object a line (jq -c ".[]")')
    const form = first === '{' ? 'ndjson' : 'csv'
    const header = form === 'csv' ? await headerOf(input) : {line: 0, columns: []}
    const rows = () => (form === 'csv' ? csvRows(input, header.columns) : jsonRows(input))
    return {form, header, hash: input.hash, rows, close: input.close}
  } catch (error) {
    await input.close()
    throw error
  }
}

async function firstLetter(input: Input): Promise<string | undefined> {
  for await (const chunk of input.chunks()) {
    const first = /[^\s\ufeff]/.exec(chunk.toString('utf8'))
    if (first) return first[0]
  }
  return undefined
}

async function headerOf(input: Input): Promise<RowFile['header']> {
  for await (const {line, cells, problem} of csvRecords(input)) {
    if (problem) throw refused(input, `has a header that ${problem}`)
    const columns = cells.map((cell) => cell.trim())
    if (columns.some(isDamaged)) throw refused(input, 'has a header that is not UTF-8; save it as UTF-8')
    const other = columns.length === 1 && /[;\t|]/.exec(columns[0] ?? '')
    if (other) throw refused(input, `separates its columns by ${JSON.stringify(other[0])}; use commas`)
    return {line, columns}
  }
  throw refused(input, 'is empty')
}

async function* csvRows(input: Input, columns: readonly string[]): AsyncGenerator<Row> {
  let isHeader = true
  for await (const {line, cells, problem = misfit(cells, columns)} of csvRecords(input)) {
    if (isHeader) isHeader = false
    else if (problem) yield {line, fields: {}, problem}
    else yield {line, fields: Object.fromEntries(columns.map((name, at) => [name, cells[at]]))}
  }
}

/** Bytes that are not UTF-8 become this character when they are read. */
const isDamaged = (text: string) => text.includes('\ufffd')

/** A column without a name is allowed if it is empty: spreadsheets leave such columns behind. */
function misfit(cells: readonly string[], columns: readonly string[]): string | undefined {
  if (cells.length !== columns.length)
    return `has ${cells.length} cell${cells.length === 1 ? '' : 's'}, but the header has ${columns.length}`
  const nameless = columns.findIndex((name, at) => name === '' && cells[at] !== '')
  return nameless < 0 ? undefined : `has a value in column ${nameless + 1}, which has no name`
}

interface CsvRecord {
  line: number
  cells: string[]
  problem?: string
}

/** The records of a CSV file that are not empty. The last one has a problem if nothing after it can be read. */
async function* csvRecords(input: Input): AsyncGenerator<CsvRecord> {
  let broken: {after: number; code: string} | undefined
  const parser = parse({
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: LONGEST_LINE,
    // Throwing an error would lose the records before it that have not been read yet.
    skip_records_with_error: true,
    on_skip: (error) => {
      broken ??= {after: parser.info.records, code: error?.code ?? ''}
      return undefined
    },
  })
  pipeline(Readable.from(input.chunks(), {objectMode: false}), parser, () => {})
  let line = 1
  let read = 0
  for await (const cells of parser as AsyncIterable<string[]>) {
    if (read === broken?.after) break
    read += 1
    if (cells.some((cell) => cell.trim() !== '')) yield {line, cells}
    // The parser's own count is wrong: it counts CR LF inside a cell as two lines.
    line += cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 1)
  }
  if (broken)
    yield {line, cells: [], problem: problems[broken.code] ?? problems.CSV_INVALID_CLOSING_QUOTE ?? ''}
}

const problems: Record<string, string> = {
  CSV_MAX_RECORD_SIZE:
    'is over 1 MiB, as if a quotation mark were not closed; nothing after it could be read',
  CSV_QUOTE_NOT_CLOSED: 'opens a quotation mark that is never closed; nothing after it could be read',
  CSV_INVALID_CLOSING_QUOTE:
    'has a quotation mark inside a cell; quote the cell and double the mark. Nothing after it could be read',
}

async function* jsonRows(input: Input): AsyncGenerator<Row> {
  let line = 0
  for await (const text of lines(input)) {
    line += 1
    if (text.trim() !== '') yield {line, ...jsonRow(text)}
  }
}

function jsonRow(text: string): Omit<Row, 'line'> {
  try {
    const value = parseJson(text.replace(/^\ufeff/, ''), {strict: true})
    if (isObject(value)) return {fields: value}
    return {fields: {}, problem: 'must be one JSON object'}
  } catch (error) {
    if (error instanceof SyntaxError) return {fields: {}, problem: `is not a JSON object: ${error.message}`}
    if (error instanceof RangeError) return {fields: {}, problem: 'nests too deep'}
    throw error
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

async function* lines(input: Input): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of input.chunks()) {
    const block = Buffer.concat([rest, chunk])
    let start = 0
    for (let end = block.indexOf('\n'); end >= 0; end = block.indexOf('\n', start)) {
      yield block.toString('utf8', start, end)
      start = end + 1
    }
    rest = block.subarray(start)
  }
  if (rest.length > 0) yield rest.toString('utf8')
}

function refused(input: Input, why: string): Failure {
  return new Failure('INVALID_INPUT', {message: `${input.name} ${why}.`})
}
