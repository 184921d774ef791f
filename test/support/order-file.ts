import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {address} from './address.ts'

const columns = [
  ...['externalReference', 'customerRef', 'variantId', 'sku', 'quantity', 'recipient', 'line1', 'city'],
  ...['nationalAddress', 'countryCode', 'phone'],
] as const

type Row = Partial<Record<(typeof columns)[number], string | number>>

/** Writes a CSV file of orders; a row says what is not as usual. */
export function orderFile(folder: string, name: string, rows: Row[]): string {
  const usual: Row = {sku: 'RML-SAF-050', quantity: 1, ...address}
  const lines = rows.map((row) => columns.map((column) => row[column] ?? usual[column] ?? '').join(','))
  const path = join(folder, name)
  writeFileSync(path, `${columns.join(',')}\n${lines.join('\n')}\n`)
  return path
}

/** So many orders of one line each, for as many customers as asked for. */
export function manyOrders(prefix: string, count: number, customers = count): Row[] {
  return Array.from({length: count}, (_, n) => ({
    externalReference: `${prefix}-${n}`,
    customerRef: `${prefix}-C${n % customers}`,
  }))
}
