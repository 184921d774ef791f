import type {Client} from '../client/client.ts'
import type {Digits} from '../contract/money.ts'
import {listWalletTransactions} from '../contract/wallet.ts'

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
