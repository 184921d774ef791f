import {Failure} from '../contract/failure.ts'
import {isDigits, printJson} from '../contract/money.ts'
import {nearest} from '../contract/nearest.ts'
import {unguarded} from '../contract/spreadsheet.ts'
import {damageOf, longerThan, pathRule, uuid} from '../contract/wire.ts'
import type {Row, RowFile} from '../store/rows.ts'

/** What is wrong with a line of a file, by the rule that it breaks. */
export interface Problem {
  line: number
  column: string | null
  value: string | null
  rule: string
}

/** A line of an order or a cart, as a file names its variant: by its id, by its SKU, or by both once that is known. */
export interface FileLine {
  variantId?: string
  sku?: string
  quantity: number
}

/** Adds what is wrong. A value is kept as it should be printed. */
export type Report = (line: number, column: string | null, value: unknown, rule: string) => void

/** The variants that SKUs stand for: none where a SKU is unknown, several where it is ambiguous. */
export type VariantsBySku = ReadonlyMap<string, readonly string[]>

/** Problems that are kept; the others are counted. */
const MOST = 10_000
const LONGEST_VALUE = 100

/** Collects the problems of a file. */
export function openProblems() {
  const list: Problem[] = []
  const problems = {list, count: 0, report}
  function report(line: number, column: string | null, value: unknown, rule: string): void {
    problems.count += 1
    if (list.length < MOST) list.push({line, column, value: shown(value), rule})
  }
  return problems
}

function shown(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  const text = typeof value === 'string' ? value : printJson(value, 0)
  if (text.length <= LONGEST_VALUE) return text
  return `${text.slice(0, LONGEST_VALUE).replace(/\p{Surrogate}/gu, '')}…`
}

/** A file that is refused as a whole: nothing of it was sent. `count` may be more than the problems that are listed. */
export function badFile(path: string, problems: readonly Problem[], count: number): Failure {
  const name = path === '-' ? 'stdin' : JSON.stringify(path)
  const more = count - problems.length
  const sorted = [...problems].sort((a, b) => a.line - b.line)
  return new Failure('INVALID_INPUT', {
    message: `${name} has ${count === 1 ? 'a problem' : `${count} problems`}. Nothing was sent.`,
    hint: 'Correct the lines, and run the command again.',
    details: {problems: sorted, ...(more > 0 ? {more} : {})},
    effect: 'none',
  })
}

/** Checks the names of a CSV file's columns: known, each once, none missing. `sku` stands in for `variantId`. */
export function checkHeader(
  {form, header: {line, columns}}: Pick<RowFile, 'form' | 'header'>,
  known: readonly string[],
  required: readonly string[],
  report: Report,
): void {
  if (form !== 'csv') return
  for (const [at, name] of columns.entries()) {
    if (name === '') continue
    if (columns.indexOf(name) < at) report(line, name, null, 'stands twice in the header')
    else if (!known.includes(name)) report(line, name, null, unknownName('column', name, known))
  }
  for (const name of required)
    if (!columns.includes(name)) report(line, name, null, 'is missing in the header')
  if (!columns.includes('variantId') && !columns.includes('sku'))
    report(line, 'variantId', null, 'is missing in the header; sku may stand in for it')
}

