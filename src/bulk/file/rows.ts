import {unguarded} from '../../contract/forms.ts'
import {isDigits} from '../../contract/money.ts'
import {nearest} from '../../contract/nearest.ts'
import {damageOf, longerThan, pathRule, uuid} from '../../contract/wire.ts'
import {LONGEST_SKU} from '../../flows/cart/steps.ts'
import type {Problem, Report} from '../../store/problems.ts'
import type {Row} from '../../store/rows.ts'

/** A line of an order or a cart, as a file names its variant: by its id, by its SKU, or by both once that is known. */
export interface FileLine {
  variantId?: string
  sku?: string
  quantity: number
}

/** The variants that SKUs stand for: none if a SKU is unknown, several if it is ambiguous. */
export type VariantsBySku = ReadonlyMap<string, readonly string[]>

/** What a row is read with. */
export interface Reading {
  report: Report
  /** What SKUs stand for, as far as they were looked up. */
  found: VariantsBySku
  /** Takes in every SKU that is still to be looked up. */
  skus?: Set<string>
}

export function unknownName(kind: 'column' | 'field', name: string, known: readonly string[]): string {
  const [near] = nearest(name, known)
  return `is not a ${kind} here; ${near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`}`
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

/** Text of a row; '' if there is none, undefined if it was reported. */
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

/** The rule that the customerRef of a cart breaks that is to be set and cleared; undefined if it breaks none. */
export function customerRule(text: string): string | undefined {
  if (longerThan(text, 128)) return 'must have at most 128 characters'
  if (ROUTES.includes(text.toLowerCase())) return 'is the name of a route of carts; use another one'
  return keyRule(text) ?? pathRule(text)
}

/** not shown: the largest quantity of a line. */
const LARGEST_QUANTITY = 1_000_000

/**
 * Variant and quantity of a row; `at` stands before the names of its fields. Undefined if its variant was reported; if
 * its quantity was, the line counts all the same for what is wrong with others.
 */
export function lineOf(
  row: number,
  fields: Readonly<Record<string, unknown>>,
  reading: Reading,
  at = '',
): FileLine | undefined {
  const {report} = reading
  const quantity = quantityOf(row, `${at}quantity`, fields.quantity, report) ?? 0
  const id = textOf(row, `${at}variantId`, fields.variantId, report)
  const sku = textOf(row, `${at}sku`, fields.sku, report)
  if (id === undefined || sku === undefined) return undefined
  const problem = nameProblem(id, sku)
  if (problem) report(row, `${at}${problem.column}`, problem.value, problem.rule)
  else if (id !== '') return {variantId: id.toLowerCase(), quantity}
  else return lineOfSku(row, sku, quantity, reading, at)
  return undefined
}

/** What is wrong with how a row names its variant: by its id or its SKU, '' for neither. */
function nameProblem(id: string, sku: string): Pick<Problem, 'column' | 'value' | 'rule'> | undefined {
  if (id !== '' && sku !== '')
    return {column: 'sku', value: sku, rule: 'stands beside a variantId; give one of them'}
  if (id === '' && sku === '') return {column: 'variantId', value: null, rule: 'is required, or sku'}
  if (id !== '' && !uuid.safeParse(id).success)
    return {column: 'variantId', value: id, rule: 'must be a UUID'}
  const rule = id === '' ? skuRule(sku) : undefined
  return rule === undefined ? undefined : {column: 'sku', value: sku, rule}
}

/** A line by its SKU, with its variant if that is known; takes in the SKU if it is still to be looked up. */
function lineOfSku(
  row: number,
  sku: string,
  quantity: number,
  {report, found, skus}: Reading,
  at: string,
): FileLine {
  const variants = found.get(sku)
  if (variants === undefined) {
    if (skus && !skus.has(sku)) skus.add(copyOf(sku))
    return {sku, quantity}
  }
  const [variantId, ...others] = variants
  const rule = variantRule(variantId, others)
  if (rule !== undefined) report(row, `${at}sku`, sku, rule)
  return variantId === undefined || others.length > 0 ? {sku, quantity} : {sku, variantId, quantity}
}

function variantRule(id: string | undefined, others: string[]): string | undefined {
  if (id === undefined) return 'is not a SKU of the own assortment'
  if (others.length === 0) return undefined
  return `stands for several variants: ${[id, ...others].join(', ')}; give one as variantId`
}

/** Copies a string, so that V8 can free the line that it was sliced from. */
export const copyOf = (text: string) => Buffer.from(text).toString()

const skuRule = (sku: string) =>
  longerThan(sku, LONGEST_SKU) ? `must have at most ${LONGEST_SKU} characters` : keyRule(sku)

/** A JSON number, or the digits of a cell. Undefined if it was reported. */
function quantityOf(row: number, column: string, value: unknown, report: Report): number | undefined {
  const text = typeof value === 'string' || isDigits(value) ? String(value) : ''
  const number = /^[1-9]\d*$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= LARGEST_QUANTITY) return number
  const empty = value === undefined || value === null || value === ''
  const wrong = number > 0 ? `must be at most ${LARGEST_QUANTITY}` : 'must be a whole number of 1 or more'
  report(row, column, value, empty ? 'is required' : wrong)
  return undefined
}
