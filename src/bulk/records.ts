import * as z from 'zod/mini'
import {base, locked, outcome, planned, submitting} from '../store/orders.ts'

const kinds = ['orders', 'cart'] as const
export type JobKind = (typeof kinds)[number]

const amount = z.string()
const counts = z.record(z.string(), z.int())

/** The first record: what the job is about, and what was approved for all of it. */
const head = z.object({
  step: z.literal('JOB'),
  at: z.string(),
  id: z.string(),
  kind: z.enum(kinds),
  /** Absolute path of the file, and SHA-256 of what it held. */
  file: z.string(),
  fileHash: z.string(),
  program: z.string(),
  /** The options that decide what the job does: a resume takes them from here. */
  options: z.record(z.string(), z.nullable(z.string())),
})

/** One order of a file: `rows` are its lines there, `goods` what they cost with VAT when it was planned. */
const plannedRow = z.extend(planned, {
  customerRef: z.string(),
  lines: z.array(z.object({variantId: z.string(), quantity: z.int()})),
  rows: z.array(z.int()),
  goods: z.nullable(amount),
})

/** From here on the cart may hold lines of this order. */
const filling = z.object({...base, step: z.literal('FILLING')})
/** The lines that were added for an order are out of its cart again. */
const cleared = z.object({...base, step: z.literal('CLEARED')})
const ledger = z.object({
  proved: z.boolean(),
  /** Debits found for placed orders, and what they add up to. */
  debits: z.int(),
  total: amount,
  /** Totals of placed orders that have no debit. */
  missing: z.array(amount),
  /** Debits of orders since the job began that are not the job's. */
  others: z.int(),
})
const done = z.object({
  step: z.literal('DONE'),
  at: z.string(),
  summary: counts,
  ledger: z.optional(ledger),
})

/** One cart of an import: what the file wants in it, each line with its line in the file. */
const wanted = z.object({
  step: z.literal('WANTED'),
  at: z.string(),
  customerRef: z.string(),
  lines: z.array(
    z.object({variantId: z.string(), sku: z.nullable(z.string()), quantity: z.int(), row: z.int()}),
  ),
})
/** What its lines held, and what they are to hold in the end: fixed before the first change. */
const target = z.object({
  step: z.literal('TARGET'),
  at: z.string(),
  customerRef: z.string(),
  lines: z.array(
    z.object({variantId: z.string(), sku: z.nullable(z.string()), before: z.int(), target: z.int()}),
  ),
})
/** A change is about to leave that must not arrive twice: an add, or the emptying if no variant is named. */
const sending = z.object({
  step: z.literal('SENDING'),
  at: z.string(),
  customerRef: z.string(),
  variantId: z.nullable(z.string()),
})
const cartOutcome = z.object({
  step: z.literal('CART'),
  at: z.string(),
  customerRef: z.string(),
  outcome: z.enum(['done', 'refused', 'unknown']),
  /** The lines that are not at their target; no variant if it is the whole cart. */
  failures: z.array(
    z.object({
      variantId: z.nullable(z.string()),
      outcome: z.enum(['refused', 'unknown']),
      state: z.string(),
      http: z.nullable(z.int()),
      message: z.string(),
    }),
  ),
})

export const jobRecord = z.discriminatedUnion('step', [
  head,
  plannedRow,
  filling,
  cleared,
  locked,
  submitting,
  outcome,
  done,
  wanted,
  target,
  sending,
  cartOutcome,
])
export type JobRecord = z.output<typeof jobRecord>
export type JobHead = z.output<typeof head>
/** Whether every placed order of a job has a debit of its own in the wallet's ledger. */
export type Ledger = z.output<typeof ledger>
export type PlannedRow = z.output<typeof plannedRow>
export type WantedCart = z.output<typeof wanted>
export type CartTarget = z.output<typeof target>
export type CartSending = z.output<typeof sending>
export type CartOutcome = z.output<typeof cartOutcome>

/** What must be on disk before the next step is taken. */
export const DURABLE: ReadonlySet<JobRecord['step']> = new Set([
  'FILLING',
  'SUBMITTING',
  'OUTCOME',
  'DONE',
  'TARGET',
  'SENDING',
  'CART',
])
