import {createHash} from 'node:crypto'
import {addressFields, fieldRule} from '../../contract/address.ts'
import type {ShippingAddress} from '../../contract/orders.ts'
import {longerThan} from '../../contract/wire.ts'
import {quantities} from '../../flows/cart/lines.ts'
import type {Report} from '../../store/problems.ts'
import type {Row} from '../../store/rows.ts'
import {
  checkRows,
  groupsIn,
  MOST_LINES,
  type RowKind,
  type RowRead,
  type RowsFile,
  type Source,
  tooMany,
} from '../file/groups.ts'
import {
  cellsOf,
  customerRule,
  type FileLine,
  keyRule,
  lineOf,
  type Reading,
  textOf,
  unknownName,
  type VariantsBySku,
} from '../file/rows.ts'

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

/** Reads a whole file of orders, and checks it; see checkRows(). */
export const checkOrderFile = (file: Source, found?: VariantsBySku) =>
  checkRows(file, orderKind(file.form), found)

/** The orders of a file that was checked; see groupsIn(). */
export async function* ordersIn(
  file: Source,
  checked: Pick<RowsFile, 'index'>,
  found?: VariantsBySku,
): AsyncGenerator<FileOrder> {
  for await (const {key: reference, values, lines, rows} of groupsIn(
    file,
    orderKind(file.form),
    checked,
    found,
  )) {
    const [customerRef = '', discountCode, ...address] = values
    const filled = addressFields.flatMap(({name}, at) => (address[at] ? [[name, address[at]] as const] : []))
    yield {
      reference,
      customerRef,
      lines,
      address: Object.fromEntries(filled) as ShippingAddress,
      ...(discountCode ? {discountCode} : {}),
      rows,
    }
  }
}

/** Equal for equal baskets, whatever the order of their lines. */
export function basketOf(lines: readonly {variantId?: string; quantity: number}[]): string {
  const text = [...quantities(lines.map(({variantId = '', quantity}) => ({variantId, quantity})))]
    .map(([id, quantity]) => `${id}=${quantity}`)
    .sort()
    .join()
  return createHash('sha256').update(text).digest('base64')
}

const shared = ['customerRef', 'discountCode', ...addressFields.map(({name}) => name)]
/** The lines that were refused come back with a column of their problems: corrected, the file is good as it is. */
export const PROBLEM = 'problem'
const orderFields = ['externalReference', 'customerRef', 'discountCode', 'shippingAddress', 'lines', PROBLEM]
const lineFields = ['variantId', 'sku', 'quantity']

/** The columns of a CSV file, as the template has them. */
export const orderColumns: readonly string[] = [
  ...['externalReference', 'customerRef', ...lineFields],
  ...addressFields.map(({name}) => name),
  'discountCode',
]

const orderKind = (form: Source['form']): RowKind => ({
  forms: 'order',
  key: 'externalReference',
  known: [...orderColumns, PROBLEM],
  required: [
    'externalReference',
    'customerRef',
    ['variantId', 'sku'],
    'quantity',
    ...addressFields.filter((field) => field.required).map(({name}) => name),
  ],
  shared: shared.map((name) => ({
    column: columnOf(form, name),
    rule: (value) => sharedRule(name, value),
  })),
  read: (row, reading) => readRow(form, row, reading),
})

function sharedRule(name: string, value: string): string | undefined {
  if (name === 'customerRef')
    return value === ''
      ? 'is required: the cart without one cannot be cleared, so it is never used for bulk orders'
      : customerRule(value)
  if (name === 'discountCode') return value === '' ? undefined : keyRule(value)
  const field = addressFields.find((one) => one.name === name)
  return field && fieldRule(field, value)
}

const isAddress = (name: string) => addressFields.some((field) => field.name === name)

const columnOf = (form: Source['form'], name: string) =>
  form === 'ndjson' && isAddress(name) ? `shippingAddress.${name}` : name

/** not shown: the longest reference. */
const LONGEST_REFERENCE = 1000

function readRow(form: Source['form'], row: Row, reading: Reading): RowRead {
  const {report} = reading
  const fields = form === 'csv' ? cellsOf(row) : row.fields
  const lines =
    form === 'csv' ? [lineOf(row.line, fields, reading) ?? []].flat() : jsonLines(row.line, fields, reading)
  const address = form === 'csv' ? fields : jsonAddress(row.line, fields, report)
  const values = shared.map((name) =>
    textOf(row.line, columnOf(form, name), (isAddress(name) ? address : fields)[name], report),
  )
  const reference = textOf(row.line, 'externalReference', fields.externalReference, report)
  const rule = reference === undefined ? undefined : referenceRule(reference)
  if (rule !== undefined) report(row.line, 'externalReference', reference, rule)
  return {key: rule === undefined ? reference : undefined, values, lines}
}

const referenceRule = (text: string) =>
  longerThan(text, LONGEST_REFERENCE) ? `must have at most ${LONGEST_REFERENCE} characters` : keyRule(text)

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

/** Lines above the limit are not looked at: one row may hold any number of them. */
function jsonLines(row: number, {lines, externalReference}: Row['fields'], reading: Reading): FileLine[] {
  const {report} = reading
  if (!Array.isArray(lines) || lines.length === 0) {
    report(row, 'lines', lines, 'must be a list of at least one {"variantId", "quantity"}')
    return []
  }
  if (lines.length > MOST_LINES) report(row, 'externalReference', externalReference, tooMany('order'))
  return lines.slice(0, MOST_LINES).flatMap((line, at) => {
    const fields = objectOf(line)
    if (fields === undefined) report(row, `lines[${at}]`, line, 'must be an object')
    for (const name of Object.keys(fields ?? {}))
      if (!lineFields.includes(name))
        report(row, `lines[${at}].${name}`, null, unknownName('field', name, lineFields))
    return (fields && lineOf(row, fields, reading, `lines[${at}].`)) ?? []
  })
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  const plain =
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return plain ? (value as Record<string, unknown>) : undefined
}
