import type {CallOf, FieldRules, Rules} from '../core/call.ts'
import {find, insert, update} from '../core/rows.ts'
import {type CommissionPeriod, commissionPeriods} from '../core/schema.ts'
import type {World} from '../core/world.ts'
import {faultsOfTexts} from '../door/body.ts'
import {pageOfRows} from '../door/page.ts'
import {refuse} from '../door/reply.ts'
import {iso, isoOrNull} from '../time/clock.ts'
import {monthStart} from '../time/month.ts'
import {emit} from './events.ts'
import {type Halalas, portion, sar} from './money.ts'

const day = 86_400_000
// L13. not shown: when a period is issued and settled. The issue runs in the morning of the issue date, so that for
// some hours a period is past its issue date and still provisional.
const issuedAfter = 7 * day
const settledAfter = 14 * day
export const issueHour = 6 * 3_600_000

const statusSql = `CASE WHEN settled_at IS NOT NULL THEN 'Settled' WHEN issued_at IS NOT NULL THEN 'Issued'
  ELSE 'Provisional' END`

function listCommissionPeriods(call: CallOf<'listCommissionPeriods'>): unknown {
  const {world, partner, query} = call
  const from = `FROM commission_periods WHERE partner_id = ?1 AND (?2 IS NULL OR ${statusSql} = ?2)`
  const values = [partner.id, query.status ?? null]
  return pageOfRows<CommissionPeriod>(call, {from, values, order: 'period_from DESC'}, (row) =>
    periodPayload(world, row),
  )
}

/** L14: an objection is kept; it does not stop the issue. */
function objectToCommission({world, partner, params, body, now}: CallOf<'objectToCommission'>): unknown {
  const id = params.commissionPeriodId.toLowerCase()
  const row = find(world, commissionPeriods, {id, partner_id: partner.id})
  if (row === undefined) refuse('NOT_FOUND_COMMISSION_PERIOD')
  if (row.objection !== null) refuse('CONFLICT_COMMISSION_PERIOD_ALREADY_OBJECTED')
  if (row.issued_at !== null) refuse('CONFLICT_COMMISSION_PERIOD_NOT_PROVISIONAL')
  if (now >= row.issue_date) refuse('CONFLICT_COMMISSION_PERIOD_PAST_ISSUE_DATE')
  const objection = {objection: body.reason, objected_at: now}
  update(world, commissionPeriods, {id}, objection)
  return periodPayload(world, {...row, ...objection})
}

/** Opens the period of the month that holds `moment`. */
export function openPeriod(world: World, partnerId: string, moment: number): string {
  const id = world.id('commission-period')
  const to = monthStart(moment, 1)
  insert(world, commissionPeriods, {
    id,
    partner_id: partnerId,
    period_from: monthStart(moment),
    period_to: to,
    issue_date: to + issuedAfter,
    settle_date: to + settledAfter,
  })
  return id
}

export function issuePeriod(world: World, id: string, at: number): void {
  const row = find(world, commissionPeriods, {id})
  if (row === undefined) return
  const {commission, commissionVat} = earned(world, row)
  update(world, commissionPeriods, {id}, {issued_at: at, commission, commission_vat: commissionVat})
  const data = {commissionPeriodId: id, periodFrom: iso(row.period_from), periodTo: iso(row.period_to)}
  emit(world, {type: 'commission.issued', partnerId: row.partner_id, subject: id, data, at})
}

/** L15: settlement does not touch the wallet. */
export function settlePeriod(world: World, id: string, at: number): void {
  update(world, commissionPeriods, {id}, {settled_at: at})
}

interface Earned {
  commission: Halalas
  commissionVat: Halalas
}

/** The commission of the orders made in the period, less what was clawed back in it, whenever its order was made. */
function earned(world: World, {partner_id, period_from, period_to}: CommissionPeriod): Earned {
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
export function periodPayload(world: World, row: CommissionPeriod): object {
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

export const fieldRules = {
  objectToCommission: ({body: {reason}}) => faultsOfTexts({reason}, 1000),
} satisfies FieldRules

export const rules = {listCommissionPeriods, objectToCommission} satisfies Rules
