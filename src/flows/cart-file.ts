import type {Row, RowFile} from '../store/rows.ts'
import {
  cellsOf,
  changed,
  checkHeader,
  customerRule,
  type FileLine,
  lineOf,
  MOST_LINES,
  openProblems,
  openVariants,
  type Problem,
  type Report,
  textOf,
  unknownName,
  type VariantsBySku,
  withVariant,
} from './rows.ts'

/** What a file wants to have in one cart. */
export interface FileCart {
  customerRef: string
  lines: FileLine[]
  /** The lines of the file that it comes from. */
  rows: number[]
}

/** What a whole file adds up to. Nothing of it may be sent while `problemCount` is not 0. */
export interface CartFile {
  carts: number
  lines: number
  problems: Problem[]
  problemCount: number
  /** Rows of the carts that have several of them. */
  index: ReadonlyMap<string, number>
  /** Every SKU of the file, once. */
  skus: string[]
  /** Adds the problems of SKUs that stand for no variant or for several, or for one that stands in the cart already. */
  checkSkus(found: VariantsBySku): void
}

type Source = Pick<RowFile, 'form' | 'header' | 'rows'>

/** A column of problems may stand there, as in a file of orders. */
const known = ['customerRef', 'variantId', 'sku', 'quantity', 'problem']

const tooMany = `has more than ${MOST_LINES} lines in one cart`

/** Reads a whole file of cart lines and checks it, offline. `customer` stands in where a row names no customerRef. */
export async function checkCartFile(file: Source, customer: string | undefined): Promise<CartFile> {
  const problems = openProblems()
  const {report} = problems
  const variants = openVariants(report)
  const carts = new Map<string, {number: number; rows: number}>()
  let lines = 0
  checkHeader(file, known, ['quantity'], report)
  for await (const row of problems.count > 0 ? [] : file.rows()) {
    lines += 1
    const read = readRow(file.form, row, customer, report)
    if (read === undefined) continue
    const cart = carts.get(read.customerRef) ?? {number: carts.size, rows: 0}
    cart.rows += 1
    if (cart.rows === MOST_LINES + 1) report(row.line, 'customerRef', read.customerRef, tooMany)
    carts.set(read.customerRef, cart)
    variants.add(cart.number, read.line, row.line)
  }
  if (lines === 0 && problems.count === 0) report(file.header.line, null, null, 'has a header and no rows')
  const several = [...carts].filter(([, {rows}]) => rows > 1)
  const result: CartFile = {
    carts: carts.size,
    lines,
    problems: problems.list,
    problemCount: problems.count,
    index: new Map(several.map(([name, {rows}]) => [name, rows])),
    skus: variants.skus(),
    checkSkus(found) {
      variants.checkSkus(found)
      result.problemCount = problems.count
    },
  }
  return result
}

/** The carts of a file that was checked, in the order of their last rows; see ordersIn(). */
export async function* cartsIn(
  file: Source,
  {index}: Pick<CartFile, 'index'>,
  customer: string | undefined,
  found: VariantsBySku = new Map(),
): AsyncGenerator<FileCart> {
  const open = new Map<string, FileCart>()
  for await (const row of file.rows()) {
    const read = readRow(file.form, row, customer, changed)
    if (read === undefined) throw changed(row.line)
    const {customerRef} = read
    const cart = open.get(customerRef) ?? {customerRef, lines: [], rows: []}
    cart.rows.push(row.line)
    cart.lines.push(withVariant(read.line, found))
    if (cart.rows.length < (index.get(customerRef) ?? 1)) {
      open.set(customerRef, cart)
      continue
    }
    open.delete(customerRef)
    yield cart
  }
}

/** Undefined where a problem of it was reported. */
function readRow(
  form: Source['form'],
  row: Row,
  customer: string | undefined,
  report: Report,
): {customerRef: string; line: FileLine} | undefined {
  if (row.problem !== undefined) {
    report(row.line, null, null, row.problem)
    return undefined
  }
  const fields = form === 'csv' ? cellsOf(row) : row.fields
  if (form === 'ndjson')
    for (const name of Object.keys(fields))
      if (!known.includes(name)) report(row.line, name, null, unknownName('field', name, known))
  const line = lineOf(row.line, fields, report)
  const given = textOf(row.line, 'customerRef', fields.customerRef, report)
  if (given === undefined) return undefined
  const customerRef = given === '' ? (customer ?? '') : given
  const rule = customerRef === '' ? needed : customerRule(customerRef)
  if (rule !== undefined) report(row.line, 'customerRef', customerRef || null, rule)
  else if (customer !== undefined && customerRef !== customer)
    report(
      row.line,
      'customerRef',
      customerRef,
      `is another one than that of --customer, ${JSON.stringify(customer)}`,
    )
  else if (line !== undefined) return {customerRef, line}
  return undefined
}

const needed = 'is required, in the file or as --customer: the cart without one can not be set'
