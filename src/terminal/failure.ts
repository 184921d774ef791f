import {Failure, isFailure} from '../contract/failure.ts'
import {amountText, isDigits} from '../contract/money.ts'
import {batches, isRows, type Outlet} from './output.ts'
import type {Rows} from './table.ts'
import {noPaint, type Paint, paintFor, roomOf, safe, wrapProse} from './text.ts'

/** The document of a failure under --json. It is built field by field: nothing else of an error may leave the program. */
export interface FailureDocument {
  error: {
    state: string
    httpStatus?: number
    message: string
    details?: unknown
    hint?: string
    requestId?: string
    exitCode: number
    remedy?: string
  }
}

export function failureDocument(failure: Failure): FailureDocument {
  const {httpStatus, details, requestId} = failure.facts
  return {
    error: {
      state: failure.code,
      ...(httpStatus === undefined ? {} : {httpStatus}),
      message: messageOf(failure),
      ...(details === undefined || details === null ? {} : {details}),
      hint: failure.hint,
      ...(requestId === undefined ? {} : {requestId}),
      exitCode: failure.exitCode,
      remedy: failure.remedy,
    },
  }
}

/** Characters of a message, and of a detail. One can quote a whole file: its middle is left out. */
const LONGEST = 1_000
const LONGEST_DETAIL = 10_000
/** A cut may fall between the two halves of a character, and leave one of them. */
const HALVES = /\p{Surrogate}/gu

function messageOf({message, facts: {retryAfter}}: Failure): string {
  const text = shortened(message, LONGEST)
  return retryAfter === undefined ? text : `${text} The service asks to wait ${retryAfter} s.`
}

function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const ends = [text.slice(0, most / 2), text.slice(-most / 2)].map((end) => end.replace(HALVES, ''))
  return ends.join(' … ')
}

interface ToldAs {
  paint?: Paint
  /** Lines of the screen: of the problems of a bad file those are told that fit. Endless by default. */
  lines?: number
  /** Cells of a line, after which it wraps; endless by default. */
  room?: number
  /** What a field of the API is called where the person typed it. */
  nameOf?: (field: string) => string
  /** Removes secrets: before a line wraps, since half a secret would not be found. */
  clean?: (text: string) => string
}

/**
 * The same facts as texts for a person: what happened, the details, the request id, the next step. The bad lines of a
 * file are read while they are printed.
 */
export async function* failureTexts(
  failure: Failure,
  {
    paint = noPaint,
    lines: screenLines = Number.POSITIVE_INFINITY,
    room = Number.POSITIVE_INFINITY,
    nameOf = String,
    clean = String,
  }: ToldAs = {},
): AsyncGenerator<string> {
  const {httpStatus, details, request, requestId} = failure.facts
  const code = httpStatus === undefined ? failure.code : `${failure.code}, HTTP ${httpStatus}`
  const wrapped = (line: string) => `${wrapProse(clean(line), room, line.startsWith(' ') ? 4 : 2)}\n`
  const lines = [`${paint('Error:', 'bad')} ${safe(messageOf(failure))} (${safe(code)})`]
  if (request !== undefined) lines.push(`  request: ${safe(request)}`)
  const {cause} = failure
  if (isFailure(cause)) lines.push(`  cause: ${safe(cause.message)} (${safe(cause.code)})`)
  // Not by one call: there may be more of them than a call can take.
  for (const line of detailLines(details, nameOf)) lines.push(`  ${shortened(line, LONGEST_DETAIL)}`)
  const end = [
    ...(requestId === undefined ? [] : [`  request id: ${safe(requestId)}`]),
    `${paint('Next:', 'bold')} ${safe(failure.hint)}`,
  ]
  const [head, last] = [lines, end].map((texts) => texts.map(wrapped).join(''))
  yield head ?? ''
  const problems = (details as {problems?: unknown} | null | undefined)?.problems
  if (isRows(problems)) {
    const left = screenLines - linesIn(`${head}${last}`) - PROMPT
    yield* problemTexts(problems, Math.max(left, LEAST_PROBLEMS), wrapped)
  }
  yield last ?? ''
}

