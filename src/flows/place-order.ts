import {createHash} from 'node:crypto'
import type {Client} from '../client/client.ts'
import {type Preview, previewCheckout} from '../contract/checkout.ts'
import {Failure, isFailure} from '../contract/failure.ts'
import {type Digits, digits, exact, sameAmount} from '../contract/money.ts'
import {type CreatedOrder, createOrder, type OrderBody, type ShippingAddress} from '../contract/orders.ts'
import type {OrderEntry, OrderRecord, OrderRecords} from '../store/orders.ts'
import {type CartLine, type CartRef, sameLines} from './fill-cart.ts'
import {factsOf, type OrderFacts, readNamedOrder} from './read-order.ts'

/** What is wanted, fixed before the first request leaves. One intent is one reference, for ever. */
export interface OrderIntent {
  reference: string
  customerRef: CartRef
  /** null where the order takes whatever the lock froze. */
  lines: CartLine[] | null
  address: ShippingAddress
  discountCode?: string | undefined
}

export interface PriceLock {
  lockId: string
  /** What the lock will charge; null where only the lock's id is known. */
  total: Digits | string | null
  /** Monotonic milliseconds after which a create is not started; null where the service did not say. */
  usableUntil: number | null
}

export type OrderEvent =
  | {kind: 'submitting'; reference: string; attempt: number}
  | {kind: 'asking-again'; reference: string; code: string; inMs: number}
  | {kind: 'settling'; reference: string; code: string}

export interface OrderTools {
  client: Client
  records: OrderRecords
  /** Monotonic milliseconds. */
  now(): number
  /** ISO time of the wall clock, for the records. */
  clock(): string
  /** Ends early when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** From 0 to 1. */
  random(): number
  tell(event: OrderEvent): void
  signal?: AbortSignal | undefined
}

export interface PlacedOrder {
  orderId: string
  total: Digits | null
  currency: string | null
  status: string | null
  /** The order in the shape of a create's answer. Where that was lost, it holds what the read of the order tells. */
  document: CreatedOrder
  /** Whether the create's own answer was received. */
  answered: boolean
  /** Set when what was charged is not what the lock said. */
  differs?: {locked: Digits | string; charged: Digits}
}

/**
 * How a submission ended. `placed`: charged once, by this intent. `already-placed`: this very order existed before.
 * `refused`: not charged. `relock`: not charged, and a new lock under the same reference is the way on. `unknown`:
 * it may have been charged; `relock` in it says that only a new lock can settle it.
 */
export type OrderOutcome =
  | {kind: 'placed' | 'already-placed'; order: PlacedOrder}
  | {kind: 'refused' | 'relock'; failure: Failure}
  | {kind: 'unknown'; failure: Failure; relock: boolean}

type Answer =
  | 'again'
  | 'in-progress'
  | 'race'
  | 'cart-busy'
  | 'exists'
  | 'lock-used'
  | 'lock-gone'
  | 'for-a-person'
  | 'no'

/** What each refusal of a create means (spec, Create scent order). Every code not named here is a plain no. */
const answers: Readonly<Record<string, Answer>> = {
  OUTCOME_UNKNOWN: 'again',
  NO_CONNECTION: 'again',
  UPSTREAM_AUTH_FAILED: 'again',
  CONFLICT_ORDER_IN_PROGRESS: 'in-progress',
  CONFLICT_CART_CHECKOUT_RACE: 'race',
  CONFLICT_CART_HAS_PENDING_ORDER: 'cart-busy',
  CONFLICT_ORDER_DUPLICATE_REFERENCE: 'exists',
  CONFLICT_PRICE_LOCK_ALREADY_USED: 'lock-used',
  VALIDATION_PRICE_LOCK_EXPIRED: 'lock-gone',
  VALIDATION_PRICE_LOCK_INVALID: 'lock-gone',
  BUSINESS_PRICE_NOT_AVAILABLE: 'lock-gone',
  CONFLICT_ORDER_REQUIRES_INTERVENTION: 'for-a-person',
}

