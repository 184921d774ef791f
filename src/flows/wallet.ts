import type {Client} from '../client/client.ts'
import type {Digits} from '../contract/money.ts'
import {listWalletTransactions, type WalletTransaction} from '../contract/wallet.ts'
import {openChain} from './ledger.ts'

/**
 * What the wallet holds: the balance after its newest ledger entry. null for a ledger without entries: the API has no
 * other way to tell a balance. Costs one request.
 */
export async function readBalance(
  client: Client,
): Promise<{balance: Digits; currency: string | null; at: string | null} | null> {
  const page = await client.call(listWalletTransactions, {query: {pageSize: 1}})
  const newest = page.items[0]
  if (newest?.balanceAfter === undefined || newest.balanceAfter === null) return null
  return {balance: newest.balanceAfter, currency: newest.currency ?? null, at: newest.timestamp ?? null}
}

/** Reads the ledger of a window to its end and follows the chain of balances. Constant memory. */
export async function checkLedger(
  client: Client,
  window: {fromUtc?: string | undefined; toUtc?: string | undefined},
): Promise<ReturnType<ReturnType<typeof openChain>['result']>> {
  const chain = openChain()
  const entries: AsyncIterable<WalletTransaction> = client.pages(listWalletTransactions, {query: window})
  for await (const entry of entries) chain.add(entry)
  return chain.result()
}
