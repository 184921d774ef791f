import Big from 'big.js'
import {isLosslessNumber, LosslessNumber, parse, stringify} from 'lossless-json'
import {HIDDEN} from './forms.ts'

/** A JSON number as it was written: a JS number if that is exact, the digits themselves otherwise. */
export type Digits = number | LosslessNumber

const SAFE_INTEGER = /^(?:0|-?[1-9]\d{0,14})$/

/** So far from zero, or so exact, is no amount: a sum with one would fill the memory, as short as `1e999999999` is. */
const ENDLESS = /[eE][+-]?\d{4}|^.{500}/s

export function isDigits(value: unknown): value is Digits {
  if (isLosslessNumber(value)) return !ENDLESS.test(value.value)
  return typeof value === 'number' && Number.isFinite(value)
}

/** Keeps the digits of `text`, as a JSON number that prints as it was typed. */
export function digits(text: string): Digits {
  return SAFE_INTEGER.test(text) ? Number(text) : new LosslessNumber(text)
}

/**
 * Parses JSON without passing a decimal or an int64 through a double. Of a key that is repeated with another value the
 * last one wins, as in every other parser that a server's author will have tried; `strict` refuses it. Throws
 * SyntaxError.
 */
export function parseJson(text: string, {strict = false} = {}): unknown {
  // Text that holds the mark itself, or is not JSON, goes the slow way, which says what is wrong with it.
  if (strict || text.includes(MARK)) return parseSlowly(text, strict)
  try {
    return unmarked(JSON.parse(text.replace(TOKENS, marked)))
  } catch (error) {
    // An expression runs out of stack on a text of many megabytes.
    if (error instanceof SyntaxError || error instanceof RangeError) return parseSlowly(text, strict)
    throw error
  }
}

/** The character that begins a text in the place of a number, as JSON writes it: there is no other way to write it. */
const MARK = '\\u0000'
/** Texts, so that nothing in them is changed, and numbers that are not keys. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\s*:)/g

/** Hides numbers that a double would change from the parser of the engine, which is much faster than one of ours. */
const marked = (token: string) =>
  token.startsWith('"') || SAFE_INTEGER.test(token) ? token : `"${MARK}${token}"`

function unmarked(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('\0') ? new LosslessNumber(value.slice(1)) : value
  if (typeof value !== 'object' || value === null) return value
  const held = value as Record<string, unknown>
  for (const key of Object.keys(held)) held[key] = unmarked(held[key])
  return value
}

function parseSlowly(text: string, strict: boolean): unknown {
  return parse(text, null, {parseNumber: digits, onDuplicateKey: strict ? refused : ({newValue}) => newValue})
}

function refused({key}: {key: string}): never {
  throw new SyntaxError(`Key ${JSON.stringify(key)} occurs twice in one object`)
}

/** Where none of these stands, there is none of those that JSON lets through: found out three times as fast. */
const BEYOND_ASCII = /[\u007f-\uffff]/
/** JSON itself lets these through. */
const INVISIBLE = new RegExp(`[${HIDDEN}]`, 'gu')

/** A character of two units takes two. */
const escaped = (char: string) =>
  char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** JSON with every number in the digits it came in, and nothing in it that a terminal acts on. */
export function printJson(value: unknown, indent = 2): string {
  // The engine's own printer knows nothing of digits, and is much faster: what it would spoil has this name in its text.
  const quick = JSON.stringify(value, null, indent)
  const text = quick?.includes('"isLosslessNumber"') ? stringify(value, null, indent) : quick
  if (text === undefined) return 'null'
  return BEYOND_ASCII.test(text) ? text.replace(INVISIBLE, escaped) : text
}

/** Exact decimal of an amount. Throws if it is not a number. */
export function exact(amount: Digits | string): Big {
  return new Big(String(amount))
}

/** `12.5` as `12.50`: never fewer than two decimals, never fewer than came. */
export function withDecimals(amount: Digits | string): string {
  const written = String(amount)
  return written + (/^-?\d+$/.test(written) ? '.00' : /^-?\d+\.\d$/.test(written) ? '0' : '')
}

/** An amount in a message; in SAR, as all charges are, if its currency is not known. */
export function amountText(amount: Digits | string | null, currency?: string | null): string {
  return amount === null ? 'an unknown amount' : `${withDecimals(amount)} ${currency || 'SAR'}`
}

export function sameAmount(a: Digits | string, b: Digits | string): boolean {
  return exact(a).eq(exact(b))
}
