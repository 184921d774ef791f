import {Failure, isFailure} from '../../contract/failure.ts'
import type {Digits} from '../../contract/money.ts'
import {idOf} from '../../flows/cart/lines.ts'
import {isElsewhere, type Open, recover, refusedOrUnknown} from '../../flows/order/machine.ts'
import {noteOutcome, type OrderTools} from '../../flows/order/records.ts'
import {totalOf} from '../../flows/order/take-up.ts'
import type {OrderRecord} from '../../store/orders.ts'
import type {JobFile} from '../journal.ts'
import {pool} from '../pool.ts'
import type {JobRecord} from '../records.ts'
import type {JobOrders} from './fold.ts'
import {
  askFor,
  type BulkOrder,
  type BulkOutcome,
  type BulkRules,
  type BulkTools,
  type BulkWork,
  clearBulkCart,
  placeBulkOrder,
} from './one.ts'

export type BulkEvent =
  | {kind: 'row-started'; reference: string; customerRef: string}
  | {
      kind: 'row-done'
      reference: string
      customerRef: string
      outcome: BulkOutcome['kind']
      orderId: string | null
      total: Digits | null
      failure: Failure | null
    }

interface BulkRun {
  job: JobFile
  orders: JobOrders
  tools: Omit<OrderTools, 'records'>
  rules: BulkRules
  /** Orders under way at a time. */
  concurrency: number
  /** Aborted by the first Ctrl-C: nothing more is started or ordered, an order that was sent is brought to its end. */
  stop: AbortSignal
  /** Runs work while nobody else on this machine orders from that cart. Fails with BUSY. */
  alone<T>(customerRef: string, work: () => Promise<T>): Promise<T>
  tell(event: BulkEvent): void
}

/**
 * Brings every order of a job that is not settled to its end, several at a time, never two of one cart. Those that
 * stay unknown are asked for once more when all others are done. What is not begun when the job stops is left for a
 * resume. Throws the Failure that the service would answer to every other order as well, once those under way ended.
 */
export async function runBulkOrders(run: BulkRun): Promise<void> {
  const tools = bulkTools(run)
  const {orders} = run
  holdOpen(run)
  for (let pass = 1, last = 2; pass <= last && !run.stop.aborted; pass++) {
    const postponed = await workThrough(run, tools, await tidyUp(run, tools))
    orders.readOn()
    // Those that others held up have had no look yet, and get their second one as well.
    if (pass === 1 && (postponed || orders.count('todo') > 0)) last = 3
  }
}

function* numbersOf(orders: JobOrders): Generator<number> {
  for (let at = 0; at < orders.size; at++) yield at
}

function isUnsettled(orders: JobOrders, at: number): boolean {
  const state = orders.state(at)
  // A person was asked to decide: asking the service again would not.
  if (state === 'unknown') return orders.outcome(at)?.state !== 'CONFLICT_ORDER_REQUIRES_INTERVENTION'
  return state === 'todo'
}

function bulkTools({job, orders, tools, stop}: BulkRun): BulkTools {
  return {
    ...tools,
    records: {
      append: (record, options) => job.append(decided(record) as JobRecord, options),
      all: never,
      open: never,
      find: never,
    },
    mark: (reference, step) => job.append({step, reference, at: tools.clock()}),
    ...planOf(orders),
    stop,
  }
}

/** What the file has for a customer. Whose rows they are is only learnt if it is asked for. */
function planOf(orders: JobOrders): Required<Pick<BulkTools, 'orderedFor' | 'isOfFile'>> {
  let rows: Map<string, number[]> | undefined
  const rowsOf = (customerRef: string) => {
    if (rows === undefined) {
      rows = new Map()
      for (const at of numbersOf(orders)) {
        const of = orders.planned(at).customerRef
        rows.set(of, [...(rows.get(of) ?? []), at])
      }
    }
    return rows.get(customerRef) ?? []
  }
  const plansOf = (customerRef: string) => rowsOf(customerRef).map((at) => orders.planned(at))
  return {
    orderedFor: (customerRef) =>
      new Set(plansOf(customerRef).flatMap(({lines}) => lines.map(({variantId}) => idOf(variantId)))),
    isOfFile: (customerRef, wanted) =>
      customerRef !== null && plansOf(customerRef).some(({reference}) => reference === wanted),
  }
}

const never = () => Promise.reject(new Error('a job looks up its orders by number'))

/** A refusal for a reason that is not the order's own decides nothing: a resume does the order again. */
function decided(record: OrderRecord): OrderRecord {
  if (record.step !== 'OUTCOME' || record.outcome !== 'refused') return record
  const {state, http} = record
  const failure = new Failure(state, http === null ? {} : {httpStatus: http})
  return failure.entry.scope === 'row' ? record : {...record, again: true}
}

/** Counts as charged what open orders of earlier runs may have been charged, until they are settled. */
function holdOpen({orders, rules}: BulkRun): void {
  for (const at of numbersOf(orders)) {
    const maybe = orders.wasSubmitted(at) && ['todo', 'unknown'].includes(orders.state(at))
    const entry = maybe ? orders.entry(at) : undefined
    const total = entry && totalOf(entry)
    if (entry && total != null) rules.budget.hold(entry.reference, total)
  }
}

/**
 * Clears carts that a run left behind when it was cut off between an outcome and its tidying. Returns the customers
 * whose carts are in use and could not be cleared, with nothing known to be open there.
 */
