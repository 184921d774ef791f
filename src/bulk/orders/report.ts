import type {Client} from '../../client/client.ts'
import {entryOf} from '../../contract/errors.ts'
import {type Digits, digits, exact, isDigits} from '../../contract/money.ts'
import {listWalletTransactions, type WalletTransaction} from '../../contract/wallet.ts'
import {CLEARLY_MS} from '../../flows/order/existing.ts'
import type {Outcome} from '../../store/orders.ts'
import type {JobFile} from '../journal.ts'
import type {JobOrders} from './fold.ts'

/** What became of one order of a job, as --json shows it. */
export interface OrderRow {
  externalReference: string
  customerRef: string
  outcome: 'placed' | 'already-placed' | 'refused' | 'unknown' | 'pending'
  orderId: string | null
  total: Digits | null
  error: RowError | null
}

/** Why a row of a job is not as it should be. */
export interface RowError {
  state: string
  httpStatus?: number
  message: string
  hint: string
}

/** The verdict on it, for people: whether money moved, and why that is certain or what would settle it. */
export interface OrderVerdict extends OrderRow {
  verdict: 'CHARGED ONCE' | 'NOT CHARGED' | 'UNKNOWN' | 'UNDER WAY'
  why: string
  /** When it was planned, and when it got its last outcome. */
  startedAt: string
  updatedAt: string
  currency: string | null
  /** Its lines in the file. */
  rows: number[]
}

export interface Summary {
  placed: number
  alreadyPlaced: number
  refused: number
  unknown: number
  /** Not begun; only where there are some. */
  pending?: number
}

/** The verdicts on all orders of a job, in the order of its file, each read from the journal when it is asked for. */
export function* verdictsOf(orders: JobOrders, job: JobFile): Generator<OrderVerdict> {
  const running = job.isRunning()
  for (let at = 0; at < orders.size; at++) {
    const row = verdictOf(orders, at, job.head.id)
    const isUnderWay = running && orders.isOpen(at)
    yield isUnderWay ? {...row, ...underWay} : row
  }
}

const underWay = {outcome: 'pending', verdict: 'UNDER WAY', why: 'Its answer is on its way.'} as const

export function rowOf({
  externalReference,
  customerRef,
  outcome,
  orderId,
  total,
  error,
}: OrderVerdict): OrderRow {
  return {externalReference, customerRef, outcome, orderId, total, error}
}

function verdictOf(orders: JobOrders, at: number, jobId: string): OrderVerdict {
  const {reference, customerRef, rows, at: startedAt} = orders.planned(at)
  const said = orders.outcome(at)
  const outcome = outcomeOf(orders, at, said)
  const failed = outcome === 'refused' || (outcome === 'unknown' && said !== undefined)
  return {
    externalReference: reference,
    customerRef,
    outcome,
    orderId: failed || outcome === 'pending' ? null : (said?.orderId ?? null),
    total: failed || said?.total == null ? null : digits(said.total),
    error: failed && said ? errorOf(said) : null,
    ...verdictText(orders, at, outcome, said, jobId),
    startedAt,
    updatedAt: said?.at ?? startedAt,
    currency: said?.currency ?? null,
    rows,
  }
}

function outcomeOf(orders: JobOrders, at: number, said: Outcome | undefined): OrderRow['outcome'] {
  const state = orders.state(at)
  if (state !== 'todo') return state
  // Cut off between a submission and its answer.
  if (orders.isOpen(at)) return 'unknown'
  return said === undefined ? 'pending' : 'refused'
}

export function errorOf({
  state,
  http,
  message,
}: {
  state: string
  http: number | null
  message?: string | null | undefined
}): RowError {
  const entry = entryOf(state, http ?? undefined)
  return {
    state,
    ...(http === null ? {} : {httpStatus: http}),
    message: message ?? entry.says,
    hint: entry.next,
  }
}

