import type {Client} from '../../client/client.ts'
import {Failure} from '../../contract/failure.ts'
import {type Digits, exact} from '../../contract/money.ts'
import type {CreatedOrder, ShippingAddress} from '../../contract/orders.ts'
import type {OrderEntry, OrderRecord, OrderRecords} from '../../store/orders.ts'
import type {CartLine, CartRef} from '../cart/lines.ts'

/** What is wanted, fixed before the first request leaves. One intent is one reference, for ever. */
export interface OrderIntent {
  reference: string
  customerRef: CartRef
  /** null where the order takes whatever the lock froze. */
  lines: CartLine[] | null
  address: ShippingAddress
  discountCode?: string | undefined
  /** When its first lock was priced, by the service's clock: an order from before that is not of this intent. */
  since?: string | null | undefined
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
  /** Ends only the waits for an order of somebody else, where `signal` ends every pause. */
  stop?: AbortSignal | undefined
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
/** The intent of an earlier run, as its records hold it. */
export function intentOf(entry: OrderEntry): OrderIntent {
  const {reference, customerRef, lines, address, discountCode, locks} = entry
  return {reference, customerRef, lines, address, discountCode, since: locks[0]?.pricedAt}
}

type Noted<R> = R extends {at: string} ? Omit<R, 'at'> : never

/** Appends to the record with the time. Fails with FILE_FAILED, and then nothing more may be sent. */
export function note(tools: OrderTools, record: Noted<OrderRecord>): Promise<void> {
  return tools.records.append({...record, at: tools.clock()} as OrderRecord)
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

/** Puts what became of an intent on disk. */
export async function noteOutcome(
  tools: OrderTools,
  intent: OrderIntent,
  outcome: OrderOutcome,
): Promise<void> {
  const {reference} = intent
  if ('order' in outcome) {
    const {orderId, total, currency, status} = outcome.order
    const {differs, answered} = outcome.order
    const state = answered ? 'CREATED' : 'CONFLICT_ORDER_DUPLICATE_REFERENCE'
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
      ...(differs && {message: `It was charged ${differs.charged}; its lock said ${differs.locked}.`}),
    })
    if (!differs) await note(tools, {step: 'VERIFIED', reference, orderId})
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
    ...(outcome.kind === 'relock' ? {again: true} : {}),
    message: reasonOf(failure),
  })
}

const LONGEST_REASON = 500

/** A refusal in one line, with what its details say of fields, of lines of a cart and of variants. */
export function reasonOf({message, facts}: Failure): string {
  const {errors, lines, variantIds} = (facts.details ?? {}) as Record<string, unknown>
  const fields = typeof errors === 'object' && errors !== null ? Object.entries(errors) : []
  const issues = Array.isArray(lines) ? lines.filter((line) => typeof line?.issue === 'string') : []
  const parts = [
    ...fields.map(([name, rules]) => `${name}: ${[rules].flat().join(' ')}`),
    ...issues.map(({sku, variantId, issue, availableQuantity: left}) => {
      return `${sku ?? variantId}: ${issue}${typeof left === 'number' ? `, ${left} available` : ''}`
    }),
    ...(Array.isArray(variantIds) ? [`Variants: ${variantIds.join(', ')}.`] : []),
  ]
  return [message, ...parts].join(' ').slice(0, LONGEST_REASON)
}

/** Whether `total` is above what was approved. */
export function isAbove(total: Digits | string, approved: Digits | string): boolean {
  return exact(total).gt(exact(approved))
}

/** The way on where a lock that is gone leaves an order open, and the same request would only hear so again. */
export function newLockHint(reference: string): string {
  return `That its lock is gone proves nothing. Lock the cart again with \`scent checkout preview --lock\`, and order from that lock with \`scent orders create --reference ${reference}\`: the same reference never orders twice.`
}

/** An outcome without an answer of the service. */
export const unsaid = {http: null, orderId: null, total: null, currency: null, status: null} as const

export const againHint = (reference: string) =>
  `Run \`scent checkout\` again with the same cart: it asks for reference ${reference} again, and never orders twice.`

/** The failure with the reference in its details, and for an open order the way to settle it. */
export function told(failure: Failure, reference: string, hint = failure.hint): Failure {
  const given = failure.facts.details
  const details = {...(typeof given === 'object' ? given : {}), externalReference: reference}
  return new Failure(failure.code, {...failure.facts, details, hint}, {cause: failure.cause})
}
