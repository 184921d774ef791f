import * as z from 'zod/mini'
import {shippingAddress} from '../contract/orders.ts'
import {corrupt} from './files.ts'
import {recordsJournal} from './journal.ts'
import type {Folders, Identity} from './paths.ts'

export const base = {reference: z.string(), at: z.string()}
const line = z.object({variantId: z.string(), quantity: z.int()})
/** Amounts are kept as the digits that the service sent. */
const amount = z.string()

export const planned = z.object({
  ...base,
  step: z.literal('PLANNED'),
  customerRef: z.nullable(z.string()),
  /** Null if the order takes whatever the cart holds. */
  lines: z.nullable(z.array(line)),
  address: shippingAddress,
  discountCode: z.optional(z.string()),
  maxTotal: z.optional(amount),
})

export const locked = z.object({
  ...base,
  step: z.literal('LOCKED'),
  lockId: z.string(),
  expiresAt: z.nullable(z.string()),
  pricedAt: z.nullable(z.string()),
  total: amount,
  /** The part of the total that is for shipping, if the service told what the goods cost. */
  shipping: z.optional(amount),
  lines: z.array(line),
})

export const submitting = z.object({
  ...base,
  step: z.literal('SUBMITTING'),
  attempt: z.int(),
  lockId: z.string(),
  bodyHash: z.string(),
})

export const outcome = z.object({
  ...base,
  step: z.literal('OUTCOME'),
  outcome: z.enum(['placed', 'already-placed', 'refused', 'unknown', 'abandoned']),
  http: z.nullable(z.int()),
  state: z.string(),
  orderId: z.nullable(z.string()),
  total: z.nullable(amount),
  currency: z.nullable(z.string()),
  status: z.nullable(z.string()),
  /** True of a refusal that is not final: nothing was charged, and the same reference may be ordered again. */
  again: z.optional(z.boolean()),
  /** Why there is no order, in one sentence. */
  message: z.optional(z.string()),
})

const orderRecord = z.discriminatedUnion('step', [planned, locked, submitting, outcome])
export type OrderRecord = z.output<typeof orderRecord>
type Planned = z.output<typeof planned>
type Locked = z.output<typeof locked>
type Submitting = z.output<typeof submitting>
export type Outcome = z.output<typeof outcome>

/** One order, folded from all records of its reference. */
export interface OrderEntry {
  reference: string
  customerRef: string | null
  lines: Planned['lines']
  address: Planned['address']
  discountCode: string | undefined
  maxTotal: string | undefined
  locks: Locked[]
  /** The submissions that no outcome has settled: any of them may have taken effect. */
  pending: Submitting[]
  outcome: Outcome | undefined
  startedAt: string
  updatedAt: string
  /** False as long as the order may still have to be taken up again: no outcome, or an unknown one. */
  settled: boolean
}

/** The orders made on this machine under one identity. See journal.ts for the failures. */
export interface OrderRecords {
  append(record: OrderRecord, options?: {sync?: boolean}): Promise<void>
  /** One entry for each reference, the oldest first. */
  all(): Promise<OrderEntry[]>
  /** The entries that are not settled. */
  open(): Promise<OrderEntry[]>
  find(reference: string): Promise<OrderEntry | undefined>
}

/** Records that must be on disk before the next step of an order. */
const DURABLE: ReadonlySet<OrderRecord['step']> = new Set(['PLANNED', 'SUBMITTING', 'OUTCOME'])

/** The local record of orders of one identity; another identity's file is refused (FOREIGN_FILE). */
export function orderRecords(folders: Folders, identity: Identity): OrderRecords {
  const file = recordsJournal(folders, identity, 'orders', orderRecord)
  const all = async () => {
    const entries = new Map<string, OrderEntry>()
    for (const record of file.records()) fold(file.path, entries, record)
    return [...entries.values()]
  }
  return {
    append: (record, {sync = DURABLE.has(record.step)} = {}) => file.append(record, {sync}),
    all,
    open: async () => (await all()).filter((entry) => !entry.settled),
    find: async (reference) => (await all()).find((entry) => entry.reference === reference),
  }
}

/** Folds a record into the entry of its reference. Fails with CORRUPT_FILE if that was never planned. */
export function fold(path: string, entries: Map<string, OrderEntry>, record: OrderRecord): void {
  const entry = entries.get(record.reference)
  if (record.step === 'PLANNED') {
    entries.set(record.reference, plan(record, entry))
    return
  }
  if (entry === undefined)
    throw corrupt(path, `has a ${record.step} record of an order that it never planned`)
  entry.updatedAt = record.at
  if (record.step === 'LOCKED') entry.locks.push(record)
  if (record.step === 'SUBMITTING') {
    entry.pending.push(record)
    entry.settled = false
  }
  if (record.step === 'OUTCOME') {
    // An order that exists under this reference stays, if a later submission is refused.
    if (!(stands(entry) && record.outcome === 'refused')) entry.outcome = record
    entry.settled = record.outcome !== 'unknown'
    if (entry.settled) entry.pending = []
  }
}

/** A reference that is planned again, such as after a refusal, keeps its locks. It is open again unless an order exists. */
function plan(record: Planned, before: OrderEntry | undefined): OrderEntry {
  const placed = before !== undefined && stands(before)
  return {
    reference: record.reference,
    customerRef: record.customerRef,
    lines: record.lines,
    address: record.address,
    discountCode: record.discountCode,
    maxTotal: record.maxTotal,
    locks: before?.locks ?? [],
    pending: before?.pending ?? [],
    outcome: placed ? before.outcome : undefined,
    startedAt: before?.startedAt ?? record.at,
    updatedAt: record.at,
    settled: placed,
  }
}

function stands({outcome}: OrderEntry): boolean {
  return outcome?.outcome === 'placed' || outcome?.outcome === 'already-placed'
}