function verdictText(
  orders: JobOrders,
  at: number,
  outcome: OrderRow['outcome'],
  said: Outcome | undefined,
  jobId: string,
): Pick<OrderVerdict, 'verdict' | 'why'> {
  const resume = `scent jobs resume ${jobId}`
  const message = said?.message ?? ''
  switch (outcome) {
    case 'placed':
      return {verdict: 'CHARGED ONCE', why: `The order stands. ${message}`.trim()}
    case 'already-placed':
      return {
        verdict: 'CHARGED ONCE',
        why: `The service had this very order before; it was not charged again. ${message}`.trim(),
      }
    case 'pending':
      return {verdict: 'NOT CHARGED', why: `Not begun; nothing was sent. \`${resume}\` goes on.`}
    case 'refused': {
      const {state = '', http} = said ?? {}
      const who =
        entryOf(state, http ?? undefined).http === undefined ? 'It was not ordered' : 'The service refused it'
      const sent = orders.wasSubmitted(at) ? `${who} (${state}).` : 'No order was sent.'
      const again = orders.state(at) === 'todo' ? ` \`${resume}\` does it again.` : ''
      return {verdict: 'NOT CHARGED', why: `${sent} ${message}${again}`}
    }
    case 'unknown':
      return {
        verdict: 'UNKNOWN',
        why: `${message || 'Cut off before its answer.'} ${settledBy(orders, at, said, resume)}`,
      }
  }
}

/** What settles an open order, and when. */
function settledBy(orders: JobOrders, at: number, said: Outcome | undefined, resume: string): string {
  if (said?.state === 'CONFLICT_ORDER_REQUIRES_INTERVENTION')
    return 'Only the account manager can settle it: give the reference.'
  if (!orders.wasSubmitted(at))
    return `\`${resume}\` orders with the same reference: whoever comes first, it is charged once.`
  const end = orders.locksEnd(at)
  const sure = end === null ? '' : ` After ${end}, when its last lock has ended, the answer is final.`
  return `\`${resume}\` asks the service again with the same reference.${sure}`
}

export function summaryOf(orders: JobOrders): Summary {
  const open = orders.openCount()
  const pending = orders.count('todo') - open - orders.reopenedCount()
  return {
    placed: orders.count('placed'),
    alreadyPlaced: orders.count('already-placed'),
    refused: orders.count('refused') + orders.reopenedCount(),
    unknown: orders.count('unknown') + open,
    ...(pending > 0 ? {pending} : {}),
  }
}

/** Whether every placed order of a job has a debit of its own in the wallet's ledger. */
export interface LedgerProof {
  proved: boolean
  /** Debits found for placed orders, and what they add up to. */
  debits: number
  total: string
  /** Totals of placed orders for which there is no debit. */
  missing: string[]
  /** Debits of orders since the job began that are not the job's. */
  others: number
}

/**
 * Compares the totals of a job's placed orders with the ledger's debits as multisets, in exact decimals: an entry
 * carries no reference of its order. Costs a request for each hundred entries since the job's first lock.
 */
export async function proveByLedger(client: Client, orders: JobOrders): Promise<LedgerProof> {
  const expected = new Map<string, number>()
  for (let at = 0; at < orders.size; at++) {
    if (orders.state(at) !== 'placed') continue
    const total = orders.outcome(at)?.total
    const name = total == null ? 'unknown' : exact(total).toFixed()
    expected.set(name, (expected.get(name) ?? 0) + 1)
  }
  const proof: LedgerProof = {proved: false, debits: 0, total: '0', missing: [], others: 0}
  const since = orders.since()
  if (since !== null) await matchAll(client, {fromUtc: since}, expected, proof)
  proof.missing = missingOf(expected)
  // An order counts as ours that another run of the file has made a moment before this job's first lock.
  if (since !== null && proof.missing.length > 0) {
    const {others} = proof
    const before = new Date(Date.parse(since) - CLEARLY_MS).toISOString()
    await matchAll(client, {fromUtc: before, toUtc: since}, expected, proof)
    Object.assign(proof, {others, missing: missingOf(expected)})
  }
  return {...proof, proved: proof.missing.length === 0}
}

const missingOf = (expected: ReadonlyMap<string, number>) =>
  [...expected].flatMap(([total, left]) => Array<string>(left).fill(total))

async function matchAll(
  client: Client,
  window: {fromUtc: string; toUtc?: string},
  expected: Map<string, number>,
  proof: LedgerProof,
): Promise<void> {
  const query = {...window, referenceType: ['Order']}
  const entries: AsyncIterable<WalletTransaction> = client.pages(listWalletTransactions, {query})
  for await (const entry of entries) match(entry, expected, proof)
}

function match(entry: WalletTransaction, expected: Map<string, number>, proof: LedgerProof): void {
  if (entry.transactionType !== 'Debit' || !isDigits(entry.amount)) return
  const amount = exact(entry.amount).abs()
  const left = expected.get(amount.toFixed()) ?? 0
  if (left === 0) {
    proof.others += 1
    return
  }
  expected.set(amount.toFixed(), left - 1)
  proof.debits += 1
  proof.total = exact(proof.total).plus(amount).toFixed()
}
