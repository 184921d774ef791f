import {Failure, isFailure} from '../../contract/failure.ts'
import {millis} from '../../contract/forms.ts'
import {type Digits, digits, sameAmount} from '../../contract/money.ts'
import type {CreatedOrder} from '../../contract/orders.ts'
import {sameLines} from '../cart/lines.ts'
import type {OrderIntent, OrderOutcome, OrderTools, PlacedOrder, PriceLock} from './intent.ts'
import {factsOf, type OrderFacts, readNamedOrder} from './read.ts'

/** An order stands under our reference or our lock. Whose it is, only reading it can tell. */
export async function compareExisting(
  tools: OrderTools,
  intent: OrderIntent,
  lock: PriceLock,
  failure: Failure,
  open: boolean,
): Promise<OrderOutcome> {
  const orderId = (failure.facts.details as {orderId?: unknown} | null | undefined)?.orderId
  if (typeof orderId !== 'string') return asBefore(failure, open)
  const read = await attempt(() => readNamedOrder(tools.client, orderId))
  if (read instanceof Failure) return unread(orderId, failure, read)
  const facts = factsOf(read)
  if (facts.reference === null && facts.lines === null)
    return unread(orderId, failure, new Failure('ODD_ANSWER'))
  if (failure.code === 'CONFLICT_PRICE_LOCK_ALREADY_USED' && facts.reference !== intent.reference)
    return open ? {kind: 'unknown', failure: asUnknown(failure), relock: true} : {kind: 'relock', failure}
  if (facts.status === 'Failed') return failed(facts.id ?? orderId, facts.failureReason)
  const order = placed(lock, asPlaced(intent, lock, orderId, facts))
  if (!sameContent(intent, facts)) return mismatch(orderId, failure)
  if (open) return {kind: isOlder(intent, facts) ? 'already-placed' : 'placed', order}
  // Without lines and cart to compare there is nothing to prove that it is this very order. Its total need not be that
  // of the lock: prices move, and no lock knows the shipping zone.
  const proven = intent.lines && facts.lines && facts.customerRef !== undefined && lock.total !== null
  return proven ? {kind: 'already-placed', order} : {kind: 'refused', failure}
}

/** The order exists, but not being able to read it leaves open whose it is. */
function unread(orderId: string, failure: Failure, cause: Failure): OrderOutcome {
  const message = `Order ${orderId} exists under this reference, and could not be read (${cause.code}).`
  const unknown = new Failure('OUTCOME_UNKNOWN', {...failure.facts, message}, {cause})
  return {kind: 'unknown', failure: unknown, relock: false}
}

/** More than the seconds that a service may leave out of a time. */
export const CLEARLY_MS = 60_000

/** Whether an order was made before the first lock that could have made it ours. */
function isOlder({since}: OrderIntent, {createdAt}: OrderFacts): boolean {
  return millis(String(createdAt)) + CLEARLY_MS < millis(String(since))
}

function asPlaced(intent: OrderIntent, lock: PriceLock, named: string, facts: OrderFacts): PlacedOrder {
  const {total, currency, status} = facts
  const orderId = facts.id ?? named
  const known = total ?? (lock.total === null ? null : digits(String(lock.total)))
  const document: CreatedOrder = {
    id: orderId,
    externalReference: intent.reference,
    customerRef: intent.customerRef,
    status: status ?? 'Processing',
    pricing: {currency, subtotal: facts.goods, vat: facts.goodsVat, total: known as Digits},
  }
  return {orderId, total, currency, status, document, answered: false}
}

function sameContent(intent: OrderIntent, facts: OrderFacts): boolean {
  if (facts.reference !== null && facts.reference !== intent.reference) return false
  if (facts.customerRef !== undefined && facts.customerRef !== intent.customerRef) return false
  return intent.lines === null || facts.lines === null || sameLines(intent.lines, facts.lines)
}

function mismatch(orderId: string, failure: Failure): OrderOutcome {
  return {
    kind: 'refused',
    failure: new Failure('ORDER_MISMATCH', {
      message: `The reference is taken: order ${orderId} holds other goods, or is of another cart.`,
      details: {orderId},
      ...(failure.facts.httpStatus === undefined ? {} : {httpStatus: failure.facts.httpStatus}),
    }),
  }
}

/** Money keeps the state it had: not charged if nothing could have been, unknown if an attempt is open. */
export function asBefore(failure: Failure, open: boolean): OrderOutcome {
  return open ? {kind: 'unknown', failure: asUnknown(failure), relock: false} : {kind: 'refused', failure}
}

/** A failure of an order that may exist already: the money may have moved, whatever this one says. */
export function asUnknown(failure: Failure): Failure {
  if (failure.code === 'OUTCOME_UNKNOWN') return failure
  return new Failure(
    'OUTCOME_UNKNOWN',
    {
      ...failure.facts,
      effect: 'unknown',
      message: `The order may exist: no answer has settled it yet, and the last one (${failure.code}) does not either.`,
    },
    {cause: failure},
  )
}

/** With what was charged beside what the lock had said, where the two differ. */
export function placed(lock: PriceLock, order: PlacedOrder): PlacedOrder {
  if (lock.total === null || order.total === null || sameAmount(lock.total, order.total)) return order
  return {...order, differs: {locked: lock.total, charged: order.total}}
}

/** The service made the order and failed it. */
export function failed(orderId: string, reason: string | null): OrderOutcome {
  const message = `The service failed the order: ${reason ?? 'no reason given'}. It names no charge.`
  return {
    kind: 'refused',
    failure: new Failure('ORDER_FAILED', {message, details: {orderId, failureReason: reason}}),
  }
}

/** Whether the service made the order and failed it: nothing was charged, and its lock is used up. */
export function isFailedOrder(outcome: OrderOutcome): outcome is OrderOutcome & {kind: 'refused'} {
  return outcome.kind === 'refused' && outcome.failure.code === 'ORDER_FAILED'
}

async function attempt<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work()
  } catch (error) {
    if (isFailure(error)) return error
    throw error
  }
}
