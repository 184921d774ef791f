import type {listWalletTransactions} from '../contract/wallet.ts'
import type {Call} from './call.ts'
import {iso} from './clock.ts'
import {type Currency, type Halalas, sar, shownInOrNull} from './money.ts'
import {pageOf} from './page.ts'
import {refuse} from './reply.ts'
import type {World} from './world.ts'

interface LedgerRow {
  type: 'Debit' | 'Credit'
  amount: Halalas
  balance_before: Halalas
  balance_after: Halalas
  reference_type: string
  at: number
}

export function serveListTransactions(call: Call<typeof listWalletTransactions>): unknown {
  const {world, partner, query} = call
  if (partner.wallet === null) refuse('NOT_FOUND_WALLET')
  const where = `FROM ledger WHERE partner_id = ?1 AND (?2 IS NULL OR at >= ?2) AND (?3 IS NULL OR at < ?3)
    AND (?4 IS NULL OR reference_type IN (SELECT value FROM json_each(?4)))`
  const types = query.referenceType === undefined ? null : JSON.stringify(query.referenceType)
  const filters = [partner.id, query.fromUtc ?? null, query.toUtc ?? null, types]
  const total = world.get<{n: number}>(`SELECT count(*) AS n ${where}`, ...filters)?.n ?? 0
  return pageOf(query, total, {ends: true}, (limit, offset) =>
    world
      .all<LedgerRow>(`SELECT * ${where} ORDER BY n DESC LIMIT ?5 OFFSET ?6`, ...filters, limit, offset)
      .map((row) => entryPayload(row, call.currency)),
  )
}

function entryPayload(row: LedgerRow, currency: Currency | null): object {
  return {
    transactionType: row.type,
    amount: sar(row.amount),
    balanceBefore: sar(row.balance_before),
    balanceAfter: sar(row.balance_after),
    currency: 'SAR',
    referenceType: row.reference_type,
    timestamp: iso(row.at),
    displayCurrency: currency?.code ?? null,
    rate: currency?.rate ?? null,
    amountDisplay: shownInOrNull(currency, row.amount),
    balanceBeforeDisplay: shownInOrNull(currency, row.balance_before),
    balanceAfterDisplay: shownInOrNull(currency, row.balance_after),
  }
}

/**
 * Moves a wallet and writes the ledger entry with the balances before and after. `amount` is positive for a credit,
 * negative for a debit. The database refuses a balance below zero.
 */
export function moveWallet(
  world: World,
  partnerId: string,
  amount: Halalas,
  reference: {type: 'Order' | 'Refund' | 'TopUp'; id: string},
  now: number,
): void {
  const sql = 'UPDATE partners SET wallet = wallet + ? WHERE id = ? RETURNING wallet'
  const after = world.get<{wallet: Halalas | null}>(sql, amount, partnerId)?.wallet
  if (after === undefined || after === null) throw new Error(`partner ${partnerId} has no wallet`)
  world.run(
    `INSERT INTO ledger (partner_id, type, amount, balance_before, balance_after, reference_type, reference_id, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    partnerId,
    amount < 0 ? 'Debit' : 'Credit',
    Math.abs(amount),
    after - amount,
    after,
    reference.type,
    reference.id,
    now,
  )
}
