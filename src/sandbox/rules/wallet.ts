import type {CallOf, Rules} from '../core/call.ts'
import {count, insert} from '../core/rows.ts'
import {type LedgerEntry, ledger} from '../core/schema.ts'
import type {World} from '../core/world.ts'
import {pageOf} from '../door/page.ts'
import {refuse} from '../door/reply.ts'
import {iso} from '../time/clock.ts'
import {type Currency, displayIn, type Halalas, sar, shownInOrNull} from './money.ts'

/** L20: a partner without a wallet has no empty list, but none. L05: the types to filter by are the ones that are written. */
function listWalletTransactions(call: CallOf<'listWalletTransactions'>): unknown {
  const {world, partner, query} = call
  if (partner.wallet === null) refuse('NOT_FOUND_WALLET')
  const span = spanOf(world, partner.id, query.fromUtc, query.toUtc)
  const {total, read} =
    query.referenceType === undefined
      ? everyEntry(world, partner.id, span)
      : entriesOfTypes(world, partner.id, span, query.referenceType)
  return pageOf(query, total, {ends: true}, (limit, offset) =>
    read(limit, offset).map((row) => entryPayload(row, call.currency)),
  )
}

/** The first and the last entry of a window. */
interface Span {
  low: number
  high: number
}

/** Q08: from inclusive, to exclusive. */
export function spanOf(world: World, partnerId: string, from?: number, to?: number): Span {
  const first = 'SELECT seq FROM ledger WHERE partner_id = ? AND at >= ? ORDER BY at, seq LIMIT 1'
  const last = 'SELECT seq FROM ledger WHERE partner_id = ? AND at < ? ORDER BY at DESC, seq DESC LIMIT 1'
  const newest = world.get<{seq: number | null}>(
    'SELECT max(seq) AS seq FROM ledger WHERE partner_id = ?',
    partnerId,
  )
  const end = newest?.seq ?? 0
  return {
    low: from === undefined ? 1 : (world.get<{seq: number}>(first, partnerId, from)?.seq ?? end + 1),
    high: to === undefined ? end : (world.get<{seq: number}>(last, partnerId, to)?.seq ?? 0),
  }
}

interface Entries {
  total: number
  read(limit: number, offset: number): LedgerEntry[]
}

/** Counted, not scanned: any page of a ledger of a million entries is as near as the first. */
function everyEntry(world: World, partnerId: string, {low, high}: Span): Entries {
  const sql = 'SELECT * FROM ledger WHERE partner_id = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC'
  return {
    total: Math.max(0, high - low + 1),
    read: (limit, offset) => {
      const top = high - offset
      return world.all<LedgerEntry>(sql, partnerId, Math.max(low, top - limit + 1), top)
    },
  }
}

function entriesOfTypes(world: World, partnerId: string, {low, high}: Span, types: string[]): Entries {
  const of = 'FROM ledger WHERE partner_id = ?1 AND seq BETWEEN ?2 AND ?3'
  const [one = '', ...others] = new Set(types)
  const total = [one, ...others].reduce(
    (sum, type) => sum + count(world, `${of} AND reference_type = ?4`, partnerId, low, high, type),
    0,
  )
  // One type is read along its own index. Several are picked from the ledger in its order, which the plus sign keeps.
  const some = '+reference_type IN (SELECT value FROM json_each(?4))'
  const filter = others.length === 0 ? 'reference_type = ?4' : some
  const values = [partnerId, low, high, others.length === 0 ? one : JSON.stringify(types)]
  const sql = `SELECT * ${of} AND ${filter} ORDER BY seq DESC LIMIT ?5 OFFSET ?6`
  return {total, read: (limit, offset) => world.all<LedgerEntry>(sql, ...values, limit, offset)}
}

/** L02: an amount is positive, its type says the direction. */
function entryPayload(row: LedgerEntry, currency: Currency | null): object {
  return {
    transactionType: row.type,
    amount: sar(row.amount),
    balanceBefore: sar(row.balance_before),
    balanceAfter: sar(row.balance_after),
    currency: 'SAR',
    referenceType: row.reference_type,
    timestamp: iso(row.at),
    ...displayIn(currency),
    amountDisplay: shownInOrNull(currency, row.amount),
    balanceBeforeDisplay: shownInOrNull(currency, row.balance_before),
    balanceAfterDisplay: shownInOrNull(currency, row.balance_after),
  }
}

/**
 * Moves a wallet and writes the ledger entry with the balances before and after. `amount` is positive for a credit,
 * negative for a debit. An entry is never older than the one before.
 */
export function moveWallet(
  world: World,
  partnerId: string,
  amount: Halalas,
  // L01. not shown: other types. TopUp is the operator's funding.
  reference: {type: 'Order' | 'Refund' | 'TopUp'; id: string},
  now: number,
): void {
  const sql = 'UPDATE partners SET wallet = wallet + ? WHERE id = ? RETURNING wallet'
  const after = world.get<{wallet: Halalas | null}>(sql, amount, partnerId)?.wallet
  if (after === undefined || after === null) throw new Error(`partner ${partnerId} has no wallet`)
  const last = world.get<{seq: number; at: number}>(
    'SELECT seq, at FROM ledger WHERE partner_id = ? ORDER BY seq DESC LIMIT 1',
    partnerId,
  )
  insert(world, ledger, {
    partner_id: partnerId,
    seq: (last?.seq ?? 0) + 1,
    type: amount < 0 ? 'Debit' : 'Credit',
    amount: Math.abs(amount),
    balance_before: after - amount,
    balance_after: after,
    reference_type: reference.type,
    reference_id: reference.id,
    at: Math.max(now, last?.at ?? now),
  })
}

/** L04: the database refuses a balance below zero, except for a wallet of which this was once said. */
export function allowOverdraft(world: World, partnerId: string): void {
  world.run('UPDATE partners SET overdraft = 1 WHERE id = ?', partnerId)
}

export const rules = {listWalletTransactions} satisfies Rules
