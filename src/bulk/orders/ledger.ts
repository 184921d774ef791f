import type {Client} from '../../client/client.ts'
import {exact, isDigits} from '../../contract/money.ts'
import {listWalletTransactions, type WalletTransaction} from '../../contract/wallet.ts'
import {CLEARLY_MS} from '../../flows/order/existing.ts'
import type {Ledger} from '../records.ts'
import type {JobOrders} from './fold.ts'

/**
 * Compares the totals of a job's placed orders with the ledger's debits as multisets, in exact decimals: an entry
 * carries no reference of its order. Costs a request for each hundred entries since the job's first lock.
 */
export async function proveByLedger(client: Client, orders: JobOrders): Promise<Ledger> {
  const expected = new Map<string, number>()
  for (let at = 0; at < orders.size; at++) {
    if (orders.state(at) !== 'placed') continue
    const total = orders.outcome(at)?.total
    const name = total == null ? 'unknown' : exact(total).toFixed()
    expected.set(name, (expected.get(name) ?? 0) + 1)
  }
  const proof: Ledger = {proved: false, debits: 0, total: '0', missing: [], others: 0}
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
  proof: Ledger,
): Promise<void> {
  const query = {...window, referenceType: ['Order']}
  const entries: AsyncIterable<WalletTransaction> = client.pages(listWalletTransactions, {query})
  for await (const entry of entries) match(entry, expected, proof)
}

function match(entry: WalletTransaction, expected: Map<string, number>, proof: Ledger): void {
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
