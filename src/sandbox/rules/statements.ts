import type {CallOf, Rules} from '../core/call.ts'
import {count, find, insert} from '../core/rows.ts'
import type {Partner} from '../core/schema.ts'
import {type LedgerEntry, type Statement, statements} from '../core/schema.ts'
import type {World} from '../core/world.ts'
import {refuse} from '../door/reply.ts'
import {iso} from '../time/clock.ts'
import {emit} from './events.ts'
import {type Halalas, sar, sarOrNull} from './money.ts'
import {platformTaxNumber} from './order-reads.ts'
import {spanOf} from './wallet.ts'

function readStatement({world, partner, params}: CallOf<'readStatement'>): unknown {
  const row = find(world, statements, {id: params.statementId.toLowerCase(), partner_id: partner.id})
  return statementPayload(world, partner, row ?? refuse('NOT_FOUND_STATEMENT'))
}

/** L10. not shown: the answer, beyond "provisional documents". The door has made sure that both ends are given. */
function reportStatement({world, partner, query, now}: CallOf<'reportStatement'>): unknown {
  const {from = now, to = now} = query
  const totals = totalsIn(world, partner.id, from, to)
  return documentOf(world, partner, {
    ...totals,
    sequence: null,
    period_from: from,
    period_to: to,
    generated_at: now,
  })
}

/** L06: closes a month for a partner. Its ledger up to then does not change any more. */
export function closeStatement(world: World, partnerId: string, from: number, to: number): string {
  const id = world.id('statement')
  const {debits, credits} = totalsIn(world, partnerId, from, to)
  const sequence = 1 + count(world, 'FROM statements WHERE partner_id = ?', partnerId)
  const period = {period_from: from, period_to: to, generated_at: to}
  insert(world, statements, {id, partner_id: partnerId, sequence, ...period, debits, credits})
  // L09: there is no list of statements; this event tells the id.
  const data = {
    statementId: id,
    statementNumber: numberOf(sequence),
    periodFrom: iso(from),
    periodTo: iso(to),
  }
  emit(world, {type: 'statement.generated', partnerId, subject: id, data, at: to})
  return id
}

function totalsIn(world: World, partnerId: string, from: number, to: number) {
  const {low, high} = spanOf(world, partnerId, from, to)
  const totals = world.get<{debits: Halalas; credits: Halalas}>(
    `SELECT coalesce(sum(amount) FILTER (WHERE type = 'Debit'), 0) AS debits,
       coalesce(sum(amount) FILTER (WHERE type = 'Credit'), 0) AS credits
     FROM ledger WHERE partner_id = ? AND seq BETWEEN ? AND ?`,
    partnerId,
    low,
    high,
  )
  return totals ?? {debits: 0, credits: 0}
}

/** A statement, or a provisional document, which has no number. */
type Document = Omit<Statement, 'id' | 'partner_id' | 'sequence'> & {sequence: number | null}

/** L08: this sandbox sends no mail. */
function statementPayload(world: World, partner: Partner, row: Statement): object {
  const mail = {emailStatus: 'NotSent', emailStatusReason: null, emailSentAt: null}
  const document = documentOf(world, partner, row)
  return {id: row.id, ...headOf(partner, row), locked: true, ...mail, document}
}

export const numberOf = (sequence: number) => `ST-${String(sequence).padStart(6, '0')}`

function headOf(partner: Partner, document: Document): object {
  const {sequence, debits, credits} = document
  return {
    partnerId: partner.id,
    partnerGlobalId: partner.global_id,
    sequenceNumber: sequence,
    statementNumber: sequence === null ? null : numberOf(sequence),
    periodFrom: iso(document.period_from),
    periodTo: iso(document.period_to),
    generatedAt: iso(document.generated_at),
    currency: 'SAR',
    totalDebits: sar(debits),
    totalCredits: sar(credits),
    netPosition: sar(credits - debits), // L07
  }
}

function documentOf(world: World, partner: Partner, document: Document): object {
  return {
    ...headOf(partner, document),
    isProvisional: document.sequence === null,
    lines: linesIn(world, partner, document),
    platformTaxRegistrationNumber: platformTaxNumber,
    partnerTaxRegistrationNumber: partner.vat_number,
    documentNature: 'This is a commercial billing document and not a legal tax invoice.',
  }
}

type LineRow = LedgerEntry &
  Record<'goods_vat' | 'goods_with_vat' | 'commission_vat' | 'commission_with_vat', Halalas | null>

/** Oldest first. The figures of an order stand on the entry that charged it. */
function linesIn(world: World, partner: Partner, document: Document): object[] {
  const {low, high} = spanOf(world, partner.id, document.period_from, document.period_to)
  const rows = world.all<LineRow>(
    `SELECT l.*, o.goods_vat, o.goods_net + o.goods_vat AS goods_with_vat, o.commission_vat,
       o.commission_net + o.commission_vat AS commission_with_vat FROM ledger l
     LEFT JOIN orders o ON l.reference_type = 'Order' AND o.partner_id = l.partner_id
       AND o.n = CAST(substr(l.reference_id, 5) AS INTEGER) AND l.reference_id LIKE 'SCN-%'
     WHERE l.partner_id = ? AND l.seq BETWEEN ? AND ? ORDER BY l.seq`,
    partner.id,
    low,
    high,
  )
  return rows.map(linePayload)
}

// L11. not shown: what referenceId and notes hold.
function linePayload(row: LineRow): object {
  return {
    transactionId: row.seq,
    timestamp: iso(row.at),
    transactionType: row.type,
    referenceType: row.reference_type,
    referenceId: row.reference_id,
    amount: sar(row.amount),
    balanceAfter: sar(row.balance_after),
    notes: null,
    orderGoodsVatAmount: sarOrNull(row.goods_vat),
    orderCommissionVatAmount: sarOrNull(row.commission_vat),
    orderTotalAmountWithVat: sarOrNull(row.goods_with_vat),
    orderTotalCommissionWithVat: sarOrNull(row.commission_with_vat),
  }
}

export const rules = {readStatement, reportStatement} satisfies Rules
