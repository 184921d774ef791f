import {Failure, isFailure} from '../../contract/failure.ts'
import {amountText, type Digits} from '../../contract/money.ts'
import type {ShippingAddress} from '../../contract/orders.ts'
import {removeLine, setQuantity} from '../cart/edit.ts'
import {readBalance} from '../wallet.ts'
import {type CheckedCode, checkCode} from './code.ts'
import {besidesEarlier, canAsk, takeUpEarlier} from './earlier.ts'
import {isFar} from './fees.ts'
import {type Locked, noteLock, notReady, orderLocked, outOfTime} from './lock.ts'
import type {PlacedOrder} from './machine.ts'
import {lockReady, mendCart} from './mend.ts'
import {differences, isAbove, minus, type Price, plus, priceOf} from './price.ts'
import {note, notePlan, type OrderIntent, type OrderTools, unsaid} from './records.ts'
import {failureOf} from './take-up.ts'
import type {Change, Offer, Walked, Walker, WalkRequest, WalkTools} from './walker.ts'

/**
 * From a cart to an order, asking for whatever is missing. Whatever an earlier run left open on this cart is settled
 * first. Ends with the order, or with the Failure that says why there is none.
 */
export function walk(tools: WalkTools, request: WalkRequest, walker: Walker): Promise<Walked> {
  return tools.alone(request.customerRef, () => walkAlone(tools, request, walker))
}

async function walkAlone(tools: WalkTools, request: WalkRequest, walker: Walker): Promise<Walked> {
  const before = await takeUpEarlier(tools, request, walker)
  if (before.walked) {
    const then = await besidesEarlier(tools, request, walker, before.walked)
    return 'more' in then ? walkAlone(tools, then.more, walker) : then.walked
  }
  const reference = request.reference ?? before.entry?.reference ?? tools.newReference()
  const moved = request.interactive && (await mendCart(tools, request.customerRef, walker))
  if (moved) return walk(tools, {...request, customerRef: moved}, walker)
  const address =
    request.address ?? (await walker.address(await tools.savedAddresses(), before.entry?.address))
  const locked = await lockReady(tools, request, walker)
  const code = await checkedCode(tools, request, walker, request.discountCode, locked)
  let wanted: Wanted = {address, code, locked}
  for (;;) {
    const after = await offer(tools, request, walker, reference, wanted)
    if ('order' in after) return after
    if ('change' in after) wanted = await changed(tools, request, walker, wanted, after)
    else {
      const moved = differences(wanted.locked.preview, after.preview)
      await walker.tell({kind: 'repriced', differences: moved})
      wanted = {...wanted, locked: after}
    }
  }
}

/** What is offered, and can be changed before it is ordered. */
interface Wanted {
  address: ShippingAddress
  code: CheckedCode | undefined
  locked: Locked
}

async function changed(
  tools: WalkTools,
  request: WalkRequest,
  walker: Walker,
  wanted: Wanted,
  change: Change,
): Promise<Wanted> {
  if (change.change === 'address')
    return {...wanted, address: await walker.address(await tools.savedAddresses(), wanted.address)}
  if (change.change === 'code')
    return {...wanted, code: await checkedCode(tools, request, walker, change.code, wanted.locked)}
  const {customerRef} = request
  const {variantId, quantity} = change.line
  if (customerRef !== null && quantity === 0) await removeLine(tools.client, customerRef, variantId)
  else if (customerRef !== null) await setQuantity(tools.client, customerRef, change.line)
  return {...wanted, locked: await lockReady(tools, request, walker)}
}

/** A code as the own ones show it. Without anybody to ask the service decides about one that they speak against. */
async function checkedCode(
  tools: WalkTools,
  request: WalkRequest,
  walker: Walker,
  text: string | undefined,
  {preview}: Locked,
): Promise<CheckedCode | undefined> {
  for (let asked = text; asked !== undefined; ) {
    const code = await checkCode(tools.client, asked, preview)
    if (code.problem === undefined) return code
    if (!canAsk(request)) {
      await walker.tell({kind: 'code', code})
      return code
    }
    const next = await walker.mendCode(code)
    if (next === asked) return code
    asked = next
  }
  return undefined
}

/**
 * Offers locked prices, and orders if they are accepted. Returns the order, or the lock that is to be offered next, or
 * what is to be changed before.
 */
async function offer(
  tools: WalkTools,
  request: WalkRequest,
  walker: Walker,
  reference: string,
  {address, code, locked: offered}: Wanted,
): Promise<Walked | Locked | Change> {
  const {customerRef} = request
  const intent = {reference, customerRef, lines: offered.lines, address, discountCode: code?.text}
  const {total} = offered.lock
  const approved = request.maxTotal ?? total
  if (isAbove(total, approved)) throw overLimit(offered, approved)
  await notePlan(tools, intent, String(approved))
  await noteLock(tools, intent, offered)
  const offer = {...(await offerOf(tools, request, intent, offered)), code}
  const decision = await walker.charge(offer)
  if (typeof decision === 'object') return decision
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
  if ('failure' in outcome) throw await failureOf(tools, outcome, reference)
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
    message: `Order ${orderId} stands, and ${amountText(total, currency)} were charged for it, above the ${amountText(approved, currency)} approved.`,
    details: {externalReference: reference, orderId, total, approved: String(approved)},
  })
}

function overLimit({lock, preview}: Locked, approved: Digits | string): Failure {
  const {currency} = priceOf(preview)
  return new Failure('LIMIT_EXCEEDED', {
    message: `The total is ${amountText(lock.total, currency)}, above the ${amountText(approved, currency)} approved. Nothing was ordered.`,
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
): Promise<Omit<Offer, 'code'>> {
  const price = priceOf(locked.preview)
  const far = isFar(address) ? await farOf(tools, address, price) : undefined
  const balance = request.interactive ? await balanceOf(tools) : null
  const balanceAfter = balance === null ? null : minus(balance, far?.expected ?? locked.lock.total)
  return {reference, address, far, locked, price, balance, balanceAfter}
}

/** A near order that ships free says nothing of a far one: then no fee is expected. */
async function farOf(
  {fees}: WalkTools,
  address: ShippingAddress,
  {goodsWithVat, shipping}: Price,
): Promise<Offer['far']> {
  const isFree = shipping !== null && !isAbove(shipping, '0')
  const fee = isFree ? undefined : (await fees())(address)
  return {
    city: address.city,
    fee,
    expected: fee && goodsWithVat !== null ? plus(goodsWithVat, fee.fee) : null,
  }
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
