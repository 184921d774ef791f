import {type Preview, previewCheckout} from '../../contract/checkout.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import type {Digits} from '../../contract/money.ts'
import type {ShippingAddress} from '../../contract/orders.ts'
import type {OrderEntry} from '../../store/orders.ts'
import {removeLine, setQuantity} from '../cart/edit.ts'
import type {CartRef} from '../cart/lines.ts'
import {readBalance} from '../wallet.ts'
import {
  issuesOf,
  type LineIssue,
  type Locked,
  lockCart,
  noteLock,
  notReady,
  orderLocked,
  outOfTime,
} from './checkout.ts'
import {
  againHint,
  isAbove,
  note,
  type OrderIntent,
  type OrderTools,
  type PlacedOrder,
  plan,
  told,
  unsaid,
} from './intent.ts'
import {type Difference, differences, minus, type Price, priceOf} from './price.ts'
import {takeUpEarlier} from './take-up.ts'

/** How long a walk waits for an order in flight to leave the cart. */
const CART_BUSY_MS = 120_000

export interface WalkRequest {
  customerRef: CartRef
  /** Made up where none is given. */
  reference?: string | undefined
  address?: ShippingAddress | undefined
  discountCode?: string | undefined
  /** The most that may be charged without asking again. */
  maxTotal?: string | undefined
  /** Whether somebody is there to mend the cart and to look at prices that moved. */
  interactive: boolean
}

/** What is to be decided: charge this, with the wallet before and after where they are known. */
export interface Offer {
  reference: string
  /** Where it goes: the city decides the shipping fee, which the lock could not know. */
  city: string
  locked: Locked
  price: Price
  balance: Digits | null
  balanceAfter: Digits | null
}

export type WalkEvent =
  | {kind: 'taking-up'; entry: OrderEntry}
  | {kind: 'taken-up'; entry: OrderEntry; charged: boolean}
  | {kind: 'cart'; preview: Preview}
  | {kind: 'cart-busy'; reference: string | null; forMs: number}
  | {kind: 'repriced'; differences: Difference[]}

/** The person, or the script, at the other end. */
export interface Walker {
  tell(event: WalkEvent): Promise<void>
  /** Whether an earlier order that was sent may be asked for again, though this run wants something else: `why`. */
  settle(entry: OrderEntry, why: string): Promise<boolean>
  /** `editable` is false for the bare cart, which the API has no route to change. */
  mend(issue: LineIssue, editable: boolean): Promise<'take' | 'remove' | 'cancel'>
  /** Asks for an address; `before` is the one of an earlier, unfinished run. */
  address(saved: ShippingAddress[], before: ShippingAddress | undefined): Promise<ShippingAddress>
  charge(offer: Offer): Promise<'yes' | 'no' | 'expired'>
}

export interface WalkTools extends OrderTools {
  savedAddresses(): Promise<ShippingAddress[]>
  newReference(): string
}

export interface Walked {
  reference: string
  order: PlacedOrder
}

/**
 * From a cart to an order, asking where something is missing. Whatever an earlier run left open on this cart is
 * settled first. Ends with the order, or with the Failure that says why there is none.
 */
export async function walk(tools: WalkTools, request: WalkRequest, walker: Walker): Promise<Walked> {
  const before = await takeUpEarlier(tools, request, walker)
  if (before.walked) return before.walked
  const reference = request.reference ?? before.entry?.reference ?? tools.newReference()
  if (request.interactive) await mendCart(tools, request.customerRef, walker)
  const address =
    request.address ?? (await walker.address(await tools.savedAddresses(), before.entry?.address))
  const {customerRef, discountCode} = request
  const first = await lockReady(tools, request, walker)
  const intent = {reference, customerRef, lines: first.lines, address, discountCode}
  return decide(tools, request, walker, intent, first)
}

/** Offers the locked prices until they are accepted, and orders. */
async function decide(
  tools: WalkTools,
  request: WalkRequest,
  walker: Walker,
  intent: OrderIntent,
  first: Locked,
): Promise<Walked> {
  const {reference} = intent
  let locked = first
  const reprice = async (next: Locked) => {
    await walker.tell({kind: 'repriced', differences: differences(locked.preview, next.preview)})
    locked = next
  }
  for (;;) {
    checkLimit(request, locked)
    const wanted = {...intent, lines: locked.lines}
    await plan(tools, wanted, request.maxTotal ?? String(locked.lock.total))
    await noteLock(tools, wanted, locked)
    const decision = await walker.charge(await offerOf(tools, request, wanted, locked))
    if (decision === 'no') return declined(tools, reference)
    if (decision === 'expired' || outOfTime(tools, locked)) {
      // A yes to prices that are gone by now is no yes to others.
      const fresh = await lockReady(tools, request, walker)
      const moved = differences(locked.preview, fresh.preview).length > 0
      await reprice(fresh)
      if (decision === 'expired' || moved) continue
    }
    const approved = request.maxTotal ?? locked.lock.total
    const outcome = await orderLocked(tools, wanted, locked, approved, false)
    if ('order' in outcome) return approvedOrder({reference, order: outcome.order}, approved)
    if ('failure' in outcome)
      throw told(outcome.failure, reference, outcome.kind === 'unknown' ? againHint(reference) : undefined)
    if (!request.interactive)
      throw outcome.kind === 'changed' ? overLimit(outcome.locked, approved) : notReady(outcome.preview)
    await reprice(outcome.kind === 'changed' ? outcome.locked : await lockReady(tools, request, walker))
  }
}

