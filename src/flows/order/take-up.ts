import {previewCheckout} from '../../contract/checkout.ts'
import {Failure} from '../../contract/failure.ts'
import {millis} from '../../contract/forms.ts'
import type {OrderEntry} from '../../store/orders.ts'
import {addToCart, emptyCart} from '../cart/edit.ts'
import {linesOf, sameLines} from '../cart/lines.ts'
import {lockAgain, noteLock} from './lock.ts'
import {isUnknown, type Open, type OrderOutcome, type PlacedOrder, recover, takeUp} from './machine.ts'
import {intentOf, notePlan, type OrderIntent, type OrderTools, type PriceLock} from './records.ts'
import {cartQuery, requireSameBody, submit, submitLock} from './submit.ts'

/** The failure of an order with its reference in the details, and with the way to settle it if it is open. */
export async function failureOf(
  tools: OrderTools,
  outcome: Extract<OrderOutcome, {failure: Failure}>,
  externalReference: string,
): Promise<Failure> {
  const {code, facts, cause, hint} = outcome.failure
  const given = {...(typeof facts.details === 'object' ? facts.details : {}), externalReference}
  if (!isUnknown(outcome)) return new Failure(code, {...facts, details: given, hint}, {cause})
  const ends = await locksEnd(tools, externalReference)
  const again = `Run \`scent checkout\` again with the same cart: it asks for reference ${externalReference} again, and never orders twice.`
  const later = ends
    ? ` If nothing else settles it, the end of its price lock does, in ${Math.ceil(ends.inMs / 60_000)} min.`
    : ''
  return new Failure(
    code,
    {
      ...facts,
      details: {...given, ...(ends && {lockExpiresAt: ends.at})},
      hint: outcome.kind === 'relock' ? newLockHint(externalReference) : again + later,
    },
    {cause},
  )
}

/**
 * When the last lock runs out that an open order was sent with, and in how many milliseconds: after that the service's
 * answers prove what became of it (row 32). undefined if that is past, or not known.
 */
async function locksEnd(
  {records, clock}: OrderTools,
  reference: string,
): Promise<{at: string; inMs: number} | undefined> {
  const {locks = [], pending = []} = (await records.find(reference)) ?? {}
  const ends = locks.flatMap(({lockId, pricedAt, expiresAt, at}) => {
    // By the service's own times, since the clock of this machine may be another.
    const inMs = millis(String(expiresAt)) - millis(String(pricedAt)) + millis(at) - millis(clock())
    const isOpen = pending.some((sent) => sent.lockId === lockId)
    return isOpen && expiresAt !== null && inMs > 0 ? [{at: expiresAt, inMs}] : []
  })
  return ends.sort((a, b) => b.inMs - a.inMs)[0]
}

/** The way on if a lock that is gone leaves an order open, and the same request would only hear so again. */
function newLockHint(reference: string): string {
  return `That its lock is gone proves nothing. Lock the cart again with \`scent checkout preview --lock\`, and order from that lock with \`scent orders create --reference ${reference}\`: the same reference never orders twice.`
}

/** What the last submission was to charge; null if that was not known. */
export function totalOf({locks, pending}: OrderEntry): string | null {
  const lockId = pending.at(-1)?.lockId
  return locks.findLast((lock) => lock.lockId === lockId)?.total ?? null
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
