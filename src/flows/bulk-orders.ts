import {Failure, isFailure} from '../contract/failure.ts'
import type {Digits} from '../contract/money.ts'
import type {JobOrders} from '../store/job-orders.ts'
import type {JobFile} from '../store/jobs.ts'
import {
  type BulkOrder,
  type BulkOutcome,
  type BulkRules,
  type BulkTools,
  type BulkWork,
  clearBulkCart,
  placeBulkOrder,
} from './bulk-order.ts'
import {noteOutcome, type OrderTools} from './order-intent.ts'
import {endsRow} from './outage.ts'

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

export interface BulkRun {
  job: JobFile
  orders: JobOrders
  tools: Omit<OrderTools, 'records'>
  rules: BulkRules
  /** Orders under way at a time. */
  concurrency: number
  /** Aborted by the first Ctrl-C: nothing more is started, what is under way is brought to its end. */
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
  await tidyUp(run, tools)
  const {orders} = run
  const unsettled = () => [...numbersOf(orders)].filter((at) => isUnsettled(orders, at))
  await workThrough(run, tools, numbersOf(orders))
  orders.readOn()
  if (!run.stop.aborted) await workThrough(run, tools, unsettled())
  orders.readOn()
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

function bulkTools({job, tools, stop}: BulkRun): BulkTools {
  return {
    ...tools,
    records: {
      append: (record, options) => job.append(record as Parameters<JobFile['append']>[0], options),
      all: never,
      open: never,
      find: never,
    },
    mark: (reference, step) => job.append({step, reference, at: tools.clock()}),
    markReopened: (reference, state) => job.append({step: 'REOPENED', reference, state, at: tools.clock()}),
    stop,
  }
}

const never = () => Promise.reject(new Error('a job looks up its orders by number'))

/** Carts that a run left behind when it was cut off between an outcome and its tidying. */
async function tidyUp({orders}: BulkRun, tools: BulkTools): Promise<void> {
  for (const at of numbersOf(orders)) {
    const left = orders.isFilled(at) && ['placed', 'already-placed', 'refused'].includes(orders.state(at))
    if (left) await clearBulkCart(tools, orderOf(orders, at))
  }
}

function orderOf(orders: JobOrders, at: number): BulkOrder {
  const {reference, customerRef, lines, address, discountCode, goods} = orders.planned(at)
  return {reference, customerRef, lines, address, discountCode, goods}
}

function workOf(orders: JobOrders, at: number): BulkWork {
  return {order: orderOf(orders, at), earlier: orders.entry(at), filled: orders.isFilled(at)}
}

/** Works on as many orders at a time as asked for; those of a cart that is busy wait for it. */
async function workThrough(run: BulkRun, tools: BulkTools, numbers: Iterable<number>): Promise<void> {
  const queue = numbers[Symbol.iterator]()
  const waiting = new Map<string, number[]>()
  /** Carts in which an order is open: nothing else may be put into them. */
  const stuck = new Set<string>()
  let failure: unknown
  const goesOn = () => failure === undefined && !run.stop.aborted

  /** The next order whose cart is free. */
  function next(): BulkWork | undefined {
    for (let found = queue.next(); !found.done; found = queue.next()) {
      if (!isUnsettled(run.orders, found.value)) continue
      const work = workOf(run.orders, found.value)
      const {customerRef} = work.order
      const others = waiting.get(customerRef)
      if (others === undefined) {
        waiting.set(customerRef, [])
        return work
      }
      others.push(found.value)
    }
    return undefined
  }

  async function worker(): Promise<void> {
    for (let work = next(); work && goesOn(); work = next()) {
      const {customerRef} = work.order
      for (let own: BulkWork | undefined = work; own && goesOn(); ) {
        if (stuck.has(customerRef)) await leave(run, tools, own)
        else if ((await settle(run, tools, own)) === 'unknown') stuck.add(customerRef)
        const after: number | undefined = waiting.get(customerRef)?.shift()
        own = after === undefined ? undefined : workOf(run.orders, after)
      }
      waiting.delete(customerRef)
    }
  }

  const guarded = () =>
    worker().catch((error: unknown) => {
      failure ??= error
    })
  await Promise.all(Array.from({length: run.concurrency}, guarded))
  if (failure !== undefined) throw failure
}

async function settle(run: BulkRun, tools: BulkTools, work: BulkWork): Promise<BulkOutcome['kind'] | 'left'> {
  const {order} = work
  const {reference, customerRef} = order
  run.tell({kind: 'row-started', reference, customerRef})
  try {
    const outcome = await run.alone(customerRef, () => placeBulkOrder(tools, work, run.rules))
    tellDone(run, order, outcome)
    return outcome.kind
  } catch (error) {
    // Interrupted in an outage: nothing of this order is open, and a resume does it.
    if (isFailure(error) && run.stop.aborted && endsRow(error) === 'outage') return 'left'
    if (!isFailure(error, 'BUSY')) throw error
    const outcome = {kind: 'refused', failure: error} as const
    await noteOutcome(tools, order, outcome)
    tellDone(run, order, outcome)
    return 'refused'
  }
}

/** An order whose cart holds one that is not settled: not sent, and done once that one is. */
async function leave(run: BulkRun, tools: BulkTools, {order, earlier}: BulkWork): Promise<void> {
  if (earlier.pending.length > 0) return
  const message = `An earlier order of ${order.customerRef} is not settled yet.`
  const failure = new Failure('OPEN_ORDER', {message, effect: 'none'})
  await noteOutcome(tools, order, {kind: 'refused', failure})
  await tools.markReopened(order.reference, failure.code)
  run.tell({
    kind: 'row-done',
    reference: order.reference,
    customerRef: order.customerRef,
    outcome: 'refused',
    orderId: null,
    total: null,
    failure,
  })
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
