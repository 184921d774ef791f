import {type Preview, previewCheckout} from '../../contract/checkout.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import type {Digits} from '../../contract/money.ts'
import type {ShippingAddress} from '../../contract/orders.ts'
import {removeLine, setQuantity} from '../cart/edit.ts'
import type {CartRef} from '../cart/lines.ts'
import {readBalance} from '../wallet.ts'
import {besidesEarlier, canAsk, takeUpEarlier} from './earlier.ts'
import {cityFees, isFar} from './fees.ts'
import {
  isBusy,
  issuesOf,
  type LineIssue,
  type Locked,
  lockCart,
  noteLock,
  notReady,
  orderLocked,
  outOfTime,
  waitForCart,
} from './lock.ts'
import type {PlacedOrder} from './machine.ts'
import {differences, isAbove, minus, type Price, plus, priceOf} from './price.ts'
import {note, notePlan, type OrderIntent, type OrderTools, unsaid} from './records.ts'
import {cartQuery} from './submit.ts'
import {failureOf} from './take-up.ts'
import type {Offer, Walked, Walker, WalkRequest, WalkTools} from './walker.ts'

/**
 * From a cart to an order, asking for whatever is missing. Whatever an earlier run left open on this cart is settled
 * first. Ends with the order, or with the Failure that says why there is none.
 */
export async function walk(tools: WalkTools, request: WalkRequest, walker: Walker): Promise<Walked> {
  const before = await takeUpEarlier(tools, request, walker)
  if (before.walked) {
    const then = await besidesEarlier(tools, request, walker, before.walked)
    return 'more' in then ? walk(tools, then.more, walker) : then.walked
  }
  const reference = request.reference ?? before.entry?.reference ?? tools.newReference()
  if (request.interactive) await mendCart(tools, request.customerRef, walker)
  const address =
    request.address ?? (await walker.address(await tools.savedAddresses(), before.entry?.address))
  const {customerRef, discountCode} = request
  let locked = await lockReady(tools, request, walker)
  for (;;) {
    const intent = {reference, customerRef, lines: locked.lines, address, discountCode}
    const after = await offer(tools, request, walker, intent, locked)
    if ('order' in after) return after
    await walker.tell({kind: 'repriced', differences: differences(locked.preview, after.preview)})
    locked = after
  }
}

/** Offers locked prices, and orders if they are accepted. Returns the order, or the lock that is to be offered next. */
async function offer(
  tools: WalkTools,
  request: WalkRequest,
  walker: Walker,
  intent: OrderIntent,
  offered: Locked,
): Promise<Walked | Locked> {
  const {reference} = intent
  const {total} = offered.lock
  const approved = request.maxTotal ?? total
  if (isAbove(total, approved)) throw overLimit(offered, approved)
  await notePlan(tools, intent, String(approved))
  await noteLock(tools, intent, offered)
  const offer = await offerOf(tools, request, intent, offered)
  const decision = await walker.charge(offer)
  if (decision === 'no') return declined(tools, reference)
  const late = decision === 'expired' || outOfTime(tools, offered)
  const locked = late ? await lockReady(tools, request, walker) : offered
  if (late) {
    if (!canAsk(request) && isAbove(locked.lock.total, approved)) throw overLimit(locked, approved)
    // A yes to prices that are gone by now is not a yes to others.
    if (decision === 'expired' || differences(offered.preview, locked.preview).length > 0) return locked
    await walker.tell({kind: 'repriced', differences: []})
    await noteLock(tools, intent, locked)
  }
  const outcome = await orderLocked(tools, intent, locked, approved)
  if ('order' in outcome) {
    const walked = {reference, order: outcome.order, far: offer.far?.city}
    await tellCheaper(walker, offer, outcome.order)
    // Who was warned of the fee, and said yes, has agreed to it.
    const agreed = offer.far && canAsk(request) && request.maxTotal === undefined
    return agreed ? walked : approvedOrder(walked, approved)
  }
  if ('failure' in outcome) throw failureOf(outcome, reference)
  if (!request.interactive)
    throw outcome.kind === 'changed' ? overLimit(outcome.locked, approved) : notReady(outcome.preview)
  return outcome.kind === 'changed' ? outcome.locked : lockReady(tools, request, walker)
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

function overLimit({lock}: Locked, approved: Digits | string): Failure {
  return new Failure('LIMIT_EXCEEDED', {
    message: `The total is ${lock.total}, above the ${approved} approved. Nothing was ordered.`,
    details: {total: lock.total, approved: String(approved)},
  })
}

/** A lock that was taken on the way may be cheaper than the one that was agreed to. */
async function tellCheaper(
  walker: Walker,
  {locked: {lock}, price}: Offer,
  order: PlacedOrder,
): Promise<void> {
  const now = order.differs?.locked ?? order.total
  if (now !== null && isAbove(lock.total, now))
    await walker.tell({kind: 'cheaper', agreed: lock.total, now, currency: price.currency})
}

async function offerOf(
  tools: WalkTools,
  request: WalkRequest,
  {reference, address}: OrderIntent,
  locked: Locked,
): Promise<Offer> {
  const price = priceOf(locked.preview)
  const far = isFar(address) ? await farOf(tools, address, locked, price) : undefined
  const balance = request.interactive ? await balanceOf(tools) : null
  const balanceAfter = balance === null ? null : minus(balance, far?.expected ?? locked.lock.total)
  return {reference, far, locked, price, balance, balanceAfter}
}

/** A near order that ships free says nothing of a far one: then no fee is expected. */
async function farOf(
  {records}: WalkTools,
  address: ShippingAddress,
  {lock}: Locked,
  {shipping}: Price,
): Promise<Offer['far']> {
  const isFree = shipping !== null && !isAbove(shipping, '0')
  const fee = isFree ? undefined : cityFees(await records.all())(address)
  return {city: address.city, fee, expected: fee ? plus(lock.total, fee.extra) : null}
}

/** A wallet that can't be read stops no order: the service knows what it holds. */
async function balanceOf({client}: OrderTools): Promise<Digits | null> {
  try {
    return (await readBalance(client))?.balance ?? null
  } catch (error) {
    if (isFailure(error)) return null
    throw error
  }
}

/** Shows the cart and mends it, line by line, until it can be checked out. */
async function mendCart(tools: WalkTools, customerRef: CartRef, walker: Walker): Promise<void> {
  for (;;) {
    const preview = await tools.client.call(previewCheckout, {query: cartQuery(customerRef)})
    await walker.tell({kind: 'cart', preview})
    if (preview.canCheckout) return
    if (await waitedForCart(tools, customerRef, preview, walker)) continue
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

/** Waits while another order is in flight on this cart. False if there is none. */
async function waitedForCart(tools: WalkTools, customerRef: CartRef, preview: Preview, walker: Walker) {
  if (!isBusy(preview)) return false
  await waitForCart(tools, {customerRef}, preview, ({pendingOrderReference: reference = null}, forMs) =>
    walker.tell({kind: 'cart-busy', reference, forMs}),
  )
  return true
}

/** A lock on a cart that can be checked out, mended if somebody is there to do it. */
async function lockReady(tools: WalkTools, request: WalkRequest, walker: Walker): Promise<Locked> {
  const {customerRef} = request
  for (;;) {
    const outcome = await lockCart(tools, customerRef)
    if (outcome.kind === 'locked') return outcome.locked
    if (await waitedForCart(tools, customerRef, outcome.preview, walker)) continue
    if (!request.interactive) throw notReady(outcome.preview)
    await mendCart(tools, customerRef, walker)
  }
}
