import type {Client} from '../client/client.ts'
import type {Digits} from '../contract/money.ts'
import {listWalletTransactions, type WalletTransaction} from '../contract/wallet.ts'
import {openChain} from './ledger.ts'

/**
 * Reads the balance of the wallet, which is the balance after its newest ledger entry: the API shows it nowhere else.
 * null for a ledger without entries. Costs one request.
 */
export async function readBalance(
  client: Client,
): Promise<{balance: Digits; currency: string | null; at: string | null} | null> {
  const page = await client.call(listWalletTransactions, {query: {pageSize: 1}})
  const newest = page.items[0]
  if (newest?.balanceAfter === undefined || newest.balanceAfter === null) return null
  return {balance: newest.balanceAfter, currency: newest.currency ?? null, at: newest.timestamp ?? null}
}

/** Reads the ledger of a window to its end, and checks the chain of balances. Uses constant memory. */
export async function checkLedger(
  client: Client,
  window: {fromUtc?: string | undefined; toUtc?: string | undefined},
): Promise<ReturnType<ReturnType<typeof openChain>['result']>> {
  const chain = openChain()
  const entries: AsyncIterable<WalletTransaction> = client.pages(
    listWalletTransactions,
    {query: window},
    {onlyShown: true},
  )
  for await (const entry of entries) chain.add(entry)
  return chain.result()
}
