import {accessSync, constants, createWriteStream, existsSync} from 'node:fs'
import {dirname} from 'node:path'
import {Failure} from '../../contract/failure.ts'
import type {Digits} from '../../contract/money.ts'
import {badge, type Cell, money, time} from '../../terminal/cells.ts'
import {Outlet, showCsv} from '../../terminal/output.ts'
import type {Column, Field, Table} from '../../terminal/table.ts'
import {safe, type Tone} from '../../terminal/text.ts'

/** The verdict on an order of a job. */
export interface VerdictView {
  externalReference: string
  customerRef: string
  outcome: string
  orderId: string | null
  total: Digits | null
  currency: string | null
  verdict: string
  why: string
  rows: number[]
  error: {state: string} | null
}

const verdictTones: Record<string, Tone> = {
  'CHARGED ONCE': 'good',
  'NOT CHARGED': 'warn',
  UNKNOWN: 'bad',
}

export const verdictColumns: Column<VerdictView>[] = [
  {key: 'reference', header: 'Reference', whole: true, get: (row) => row.externalReference},
  {key: 'verdict', header: 'Verdict', whole: true, get: ({verdict}) => badge(verdict, verdictTones)},
  {key: 'outcome', header: 'Outcome', shown: 'plain', get: ({outcome}) => outcome},
  {key: 'order', header: 'Order', yields: true, get: ({orderId}) => orderId},
  {key: 'total', header: 'Total', yields: true, get: ({total, currency}) => money(total, currency)},
  {key: 'currency', header: 'Currency', shown: 'plain', get: ({currency}) => currency},
  {key: 'customer', header: 'Customer', yields: true, get: ({customerRef}) => customerRef},
  {key: 'rows', header: 'Line', get: ({rows}) => rows.join(' ')},
  {key: 'state', header: 'State', shown: 'plain', get: ({error}) => error?.state},
  {key: 'why', header: 'Why', get: ({why}) => why},
]

interface Counted {
  placed: number
  alreadyPlaced: number
  refused: number
  unknown: number
  pending?: number
}

/** What a job adds up to. */
export function summaryFields(
  {placed, alreadyPlaced, refused, unknown, pending = 0}: Counted,
  charged: Cell,
  ledger: string | null,
): Field[] {
  const some = (label: string, count: number) => (count > 0 ? [{label, cell: count}] : [])
  return [
    {label: 'Charged once', cell: placed},
    ...some('Ordered before', alreadyPlaced),
    ...some('Not charged', refused),
    ...some('Unknown', unknown),
    ...some('Not begun', pending),
    {label: 'Charged in all', cell: charged},
    ...(ledger === null ? [] : [{label: 'Ledger', cell: ledger}]),
  ]
}

interface Proof {
  proved: boolean
  debits: number
  total: string
  missing: string[]
  others: number
}

export function proofText({proved, debits, missing, others}: Proof): string {
  const beside = others > 0 ? `; ${others} other debits of orders since the job began` : ''
  return proved
    ? `placed orders and debits match, ${debits} to ${debits}, each total its own${beside}`
    : `of ${debits + missing.length} placed orders ${missing.length} have no debit (${missing.slice(0, 5).join(', ')})${beside}`
}

/** A job of the local record. */
export interface JobRow {
  id: string
  kind: string
  file: string
  state: string
  startedAt: string
  summary: Record<string, number>
}

const jobTones: Record<string, Tone> = {
  running: 'warn',
  interrupted: 'bad',
  damaged: 'bad',
  unsettled: 'bad',
  finished: 'good',
}

export const jobColumns: Column<JobRow>[] = [
  {key: 'job', header: 'Job', whole: true, get: ({id}) => id},
  {key: 'kind', header: 'Kind', get: ({kind}) => kind},
  {key: 'state', header: 'State', get: ({state}) => badge(state, jobTones)},
  {key: 'started', header: 'Started', get: ({startedAt}) => time(startedAt)},
  {key: 'summary', header: 'Summary', get: ({summary}) => summaryText(summary)},
  {key: 'file', header: 'File', yields: true, get: ({file}) => file},
]

const words: Record<string, string> = {alreadyPlaced: 'ordered before', pending: 'not begun'}

function summaryText(summary: Record<string, number>): string {
  const some = Object.entries(summary).filter(([, count]) => count > 0)
  return some.map(([name, count]) => `${count} ${words[name] ?? name}`).join(', ') || 'nothing yet'
}

export function verdictTable(rows: Iterable<VerdictView>, title: string, empty: string): Table<VerdictView> {
  return {columns: verdictColumns, rows, title, empty}
}

/** A line of a refused order, as a file of orders has it. */
export interface RefusedRow {
  externalReference: string
  customerRef: string
  variantId: string
  quantity: number
  discountCode?: string | undefined
  problem: string
  [field: string]: string | number | undefined
}

const refusedOrderColumns: readonly string[] = [
  ...['externalReference', 'customerRef', 'variantId', 'quantity', 'recipient', 'line1', 'line2', 'city'],
  ...['nationalAddress', 'region', 'postalCode', 'countryCode', 'phone', 'discountCode', 'problem'],
]
export const refusedCartColumns = ['customerRef', 'variantId', 'quantity', 'problem']

/** Fails with INVALID_INPUT where there is such a file already: it may be the one that was imported. */
export function requireNew(path: string): void {
  requireFolder(path)
  if (!existsSync(path)) return
  throw new Failure('INVALID_INPUT', {
    message: `${JSON.stringify(path)} exists already, and is not overwritten.`,
    hint: 'Give --refused the name of a new file.',
  })
}

/** What can't be written is known before a job runs for it. */
function requireFolder(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK)
  } catch (error) {
    throw new Failure('INVALID_INPUT', {
      message: `${JSON.stringify(path)} can't be written (${(error as NodeJS.ErrnoException).code}).`,
      hint: 'Give --refused a file in a folder that can be written to.',
    })
  }
}

/** Writes refused rows as CSV that can be corrected and imported again. Answers what was done, in a sentence. */
export async function writeRefused(
  path: string,
  rows: Iterable<object>,
  names = refusedOrderColumns,
): Promise<string> {
  const list = rows[Symbol.iterator]()
  const first = list.next()
  if (first.done) return `Nothing was refused; ${path} was not written.`
  const out = new Outlet(createWriteStream(path, {flags: 'wx', mode: 0o600}))
  const all = (function* () {
    yield first.value
    yield* {[Symbol.iterator]: () => list}
  })()
  // What the file said comes back letter for letter; a problem may quote the service.
  const cellOf = (row: Record<string, Cell>, key: string) =>
    key === 'problem' ? safe(row.problem) : row[key]
  const columns = names.map((key) => ({
    key,
    header: key,
    get: (row: Record<string, Cell>) => cellOf(row, key),
  }))
  await showCsv(out, {rows: all}, columns, String)
  await new Promise<void>((done) => out.stream.end(done))
  if (out.problem)
    throw new Failure('FILE_FAILED', {message: `${path} could not be written (${out.problem.code}).`})
  return `The refused rows are in ${path}: correct them there, and import that file.`
}
