import {previewCheckout} from '../../contract/checkout.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import type {OrderEntry} from '../../store/orders.ts'
import {addToCart, emptyCart} from '../cart/edit.ts'
import {linesOf, sameLines} from '../cart/lines.ts'
import {lockCart, noteLock} from './checkout.ts'
import {
  againHint,
  intentOf,
  isAbove,
  newLockHint,
  note,
  type OrderIntent,
  type OrderOutcome,
  type OrderTools,
  told,
  unsaid,
} from './intent.ts'
import {submitToEach} from './locks.ts'
import {readNamedOrder} from './read.ts'
import {submitOrder} from './submit.ts'
import type {Walked, Walker, WalkRequest, WalkTools} from './walk.ts'

/**
 * Settles what earlier runs left open: an order of this cart, or of this reference, whose answer was lost is asked for
 * again, and is the result when it turns out to stand. That may charge it, so it is done unasked only where this run
 * wants the same: the reference, the address and the discount code, and a limit that covers it. One that never left
 * gives its reference and address to this run.
 */
export async function takeUpEarlier(
  tools: WalkTools,
  request: WalkRequest,
  walker: Walker,
): Promise<{walked?: Walked; entry?: OrderEntry}> {
  await refuseDone(tools, request)
  const open = await tools.records.open()
  const ours = open.filter(
    ({reference, customerRef}) => customerRef === request.customerRef || reference === request.reference,
  )
  const stuck = ours.find(forAPerson)
  if (stuck && request.reference === undefined) throw personNeeded(stuck.reference)
  let last: OrderEntry | undefined
  for (const entry of ours) {
    // Only the user's own word, the reference, asks for such an order again.
    if (forAPerson(entry) && entry.reference !== request.reference) continue
    const wanted = request.reference === undefined || request.reference === entry.reference
    if (entry.pending.length > 0) {
      const walked = await settleEarlier(tools, request, walker, entry)
      if (walked && wanted) return {walked}
      if (walked) throw placedEarlier(walked)
    } else await walker.tell({kind: 'taking-up', entry})
    if (wanted) last = entry
    else await abandon(tools, entry)
  }
  return last ? {entry: last} : {}
}

/** Asks again for an order that was sent; undefined when it proves not to have been charged. */
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
  const outcome = await takeUp(tools, entry)
  if (outcome.kind === 'unknown') {
    const hint = outcome.relock ? newLockHint(reference) : againHint(reference)
    throw told(outcome.failure, reference, hint)
  }
  await walker.tell({kind: 'taken-up', entry, charged: 'order' in outcome})
  return 'order' in outcome ? {reference, order: outcome.order} : undefined
}

/** What this run wants otherwise than the open order; undefined where it would be the same. */
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

/** What the last submission was to charge, where that was known. */
export function totalOf(entry: OrderEntry): string | null {
  const lockId = entry.pending.at(-1)?.lockId
  return entry.locks.findLast((lock) => lock.lockId === lockId)?.total ?? null
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

/** Nothing was ever charged under it: another reference takes its place. */
function abandon(tools: OrderTools, {reference}: OrderEntry): Promise<void> {
  return note(tools, {...unsaid, step: 'OUTCOME', reference, outcome: 'abandoned', state: 'REPLACED'})
}

/** A reference that is on record as ordered is refused, unless the service does not know its order any more. */
async function refuseDone(tools: OrderTools, {reference}: WalkRequest): Promise<void> {
  const entry = reference === undefined ? undefined : await tools.records.find(reference)
  const orderId = entry?.settled ? entry.outcome?.orderId : null
  if (orderId === null || orderId === undefined || !(await exists(tools, orderId))) return
  throw new Failure('CONFLICT_ORDER_DUPLICATE_REFERENCE', {
    message: `Reference ${reference} is ordered already, as order ${orderId}. Nothing was ordered.`,
    details: {orderId},
    effect: 'none',
  })
}

async function exists({client}: OrderTools, orderId: string): Promise<boolean> {
  try {
    await readNamedOrder(client, orderId)
    return true
  } catch (error) {
    if (isFailure(error, 'NOT_FOUND_ORDER')) return false
    throw error
  }
}

/**
 * Takes up an order whose submissions got no answer: the same body again, with each lock it was sent with. Where all of
 * them are spent (see submitToEach), nothing was charged: `relock`, or `refused` where an order failed. Where a lock is
 * gone otherwise, only a new one under the same reference can settle it: the cart, filled again if it is gone, is
 * ordered, and the answer is either this order or the earlier one. A cart filled for nothing is cleared.
 */
export async function takeUp(tools: OrderTools, entry: OrderEntry): Promise<OrderOutcome> {
  const outcome = await askAgain(tools, entry)
  if (outcome.kind !== 'unknown' || !outcome.relock) return outcome
  return settleByNewLock(tools, intentOf(entry), outcome, totalOf(entry))
}

/** The same body again, with each lock that an order was sent with. */
export function askAgain(tools: OrderTools, entry: OrderEntry): Promise<OrderOutcome> {
  const lockIds = [...new Set(entry.pending.map(({lockId}) => lockId))].reverse()
  const locks = lockIds.map((lockId) => {
    const total = entry.locks.findLast((lock) => lock.lockId === lockId)?.total ?? null
    return {lockId, total, usableUntil: null}
  })
  return submitToEach(tools, intentOf(entry), locks, true)
}

async function settleByNewLock(
  tools: OrderTools,
  intent: OrderIntent,
  unknown: OrderOutcome,
  approved: string | null,
): Promise<OrderOutcome> {
  const ready = approved === null ? undefined : await cartAgain(tools, intent)
  if (ready === undefined || approved === null || intent.lines === null) return unknown
  const again = await lockCart(tools, intent.customerRef)
  const fits =
    again.kind === 'locked' &&
    sameLines(intent.lines, again.locked.lines) &&
    !isAbove(again.locked.lock.total, approved)
  if (!fits) {
    await dropRefill(tools, intent, ready)
    return unknown
  }
  await noteLock(tools, intent, again.locked)
  const outcome = await submitOrder(tools, intent, again.locked.lock, true)
  // The earlier submission made the order, or none did: the lines filled in again belong to nobody.
  const unused = outcome.kind === 'refused' || ('order' in outcome && !outcome.order.answered)
  if (unused) await dropRefill(tools, intent, ready)
  return outcome
}

async function dropRefill(tools: OrderTools, {customerRef}: OrderIntent, ready: 'kept' | 'refilled') {
  if (ready === 'refilled' && customerRef !== null) await emptyCart(tools.client, customerRef)
}

/** Brings back the cart of an intent; undefined where that would touch what is not ours. */
async function cartAgain(
  tools: OrderTools,
  {customerRef, lines}: OrderIntent,
): Promise<'kept' | 'refilled' | undefined> {
  if (lines === null) return undefined
  const query = customerRef === null ? {} : {customerRef}
  const held = linesOf(await tools.client.call(previewCheckout, {query}))
  if (sameLines(held, lines)) return 'kept'
  // The bare cart can't be cleared afterwards, so it is not filled.
  if (held.length > 0 || customerRef === null) return undefined
  await addToCart(tools.client, customerRef, lines)
  return 'refilled'
}
