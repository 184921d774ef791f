import {type Digits, digits, exact, isDigits, printJson} from '../../contract/money.ts'

/** An expression handed to a function (`&amount`), to be applied to each row. */
export type Reference = (value: unknown) => unknown

type Type = 'number' | 'string' | 'boolean' | 'array' | 'object' | 'null' | 'expression'

function typeOf(value: unknown): Type {
  if (value === null || value === undefined) return 'null'
  if (isDigits(value)) return 'number'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'function') return 'expression'
  return typeof value as Type
}

/** Order of two numbers or two texts; undefined if they have none. */
export function compare(a: unknown, b: unknown): number | undefined {
  if (isDigits(a) && isDigits(b)) return exact(a).cmp(exact(b))
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  return undefined
}

/** Equal by value: 10.5 is 10.50. */
export function equal(a: unknown, b: unknown): boolean {
  if (isDigits(a) && isDigits(b)) return compare(a, b) === 0
  if (typeOf(a) !== typeOf(b)) return false
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, at) => equal(value, b[at]))
  }
  if (typeOf(a) !== 'object') return a === b || (typeOf(a) === 'null' && typeOf(b) === 'null')
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  const names = Object.keys(left)
  if (names.length !== Object.keys(right).length) return false
  return names.every((name) => Object.hasOwn(right, name) && equal(left[name], right[name]))
}

type Rows = unknown[]

const number = (value: {toFixed(): string}): Digits => digits(value.toFixed())
const sum = (rows: Rows) =>
  rows.reduce<ReturnType<typeof exact>>((total, row) => total.plus(exact(row as Digits)), exact(0))

/** Sorts numbers, or texts, by what `key` says of each row. Fails on a mixture. */
function sorted(rows: Rows, key: Reference): Rows {
  const keyed = rows.map((row) => ({row, key: key(row)}))
  return keyed.sort((a, b) => orderOf(a.key, b.key)).map(({row}) => row)
}

function orderOf(a: unknown, b: unknown): number {
  const order = compare(a, b)
  if (order === undefined) throw new Error('only numbers, or only texts, can be put in order')
  return order
}

/** The last of the rows in order of `key`, or with `direction` -1 the first. */
function extreme(rows: Rows, key: Reference, direction: 1 | -1): unknown {
  let best: unknown = null
  for (const [at, row] of rows.entries()) {
    if (at === 0 || orderOf(key(row), key(best)) * direction > 0) best = row
  }
  return best
}

const itself: Reference = (value) => value

function round(value: Digits, up: boolean): Digits {
  const whole = exact(value).round(0, 0)
  if (whole.eq(exact(value))) return number(whole)
  const negative = exact(value).lt(0)
  if (up) return number(negative ? whole : whole.plus(1))
  return number(negative ? whole.minus(1) : whole)
}

function contains(where: unknown, what: unknown): boolean {
  if (typeof where === 'string') return typeof what === 'string' && where.includes(what)
  return (where as Rows).some((row) => equal(row, what))
}

function toNumber(value: unknown): Digits | null {
  if (isDigits(value)) return value
  if (typeof value !== 'string' || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)) return null
  return digits(value)
}

/** The types that an argument may have, separated by `|`; `numbers` and `strings` are arrays of these. */
type Signature = string[]
// biome-ignore lint/suspicious/noExplicitAny: the signature beside each function has checked its arguments
type Implementation = (...args: any[]) => unknown

const orderable = 'numbers|strings'

const functions: Record<string, [Signature, Implementation]> = {
  abs: [['number'], (value: Digits) => (exact(value).lt(0) ? number(exact(value).abs()) : value)],
  avg: [['numbers'], (rows: Rows) => (rows.length === 0 ? null : number(sum(rows).div(rows.length)))],
  ceil: [['number'], (value: Digits) => round(value, true)],
  contains: [['string|array', 'any'], contains],
  ends_with: [['string', 'string'], (text: string, end: string) => text.endsWith(end)],
  floor: [['number'], (value: Digits) => round(value, false)],
  join: [['string', 'strings'], (glue: string, parts: string[]) => parts.join(glue)],
  keys: [['object'], (value: object) => Object.keys(value)],
  length: [
    ['string|array|object'],
    (value: string | Rows | object) =>
      typeof value === 'string'
        ? [...value].length
        : Array.isArray(value)
          ? value.length
          : Object.keys(value).length,
  ],
  map: [['expression', 'array'], (key: Reference, rows: Rows) => rows.map((row) => key(row) ?? null)],
  max: [[orderable], (rows: Rows) => extreme(rows, itself, 1)],
  max_by: [['array', 'expression'], (rows: Rows, key: Reference) => extreme(rows, key, 1)],
  merge: [['object...'], (...parts: object[]) => Object.assign({}, ...parts)],
  min: [[orderable], (rows: Rows) => extreme(rows, itself, -1)],
  min_by: [['array', 'expression'], (rows: Rows, key: Reference) => extreme(rows, key, -1)],
  not_null: [['any...'], (...values: Rows) => values.find((value) => typeOf(value) !== 'null') ?? null],
  reverse: [
    ['string|array'],
    (value: string | Rows) =>
      typeof value === 'string' ? [...value].reverse().join('') : [...value].reverse(),
  ],
  sort: [[orderable], (rows: Rows) => sorted(rows, itself)],
  sort_by: [['array', 'expression'], sorted],
  starts_with: [['string', 'string'], (text: string, start: string) => text.startsWith(start)],
  sum: [['numbers'], (rows: Rows) => number(sum(rows))],
  to_array: [['any'], (value: unknown) => (Array.isArray(value) ? value : [value])],
  to_number: [['any'], toNumber],
  to_string: [['any'], (value: unknown) => (typeof value === 'string' ? value : printJson(value, 0))],
  type: [['any'], typeOf],
  values: [['object'], (value: object) => Object.values(value)],
}

/** Fails if there is no function of that name, or if it takes another number of arguments. */
export function requireFunction(name: string, args: number): [Signature, Implementation] {
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined
  if (!found) throw new Error(`there is no function ${name}()`)
  const [signature] = found
  const many = signature.at(-1)?.endsWith('...') ?? false
  if (many ? args > 0 : args === signature.length) return found
  throw new Error(`${name}() takes ${many ? 'at least one argument' : signature.length}, not ${args}`)
}

/** Calls a function of JMESPath. Fails if the arguments don't fit. */
export function call(name: string, args: unknown[]): unknown {
  const [signature, run] = requireFunction(name, args.length)
  for (const [at, value] of args.entries()) {
    const wanted = (signature[at] ?? signature.at(-1) ?? '').replace('...', '')
    if (!fits(value, wanted)) {
      throw new Error(`${name}() takes ${wanted.replaceAll('|', ' or ')}, not ${typeOf(value)}`)
    }
  }
  return run(...args)
}

function fits(value: unknown, wanted: string): boolean {
  return wanted.split('|').some((type) => {
    if (type === 'any') return typeof value !== 'function'
    if (type === 'numbers') return Array.isArray(value) && value.every(isDigits)
    if (type === 'strings') return Array.isArray(value) && value.every((row) => typeof row === 'string')
    return typeOf(value) === type
  })
}
