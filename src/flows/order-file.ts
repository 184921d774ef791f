import {addressFields, fieldRule} from '../contract/address.ts'
import type {ShippingAddress} from '../contract/orders.ts'
import {longerThan} from '../contract/wire.ts'
import type {Row, RowFile} from '../store/rows.ts'
import {
  cellsOf,
  changed,
  checkHeader,
  customerRule,
  type FileLine,
  hashOf,
  keyRule,
  lineOf,
  MOST_LINES,
  openNumbers,
  openProblems,
  openVariants,
  type Problem,
  type Report,
  textOf,
  unknownName,
  type VariantsBySku,
  withVariant,
} from './rows.ts'

/** An order as a file describes it. */
export interface FileOrder {
  reference: string
  customerRef: string
  lines: FileLine[]
  address: ShippingAddress
  discountCode?: string
  /** The lines of the file that it comes from. */
  rows: number[]
}

/** What a whole file adds up to. Nothing of it may be sent while `problemCount` is not 0. */
export interface OrderFile {
  orders: number
  lines: number
  rows: number
  problems: Problem[]
  problemCount: number
  /** Rows of the references that have several of them. */
  index: ReadonlyMap<string, number>
  /** Every SKU of the file, once. */
  skus: string[]
  /** Adds the problems of SKUs that stand for no variant or for several, or for one that stands in the order already. */
  checkSkus(found: VariantsBySku): void
}

type Source = Pick<RowFile, 'form' | 'header' | 'rows'>

/** What all rows of an order share: equal on each of them, or empty after the first. */
const shared = ['customerRef', 'discountCode', ...addressFields.map(({name}) => name)]
const own = ['externalReference', 'variantId', 'sku', 'quantity']
/** The lines that were refused come back with a column of their problems: corrected, the file is good as it is. */
const PROBLEM = 'problem'
const csvColumns = [...own, ...shared, PROBLEM]
const required = [
  'externalReference',
  'customerRef',
  'quantity',
  ...addressFields.filter((field) => field.required).map(({name}) => name),
]
const orderFields = ['externalReference', 'customerRef', 'discountCode', 'shippingAddress', 'lines', PROBLEM]

const tooMany = `has more than ${MOST_LINES} lines in one order`

/** not shown: the longest reference. */
const LONGEST_REFERENCE = 1000

/** One row, read: what it says of the order, '' where it says nothing, and its lines. */
interface Read {
  reference: string
  /** In the order of `shared`; undefined where a value was reported. */
  values: (string | undefined)[]
  lines: FileLine[]
}

/**
 * Reads a whole file of orders and checks it, offline. Memory holds of an order its reference and some numbers, and of
 * each line one number.
 */
export async function checkOrderFile(file: Source): Promise<OrderFile> {
  const problems = openProblems()
  const {report} = problems
  const orders = openOrders(file.form, report)
  let rows = 0
  checkHeader(file, csvColumns, required, report)
  for await (const row of problems.count > 0 ? [] : file.rows()) {
    rows += 1
    const read = readRow(file.form, row, report)
    if (read) orders.add(row.line, read)
  }
  if (rows === 0 && problems.count === 0) report(file.header.line, null, null, 'has a header and no rows')
  const result: OrderFile = {
    ...orders.result(),
    rows,
    problems: problems.list,
    problemCount: problems.count,
    checkSkus(found) {
      orders.checkSkus(found)
      result.problemCount = problems.count
    },
  }
  return result
}

/** Columns of what is kept of an order: its first line, its rows and lines, and a hash of each value that its rows share. */
const LINE = 0
const ROWS = 1
const LINES = 2
const HASHES = 3

/** Puts rows together to orders, and reports where they don't fit. */
function openOrders(form: Source['form'], report: Report) {
  const places = new Map<string, number>()
  const kept = openNumbers(HASHES + shared.length)
  const variants = openVariants(report)
  let lines = 0
  return {
    add(line: number, read: Read): void {
      let place = places.get(read.reference)
      if (place === undefined) {
        checkFirst(form, line, read, report)
        place = kept.add([line, 0, 0, ...read.values.map((value) => hashOf(value ?? ''))])
        places.set(read.reference, place)
      }
      for (const [at, name] of shared.entries()) {
        const value = read.values[at]
        if (!value || hashOf(value) === kept.at(place, HASHES + at)) continue
        const rule = `differs from line ${kept.at(place, LINE)}, which is of the same order`
        report(line, columnOf(form, name), value, rule)
      }
      kept.increase(place, ROWS)
      lines += read.lines.length
      for (const one of read.lines) {
        kept.increase(place, LINES)
        if (kept.at(place, LINES) === MOST_LINES + 1)
          report(line, 'externalReference', read.reference, tooMany)
        variants.add(place, one, line)
      }
    },
    result() {
      const several = [...places].flatMap(([name, place]): [string, number][] =>
        kept.at(place, ROWS) > 1 ? [[name, kept.at(place, ROWS)]] : [],
      )
      return {orders: places.size, lines, index: new Map(several), skus: variants.skus()}
    },
    checkSkus: variants.checkSkus,
  }
}

