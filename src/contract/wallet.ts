import * as z from 'zod/mini'
import type {Operation} from './operation.ts'
import {pageOf, pageQuery} from './paging.ts'
import {decimal, oneOf, ratio, shown, timestamp, toned} from './wire.ts'

/** A ledger entry carries no id: its place in the chain of balances is its identity. */
export const walletTransaction = z.looseObject({
  transactionType: shown(toned(oneOf('Debit'), {warn: ['Debit']})), // not shown: other values
  amount: decimal,
  balanceBefore: shown(decimal),
  balanceAfter: shown(decimal),
  currency: shown(z.string()),
  referenceType: shown(oneOf('Order', 'Refund')), // not shown: other values
  timestamp: shown(timestamp),
  displayCurrency: shown(z.string()),
  rate: shown(ratio),
  amountDisplay: shown(decimal),
  balanceBeforeDisplay: shown(decimal),
  balanceAfterDisplay: shown(decimal),
})
export type WalletTransaction = z.output<typeof walletTransaction>

export const listWalletTransactions = {
  summary: 'List the ledger entries of the own wallet, newest first.',
  method: 'GET',
  path: '/api/v1/wallet/transactions',
  auth: 'bearer',
  repeat: 'freely',
  query: {
    ...pageQuery,
    fromUtc: {kind: 'date'},
    toUtc: {kind: 'date'},
    // not shown: the whole set of values. The client sends any; the sandbox knows these.
    referenceType: {kind: 'enum', values: ['Order', 'Refund', 'TopUp'], many: true},
  },
  payload: pageOf(walletTransaction),
  fails: ['NOT_FOUND_WALLET'],
} as const satisfies Operation
