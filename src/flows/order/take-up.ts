import {previewCheckout} from '../../contract/checkout.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import type {OrderEntry} from '../../store/orders.ts'
import {addToCart, emptyCart} from '../cart/edit.ts'
import {linesOf, sameLines} from '../cart/lines.ts'
import {lockAgain, noteLock} from './lock.ts'
import {isUnknown, type Open, type OrderOutcome, type PlacedOrder, recover, takeUp} from './machine.ts'
import {isAbove} from './price.ts'
import {readNamedOrder} from './read.ts'
import {
  intentOf,
  note,
  notePlan,
  type OrderIntent,
  type OrderTools,
  type PriceLock,
  unsaid,
} from './records.ts'
import {cartQuery, requireSameBody, submit, submitLock} from './submit.ts'
import type {Walked, Walker, WalkRequest, WalkTools} from './walker.ts'

/**
 * Settles what earlier runs left open: an order of this cart, or of this reference, whose answer was lost is asked for
 * again, and is the result when it turns out to stand. That may charge it, so it is done unasked only if this run
 * wants the same: the reference, the address and the discount code, and a limit that covers it. One that never left
 * gives its reference and address to this run.
 */
export async function takeUpEarlier(
  tools: WalkTools,
  request: WalkRequest,
  walker: Walker,
): Promise<{walked?: Walked; entry?: OrderEntry}> {
  await refuseDone(tools, request)
  let last: OrderEntry | undefined
  for (const entry of await openOrders(tools, request)) {
    const {reference, pending} = entry
    const wanted = request.reference === undefined || request.reference === reference
    const walked = pending.length > 0 ? await settleEarlier(tools, request, walker, entry) : undefined
    if (walked && wanted) return {walked}
    if (walked) throw placedEarlier(walked)
    if (pending.length === 0) await walker.tell({kind: 'taking-up', entry})
    if (wanted) last = entry
    // Nothing was ever charged under it: another reference takes its place.
    else await note(tools, {...unsaid, step: 'OUTCOME', reference, outcome: 'abandoned', state: 'REPLACED'})
  }
  return last ? {entry: last} : {}
}

/** Orders of this cart, or of this reference, that may have to be asked for again. */
async function openOrders(tools: WalkTools, {customerRef, reference}: WalkRequest): Promise<OrderEntry[]> {
  const ours = (await tools.records.open()).filter(
    (entry) => entry.customerRef === customerRef || entry.reference === reference,
  )
  const stuck = ours.find(forAPerson)
  if (stuck && reference === undefined) throw personNeeded(stuck.reference)
  // Only the user's own word, the reference, asks for an order again that a person had to decide on.
  return ours.filter((entry) => !forAPerson(entry) || entry.reference === reference)
}

/** Asks again for an order that was sent; undefined if it proves not to have been charged. */
async function settleEarlier(
  tools: WalkTools,
  request: WalkRequest,
  walker: Walker,
  entry: OrderEntry,
): Promise<Walked | undefined> {
  const {reference} = entry
  const why = disagreement(request, entry)
  if (why && !(request.interactive && (await walker.settle(entry, why)))) throw stillOpen(entry, why)
  await walker.tell({kind: 'taking-up', entry})
  const outcome = await takeUpEntry(tools, entry)
  if ('failure' in outcome && isUnknown(outcome)) throw failureOf(outcome, reference)
  await walker.tell({kind: 'taken-up', entry, charged: 'order' in outcome})
  return 'order' in outcome ? {reference, order: outcome.order} : undefined
}

/** The failure of an order with its reference in the details, and with the way to settle it if it is open. */
export function failureOf(
  outcome: Extract<OrderOutcome, {failure: Failure}>,
  externalReference: string,
): Failure {
  const {code, facts, cause, hint} = outcome.failure
  const again = `Run \`scent checkout\` again with the same cart: it asks for reference ${externalReference} again, and never orders twice.`
  const settled = outcome.kind === 'relock' ? newLockHint(externalReference) : again
  const details = {...(typeof facts.details === 'object' ? facts.details : {}), externalReference}
  return new Failure(code, {...facts, details, hint: isUnknown(outcome) ? settled : hint}, {cause})
}

/** The way on if a lock that is gone leaves an order open, and the same request would only hear so again. */
function newLockHint(reference: string): string {
  return `That its lock is gone proves nothing. Lock the cart again with \`scent checkout preview --lock\`, and order from that lock with \`scent orders create --reference ${reference}\`: the same reference never orders twice.`
}

/** What this run wants otherwise than the open order; undefined if it would be the same. */
function disagreement(request: WalkRequest, entry: OrderEntry): string | undefined {
  const total = totalOf(entry)
  const text = (value: object) => JSON.stringify(Object.entries(value).sort())
  if (request.reference !== undefined && request.reference !== entry.reference)
    return `this run asks for ${request.reference}`
  if (request.address && text(request.address) !== text(entry.address)) return 'it goes to another address'
  if (request.discountCode !== undefined && request.discountCode !== entry.discountCode)
    return 'it has another discount code'
  if (request.maxTotal !== undefined && (total === null || isAbove(total, request.maxTotal)))
    return `its total ${total ?? ''} is above the ${request.maxTotal} approved now`
  return undefined
}

/** What the last submission was to charge; null if that was not known. */
export function totalOf({locks, pending}: OrderEntry): string | null {
  const lockId = pending.at(-1)?.lockId
  return locks.findLast((lock) => lock.lockId === lockId)?.total ?? null
}

function stillOpen(entry: OrderEntry, why: string): Failure {
  const {reference} = entry
  return new Failure('OPEN_ORDER', {
    message: `Order ${reference} of this cart has no answer yet, and ${why}. Nothing was sent.`,
    hint: `Settle it first: \`scent checkout\` with --reference ${reference} and the inputs it had. It is charged once or not at all.`,
    details: {externalReference: reference, total: totalOf(entry)},
    effect: 'none',
  })
}