export function unknownName(kind: 'column' | 'field', name: string, known: readonly string[]): string {
  const [near] = nearest(name, known)
  return `is no ${kind} here; ${near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`}`
}

/**
 * The cells of a CSV row as they were meant: what scent writes for a spreadsheet has an apostrophe before text that
 * would run as a formula, such as a phone in its international form. Exactly that is taken back.
 */
export function cellsOf({fields}: Row): Record<string, unknown> {
  for (const [name, cell] of Object.entries(fields))
    if (String(cell).startsWith("'")) fields[name] = unguarded(String(cell))
  return fields
}

/** A checked file that is read again holds no problem; if it does, it is another file. */
export function changed(line: number): never {
  throw new Failure('INVALID_INPUT', {message: `The file changed after it was checked (line ${line}).`})
}

/** Text of a row; '' where there is none, undefined where it was reported. */
export function textOf(row: number, column: string, value: unknown, report: Report): string | undefined {
  if (value === undefined || value === null) return ''
  const rule = typeof value === 'string' ? damageOf(value) : 'must be text'
  if (rule === undefined) return value as string
  report(row, column, value, rule)
  return undefined
}

/** not shown: which references are taken. What could be a slip of the hand, two orders for one, is refused. */
export function keyRule(text: string): string | undefined {
  if (text === '') return 'is required'
  if (text.trim() === '') return 'must not be blank'
  if (text !== text.trim()) return 'must not begin or end with a space'
  return /\p{Cc}/u.test(text) ? 'must not hold control characters' : undefined
}

/** Routes of the service that a cart of that name would be taken for, or that would be taken for it. */
const ROUTES = ['items', 'notify', 'checkout-preview']

/** The rule that the customerRef of a cart breaks that is to be set and cleared; undefined where it breaks none. */
export function customerRule(text: string): string | undefined {
  if (longerThan(text, 128)) return 'must have at most 128 characters'
  if (ROUTES.includes(text.toLowerCase())) return 'is the name of a route of carts; use another one'
  return keyRule(text) ?? pathRule(text)
}

/** not shown: the longest SKU, and the largest quantity of a line. */
/** not shown: the most lines of a cart, and so of an order. A record of a job has room for so many. */
export const MOST_LINES = 1000
const LONGEST_SKU = 200
const LARGEST_QUANTITY = 1_000_000

/** Variant and quantity of a row; `at` stands before the names of its fields. Undefined where they were reported. */
export function lineOf(
  row: number,
  fields: Readonly<Record<string, unknown>>,
  report: Report,
  at = '',
): FileLine | undefined {
  const quantity = quantityOf(row, `${at}quantity`, fields.quantity, report)
  const id = textOf(row, `${at}variantId`, fields.variantId, report)
  const sku = textOf(row, `${at}sku`, fields.sku, report)
  if (id === undefined || sku === undefined) return undefined
  if (id !== '' && sku !== '') report(row, `${at}sku`, sku, 'stands beside a variantId; give one of them')
  else if (id === '' && sku === '') report(row, `${at}variantId`, null, 'is required, or sku')
  else if (id !== '' && !uuid.safeParse(id).success) report(row, `${at}variantId`, id, 'must be a UUID')
  else if (sku !== '' && skuRule(sku) !== undefined) report(row, `${at}sku`, sku, skuRule(sku) ?? '')
  else if (quantity !== undefined)
    return id === '' ? {sku, quantity} : {variantId: id.toLowerCase(), quantity}
  return undefined
}

const skuRule = (sku: string) =>
  longerThan(sku, LONGEST_SKU) ? `must have at most ${LONGEST_SKU} characters` : keyRule(sku)

/** A JSON number, or the digits of a cell. Undefined where it was reported. */
function quantityOf(row: number, column: string, value: unknown, report: Report): number | undefined {
  const text = typeof value === 'string' || isDigits(value) ? String(value) : ''
  const number = /^[1-9]\d*$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= LARGEST_QUANTITY) return number
  const empty = value === undefined || value === null || value === ''
  const wrong = number > 0 ? `must be at most ${LARGEST_QUANTITY}` : 'must be a whole number of 1 or more'
  report(row, column, value, empty ? 'is required' : wrong)
  return undefined
}

/** Room for the number of a variant beside that of its group in one exact number. */
const WIDTH = 2 ** 26

/**
 * The variants of a file's orders or carts (`group`, a number for each), so that none stands in one of them twice: most
 * likely that is a mistake, and whether the service would add the quantities up nobody should have to know.
 */
export function openVariants(report: Report) {
  const numbers = new Map<string, number>()
  const lines = new Map<number, number>()
  const keyOf = ({variantId, sku}: FileLine) => variantId ?? `sku ${sku}`
  const skuOf = (key: string) => (key.startsWith('sku ') ? key.slice(4) : undefined)
  return {
    /** Notes a line of a group, and reports it where an earlier one holds the same variant. */
    add(group: number, line: FileLine, row: number): void {
      const key = keyOf(line)
      const number = numbers.get(key) ?? numbers.size
      numbers.set(key, number)
      const place = group * WIDTH + number
      const earlier = lines.get(place)
      if (earlier === undefined) lines.set(place, row)
      else if (line.sku === undefined) report(row, 'variantId', line.variantId, twice(earlier))
      else report(row, 'sku', line.sku, twice(earlier))
    },
    /** Every SKU of the file, once. */
    skus: () => [...numbers.keys()].flatMap((key) => skuOf(key) ?? []),
    /** Reports the lines whose SKU stands for no variant, for several, or for one that its group names by id too. */
    checkSkus(found: VariantsBySku): void {
      const keys = [...numbers.keys()]
      for (const [place, row] of lines) {
        const sku = skuOf(keys[place % WIDTH] ?? '')
        if (sku === undefined) continue
        const [id, ...others] = found.get(sku) ?? []
        const twin = id === undefined ? undefined : numbers.get(id)
        const earlier = twin === undefined ? undefined : lines.get(place - (place % WIDTH) + twin)
        if (id === undefined) report(row, 'sku', sku, 'is no SKU of the own assortment')
        else if (others.length > 0)
          report(
            row,
            'sku',
            sku,
            `stands for several variants: ${[id, ...others].join(', ')}; give one as variantId`,
          )
        else if (earlier !== undefined)
          report(Math.max(row, earlier), 'sku', sku, twice(Math.min(row, earlier)))
      }
    },
  }
}

const twice = (earlier: number) =>
  `is the variant of line ${earlier} once more; put the whole quantity into one line`

/** A line with the variant that its SKU stands for, where that is known. */
export function withVariant(line: FileLine, found: VariantsBySku): FileLine {
  const [id] = line.sku === undefined ? [] : (found.get(line.sku) ?? [])
  return id === undefined ? line : {...line, variantId: id}
}

/** A number of 32 bits that two different texts hardly share. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash | 0
}

/** Rows of whole numbers of 32 bits, packed: an object for each would take five times the room. */
export function openNumbers(width: number) {
  let table = new Int32Array(width * 1024)
  let count = 0
  return {
    /** Answers the place of the new row. */
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
