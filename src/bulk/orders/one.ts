import {Failure, isFailure} from '../../contract/failure.ts'
import {amountText, exact} from '../../contract/money.ts'
import {type CartLine, idOf, linesOf, sameLines} from '../../flows/cart/lines.ts'
import {askByReference} from '../../flows/order/ask.ts'
import {
  isBusy,
  type Locked,
  lockCart,
  noteLock,
  notReady,
  orderLocked,
  waitForCart,
} from '../../flows/order/lock.ts'
import {
  next,
  type Open,
  type OrderOutcome,
  type OrderState,
  plan,
  recover,
  refusedOrUnknown,
} from '../../flows/order/machine.ts'
import {priceOf} from '../../flows/order/price.ts'
import {noteOutcome, type OrderIntent, type OrderTools} from '../../flows/order/records.ts'
import {asAnotherRun} from '../../flows/order/submit.ts'
import {askAgain} from '../../flows/order/take-up.ts'
import {patiently} from '../../flows/outage.ts'
import type {OrderEntry} from '../../store/orders.ts'
import {leavable} from '../leave.ts'
import {type CartRule, fillExactly, heldBefore, takeBack} from './fill.ts'

/** One order of a bulk file. */
export interface BulkOrder extends OrderIntent {
  customerRef: string
  lines: CartLine[]
  /** What its lines cost with VAT when the job was planned; null if that is not known. */
  goods: string | null
}

export interface BulkRules {
  cart: CartRule
  /**
   * By which part the goods of an order may cost more than planned, such as 0.02. null: by nothing, as the plan was
   * approved, and an order is not refused for a price that is not known.
   */
  maxDrift: string | null
  budget: Budget
}

export interface BulkTools extends OrderTools {
  /** Steps of a job's journal that a single order has not. */
  mark(reference: string, step: 'FILLING' | 'CLEARED'): Promise<void>
  /** The variants, by their ids in lower case, that the file orders for a customer. */
  orderedFor(customerRef: string): ReadonlySet<string>
  isOfFile: NonNullable<OrderTools['isOfFile']>
  /** Ends the waits for a service that does not answer as well; nothing that was sent is given up for it. */
  stop: AbortSignal
}

export interface BulkWork {
  order: BulkOrder
  /** What is known of it from before. */
  earlier: OrderEntry
  /** Whether its cart may hold lines of it already. */
  filled: boolean
}

/** An order while it is worked on. */
interface Row {
  tools: BulkTools
  order: BulkOrder
  rules: BulkRules
  earlier: OrderEntry
  /** Where it stands before a lock is taken. */
  state: OrderState
  /** The cart may hold lines of it. */
  filled: boolean
}

export type BulkOutcome = Exclude<OrderOutcome, {kind: 'relock'}>

/** How often a cart is brought back to the order's lines that somebody else changes. */
const ROUNDS = 3

/**
 * Brings one order of a file to its end: cart, lock, order, each once, whatever an earlier run has left. Its outcome
 * is on disk when this returns. An outage of the service is waited for. If that lasts, and if the service would
 * refuse every other order as well, it throws that Failure, and a resume does the order again.
 */
export async function placeBulkOrder(
  given: BulkTools,
  {order: wanted, earlier, filled}: BulkWork,
  rules: BulkRules,
): Promise<BulkOutcome> {
  const tools = leavingTools(given, earlier.pending.length > 0)
  const order = {...wanted, since: earlier.locks[0]?.pricedAt}
  const sent = earlier.pending.length > 0
  const row: Row = {tools, order, rules, earlier, state: recover(earlier).state, filled: filled || sent}
  const outcome = await patiently(tools, askingAgain(tools, order), () => bringToEnd(row))
  const charged = outcome.kind === 'placed' ? outcome.order.total : null
  if (outcome.kind !== 'unknown')
    rules.budget.settle(order.reference, charged === null ? null : String(charged))
  if (row.filled) await tidy(tools, order, outcome)
  return outcome
}

/**
 * What waits only for its turn is left when the user stops; an order that was sent, here or by another run, is brought to
 * its end.
 */
function leavingTools(tools: BulkTools, wasSent: boolean): BulkTools {
  let isSent = wasSent
  const append: BulkTools['records']['append'] = (record, options) => {
    isSent ||= record.step === 'SUBMITTING' || (record.step === 'OUTCOME' && record.outcome === 'unknown')
    return tools.records.append(record, options)
  }
  const client = leavable(tools.client, tools.stop, () => isSent)
  return {...tools, client, records: {...tools.records, append}}
}

