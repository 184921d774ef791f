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

/** Names of columns are the same by any case, and with any blanks, hyphens and underscores in them. */
export const plainName = (name: string) => name.toLowerCase().replace(/[\s_-]+/g, '')

/** Names of columns, in order. Cells of a column that is null are left out. */
export type Columns = readonly (string | null)[]

/** A file of rows: CSV with a header, or NDJSON. It can be read as often as needed. */
export interface RowFile {
  form: 'csv' | 'ndjson'
  /** The line of the header, and its names in order, with duplicates. Empty for NDJSON. */
  header: {line: number; columns: Columns}
  /** SHA-256 of its bytes. */
  hash: string
  /**
   * Its rows from the first to the last, one at a time in memory; the cells of a CSV file by the names of `columns`, or
   * else of the header, which without `hasHeader` is the first row. A row that can't be read has a `problem`; a misplaced
   * quotation mark ends the rows. Fails with INVALID_INPUT if the file has changed.
   */
  rows(columns?: Columns, hasHeader?: boolean): AsyncGenerator<Row>
  close(): Promise<void>
}

/**
 * Opens a file of rows that the user names, or stdin for `-`. Its first letter decides its form, and its header what
 * separates the cells. Fails with INVALID_INPUT if it can't be read or is empty.
 */
export async function openRows(path: string, stdin: Readable): Promise<RowFile> {
  const input = await openInput(path, stdin)
  const {hash, close} = input
  try {
    const start = await startOf(input)
    if (start === '') throw refused(input, 'is empty')
    if (start[0] === '[') throw refused(input, 'is one JSON array; write one object a line (jq -c ".[]")')
    if (start[0] === '{')
      return {form: 'ndjson', header: {line: 0, columns: []}, hash, rows: () => jsonRows(input), close}
    const csv = {input, separator: separatorIn(start)}
    const header = await headerOf(csv)
    return {
      form: 'csv',
      header,
      hash,
      rows: (columns = header.columns, hasHeader = true) =>
        csvRows(csv, hasHeader ? header : undefined, columns),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Text from the first letter that is not blank to the end of its line at least; '' if there is none. */
async function startOf(input: Input): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of input.chunks()) {
    text = (text + decoder.decode(chunk, {stream: true})).trimStart()
    if (/[\r\n]/.test(text)) break
  }
  return text
}

/** A CSV file, and what separates its cells. */
interface Csv {
  input: Input
  separator: string
}

/** What stands between cells: a comma, or what spreadsheets write if a comma is for decimals. */
const SEPARATORS = [',', ';', '\t', '|']

/** The one that stands most often in the header, outside of quotation marks. */
function separatorIn(start: string): string {
  const [header = ''] = start.replace(/"(?:[^"]|"")*(?:"|$)/g, '').split(/[\r\n]/, 1)
  const counts = SEPARATORS.map((separator) => header.split(separator).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ','
}

async function headerOf(csv: Csv): Promise<{line: number; columns: string[]}> {
  for await (const {line, cells, problem} of csvRecords(csv)) {
    if (problem) throw refused(csv.input, `has a header that ${problem}`)
    const columns = cells.map((cell) => cell.trim())
    if (columns.some(isDamaged))
      throw refused(csv.input, 'has a header that is not UTF-8', toUtf8(csv.input.name, columns.join()))
    return {line, columns}
  }
  throw refused(csv.input, 'is empty')
}

/**
 * The way out for a file in an encoding that can't be told from others. `name` is that of the file, `text` some of it: a
 * word of Arabic is damaged as a whole, one of a western language in a letter or two.
 */
export function toUtf8(name: string, text: string): string {
  const pages = ['WINDOWS-1252, western', 'WINDOWS-1256, Arabic']
  const [likely = '', other = ''] = /\ufffd{3}/.test(text) ? pages.reverse() : pages
  const convert = `iconv -f ${likely.split(',')[0]} -t UTF-8 ${name === 'stdin' ? 'FILE' : name} > utf8.csv`
  return `Save the file as UTF-8 (Excel: "CSV UTF-8"), or convert it: \`${convert}\`. It looks like ${likely}; if the letters are wrong then, it is ${other}.`
}

async function* csvRows(
  csv: Csv,
  header: RowFile['header'] | undefined,
  columns: Columns,
): AsyncGenerator<Row> {
  const kept = columns.flatMap((name, at) => (name === null ? [] : [{name, at}]))
  for await (const {line, cells, problem = misfit(cells, header, columns)} of csvRecords(csv)) {
    if (line === header?.line) continue
    if (problem) yield {line, fields: {}, problem}
    else yield {line, fields: Object.fromEntries(kept.map(({name, at}) => [name, cells[at]]))}
  }
}

/** Bytes that are not UTF-8 become this character when they are read. */
const isDamaged = (text: string) => text.includes('\ufffd')

/** A column without a name is allowed if it is empty: spreadsheets leave such columns behind. */
function misfit(
  cells: readonly string[],
  header: RowFile['header'] | undefined,
  columns: Columns,
): string | undefined {
  if (cells.length !== columns.length)
    return `has ${cells.length} cell${cells.length === 1 ? '' : 's'}, but ${header ? 'the header has' : 'a row without a header needs'} ${columns.length}`
  if (header && cells.every((cell, at) => cell.trim() === header.columns[at]))
    return 'is the header once more'
  const nameless = columns.findIndex((name, at) => name === '' && cells[at] !== '')
  return nameless < 0 ? undefined : `has a value in column ${nameless + 1}, which has no name`
}

interface CsvRecord {
  line: number
  cells: string[]
  problem?: string
}

/** The records of a CSV file that are not empty, without the `sep=;` that Excel begins with. The last one has a problem if nothing after it can be read. */
async function* csvRecords({input, separator}: Csv): AsyncGenerator<CsvRecord> {
  let broken: {after: number; code: string} | undefined
  const parser = parse({
    bom: true,
    delimiter: separator,
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
    const isHint = read === 0 && /^sep=$/i.test(cells[0] ?? '')
    read += 1
    if (!isHint && cells.some((cell) => cell.trim() !== '')) yield {line, cells}
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

function refused(input: Input, why: string, hint?: string): Failure {
  return new Failure('INVALID_INPUT', {message: `${input.name} ${why}.`, ...(hint !== undefined && {hint})})
}