/** The first row of an order says all that is said of it as a whole. */
function checkFirst(form: Source['form'], line: number, {values}: Read, report: Report): void {
  for (const [at, name] of shared.entries()) {
    const value = values[at]
    const rule = value === undefined ? undefined : sharedRule(name, value)
    if (rule !== undefined) report(line, columnOf(form, name), value, rule)
  }
}

function sharedRule(name: string, value: string): string | undefined {
  if (name === 'customerRef')
    return value === ''
      ? 'is required: the cart without one can not be cleared, so it is never used for bulk orders'
      : customerRule(value)
  if (name === 'discountCode') return value === '' ? undefined : keyRule(value)
  const field = addressFields.find((one) => one.name === name)
  return field && fieldRule(field, value)
}

const isAddress = (name: string) => addressFields.some((field) => field.name === name)

const columnOf = (form: Source['form'], name: string) =>
  form === 'ndjson' && isAddress(name) ? `shippingAddress.${name}` : name

/**
 * The orders of a file that was checked, in the order of their last rows. Rows of one order that stand apart are kept
 * until the last of them was read. With `found`, lines that name a SKU carry its variant too.
 */
export async function* ordersIn(
  file: Source,
  {index}: Pick<OrderFile, 'index'>,
  found: VariantsBySku = new Map(),
): AsyncGenerator<FileOrder> {
  const open = new Map<string, FileOrder>()
  for await (const row of file.rows()) {
    const read = readRow(file.form, row, changed)
    if (read === undefined) throw changed(row.line)
    const order = open.get(read.reference) ?? orderOf(read)
    order.rows.push(row.line)
    order.lines.push(...read.lines.map((line) => withVariant(line, found)))
    if (order.rows.length < (index.get(read.reference) ?? 1)) {
      open.set(read.reference, order)
      continue
    }
    open.delete(read.reference)
    yield order
  }
}

function orderOf({reference, values}: Read): FileOrder {
  const [customerRef = '', discountCode, ...address] = values
  const filled = addressFields.flatMap(({name}, at) => (address[at] ? [[name, address[at]] as const] : []))
  return {
    reference,
    customerRef,
    lines: [],
    address: Object.fromEntries(filled) as ShippingAddress,
    ...(discountCode ? {discountCode} : {}),
    rows: [],
  }
}

/** Undefined where nothing can be said of its order; what is wrong was reported. */
function readRow(form: Source['form'], row: Row, report: Report): Read | undefined {
  if (row.problem !== undefined) {
    report(row.line, null, null, row.problem)
    return undefined
  }
  const fields = form === 'csv' ? cellsOf(row) : row.fields
  const lines =
    form === 'csv' ? [lineOf(row.line, fields, report) ?? []].flat() : jsonLines(row.line, fields, report)
  const address = form === 'csv' ? fields : jsonAddress(row.line, fields, report)
  const values = shared.map((name) =>
    textOf(row.line, columnOf(form, name), (isAddress(name) ? address : fields)[name], report),
  )
  const reference = textOf(row.line, 'externalReference', fields.externalReference, report)
  if (reference === undefined) return undefined
  const rule = longerThan(reference, LONGEST_REFERENCE)
    ? `must have at most ${LONGEST_REFERENCE} characters`
    : keyRule(reference)
  if (rule === undefined) return {reference, values, lines}
  report(row.line, 'externalReference', reference, rule)
  return undefined
}

function jsonAddress(row: number, fields: Row['fields'], report: Report): Record<string, unknown> {
  for (const name of Object.keys(fields)) {
    if (name === 'lockId') report(row, name, null, 'is not to be given: each order gets a lock of its own')
    else if (!orderFields.includes(name)) report(row, name, null, unknownName('field', name, orderFields))
  }
  const address = objectOf(fields.shippingAddress ?? {})
  if (address === undefined) report(row, 'shippingAddress', fields.shippingAddress, 'must be an object')
  const names = addressFields.map(({name}) => name)
  for (const name of Object.keys(address ?? {}))
    if (!isAddress(name)) report(row, `shippingAddress.${name}`, null, unknownName('field', name, names))
  return address ?? {}
}

function jsonLines(row: number, {lines}: Row['fields'], report: Report): FileLine[] {
  if (!Array.isArray(lines) || lines.length === 0) {
    report(row, 'lines', lines, 'must be a list of at least one {"variantId", "quantity"}')
    return []
  }
  return lines.flatMap((line, at) => {
    const fields = objectOf(line)
    if (fields === undefined) report(row, `lines[${at}]`, line, 'must be an object')
    const known = ['variantId', 'sku', 'quantity']
    for (const name of Object.keys(fields ?? {}))
      if (!known.includes(name)) report(row, `lines[${at}].${name}`, null, unknownName('field', name, known))
    return (fields && lineOf(row, fields, report, `lines[${at}].`)) ?? []
  })
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  const plain =
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return plain ? (value as Record<string, unknown>) : undefined
}