const linesIn = (text: string) => text.split('\n').length - 1
/** Lines that the shell takes after us. */
const PROMPT = 1
/** Lines for problems on a screen that is too small for all. */
const LEAST_PROBLEMS = 3

/** Tells a failure to a person, for as long as anybody reads it. */
export async function tellFailure(
  failure: Failure,
  out: Outlet,
  stream: NodeJS.WriteStream,
  more: Pick<ToldAs, 'clean' | 'nameOf'>,
): Promise<void> {
  const lines = stream.isTTY ? stream.rows || 24 : Number.POSITIVE_INFINITY
  const toldAs = {paint: paintFor(stream), room: roomOf(stream), lines, ...more}
  for await (const text of failureTexts(failure, toldAs)) {
    await out.write(text)
    if (out.closed) return
  }
}

/** The failure of a command whose results could not be written. */
export function unwritable({code = 'unknown reason'}: NodeJS.ErrnoException): Failure {
  const message = `The output could not be written (${code}). What the command did is done.`
  return new Failure('FILE_FAILED', {message, hint: 'Check the disk that stdout goes to.'})
}

/** A line for each field of details.errors and for each other detail. The problems of a file are printed elsewhere. */
function detailLines(details: unknown, nameOf: (field: string) => string): string[] {
  if (details === null || details === undefined) return []
  if (typeof details !== 'object') return [safe(String(details))]
  return Object.entries(details).flatMap(([name, value]) =>
    name === 'errors' && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([field, reasons]) => `${safe(nameOf(field))}: ${valueText(reasons)}`)
      : value === null || isRows(value) || (Array.isArray(value) && value.length === 0)
        ? []
        : [`${safe(name)}: ${valueText(value, name)}`],
  )
}

/** The problems of a file, as far as they and the word that there are more fit into so many lines. */
async function* problemTexts(
  problems: Rows & {count?: number},
  lines: number,
  wrapped: (line: string) => string,
): AsyncGenerator<string> {
  const {count = 0} = problems
  const moreText = (more: number) =>
    wrapped(`  … and ${more} more; --json names them all, and so does 2> FILE.`)
  const room = lines - linesIn(moreText(count))
  let told = 0
  let used = 0
  for await (const batch of batches(problems, (problem) => wrapped(problemText(problem)))) {
    const fitting = batch.filter((text) => {
      used += linesIn(text)
      return used <= room
    })
    told += fitting.length
    yield fitting.join('')
    if (used > room) break
  }
  if (count > told) yield moreText(count - told)
}

/** Such as `line 17: quantity "0" must be a whole number of 1 or more`. */
function problemText(problem: unknown): string {
  const {line, column, value, rule} = (problem ?? {}) as Record<string, unknown>
  if (line === undefined || typeof rule !== 'string') return `  ${valueText(problem)}`
  const shown = typeof value === 'string' ? JSON.stringify(value) : undefined
  const place = line === null ? '' : `line ${line}: `
  return `  ${safe(`${place}${[column, shown, rule].filter(Boolean).join(' ')}`)}`
}

/** The details of our own failures that are amounts, in the currency of all charges. */
const amounts = new Set(['total', 'approved', 'maxTotal', 'goods', 'planned', 'now'])

function valueText(value: unknown, of = ''): string {
  if (Array.isArray(value)) return value.map((one) => valueText(one)).join('; ')
  if (amounts.has(of) && /^-?\d+(\.\d+)?$/.test(String(value))) return amountText(String(value))
  if (typeof value !== 'object' || value === null || isDigits(value)) return safe(value)
  const parts = Object.entries(value).map(([name, inner]) => `${safe(name)} ${valueText(inner, name)}`)
  return parts.join(', ')
}

/** The stack of a bug, for --debug. */
export function stackText({cause}: Failure): string {
  const stack = cause instanceof Error ? (cause.stack ?? '') : ''
  return stack
    .split('\n')
    .map((line) => `${safe(line)}\n`)
    .join('')
}
