import type {CallOf, Rules} from '../core/call.ts'
import type {World} from '../core/world.ts'
import {faultsOfTexts} from '../door/body.ts'
import {pageOf} from '../door/page.ts'
import {refuse, refuseFaults} from '../door/reply.ts'
import {iso, isoOrNull} from '../time/clock.ts'
import {monthStart} from '../time/month.ts'
import {emit} from './events.ts'
import {type Halalas, portion, sar} from './money.ts'

export interface PeriodRow {
  id: string
  partner_id: string
  period_from: number
  period_to: number
  /** The day from which it is too late to object. */
  issue_date: number
  settle_date: number
  issued_at: number | null
  settled_at: number | null
  /** What was issued; null while it is provisional. */
  commission: Halalas | null
  commission_vat: Halalas | null
  objection: string | null
  objected_at: number | null
}

const day = 86_400_000
// L13. not shown: when a period is issued and settled. The issue runs in the morning of the issue date, so that for
// some hours a period is past its issue date and still provisional.
const issuedAfter = 7 * day
const settledAfter = 14 * day
export const issueHour = 6 * 3_600_000

const statusSql = `CASE WHEN settled_at IS NOT NULL THEN 'Settled' WHEN issued_at IS NOT NULL THEN 'Issued'
  ELSE 'Provisional' END`

function listCommissionPeriods({world, partner, query}: CallOf<'listCommissionPeriods'>): unknown {
  const {status} = query
  const where = `FROM commission_periods WHERE partner_id = ?1 AND (?2 IS NULL OR ${statusSql} = ?2)`
  const filters = [partner.id, status ?? null]
  const total = world.get<{n: number}>(`SELECT count(*) AS n ${where}`, ...filters)?.n ?? 0
  return pageOf(query, total, {ends: false}, (limit, offset) =>
    world
      .all<PeriodRow>(
        `SELECT * ${where} ORDER BY period_from DESC LIMIT ?3 OFFSET ?4`,
        ...filters,
        limit,
        offset,
      )
      .map((row) => periodPayload(world, row)),
  )
}

/** L14: an objection is kept; it does not stop the issue. */
function objectToCommission({world, partner, params, body, now}: CallOf<'objectToCommission'>): unknown {
  refuseFaults(faultsOfTexts({reason: body.reason}, 1000))
  const sql = 'SELECT * FROM commission_periods WHERE id = ? AND partner_id = ?'
  const row = world.get<PeriodRow>(sql, params.commissionPeriodId.toLowerCase(), partner.id)
  if (row === undefined) refuse('NOT_FOUND_COMMISSION_PERIOD')
  if (row.objection !== null) refuse('CONFLICT_COMMISSION_PERIOD_ALREADY_OBJECTED')
  if (row.issued_at !== null) refuse('CONFLICT_COMMISSION_PERIOD_NOT_PROVISIONAL')
  if (now >= row.issue_date) refuse('CONFLICT_COMMISSION_PERIOD_PAST_ISSUE_DATE')
  const change = 'UPDATE commission_periods SET objection = ?, objected_at = ? WHERE id = ?'
  world.run(change, body.reason, now, row.id)
  return periodPayload(world, {...row, objection: body.reason, objected_at: now})
}

/** Opens the period of the month that holds `moment`. */
export function openPeriod(world: World, partnerId: string, moment: number): string {
  const id = world.id('commission-period')
  const from = monthStart(moment)
  const to = monthStart(moment, 1)
  world.run(
    'INSERT INTO commission_periods VALUES (?, ?, ?, ?, ?, ?, NULL, NULL, NULL, NULL, NULL, NULL)',
    id,
    partnerId,
    from,
    to,
    to + issuedAfter,
    to + settledAfter,
  )
  return id
}

export function issuePeriod(world: World, id: string, at: number): void {
  const row = world.get<PeriodRow>('SELECT * FROM commission_periods WHERE id = ?', id)
  if (row === undefined) return
  const {commission, commissionVat} = earned(world, row)
  const sql = 'UPDATE commission_periods SET issued_at = ?, commission = ?, commission_vat = ? WHERE id = ?'
  world.run(sql, at, commission, commissionVat, id)
  const data = {commissionPeriodId: id, periodFrom: iso(row.period_from), periodTo: iso(row.period_to)}
  emit(world, {type: 'commission.issued', partnerId: row.partner_id, subject: id, data, at})
}

/** L15: settlement does not touch the wallet. */
export function settlePeriod(world: World, id: string, at: number): void {
  world.run('UPDATE commission_periods SET settled_at = ? WHERE id = ?', at, id)
}

interface Earned {
  commission: Halalas
  commissionVat: Halalas
}

/** The commission of the orders made in the period, less what was clawed back in it, whenever its order was made. */
function earned(world: World, {partner_id, period_from, period_to}: PeriodRow): Earned {
  const window = [partner_id, period_from, period_to]
  const orders = world.get<{net: Halalas; vat: Halalas}>(
    `SELECT coalesce(sum(commission_net), 0) AS net, coalesce(sum(commission_vat), 0) AS vat FROM orders
     WHERE partner_id = ? AND status <> 'Failed' AND created_at >= ? AND created_at < ?`,
    ...window,
  )
  const refunds = world.all<{net: Halalas; vat: Halalas; before: Halalas; until: Halalas}>(
    `SELECT o.commission_net AS net, o.commission_vat AS vat, sum(r.clawback) AS until,
       sum(CASE WHEN r.at < ?2 THEN r.clawback ELSE 0 END) AS before
     FROM refunds r JOIN orders o ON o.id = r.order_id
     WHERE r.partner_id = ?1 AND r.at < ?3 AND r.clawback > 0 GROUP BY o.id`,
    ...window,
  )
  // A clawback is one amount with VAT; its VAT is the share that the order's commission has. Shares of running totals
  // differ, so that the parts of an order add up to the whole.
  const share = (amount: Halalas, {net, vat}: {net: Halalas; vat: Halalas}) => portion(amount, vat, net + vat)
  const vatBack = refunds.reduce((sum, row) => sum + share(row.until, row) - share(row.before, row), 0)
  const back = refunds.reduce((sum, {before, until}) => sum + until - before, 0)
  return {commission: (orders?.net ?? 0) - (back - vatBack), commissionVat: (orders?.vat ?? 0) - vatBack}
}

// L12. not shown: the fields of a period.
export function periodPayload(world: World, row: PeriodRow): object {
  const {commission, commissionVat} =
    row.commission === null || row.commission_vat === null
      ? earned(world, row)
      : {commission: row.commission, commissionVat: row.commission_vat}
  return {
    id: row.id,
    periodFrom: iso(row.period_from),
    periodTo: iso(row.period_to),
    status: row.settled_at !== null ? 'Settled' : row.issued_at !== null ? 'Issued' : 'Provisional',
    currency: 'SAR',
    totalCommission: sar(commission),
    totalCommissionVat: sar(commissionVat),
    totalCommissionWithVat: sar(commission + commissionVat),
    issueDate: iso(row.issue_date),
    issuedAt: isoOrNull(row.issued_at),
    settledAt: isoOrNull(row.settled_at),
    objection: row.objected_at === null ? null : {reason: row.objection, objectedAt: iso(row.objected_at)},
  }
}

export const rules = {listCommissionPeriods, objectToCommission} satisfies Rules
