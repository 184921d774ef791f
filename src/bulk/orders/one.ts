import {type Preview, previewCheckout} from '../../contract/checkout.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {exact} from '../../contract/money.ts'
import {type CartLine, sameLines} from '../../flows/cart/lines.ts'
import {type Locked, lockCart, noteLock, notReady, orderLocked} from '../../flows/order/checkout.ts'
import {asBefore} from '../../flows/order/existing.ts'
import {noteOutcome, type OrderIntent, type OrderOutcome, type OrderTools} from '../../flows/order/intent.ts'
import {priceOf} from '../../flows/order/price.ts'
import {askAgain} from '../../flows/order/take-up.ts'
import {LONGEST_PAUSE_MS, OUTAGE_MS, patiently} from '../../flows/outage.ts'
import type {OrderEntry} from '../../store/orders.ts'
import {asAnotherRun, type CartRule, fillExactly, takeBack} from './fill.ts'

/** One order of a bulk file. */
export interface BulkOrder extends OrderIntent {
  customerRef: string
  lines: CartLine[]
  /** What its lines cost with VAT when the job was planned; null where that is not known. */
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

/** What is known of an order while it is worked on. */
interface Known {
  /** A create of this or of another run may have left that no answer has settled: whatever is refused now, it may have been charged. */
  open: boolean
  /** The cart may hold lines of it. */
  filled: boolean
  /** When its first lock was priced. */
  since: string | null | undefined
}

export type BulkOutcome = Exclude<OrderOutcome, {kind: 'relock'}>

/** How long an order of somebody else is waited for in a cart. */
const CART_BUSY_MS = 120_000
/** How often a cart is brought back to the order's lines that somebody else changes. */
const ROUNDS = 3

/**
 * Brings one order of a file to its end: cart, lock, order, each once, whatever an earlier run has left. Its outcome
 * is on disk when this returns. An outage of the service is waited for. Where that lasts, and where the service would
 * refuse every other order as well, it throws that Failure, and a resume does the order again.
 */
export async function placeBulkOrder(
  tools: BulkTools,
  work: BulkWork,
  rules: BulkRules,
): Promise<BulkOutcome> {
  const {order, earlier} = work
  const sent = earlier.pending.length > 0
  const since = earlier.locks[0]?.pricedAt
  const known: Known = {open: mayStand(earlier), filled: work.filled || sent, since}
  let asked = !sent
  const outcome = await patiently(tools, askingAgain(tools, order), async () => {
    if (!asked) {
      const settled = await askAgain(tools, earlier)
      const locksAreGone = settled.kind === 'relock' || (settled.kind === 'unknown' && settled.relock)
      if (!locksAreGone) return settled as BulkOutcome
      known.open = settled.kind === 'unknown'
      asked = true
    }
    return once(tools, order, rules, known)
  })
  const {kind} = outcome
  const charged = kind === 'placed' ? outcome.order.total : null
  if (kind !== 'unknown') rules.budget.settle(order.reference, charged === null ? null : String(charged))
  await tidy(tools, order, outcome)
  return outcome
}

/** Whether an order may have been made under the reference: by a try of ours, or by one whose traces were seen. */
export function mayStand({pending, outcome}: OrderEntry): boolean {
  return pending.length > 0 || outcome?.outcome === 'unknown'
}

const askingAgain =
  (tools: BulkTools, {reference}: BulkOrder) =>
  (code: string, inMs: number) =>
    tools.tell({kind: 'asking-again', reference, code, inMs})

/** One way from the cart to an outcome. Throws what another try may help against, and what ends the job. */
async function once(
  tools: BulkTools,
  order: BulkOrder,
  rules: BulkRules,
  known: Known,
): Promise<BulkOutcome> {
  let outcome: BulkOutcome
  try {
    outcome = await tryToOrder(tools, order, rules, known)
  } catch (error) {
    if (!isFailure(error) || error.entry.scope !== 'row') throw error
    const failure = asAnotherRun(error, order)
    outcome = asBefore(failure ?? error, known.open || failure !== undefined) as BulkOutcome
    await noteOutcome(tools, order, outcome)
  }
  // Refused for a reason that is not the order's own: the record says that it is to be done again.
  if (outcome.kind === 'refused' && outcome.failure.entry.scope !== 'row') throw outcome.failure
  return outcome
}

async function tryToOrder(
  tools: BulkTools,
  order: BulkOrder,
  rules: BulkRules,
  known: Known,
): Promise<BulkOutcome> {
  let last: Failure = new Failure('CHANGED_MEANWHILE', {
    message: `Somebody else changes the cart of ${order.customerRef} again and again.`,
  })
  for (let round = 1; round <= ROUNDS; round++) {
    if (!known.filled) await tools.mark(order.reference, 'FILLING')
    const ours = known.filled
    known.filled = true
    if (!(await fillExactly(tools.client, order, rules.cart, ours))) continue
    const outcome = await lockCart(tools, order.customerRef)
    if (outcome.kind === 'blocked') {
      await waitForCart(tools, order, outcome.preview, known)
      continue
    }
    const {locked} = outcome
    if (!sameLines(order.lines, locked.lines)) continue
    requireApproved(order, locked, rules)
    await noteLock(tools, order, locked)
    known.since ??= locked.preview.pricedAt
    const intent = {...order, since: known.since}
    const ordered = await orderLocked(tools, intent, locked, locked.lock.total, known.open)
    if (ordered.kind === 'relock') last = ordered.failure
    else if (ordered.kind !== 'blocked' && ordered.kind !== 'changed') return ordered
  }
  const outcome = asBefore(last, known.open) as BulkOutcome
  await noteOutcome(tools, order, outcome)
  return outcome
}

/**
 * Waits while an order is in flight on this cart, for one of our own reference until it is settled. One of somebody
 * else ends in a refusal where it takes long, and in INTERRUPTED at once where the user stops the job: a resume goes on.
 */
async function waitForCart(
  tools: BulkTools,
  order: BulkOrder,
  blocked: Preview,
  known: Known,
): Promise<void> {
  if (!isBusy(blocked)) throw notReady(blocked)
  const began = tools.now()
  let patience = CART_BUSY_MS
  let preview = blocked
  for (let pause = 1000; isBusy(preview); pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const mine = preview.pendingOrderReference === order.reference
    if (mine) {
      patience = OUTAGE_MS
      await noteUnderWay(tools, order, preview, known)
    }
    if (tools.now() + pause - began > patience) throw notReady(preview)
    await tools.sleep(pause, mine ? undefined : tools.stop)
    if (!mine && tools.stop.aborted) throw new Failure('INTERRUPTED', {effect: 'none'})
    preview = await tools.client.call(previewCheckout, {query: {customerRef: order.customerRef}})
  }
}

const isBusy = ({cartIssue}: Preview) => cartIssue === 'CART_HAS_PENDING_ORDER'

/** It may charge from now on, whatever becomes of this process: the records say so before it is waited for. */
async function noteUnderWay(
  tools: BulkTools,
  order: BulkOrder,
  preview: Preview,
  known: Known,
): Promise<void> {
  if (known.open) return
  known.open = true
  await noteOutcome(tools, order, asBefore(notReady(preview), true))
}

/** Fails with LIMIT_EXCEEDED where a lock costs more than was approved. */
function requireApproved(order: BulkOrder, locked: Locked, {maxDrift, budget}: BulkRules): void {
  const {total} = locked.lock
  const {goodsWithVat} = priceOf(locked.preview)
  const known = order.goods !== null && goodsWithVat !== null
  const drifted = known && exact(goodsWithVat).gt(withDrift(order, order.goods ?? '0', maxDrift ?? '0'))
  if (drifted || (!known && maxDrift !== null)) {
    throw new Failure('LIMIT_EXCEEDED', {
      message: `Its goods cost ${goodsWithVat ?? 'an unknown amount'} now and ${order.goods ?? 'an unknown amount'} when the job was planned: more than was approved, and than --max-drift allows.`,
      hint: 'Import it again at the new price, or with a larger --max-drift.',
      details: {planned: order.goods, now: goodsWithVat},
    })
  }
  if (budget.reserve(order.reference, String(total))) return
  throw new Failure('LIMIT_EXCEEDED', {
    message: `Its total is ${total}, and the job would charge more than --max-total with it.`,
    details: {total},
  })
}

/** The service rounds by the line, the plan by the unit: a halala a unit is no drift. */
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
export interface Budget {
  /** Sets an amount aside for an order, in the place of what it had; false where it does not fit. */
  reserve(reference: string, total: string): boolean
  /** Sets it aside whether it fits or not: the order may have been charged already. */
  hold(reference: string, total: string): void
  /** What became of it: charged so much, or null where nothing more is to come. */
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
