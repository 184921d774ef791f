import {type JobFile, openJobs} from '../../src/bulk/journal.ts'
import {jobOrders} from '../../src/bulk/orders/fold.ts'
import {openBudget} from '../../src/bulk/orders/one.ts'
import type {BulkEvent} from '../../src/bulk/orders/run.ts'
import {runBulkOrders} from '../../src/bulk/orders/run.ts'
import type {JobRecord} from '../../src/bulk/records.ts'
import type {CartLine} from '../../src/flows/cart/lines.ts'
import type {Identity} from '../../src/store/paths.ts'
import {address} from './address.ts'
import {folder} from './program.ts'
import type {Shop} from './shop.ts'
import type {BulkRun} from './types.ts'

export interface Wish {
  reference: string
  customerRef: string
  lines: CartLine[]
  goods?: string
  countryCode?: string
  city?: string
  discountCode?: string
}

export const identity = {origin: 'http://127.0.0.1:1', clientId: 'test', onBehalfOf: null}
const at = '2026-11-20T03:00:00.000Z'

/** A job on disk that holds these orders, and none of them begun. */
export async function planJob(
  wishes: Wish[],
  place = folder(),
  owner: Identity = identity,
): Promise<JobFile> {
  const jobs = openJobs({config: place, state: place}, owner)
  const about = {kind: 'orders', file: '/orders.csv', fileHash: 'hash', program: 'test', options: {}} as const
  const draft = await jobs.draft(about, at)
  await draft.append(plannedRows(wishes))
  return draft.keep()
}

export function plannedRows(wishes: Wish[]): JobRecord[] {
  return wishes.map(
    (
      {reference, customerRef, lines, goods, countryCode = 'SAU', city = address.city, discountCode},
      row,
    ) => ({
      step: 'PLANNED',
      at,
      reference,
      customerRef,
      lines,
      address: {...address, countryCode, city},
      ...(discountCode === undefined ? {} : {discountCode}),
      rows: [row + 2],
      goods: goods ?? null,
    }),
  )
}

/** Runs a job against a shop, as a process would that has just been started. */
export async function runJob(shop: Shop, job: JobFile, more: Partial<BulkRun> = {}) {
  const orders = jobOrders(job)
  orders.readOn()
  const events: BulkEvent[] = []
  const {records: _, ...tools} = shop.tools
  const run: BulkRun = {
    job,
    orders,
    tools,
    rules: {cart: 'require-empty', maxDrift: null, budget: openBudget(null, '0')},
    concurrency: 4,
    stop: new AbortController().signal,
    alone: (_customer, work) => work(),
    tell: (event) => events.push(event),
    ...more,
  }
  const problem = await runBulkOrders(run).then(
    () => undefined,
    (error: unknown) => error,
  )
  orders.readOn()
  const ends = Array.from({length: orders.size}, (_, n) => {
    const outcome = orders.outcome(n)
    return {
      reference: orders.planned(n).reference,
      state: orders.state(n),
      code: outcome?.state ?? null,
      orderId: outcome?.orderId ?? null,
      total: outcome?.total ?? null,
    }
  })
  return {orders, events, ends, problem, states: ends.map(({state}) => state)}
}