const askingAgain =
  (tools: BulkTools, {reference}: BulkOrder) =>
  (code: string, inMs: number) =>
    tools.tell({kind: 'asking-again', reference, code, inMs})

/** One way to an outcome. Throws what another try may help against, and what ends the job. */
async function bringToEnd(row: Row): Promise<BulkOutcome> {
  let outcome: BulkOutcome
  try {
    outcome = (await settleEarlier(row)) ?? (await fillAndOrder(row))
  } catch (error) {
    if (!isFailure(error) || error.entry.scope !== 'row') throw error
    outcome = await end(row, await heed(row, error))
  }
  // Refused for a reason that is not the order's own: the record says that it is to be done again.
  if (outcome.kind === 'refused' && outcome.failure.entry.scope !== 'row') throw outcome.failure
  return outcome
}

/** Asks again for an order that was sent; undefined if a new lock is needed, or if it was not sent. */
async function settleEarlier(row: Row): Promise<BulkOutcome | undefined> {
  if (row.state.at === 'PLANNED') return undefined
  const outcome = await askAgain(row.tools, row.earlier)
  if (outcome.kind !== 'relock') return outcome
  row.state = plan(outcome.open).state
  return undefined
}

/**
 * What a failure shows of another run of the file: lines of it in a cart that this run did not fill, an order of it that
 * this run does not make in flight there, or a cart that changes again and again. Such a run may charge the order yet,
 * and then it is open.
 */
async function heed(row: Row, failure: Failure): Promise<Failure> {
  const {tools, order} = row
  const {customerRef, reference} = order
  const held = heldBefore(failure)
  if (held && !held.mayHoldOurs) {
    row.filled = false
    await tools.mark(reference, 'CLEARED')
  }
  const seen = held
    ? held.lines.some(({variantId}) => tools.orderedFor(customerRef).has(idOf(variantId)))
    : failure.code === 'CHANGED_MEANWHILE' || tools.isOfFile(customerRef, pendingOf(failure))
  if (!seen) return failure
  row.state = next(row.state, {kind: 'another-run'}).state
  return asAnotherRun(failure)
}

/** The order in flight in a cart that can't be ordered from for it. */
function pendingOf({facts}: Failure): unknown {
  return (facts.details as {pendingOrderReference?: unknown} | null | undefined)?.pendingOrderReference
}

/**
 * Nothing more is to be learnt of an order by ordering it: refused, or unknown if an attempt is open; unless the service
 * knows the order, which is asked for by its reference.
 */
async function end({tools, order, state}: Row, failure: Failure): Promise<BulkOutcome> {
  const known = await askFor(tools, order, state.open)
  const outcome = known ?? refusedOrUnknown(failure, state.open)
  await noteOutcome(tools, order, outcome)
  return outcome
}

/** What the service knows of an order, by its reference alone; an outage is waited for. */
export function askFor(tools: BulkTools, order: BulkOrder, open: Open): Promise<BulkOutcome | undefined> {
  return patiently(tools, askingAgain(tools, order), () => askByReference(tools, order, open))
}

async function fillAndOrder(row: Row): Promise<BulkOutcome> {
  const {tools, order, rules} = row
  let last = new Failure('CHANGED_MEANWHILE', {
    message: `Somebody else changes the cart of ${order.customerRef} again and again.`,
  })
  for (let round = 1; round <= ROUNDS; round++) {
    const locked = await fillAndLock(row)
    if (locked === undefined) continue
    requireApproved(order, locked, rules)
    await noteLock(tools, order, locked)
    order.since ??= locked.preview.pricedAt
    const ordered = await orderLocked(tools, order, locked, locked.lock.total, row.state.open)
    if (ordered.kind === 'relock') last = ordered.failure
    else if (ordered.kind !== 'blocked' && ordered.kind !== 'changed') return ordered
  }
  return end(row, await heed(row, last))
}

/** A lock on just the lines of the order; undefined if somebody else changed or used the cart meanwhile. */
async function fillAndLock(row: Row): Promise<Locked | undefined> {
  const {tools, order, rules, filled, state} = row
  if (!filled) await tools.mark(order.reference, 'FILLING')
  row.filled = true
  const holder = filled ? 'ours' : state.open.length > 0 ? 'another' : 'nobody'
  if (!(await fillExactly(tools.client, order, rules.cart, holder))) return undefined
  const outcome = await lockCart(tools, order.customerRef)
  if (outcome.kind === 'locked')
    return sameLines(order.lines, outcome.locked.lines) ? outcome.locked : undefined
  if (!isBusy(outcome.preview)) {
    const failure = notReady(outcome.preview)
    const changed =
      failure.code === 'BUSINESS_CART_NOT_CHECKOUT_READY' && !sameLines(order.lines, linesOf(outcome.preview))
    if (changed) return undefined
    throw failure
  }
  await waitForCart(tools, order, outcome.preview, async (preview, _, ours) => {
    if (!ours || row.state.open.length > 0) return
    // It may charge from now on, whatever becomes of this process: the records say so before it is waited for.
    row.state = next(row.state, {kind: 'another-run'}).state
    await noteOutcome(tools, order, refusedOrUnknown(notReady(preview), row.state.open))
  })
  return undefined
}