async function declined(tools: WalkTools, reference: string): Promise<never> {
  await note(tools, {...unsaid, step: 'OUTCOME', reference, outcome: 'abandoned', state: 'DECLINED'})
  throw new Failure('DECLINED', {
    message: 'Not ordered, and nothing was charged. The price lock expires by itself.',
  })
}

/** The city decides the shipping fee, which no lock can know: what was charged may be above what was approved. */
function approvedOrder(walked: Walked, approved: Digits | string): Walked {
  const {reference, order} = walked
  if (order.total === null || !isAbove(order.total, approved)) return walked
  const {orderId, total, currency} = order
  throw new Failure('CHARGED_ABOVE', {
    message: `Order ${orderId} stands, and ${total} ${currency ?? ''} were charged for it, above the ${approved} approved.`,
    details: {externalReference: reference, orderId, total, approved: String(approved)},
  })
}

function checkLimit({maxTotal}: WalkRequest, locked: Locked): void {
  if (maxTotal !== undefined && isAbove(locked.lock.total, maxTotal)) throw overLimit(locked, maxTotal)
}

function overLimit({lock}: Locked, approved: Digits | string): Failure {
  return new Failure('LIMIT_EXCEEDED', {
    message: `The total is ${lock.total}, above the ${approved} approved. Nothing was ordered.`,
    details: {total: lock.total, approved: String(approved)},
  })
}

async function offerOf(
  tools: WalkTools,
  request: WalkRequest,
  {reference, address}: OrderIntent,
  locked: Locked,
): Promise<Offer> {
  const price = priceOf(locked.preview)
  const balance = request.interactive ? await balanceOf(tools) : null
  const balanceAfter = balance === null ? null : minus(balance, locked.lock.total)
  return {reference, city: address.city, locked, price, balance, balanceAfter}
}

/** A wallet that can't be read stops no order: the service knows what it holds. */
async function balanceOf({client}: WalkTools): Promise<Digits | null> {
  try {
    return (await readBalance(client))?.balance ?? null
  } catch (error) {
    if (isFailure(error)) return null
    throw error
  }
}

/** Shows the cart and mends it, line by line, until it can be checked out. */
async function mendCart(tools: WalkTools, customerRef: CartRef, walker: Walker): Promise<void> {
  const query = customerRef === null ? {} : {customerRef}
  for (;;) {
    const preview = await tools.client.call(previewCheckout, {query})
    await walker.tell({kind: 'cart', preview})
    if (preview.canCheckout) return
    if (await waitedForCart(tools, preview, walker)) continue
    const issues = issuesOf(preview)
    if (preview.cartIssue || issues.length === 0) throw notReady(preview)
    for (const issue of issues) await mendLine(tools, customerRef, issue, walker)
  }
}

async function mendLine(
  tools: WalkTools,
  customerRef: CartRef,
  issue: LineIssue,
  walker: Walker,
): Promise<void> {
  const choice = await walker.mend(issue, customerRef !== null)
  if (choice === 'cancel' || customerRef === null)
    throw new Failure('DECLINED', {message: 'Cancelled. Nothing was ordered; the cart stays as it is.'})
  const {variantId} = issue.line
  if (choice === 'take' && issue.take !== undefined)
    await setQuantity(tools.client, customerRef, {variantId, quantity: issue.take})
  else await removeLine(tools.client, customerRef, variantId)
}

/** Waits while another order is in flight on this cart. False when there is none. */
async function waitedForCart(tools: WalkTools, preview: Preview, walker: Walker): Promise<boolean> {
  if (preview.cartIssue !== 'CART_HAS_PENDING_ORDER') return false
  const reference = preview.pendingOrderReference ?? null
  const query = preview.customerRef ? {customerRef: preview.customerRef} : {}
  const until = tools.now() + CART_BUSY_MS
  for (let pause = 1000; ; pause = Math.min(pause * 2, 15_000)) {
    if (tools.now() + pause > until) throw notReady(preview)
    await walker.tell({kind: 'cart-busy', reference, forMs: pause})
    await tools.sleep(pause, tools.signal)
    const now = await tools.client.call(previewCheckout, {query})
    if (now.cartIssue !== 'CART_HAS_PENDING_ORDER') return true
  }
}

/** A lock on a cart that can be checked out, mended where somebody is there to do it. */
async function lockReady(tools: WalkTools, request: WalkRequest, walker: Walker): Promise<Locked> {
  for (;;) {
    const outcome = await lockCart(tools, request.customerRef)
    if (outcome.kind === 'locked') return outcome.locked
    if (await waitedForCart(tools, outcome.preview, walker)) continue
    if (!request.interactive) throw notReady(outcome.preview)
    await mendCart(tools, request.customerRef, walker)
  }
}