function placedEarlier({reference, order}: Walked): Failure {
  const {orderId, total, currency} = order
  return new Failure('EARLIER_ORDER', {
    message: `Order ${reference} of this cart was open, and stands now as ${orderId}, charged ${total ?? ''} ${currency ?? ''}. Nothing else was ordered.`,
    details: {externalReference: reference, orderId, total},
  })
}

const forAPerson = ({outcome}: OrderEntry) => outcome?.state === 'CONFLICT_ORDER_REQUIRES_INTERVENTION'

const personNeeded = (externalReference: string) =>
  new Failure('CONFLICT_ORDER_REQUIRES_INTERVENTION', {
    details: {externalReference},
    hint: 'Contact the account manager with the reference. Once it is settled, give it as --reference; a new order of this cart needs another one.',
  })

/** A reference that is on record as ordered is refused, unless the service does not know its order any more. */
async function refuseDone(tools: OrderTools, {reference}: WalkRequest): Promise<void> {
  const entry = reference === undefined ? undefined : await tools.records.find(reference)
  const orderId = entry?.settled ? entry.outcome?.orderId : null
  if (orderId === null || orderId === undefined) return
  try {
    await readNamedOrder(tools.client, orderId)
  } catch (error) {
    if (isFailure(error, 'NOT_FOUND_ORDER')) return
    throw error
  }
  throw new Failure('CONFLICT_ORDER_DUPLICATE_REFERENCE', {
    message: `Reference ${reference} is ordered already, as order ${orderId}. Nothing was ordered.`,
    details: {orderId},
    effect: 'none',
  })
}

/**
 * Takes up an order whose submissions got no answer: asks again, and if its locks are gone without proving anything,
 * with a new one (row 25). The cart, filled again if it is gone, is ordered under the same reference, and the answer is
 * either this order or the earlier one. A cart filled for nothing is cleared.
 */
export async function takeUpEntry(tools: OrderTools, entry: OrderEntry): Promise<OrderOutcome> {
  const outcome = await askAgain(tools, entry)
  const approved = totalOf(entry)
  if (outcome.kind !== 'relock' || outcome.open.length === 0 || approved === null) return outcome
  return (await orderAnew(tools, intentOf(entry), outcome.open, approved)) ?? outcome
}

/** The same body again, with each lock that an order was sent with. Fails with INVALID_INPUT if that is not the same. */
export async function askAgain(tools: OrderTools, entry: OrderEntry): Promise<OrderOutcome> {
  const intent = intentOf(entry)
  requireSameBody(entry, intent)
  const locks = entry.pending.map(({lockId}): PriceLock => {
    const total = entry.locks.findLast((lock) => lock.lockId === lockId)?.total ?? null
    return {lockId, total, usableUntil: null}
  })
  return submit(tools, intent, locks, recover(entry))
}

/** undefined if no lock on just the intended lines can be had at the approved price. */
async function orderAnew(
  tools: OrderTools,
  intent: OrderIntent,
  open: Open,
  approved: string,
): Promise<OrderOutcome | undefined> {
  const cart = await cartAgain(tools, intent)
  if (cart === undefined) return undefined
  const again = await lockAgain(tools, intent, approved)
  let outcome: OrderOutcome | undefined
  if (again.kind === 'locked') {
    await noteLock(tools, intent, again.locked)
    outcome = await submitLock(tools, intent, again.locked.lock, open)
  }
  // The earlier submission made the order, or none did: the lines filled in again belong to nobody.
  const unused = !outcome || outcome.kind === 'refused' || ('order' in outcome && !outcome.order.answered)
  if (unused && cart === 'refilled' && intent.customerRef !== null)
    await emptyCart(tools.client, intent.customerRef)
  return outcome
}

/** Brings back the cart of an intent; undefined if that would touch what is not ours. */
async function cartAgain(
  {client}: OrderTools,
  {customerRef, lines}: OrderIntent,
): Promise<'kept' | 'refilled' | undefined> {
  if (lines === null) return undefined
  const held = linesOf(await client.call(previewCheckout, {query: cartQuery(customerRef)}))
  if (sameLines(held, lines)) return 'kept'
  // The bare cart can't be cleared afterwards, so it is not filled.
  if (held.length > 0 || customerRef === null) return undefined
  await addToCart(client, customerRef, lines)
  return 'refilled'
}

/**
 * Orders from a lock that the user names, taking up an earlier run of the same reference whose answer was lost. Fails
 * with the refusal, with OUTCOME_UNKNOWN if it can't be settled, or with INVALID_INPUT, and nothing sent, if the
 * earlier run under this reference wanted another order.
 */
export async function orderByLock(
  tools: OrderTools,
  intent: OrderIntent,
  lockId: string,
): Promise<PlacedOrder> {
  const pending = (await tools.records.find(intent.reference))?.pending ?? []
  requireSameBody({pending}, intent)
  await notePlan(tools, intent)
  const open = pending.map((sent) => sent.lockId)
  const locks = [lockId, ...open].map((id) => ({lockId: id, total: null, usableUntil: null}))
  const outcome = await submit(tools, intent, locks, takeUp(open, lockId))
  if ('order' in outcome) return outcome.order
  const {failure} = outcome
  if (failure.code !== 'OUTCOME_UNKNOWN') throw failure
  const hint =
    outcome.kind === 'relock'
      ? newLockHint(intent.reference)
      : 'Run the same command again: the same reference never orders twice.'
  const details = {externalReference: intent.reference, lockId}
  throw new Failure('OUTCOME_UNKNOWN', {...failure.facts, details, hint}, {cause: failure.cause})
}
