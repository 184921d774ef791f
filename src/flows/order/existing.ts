import {Failure, isFailure} from '../../contract/failure.ts'
import {millis} from '../../contract/forms.ts'
import {type Digits, digits, isDigits, sameAmount} from '../../contract/money.ts'
import type {CreatedOrder} from '../../contract/orders.ts'
import {sameLines} from '../cart/lines.ts'
import type {Answer, PlacedOrder} from './machine.ts'
import {minus} from './price.ts'
import {chargedFacts, type OrderFacts, readNamedOrder} from './read.ts'
import type {OrderIntent, OrderTools, PriceLock} from './records.ts'

interface Named {
  orderId: string
  /** The refusal that names the order. */
  failure: Failure
}

/** Reads the order that stands under our reference or our lock: whose it is, only that can tell. */
export async function readExisting(
  {client}: OrderTools,
  intent: OrderIntent,
  lock: PriceLock,
  named: Named,
): Promise<Answer> {
  try {
    const read = await readNamedOrder(client, named.orderId)
    return judgeExisting(intent, lock, named, await chargedFacts(client, read))
  } catch (error) {
    if (!isFailure(error)) throw error
    return unread(named, error)
  }
}

function judgeExisting(intent: OrderIntent, lock: PriceLock, named: Named, facts: OrderFacts): Answer {
  const {failure} = named
  const {reference, customerRef, lines, status} = facts
  const orderId = facts.id ?? named.orderId
  if (reference === null && lines === null) return unread(named, new Failure('ODD_ANSWER'))
  if (failure.entry.order === 'lock-used' && reference !== intent.reference)
    return {kind: 'lock-lost', failure}
  if (status === 'Failed') return orderFailed(orderId, facts.failureReason)
  if (!sameContent(intent, facts)) return mismatch(named)
  const order = placed(lock, asPlaced(intent, lock, orderId, facts))
  // Without lines and cart to compare there is nothing to prove that it is this very order. Its total need not be that
  // of the lock: prices move, and no lock knows the shipping zone.
  const proven = Boolean(intent.lines && lines && customerRef !== undefined)
  return {kind: 'exists', order, older: isOlder(intent, facts), proven, failure}
}

/** The order exists, but not being able to read it leaves open whose it is. */
function unread({orderId, failure}: Named, cause: Failure): Answer {
  const message = `Order ${orderId} exists under this reference, and could not be read (${cause.code}).`
  return {kind: 'unread', failure: new Failure('OUTCOME_UNKNOWN', {...failure.facts, message}, {cause})}
}

/** More than the seconds that a service may leave out of a time. */
export const CLEARLY_MS = 60_000

/** Whether an order was made before the first lock that could have made it ours. */
function isOlder({since}: OrderIntent, {createdAt}: OrderFacts): boolean {
  return millis(String(createdAt)) + CLEARLY_MS < millis(String(since))
}

function asPlaced(intent: OrderIntent, lock: PriceLock, orderId: string, facts: OrderFacts): PlacedOrder {
  const {currency, status} = facts
  // Orders are charged as locked; only a shipping fee may be added to that, which no answer tells here.
  const total = facts.total ?? (lock.total === null ? null : digits(String(lock.total)))
  const document: CreatedOrder = {
    id: orderId,
    externalReference: intent.reference,
    customerRef: intent.customerRef,
    status: status ?? 'Processing',
    pricing: {
      currency,
      subtotal: facts.goods,
      vat: facts.goodsVat,
      ...feesOf(facts),
      total: total as Digits,
    },
  }
  return {orderId, total, currency, status, document, answered: false}
}

/** Shipping and commission of an order, of which its read tells the sums. */
function feesOf({total, goodsWithVat, commission}: OrderFacts): Partial<CreatedOrder['pricing']> {
  const isKnown = isDigits(total) && isDigits(goodsWithVat)
  return {
    ...(isKnown && {shippingFee: {amountWithVat: minus(total, goodsWithVat)}}),
    ...(isDigits(commission) && {commission: {amountWithVat: commission}}),
  }
}

function sameContent(intent: OrderIntent, facts: OrderFacts): boolean {
  if (facts.reference !== null && facts.reference !== intent.reference) return false
  if (facts.customerRef !== undefined && facts.customerRef !== intent.customerRef) return false
  return intent.lines === null || facts.lines === null || sameLines(intent.lines, facts.lines)
}

function mismatch({orderId, failure: {facts}}: Named): Answer {
  const message = `The reference is taken: order ${orderId} holds other goods, or is of another cart.`
  const {httpStatus} = facts
  const status = httpStatus === undefined ? {} : {httpStatus}
  return {
    kind: 'reference-taken',
    failure: new Failure('ORDER_MISMATCH', {message, details: {orderId}, ...status}),
  }
}

/** What a create was answered with. */
export function judgeCreated(intent: OrderIntent, lock: PriceLock, created: CreatedOrder): Answer {
  const {id: orderId, externalReference, status, failureReason, pricing} = created
  if (externalReference !== intent.reference) {
    const message = `The service answered with the order of another reference: ${externalReference}.`
    const cause = new Failure('ORDER_MISMATCH', {message, details: {orderId}})
    return {
      kind: 'unread',
      failure: new Failure('OUTCOME_UNKNOWN', {...cause.facts, effect: 'unknown'}, {cause}),
    }
  }
  if (status === 'Failed') return orderFailed(orderId, failureReason ?? null)
  const {total, currency = null} = pricing
  return {
    kind: 'made',
    order: placed(lock, {orderId, total, currency, status, document: created, answered: true}),
  }
}

/** With what was charged beside what the lock had said, if the two differ. */
function placed(lock: PriceLock, order: PlacedOrder): PlacedOrder {
  if (lock.total === null || order.total === null || sameAmount(lock.total, order.total)) return order
  return {...order, differs: {locked: lock.total, charged: order.total}}
}

function orderFailed(orderId: string, failureReason: string | null): Answer {
  const message = `The service marked the order as failed: ${failureReason ?? 'no reason given'}. It reports no charge.`
  return {
    kind: 'failed',
    failure: new Failure('ORDER_FAILED', {message, details: {orderId, failureReason}}),
  }
}