/** How long a kind of answer is asked again, and the longest pause between two, in milliseconds. */
const patience: Partial<Record<Answer, {total: number; pause: number}>> = {
  again: {total: 120_000, pause: 16_000},
  'in-progress': {total: 900_000, pause: 30_000},
  race: {total: 15_000, pause: 4_000},
  'cart-busy': {total: 120_000, pause: 16_000},
}

/** Puts the intent on disk. Nothing may be sent for it before this has returned. */
export async function plan(tools: OrderTools, intent: OrderIntent, maxTotal?: string): Promise<void> {
  const {reference, customerRef, lines, address, discountCode} = intent
  await note(tools, {
    step: 'PLANNED',
    reference,
    customerRef,
    lines,
    address,
    ...(discountCode === undefined ? {} : {discountCode}),
    ...(maxTotal === undefined ? {} : {maxTotal}),
  })
}

/**
 * Orders once: writes the submission down, sends it, and asks again with the same reference, lock and body until an
 * answer settles it or patience ends. `earlier` says that a submission of this reference may have left before.
 * Every end but `relock` is on disk when this returns. Throws only what is no Failure.
 */
export async function submitOrder(
  tools: OrderTools,
  intent: OrderIntent,
  lock: PriceLock,
  earlier: boolean,
): Promise<OrderOutcome> {
  const outcome = await askUntilSettled(tools, intent, lock, earlier)
  await noteOutcome(tools, intent, outcome)
  return outcome
}

/**
 * Orders from a lock that the user names, taking up an earlier run of the same reference whose answer was lost.
 * Fails with the refusal, with OUTCOME_UNKNOWN where it can't be settled, or with INVALID_INPUT, and nothing sent,
 * where the earlier run under this reference wanted another order.
 */
export async function orderByLock(
  tools: OrderTools,
  intent: OrderIntent,
  lockId: string,
): Promise<PlacedOrder> {
  const earlier = await tools.records.find(intent.reference)
  const open = (earlier?.pending.length ?? 0) > 0
  if (earlier && open && !sameIntent(earlier, intent)) {
    throw new Failure('INVALID_INPUT', {
      message: `An order for another cart, address or discount code was sent as ${intent.reference}, and has no answer yet.`,
      hint: 'Repeat it with the values it had, or give a new order a reference of its own.',
    })
  }
  await plan(tools, intent)
  const outcome = await submitOrder(tools, intent, {lockId, total: null, usableUntil: null}, open)
  if ('order' in outcome) return outcome.order
  const {failure} = outcome
  if (failure.code !== 'OUTCOME_UNKNOWN') throw failure
  throw new Failure(
    'OUTCOME_UNKNOWN',
    {
      ...failure.facts,
      details: {externalReference: intent.reference, lockId},
      hint: 'Run the same command again: the same reference never orders twice.',
    },
    {cause: failure},
  )
}

function sameIntent(entry: OrderEntry, {customerRef, address, discountCode}: OrderIntent): boolean {
  const text = (value: object) => JSON.stringify(Object.entries(value).sort())
  return (
    entry.customerRef === customerRef &&
    entry.discountCode === discountCode &&
    text(entry.address) === text(address)
  )
}

async function askUntilSettled(
  tools: OrderTools,
  intent: OrderIntent,
  lock: PriceLock,
  earlier: boolean,
): Promise<OrderOutcome> {
  const body = orderBody(intent, lock.lockId)
  const started = tools.now()
  let open = earlier
  for (let attempt = 1; ; attempt++) {
    if (tools.signal?.aborted) return asBefore(new Failure('INTERRUPTED', {effect: 'none'}), open)
    await note(tools, {
      step: 'SUBMITTING',
      reference: intent.reference,
      attempt,
      lockId: lock.lockId,
      bodyHash: createHash('sha256').update(JSON.stringify(body)).digest('hex'),
    })
    tools.tell({kind: 'submitting', reference: intent.reference, attempt})
    try {
      // Not cut short by an interrupt: the request has left, and its answer is what the user wants to know.
      const created = await tools.client.call(createOrder, {body})
      return checkCreated(intent, lock, created)
    } catch (error) {
      if (!isFailure(error)) throw error
      open ||= error.facts.effect === 'unknown'
      const answer = answers[error.code] ?? 'no'
      const waits = patience[answer]
      if (waits === undefined) return settle(tools, intent, lock, error, open)
      // An attempt of this reference runs: whatever it does counts as ours until an answer says otherwise.
      open ||= answer === 'in-progress'
      if (answer === 'cart-busy') open ||= await pendingIsOurs(tools, intent)
      const pause = Math.min(1000 * 2 ** (attempt - 1), waits.pause) * (0.5 + tools.random() / 2)
      if (tools.now() + pause - started > waits.total) return asBefore(error, open)
      tools.tell({kind: 'asking-again', reference: intent.reference, code: error.code, inMs: pause})
      await tools.sleep(pause, tools.signal)
    }
  }
}

