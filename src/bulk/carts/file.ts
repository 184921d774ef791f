import type {Row} from '../../store/rows.ts'
import {checkRows, groupsIn, type RowKind, type RowRead, type RowsFile, type Source} from '../file/groups.ts'
import {
  cellsOf,
  customerRule,
  type FileLine,
  lineOf,
  type Reading,
  textOf,
  unknownName,
  type VariantsBySku,
} from '../file/rows.ts'

/** What a file wants to have in one cart. */
interface FileCart {
  customerRef: string
  lines: FileLine[]
  /** The lines of the file that it comes from. */
  rows: number[]
}

/** Reads a whole file of cart lines, and checks it; see checkRows(). `customer` stands in if a row names no customerRef. */
export const checkCartFile = (file: Source, customer: string | undefined, found?: VariantsBySku) =>
  checkRows(file, cartKind(file.form, customer), found)

/** The carts of a file that was checked; see groupsIn(). */
export async function* cartsIn(
  file: Source,
  checked: Pick<RowsFile, 'index'>,
  customer: string | undefined,
  found?: VariantsBySku,
): AsyncGenerator<FileCart> {
  const kind = cartKind(file.form, customer)
  for await (const {key: customerRef, lines, rows} of groupsIn(file, kind, checked, found))
    yield {customerRef, lines, rows}
}

/** The columns of a CSV file, as the template has them. */
export const cartColumns: readonly string[] = ['customerRef', 'variantId', 'sku', 'quantity']
/** A column of problems may stand there, as in a file of orders. */
const known = [...cartColumns, 'problem']

const cartKind = (form: Source['form'], customer: string | undefined): RowKind => ({
  forms: 'cart',
  key: 'customerRef',
  known,
  required: [['variantId', 'sku'], 'quantity'],
  shared: [],
  read: (row, reading) => readRow(form, row, customer, reading),
})

function readRow(form: Source['form'], row: Row, customer: string | undefined, reading: Reading): RowRead {
  const {report} = reading
  const fields = form === 'csv' ? cellsOf(row) : row.fields
  if (form === 'ndjson')
    for (const name of Object.keys(fields))
      if (!known.includes(name)) report(row.line, name, null, unknownName('field', name, known))
  const lines = [lineOf(row.line, fields, reading) ?? []].flat()
  const given = textOf(row.line, 'customerRef', fields.customerRef, report)
  const customerRef = given === '' ? (customer ?? '') : given
  const rule = customerRef === undefined ? undefined : cartRule(customerRef, customer)
  if (rule !== undefined) report(row.line, 'customerRef', customerRef, rule)
  return {key: rule === undefined ? customerRef : undefined, values: [], lines}
}

function cartRule(customerRef: string, customer: string | undefined): string | undefined {
  if (customerRef === '')
    return 'is required, in the file or as --customer: the cart without one cannot be set'
  const rule = customerRule(customerRef)
  if (rule !== undefined || customer === undefined || customerRef === customer) return rule
  return `differs from that of --customer, ${JSON.stringify(customer)}`
}
