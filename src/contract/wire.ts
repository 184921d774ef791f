import * as z from 'zod/mini'
import {type Digits, isDigits} from './money.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface HttpRequest {
  method: Method
  /** Absolute, already percent-encoded. */
  url: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
  /** Milliseconds from the send to the last byte of the answer. */
  timeoutMs?: number
}

export interface HttpResponse {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  body: string
}

/**
 * Carries one request to a service and brings its answer back, whatever its status. Redirects are not followed.
 * Fails with a Failure whose facts.effect says what is certain: `none` (NO_CONNECTION, TLS_UNTRUSTED: it never
 * arrived) or `unknown` (NO_ANSWER: it left, and no whole answer came).
 */
export type Send = (request: HttpRequest) => Promise<HttpResponse>

/** What a schema without words of its own says of a bad value. */
export const WORDLESS = 'Invalid input'
/** For each parse whose words matter: another user of zod in this process may have set a language for all. */
export const inNoLanguage = {error: () => WORDLESS}

/** The envelope of every answer (spec, Envelope). */
export const envelope = z.looseObject({
  // A code, not a text of any length: it is written into records.
  state: z.string().check(z.maxLength(256)),
  payload: z.optional(z.unknown()),
  details: z.optional(z.unknown()),
})

/** Any UUID in its hyphenated form, whatever its version and case. */
export const uuid = Object.assign(z.guid(), {as: 'id'} as const)

/** ISO 8601 date-time. Answers keep the server's own form. */
export const timestamp = Object.assign(z.string(), {as: 'time'} as const)

/** A JSON number whose digits are kept as they came. */
export const ratio = Object.assign(
  z.custom<Digits>((value) => isDigits(value), 'must be a number'),
  {as: 'number'} as const,
)

/** An amount of money. Its currency is a field beside it, or SAR. */
export const decimal = Object.assign(
  z.custom<Digits>((value) => isDigits(value), 'must be a number'),
  {as: 'money'} as const,
)

/**
 * More than `max` characters by every way of counting them (UTF-16 units, code points, graphemes; the spec names
 * none). Graphemes are never more than the other two.
 */
export function longerThan(text: string, max: number): boolean {
  if (text.length <= max) return false
  let count = 0
  for (const _ of new Intl.Segmenter().segment(text)) if (++count > max) return true
  return false
}

/**
 * Why a text would arrive as another one, so that two references or carts could become one: half a character is
 * replaced on its way, and bytes of a command line that are not UTF-8 have been replaced already.
 */
export function damageOf(text: string): string | undefined {
  if (/\p{Surrogate}/u.test(text)) return 'must be well-formed text; it holds half a character'
  return text.includes('\ufffd') ? 'must be UTF-8 text; some of its bytes were none' : undefined
}

/** Why a text can't be a segment of a path: parsers of URLs drop `.` and `..`. Damaged text can't either. */
export function pathRule(text: string): string | undefined {
  if (text === '') return 'must not be empty'
  if (text === '.' || text === '..') return "can't be part of a path"
  return /\p{Cc}/u.test(text) ? 'must not hold control characters' : undefined
}

/** A check of a text: at most so many characters. */
export const atMost = (most: number) =>
  Object.assign(
    z.refine<string>((text) => !longerThan(text, most), `must have at most ${most} characters`),
    {most},
  )

/** 1 to 128 characters (spec, Limits). Which ones a path can carry is decided where the path is built. */
export const customerRef = z.string().check(z.minLength(1), atMost(128))

/**
 * A field of an answer that is only shown: no flow depends on it, so any value is accepted and kept for --json.
 * Its schema stays readable as `inner`, for the sandbox's tests and the types.
 */
export function shown<S extends z.ZodMiniType>(inner: S) {
  const tolerant = z.optional(z.custom<z.output<S> | null>(() => true))
  return Object.assign(tolerant, {inner})
}

/**
 * not shown: the answer of an operation that is only mentioned. Whatever comes is a success and kept as it is; `inner`
 * is the shape that it is read by if it fits.
 */
export function mentioned<S extends z.ZodMiniType>(inner: S) {
  return Object.assign(
    z.custom<z.output<S>>(() => true),
    {inner},
  )
}

/** A string whose known values are listed, and which may hold others (spec, Value sets). */
export function oneOf<const V extends string>(...known: V[]) {
  type Open = V | (string & {})
  return Object.assign(
    z.custom<Open>((value) => typeof value === 'string', 'must be a string'),
    {known},
  )
}

/** Good news, something to watch, bad news. */
type WordTone = 'good' | 'warn' | 'bad'

/** A field whose words have a tone; words that are not named stay plain. */
export function toned<S extends z.ZodMiniType>(schema: S, tones: {[tone in WordTone]?: string[]}) {
  return Object.assign(schema, {tones})
}