/** The request's body. The same intent and lock give the same body, so that a repeat is a repeat. */
export function orderBody(intent: OrderIntent, lockId: string): OrderBody {
  return {
    externalReference: intent.reference,
    ...(intent.customerRef === null ? {} : {customerRef: intent.customerRef}),
    lockId,
    ...(intent.discountCode === undefined ? {} : {discountCode: intent.discountCode}),
    shippingAddress: intent.address,
  }
}

/** Money keeps the state it had: not charged if nothing could have been, unknown if an attempt is open. */
function asBefore(failure: Failure, open: boolean): OrderOutcome {
  return open ? {kind: 'unknown', failure: asUnknown(failure), relock: false} : {kind: 'refused', failure}
}

function asUnknown(failure: Failure): Failure {
  if (failure.code === 'OUTCOME_UNKNOWN') return failure
  return new Failure(
    'OUTCOME_UNKNOWN',
    {
      ...failure.facts,
      effect: 'unknown',
      message: `The order may exist: an answer was lost, and the last one (${failure.code}) does not settle it.`,
    },
    {cause: failure},
  )
}

/** An answer that repeats can't change. */
async function settle(
  tools: OrderTools,
  intent: OrderIntent,
  lock: PriceLock,
  failure: Failure,
  open: boolean,
): Promise<OrderOutcome> {
  const answer = answers[failure.code]
  // Not charged, and nothing open: a lock that is gone, like a plain no, leaves nothing to settle.
  const settles = answer !== undefined && (open || answer !== 'lock-gone')
  if (settles) tools.tell({kind: 'settling', reference: intent.reference, code: failure.code})
  switch (answer) {
    case 'exists':
    case 'lock-used':
      return compareExisting(tools, intent, lock, failure, open)
    case 'lock-gone':
      return open ? {kind: 'unknown', failure: asUnknown(failure), relock: true} : {kind: 'relock', failure}
    case 'for-a-person':
      return {kind: 'unknown', failure, relock: false}
    default:
      return asBefore(failure, open)
  }
}

async function pendingIsOurs(tools: OrderTools, intent: OrderIntent): Promise<boolean> {
  try {
    const preview: Preview = await tools.client.call(previewCheckout, {
      query: intent.customerRef === null ? {} : {customerRef: intent.customerRef},
    })
    return preview.pendingOrderReference === intent.reference
  } catch (error) {
    if (isFailure(error)) return false
    throw error
  }
}

function checkCreated(intent: OrderIntent, lock: PriceLock, created: CreatedOrder): OrderOutcome {
  if (created.externalReference !== intent.reference) {
    const message = `The service answered with the order of another reference: ${created.externalReference}.`
    const cause = new Failure('ORDER_MISMATCH', {message, details: {orderId: created.id}})
    const failure = new Failure('OUTCOME_UNKNOWN', {...cause.facts, effect: 'unknown'}, {cause})
    return {kind: 'unknown', failure, relock: false}
  }
  if (created.status === 'Failed') return failed(created.id, created.failureReason ?? null)
  const order = placed(lock, {
    orderId: created.id,
    total: created.pricing.total,
    currency: created.pricing.currency ?? null,
    status: created.status,
    document: created,
    answered: true,
  })
  return {kind: 'placed', order}
}

function placed(lock: PriceLock, order: PlacedOrder): PlacedOrder {
  if (lock.total === null || order.total === null || sameAmount(lock.total, order.total)) return order
  return {...order, differs: {locked: lock.total, charged: order.total}}
}