/** Fails with LIMIT_EXCEEDED if a lock costs more than was approved. */
function requireApproved(order: BulkOrder, locked: Locked, {maxDrift, budget}: BulkRules): void {
  const {total} = locked.lock
  const {goodsWithVat, currency} = priceOf(locked.preview)
  const known = order.goods !== null && goodsWithVat !== null
  const drifted = known && exact(goodsWithVat).gt(withDrift(order, order.goods ?? '0', maxDrift ?? '0'))
  if (drifted || (!known && maxDrift !== null)) {
    throw new Failure('LIMIT_EXCEEDED', {
      message: `Its goods cost ${amountText(goodsWithVat, currency)} now and ${amountText(order.goods, currency)} when the job was planned: more than was approved, and than --max-drift allows.`,
      hint: 'Import it again at the new price, or with a larger --max-drift.',
      details: {planned: order.goods, now: goodsWithVat},
    })
  }
  if (budget.reserve(order.reference, String(total))) return
  throw new Failure('LIMIT_EXCEEDED', {
    message: `Its total is ${amountText(total, currency)}, and the job would charge more than --max-total with it.`,
    details: {total},
  })
}

/** The service rounds by the line, the plan by the unit: a halala a unit is not a drift. */
function withDrift(order: BulkOrder, goods: string, maxDrift: string) {
  const units = order.lines.reduce((sum, {quantity}) => sum + quantity, 0)
  return exact(goods).times(exact(maxDrift).plus(1)).plus(exact('0.01').times(units))
}

/** Leaves no cart behind that holds lines of an order that is not to be. */
async function tidy(tools: BulkTools, order: BulkOrder, outcome: BulkOutcome): Promise<void> {
  if (outcome.kind === 'unknown' || ('order' in outcome && outcome.order.answered)) return
  await clearBulkCart(tools, order, 'failure' in outcome ? outcome.failure.code : null)
}

/** After these refusals nothing of ours is in the cart, or an order of somebody else is. */
const LEAVE_CART = ['CART_NOT_EMPTY', 'CONFLICT_CART_HAS_PENDING_ORDER']

/**
 * Takes the lines of an order out of its cart, which ended in `code`, and notes it. Until then no other order may be
 * put into that cart: an outage of the service is waited for.
 */
export async function clearBulkCart(tools: BulkTools, order: BulkOrder, code: string | null): Promise<void> {
  try {
    if (code === null || !LEAVE_CART.includes(code)) {
      await patiently(tools, askingAgain(tools, order), () => takeBack(tools.client, order))
    }
  } catch (error) {
    // A cart that the service refuses to show, such as one of a reference it does not take, holds nothing of ours.
    if (!isFailure(error) || error.entry.scope !== 'row') throw error
  }
  await tools.mark(order.reference, 'CLEARED')
}

/** A budget of `limit` (null for none), of which `charged` is used up. */
interface Budget {
  /** Sets an amount aside for an order, in the place of what it had; false if it does not fit. */
  reserve(reference: string, total: string): boolean
  /** Sets it aside whether it fits or not: the order may have been charged already. */
  hold(reference: string, total: string): void
  /** What became of it: charged so much, or null if nothing more is to come. */
  settle(reference: string, charged: string | null): void
}

export function openBudget(limit: string | null, charged: string): Budget {
  let used = exact(charged)
  const aside = new Map<string, string>()
  return {
    reserve(reference, total) {
      const others = [...aside].filter(([of]) => of !== reference).map(([, amount]) => exact(amount))
      const sum = others.reduce((all, amount) => all.plus(amount), used).plus(exact(total))
      if (limit !== null && sum.gt(exact(limit))) return false
      aside.set(reference, total)
      return true
    },
    hold: (reference, total) => void aside.set(reference, total),
    settle(reference, total) {
      aside.delete(reference)
      if (total !== null) used = used.plus(exact(total))
    },
  }
}
