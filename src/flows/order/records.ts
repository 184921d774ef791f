import type {Client} from '../../client/client.ts'
import type {Failure} from '../../contract/failure.ts'
import {amountText, type Digits} from '../../contract/money.ts'
import type {ShippingAddress} from '../../contract/orders.ts'
import type {OrderEntry, OrderRecord, OrderRecords} from '../../store/orders.ts'
import type {CartLine, CartRef} from '../cart/lines.ts'
import {isUnknown, type OrderOutcome} from './machine.ts'

/** What is wanted, fixed before the first request leaves. One intent is one reference, for ever. */
export interface OrderIntent {
  reference: string
  customerRef: CartRef
  /** null if the order takes whatever the lock froze. */
  lines: CartLine[] | null
  address: ShippingAddress
  discountCode?: string | undefined
  /** When its first lock was priced, by the service's clock: an order from before that is not of this intent. */
  since?: string | null | undefined
}

export interface PriceLock {
  lockId: string
  /** What the lock will charge; null if only the lock's id is known. */
  total: Digits | string | null
  /** Monotonic milliseconds after which a create is not started; null if the service did not say. */
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
  /** Whether an order for this customer is of the file that is imported, which another run may be importing as well. */
  isOfFile?(customerRef: CartRef, reference: unknown): boolean
  /** Ends only the waits for an order of somebody else, whereas `signal` ends every pause. */
  stop?: AbortSignal | undefined
}

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
export function notePlan(tools: OrderTools, intent: OrderIntent, maxTotal?: string): Promise<void> {
  const {reference, customerRef, lines, address, discountCode} = intent
  return note(tools, {
    step: 'PLANNED',
    reference,
    customerRef,
    lines,
    address,
    ...(discountCode === undefined ? {} : {discountCode}),
    ...(maxTotal === undefined ? {} : {maxTotal}),
  })
}

/** An outcome without an answer of the service. */
export const unsaid = {http: null, orderId: null, total: null, currency: null, status: null} as const

/** Puts what became of an intent on disk. */
export function noteOutcome(tools: OrderTools, intent: OrderIntent, outcome: OrderOutcome): Promise<void> {
  const {reference} = intent
  const step = 'OUTCOME'
  if ('order' in outcome) {
    const {orderId, total, currency, status, differs, answered} = outcome.order
    return note(tools, {
      step,
      reference,
      outcome: outcome.kind,
      http: null,
      state: answered ? 'CREATED' : 'CONFLICT_ORDER_DUPLICATE_REFERENCE',
      orderId,
      total: total === null ? null : String(total),
      currency,
      status,
      ...(differs && {
        message: `Charged ${amountText(differs.charged, currency)}; the price lock said ${amountText(differs.locked, currency)}.`,
      }),
    })
  }
  const {failure} = outcome
  const unknown = isUnknown(outcome)
  // An order that the service made and marked as failed has an id, by which it can be read.
  const {orderId} = (failure.facts.details ?? {}) as {orderId?: unknown}
  const isMade = failure.code === 'ORDER_FAILED' && typeof orderId === 'string'
  return note(tools, {
    ...unsaid,
    ...(isMade && {orderId, status: 'Failed'}),
    step,
    reference,
    outcome: unknown ? 'unknown' : 'refused',
    http: failure.facts.httpStatus ?? null,
    state: failure.code,
    ...(outcome.kind === 'relock' && !unknown ? {again: true} : {}),
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
