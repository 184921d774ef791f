import {type Failure, isFailure} from '../contract/failure.ts'
import {isDigits} from '../contract/money.ts'
import {noPaint, type Paint, safe} from './text.ts'

/** The document of a failure under --json. Built field by field: nothing else of an error leaves the program. */
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

/** A value that is quoted in a message can be a whole file: its middle is left out. */
const LONGEST = 1_000
/** What a cut between the two halves of a character leaves of it. */
const HALVES = /\p{Surrogate}/gu

function messageOf({message, facts: {retryAfter}}: Failure): string {
  const half = LONGEST / 2
  const ends = [message.slice(0, half), message.slice(-half)].map((end) => end.replace(HALVES, ''))
  const text = message.length > LONGEST ? ends.join(' … ') : message
  return retryAfter === undefined ? text : `${text} The service asks to wait ${retryAfter} s.`
}

/** The same facts for a person: what happened, the details, the request id, the next step. */
export function failureText(failure: Failure, paint: Paint = noPaint): string {
  const {httpStatus, details, request, requestId} = failure.facts
  const code = httpStatus === undefined ? failure.code : `${failure.code}, HTTP ${httpStatus}`
  const lines = [`${paint('Error:', 'bad')} ${safe(messageOf(failure))} (${safe(code)})`]
  if (request !== undefined) lines.push(`  request: ${safe(request)}`)
  const {cause} = failure
  if (isFailure(cause)) lines.push(`  cause: ${safe(cause.message)} (${safe(cause.code)})`)
  lines.push(...detailLines(details).map((line) => `  ${line}`))
  if (requestId !== undefined) lines.push(`  request id: ${safe(requestId)}`)
  lines.push(`${paint('Next:', 'bold')} ${safe(failure.hint)}`)
  return `${lines.join('\n')}\n`
}

/** details.errors field by field, the problems of a file line by line, the other details by their names. */
function detailLines(details: unknown): string[] {
  if (details === null || details === undefined) return []
  if (typeof details !== 'object') return [safe(String(details))]
  return Object.entries(details).flatMap(([name, value]) =>
    name === 'errors' && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([field, reasons]) => `${safe(field)}: ${valueText(reasons)}`)
      : name === 'problems' && Array.isArray(value)
        ? value.map(problemText)
        : value === null
          ? []
          : [`${safe(name)}: ${valueText(value)}`],
  )
}

/** `line 17: quantity "0" must be a whole number of 1 or more` */
function problemText(problem: unknown): string {
  const {line, column, value, rule} = (problem ?? {}) as Record<string, unknown>
  if (line === undefined || typeof rule !== 'string') return valueText(problem)
  const shown = typeof value === 'string' ? JSON.stringify(value) : undefined
  return safe(`line ${line}: ${[column, shown, rule].filter(Boolean).join(' ')}`)
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join('; ')
  if (typeof value !== 'object' || value === null || isDigits(value)) return safe(value)
  const parts = Object.entries(value).map(([name, inner]) => `${safe(name)} ${valueText(inner)}`)
  return parts.join(', ')
}

/** Where a bug was, for --debug. */
export function stackText({cause}: Failure): string {
  const stack = cause instanceof Error ? (cause.stack ?? '') : ''
  return stack
    .split('\n')
    .map((line) => `${safe(line)}\n`)
    .join('')
}