async function tidyUp(run: BulkRun, tools: BulkTools): Promise<Map<string, Open>> {
  const {orders} = run
  const inUse = new Map<string, Open>()
  for (const at of numbersOf(orders)) {
    const left = orders.isFilled(at) && ['placed', 'already-placed', 'refused'].includes(orders.state(at))
    if (!left || run.stop.aborted) continue
    const order = orderOf(orders, at)
    const refusal = orders.state(at) === 'refused' ? (orders.outcome(at)?.state ?? null) : null
    const done = await whileAlone(run, order.customerRef, () => clearBulkCart(tools, order, refusal))
    if (done === 'busy') inUse.set(order.customerRef, [])
  }
  return inUse
}

/** Runs work while nobody else on this machine orders from that cart; `busy`, with nothing done, if somebody does. */
async function whileAlone<T>(run: BulkRun, customerRef: string, work: () => Promise<T>): Promise<T | 'busy'> {
  let begun = false
  try {
    return await run.alone(customerRef, () => {
      begun = true
      return work()
    })
  } catch (error) {
    if (begun || !isFailure(error, 'BUSY')) throw error
    return 'busy'
  }
}

function orderOf(orders: JobOrders, at: number): BulkOrder {
  const {reference, customerRef, lines, address, discountCode, goods} = orders.planned(at)
  return {reference, customerRef, lines, address, discountCode, goods}
}

function workOf(orders: JobOrders, at: number): BulkWork {
  return {order: orderOf(orders, at), earlier: orders.entry(at), filled: orders.isFilled(at)}
}

/**
 * Works on as many orders at a time as asked for, never two of one cart. `stuck` are the customers into whose carts
 * nothing may be put: an order is open there, or the cart is in use. Returns whether any was put off for that.
 */
async function workThrough(run: BulkRun, tools: BulkTools, stuck: Map<string, Open>): Promise<boolean> {
  const queues = new Map<string, number[]>()
  let postponed = false
  const workOnCart = async (customerRef: string, goesOn: () => boolean) => {
    const queue = queues.get(customerRef) ?? []
    for (let at = queue.shift(); at !== undefined && goesOn(); at = queue.shift()) {
      const work = workOf(run.orders, at)
      const before = stuck.get(customerRef)
      const ended = await settle(run, tools, work, before)
      postponed ||= before !== undefined
      if (before === undefined && (ended === 'unknown' || ended === 'busy'))
        stuck.set(customerRef, openElsewhere(run.orders, at))
    }
    queues.delete(customerRef)
  }
  await pool(run.concurrency, freeCarts(run.orders, queues), workOnCart, run.stop)
  return postponed
}

/** What another run of the file may have open in the cart of an order, as its outcome says. */
function openElsewhere(orders: JobOrders, at: number): Open {
  orders.readOn()
  const {open} = recover(orders.entry(at)).state
  return isElsewhere(open) ? open : []
}

/** The carts of unsettled orders that nobody works on, each once its next order is at the head of a queue of its own. */
function* freeCarts(orders: JobOrders, queues: Map<string, number[]>): Generator<string> {
  for (const at of numbersOf(orders)) {
    if (!isUnsettled(orders, at)) continue
    const {customerRef} = orders.planned(at)
    const queue = queues.get(customerRef)
    if (queue) queue.push(at)
    else {
      queues.set(customerRef, [at])
      yield customerRef
    }
  }
}

/** Brings an order to its end, or puts it off: because its cart is in use, or because something is open there. */
async function settle(
  run: BulkRun,
  tools: BulkTools,
  work: BulkWork,
  before: Open | undefined,
): Promise<BulkOutcome['kind'] | 'left' | 'busy'> {
  const {order} = work
  const {reference, customerRef} = order
  run.tell({kind: 'row-started', reference, customerRef})
  try {
    const outcome = before
      ? 'busy'
      : await whileAlone(run, customerRef, () => placeBulkOrder(tools, work, run.rules))
    if (outcome === 'busy' && run.stop.aborted) return 'left'
    if (outcome === 'busy') await postpone(run, tools, work, before ?? [])
    else tellDone(run, order, outcome)
    return outcome === 'busy' ? 'busy' : outcome.kind
  } catch (error) {
    // Interrupted while it waited: what is known of this order is on disk, and a resume goes on.
    const waited = isFailure(error) && (error.code === 'INTERRUPTED' || error.entry.scope === 'wait')
    if (waited && run.stop.aborted) return 'left'
    throw error
  }
}

/**
 * An order whose cart is not free: not sent, and done when it is, unless the service knows it already. One that is open
 * stays what it is. Where another run has left something `open`, that may order this one as well.
 */
async function postpone(run: BulkRun, tools: BulkTools, work: BulkWork, open: Open): Promise<void> {
  const {order, earlier} = work
  if (recover(earlier).state.open.length > 0) return
  const known = await askFor(tools, order, [])
  const message = `The cart of ${order.customerRef} is in use, or an earlier order of it is not settled yet.`
  const failure = new Failure('OPEN_ORDER', {message, effect: 'none'})
  const outcome = known ?? (open.length > 0 ? refusedOrUnknown(failure, open) : undefined)
  await noteOutcome(tools, order, outcome ?? {kind: 'relock', failure, open})
  tellDone(run, order, outcome ?? {kind: 'refused', failure})
}

function tellDone(run: BulkRun, {reference, customerRef}: BulkOrder, outcome: BulkOutcome): void {
  const order = 'order' in outcome ? outcome.order : undefined
  run.tell({
    kind: 'row-done',
    reference,
    customerRef,
    outcome: outcome.kind,
    orderId: order?.orderId ?? null,
    total: order?.total ?? null,
    failure: 'failure' in outcome ? outcome.failure : null,
  })
}
