import {digits} from '../../contract/money.ts'
import type {Session} from '../../session.ts'
import type {OrderEntry} from '../../store/orders.ts'
import type {RecordedOrder} from '../../terminal/views/orders.ts'
import {type JobFile, openJobs} from '../journal.ts'
import {errorOf} from '../report.ts'
import {jobOrders} from './fold.ts'
import {verdictsOf} from './report.ts'

/** Which orders of the local record are wanted; all of those that are given must fit. */
interface OrderFilter {
  /** A status of the service, or an outcome of the record, in any case. */
  status?: string | undefined
  customer?: string | undefined
  /** A part of the reference, in any case. */
  reference?: string | undefined
  /** Milliseconds. */
  since?: number | undefined
}

/**
 * The orders made from this machine, those of bulk jobs among them, the newest first. A job's records are read only
 * once its orders are wanted.
 */
export async function recordedOrders(
  session: Pick<Session, 'orders' | 'folders' | 'identity'>,
  filter: OrderFilter = {},
): Promise<Iterable<RecordedOrder>> {
  const entries = await (await session.orders()).all()
  const rows = () => newestFirst(entries, openJobs(session.folders, session.identity).list())
  return fitting(eachOnce(rows), filter)
}

/**
 * Each order once, where it was placed, and when it was last asked for again. One that was placed elsewhere stands where it
 * was last found. The rows are read a second time only if an order was found that stood already.
 */
function* eachOnce(rows: () => Iterable<Recorded>): Generator<RecordedOrder> {
  const again = new Map<string, string>()
  let placed: Set<string | null> | undefined
  for (const row of rows()) {
    const id = row.orderId ?? ''
    const askedAgainAt = again.get(id) ?? null
    if (row.outcome === 'already-placed') {
      placed ??= new Set([...rows()].flatMap(({outcome, orderId}) => (outcome === 'placed' ? [orderId] : [])))
      if (askedAgainAt === null) again.set(id, row.startedAt)
      if (askedAgainAt !== null || placed.has(id)) continue
    }
    yield {...row, askedAgainAt: row.outcome === 'placed' ? askedAgainAt : null}
  }
}

type Recorded = Omit<RecordedOrder, 'askedAgainAt'>

function* newestFirst(entries: readonly OrderEntry[], jobs: JobFile[]): Generator<Recorded> {
  const single = [...entries].sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
  const newer = (than: string) => (single.at(-1)?.startedAt ?? '') > than
  for (const job of jobs) {
    while (newer(job.head.at)) yield recorded(single.pop() as OrderEntry)
    yield* bulkOrders(job)
  }
  for (const entry of single.reverse()) yield recorded(entry)
}

function* fitting(orders: Iterable<RecordedOrder>, filter: OrderFilter): Generator<RecordedOrder> {
  const {customer, since} = filter
  const [status, reference] = [filter.status?.toLowerCase(), filter.reference?.toLowerCase()]
  for (const order of orders) {
    const is = [order.outcome, order.status].map((word) => word?.toLowerCase())
    if (since !== undefined && Date.parse(order.startedAt) < since) return
    if (status !== undefined && !is.includes(status)) continue
    if (customer !== undefined && order.customerRef !== customer) continue
    if (reference !== undefined && !order.externalReference.toLowerCase().includes(reference)) continue
    yield order
  }
}

/** The orders of a job that were begun. */
function* bulkOrders(job: JobFile): Generator<Recorded> {
  if (job.head.kind !== 'orders') return
  for (const row of verdictsOf(jobOrders(job), job)) {
    if (row.outcome === 'pending' && row.verdict !== 'UNDER WAY') continue
    const {externalReference, customerRef, orderId, total, currency, startedAt, updatedAt, status, error} =
      row
    const outcome = row.outcome === 'pending' ? 'open' : row.outcome
    const named = {externalReference, customerRef, outcome, orderId, total, currency, status}
    yield {...named, startedAt, updatedAt, error}
  }
}

/** The document of a recorded order; the address stays in the record. */
function recorded(entry: OrderEntry): Recorded {
  const {outcome} = entry
  const stands = outcome?.outcome === 'placed' || outcome?.outcome === 'already-placed'
  return {
    externalReference: entry.reference,
    customerRef: entry.customerRef,
    outcome: outcome?.outcome ?? 'open',
    orderId: outcome?.orderId ?? null,
    total: outcome?.total == null ? null : digits(outcome.total),
    currency: outcome?.currency ?? null,
    status: outcome?.status ?? null,
    startedAt: entry.startedAt,
    updatedAt: entry.updatedAt,
    error: outcome && !stands ? errorOf(outcome) : null,
  }
}
