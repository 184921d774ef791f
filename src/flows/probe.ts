import type {Client} from '../client/client.ts'
import {isFailure} from '../contract/failure.ts'
import {listWalletTransactions} from '../contract/wallet.ts'

/** The request by which a credential is tried: it changes nothing, and any partner may make it. */
export const PROBE = `GET ${listWalletTransactions.path}`

/**
 * Makes one request: a token of the cache would say nothing of whether the service is there. Returns the state that it
 * answered, also if it took the credential and has nothing to show. Fails as the request does.
 */
export async function probe(client: Client): Promise<string> {
  try {
    await client.call(listWalletTransactions, {query: {pageSize: 1}})
    return 'SUCCESS'
  } catch (error) {
    if (isFailure(error, 'NOT_FOUND_WALLET', 'FORBIDDEN')) return error.code
    throw error
  }
}