function failed(orderId: string, reason: string | null): OrderOutcome {
  const message = `The service failed the order: ${reason ?? 'no reason given'}. It names no charge.`
  return {
    kind: 'refused',
    failure: new Failure('ORDER_FAILED', {message, details: {orderId, failureReason: reason}}),
  }
}

/** An order stands under our reference or our lock. Whose it is, only reading it can tell. */
async function compareExisting(
  tools: OrderTools,
  intent: OrderIntent,
  lock: PriceLock,
  failure: Failure,
  open: boolean,
): Promise<OrderOutcome> {
  const orderId = (failure.facts.details as {orderId?: unknown} | null | undefined)?.orderId
  if (typeof orderId !== 'string') return asBefore(failure, open)
  const read = await attempt(() => readNamedOrder(tools.client, orderId))
  if (read instanceof Failure) {
    // The order exists, but not being able to read it leaves open whose it is.
    const message = `Order ${orderId} exists under this reference, and could not be read (${read.code}).`
    const unread = new Failure('OUTCOME_UNKNOWN', {...failure.facts, message}, {cause: read})
    return {kind: 'unknown', failure: unread, relock: false}
  }
  const facts = factsOf(read)
  if (failure.code === 'CONFLICT_PRICE_LOCK_ALREADY_USED' && facts.reference !== intent.reference)
    return open ? {kind: 'unknown', failure: asUnknown(failure), relock: true} : {kind: 'relock', failure}
  if (facts.status === 'Failed') return failed(facts.id ?? orderId, facts.failureReason)
  const order = placed(lock, asPlaced(intent, lock, orderId, facts))
  if (!sameContent(intent, facts) || (!open && order.differs)) return mismatch(orderId, failure)
  if (open) return {kind: 'placed', order}
  // Without lines, cart and total to compare there is nothing to prove that it is this very order.
  const proven = intent.lines && facts.lines && facts.customerRef !== undefined && lock.total !== null
  return proven ? {kind: 'already-placed', order} : {kind: 'refused', failure}
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
      message: `The reference is taken: order ${orderId} holds other goods, another cart or another total.`,
      details: {orderId},
      ...(failure.facts.httpStatus === undefined ? {} : {httpStatus: failure.facts.httpStatus}),
    }),
  }
}

async function attempt<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work()
  } catch (error) {
    if (isFailure(error)) return error
    throw error
  }
}

async function noteOutcome(tools: OrderTools, intent: OrderIntent, outcome: OrderOutcome): Promise<void> {
  const {reference} = intent
  if ('order' in outcome) {
    const {orderId, total, currency, status} = outcome.order
    const state = outcome.order.answered ? 'CREATED' : 'CONFLICT_ORDER_DUPLICATE_REFERENCE'
    await note(tools, {
      step: 'OUTCOME',
      reference,
      outcome: outcome.kind,
      http: null,
      state,
      orderId,
      total: total === null ? null : String(total),
      currency,
      status,
    })
    await note(tools, {step: 'VERIFIED', reference, orderId})
    return
  }
  const {failure} = outcome
  await note(tools, {
    step: 'OUTCOME',
    reference,
    outcome: outcome.kind === 'unknown' ? 'unknown' : 'refused',
    http: failure.facts.httpStatus ?? null,
    state: failure.code,
    orderId: null,
    total: null,
    currency: null,
    status: null,
  })
}

type Noted<R> = R extends {at: string} ? Omit<R, 'at'> : never

/** Appends to the record with the time. Fails with FILE_FAILED, and then nothing more may be sent. */
export function note(tools: OrderTools, record: Noted<OrderRecord>): Promise<void> {
  return tools.records.append({...record, at: tools.clock()} as OrderRecord)
}

/** The intent of an earlier run, as its records hold it. */
export function intentOf(entry: OrderEntry): OrderIntent {
  const {reference, customerRef, lines, address, discountCode} = entry
  return {reference, customerRef, lines, address, discountCode}
}

/** Whether `total` is above what was approved. */
export function isAbove(total: Digits, approved: Digits | string): boolean {
  return exact(total).gt(exact(approved))
}
