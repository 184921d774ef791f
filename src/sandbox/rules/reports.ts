import type {salesReports} from '../../contract/reports.ts'
import type {CallOf, Rules} from '../core/call.ts'
import {invalid} from '../door/reply.ts'
import {iso} from '../time/clock.ts'
import {type Currency, displayIn, type Halalas, portion, sar, shownInOrNull} from './money.ts'

type ReportCall = CallOf<'readSalesReport'>
type Report = (typeof salesReports)[number]

/** A line of an order that counts as sold: not Failed, and less what was cancelled or returned (L19). */
interface SoldLine {
  order_id: string
  customer_ref: string
  created_at: number
  variant_id: string
  sku: string
  quantity: number
  gone: number
  net: Halalas
  vat: Halalas
  commission: Halalas
  commission_vat: Halalas
}

const day = 86_400_000
const longestDays = 400

/** L16. not shown: the reports below sales/**, and their shapes. */
function readSalesReport(call: ReportCall): unknown {
  const {fromUtc, toUtc, lines} = soldLines(call)
  const range = {fromUtc: iso(fromUtc), toUtc: iso(toUtc), currency: 'SAR', ...displayIn(call.currency)}
  const report = call.params.report as Report
  if (report === 'summary') return {...range, ...figuresOf(lines, call.currency)}
  return {...range, items: grouped(report, lines, call.currency)}
}

function soldLines(call: ReportCall): {fromUtc: number; toUtc: number; lines: SoldLine[]} {
  const {fromUtc, toUtc} = call.query
  if (fromUtc === undefined || toUtc === undefined) {
    // L17. not shown: the refusal for a missing date.
    const missing = {...(fromUtc === undefined && {fromUtc: ['is required']})}
    const errors = {...missing, ...(toUtc === undefined && {toUtc: ['is required']})}
    invalid(errors, 'VALIDATION_INVALID_QUERY_PARAMETER')
  }
  if (fromUtc === toUtc)
    invalid({fromUtc: ['equals toUtc'], toUtc: ['equals fromUtc']}, 'VALIDATION_INVALID_PERIOD')
  // L18: exactly 400 days are allowed.
  if (toUtc - fromUtc > longestDays * day) {
    const message = [`the window must not exceed ${longestDays} days`]
    invalid({fromUtc: message, toUtc: message}, 'VALIDATION_REPORT_WINDOW_TOO_LARGE')
  }
  const lines = call.world.all<SoldLine>(
    `SELECT l.order_id, o.customer_ref, o.created_at, l.variant_id, v.sku, l.quantity, l.returned + l.cancelled AS gone,
       l.net, l.vat, coalesce(l.commission, 0) AS commission, coalesce(l.commission_vat, 0) AS commission_vat
     FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN variants v ON v.id = l.variant_id
     WHERE o.partner_id = ? AND o.status <> 'Failed' AND o.created_at >= ? AND o.created_at < ?
       AND l.returned + l.cancelled < l.quantity
     ORDER BY o.created_at, o.n, l.position`,
    call.partner.id,
    fromUtc,
    toUtc,
  )
  return {fromUtc, toUtc, lines}
}

const keys: Record<Exclude<Report, 'summary'>, (line: SoldLine) => object> = {
  'by-variant': ({variant_id, sku}) => ({variantId: variant_id, sku}),
  'by-customer': ({customer_ref}) => ({customerRef: customer_ref === '' ? null : customer_ref}),
  'by-day': ({created_at}) => ({date: iso(created_at).slice(0, 10)}),
}

/** One row for each variant, customer or day that sold something; days in order, the others by what they sold. */
function grouped(report: Exclude<Report, 'summary'>, lines: SoldLine[], currency: Currency | null): object[] {
  const groups = new Map<string, {key: object; lines: SoldLine[]}>()
  for (const line of lines) {
    const key = keys[report](line)
    const name = JSON.stringify(key)
    const group = groups.get(name) ?? {key, lines: []}
    group.lines.push(line)
    groups.set(name, group)
  }
  const rows = [...groups.values()].map((group) => ({...group.key, ...figuresOf(group.lines, currency)}))
  return report === 'by-day' ? rows : rows.sort((a, b) => b.netSales - a.netSales)
}

function figuresOf(lines: SoldLine[], currency: Currency | null) {
  const kept = (amount: (line: SoldLine) => Halalas) =>
    lines.reduce((sum, line) => sum + amount(line) - portion(amount(line), line.gone, line.quantity), 0)
  const net = kept((line) => line.net)
  const vat = kept((line) => line.vat)
  const commission = kept((line) => line.commission)
  const commissionVat = kept((line) => line.commission_vat)
  return {
    orderCount: new Set(lines.map((line) => line.order_id)).size,
    unitsSold: lines.reduce((sum, line) => sum + line.quantity - line.gone, 0),
    netSales: sar(net),
    vat: sar(vat),
    salesWithVat: sar(net + vat),
    commission: sar(commission),
    commissionVat: sar(commissionVat),
    commissionWithVat: sar(commission + commissionVat),
    netSalesDisplay: shownInOrNull(currency, net),
    salesWithVatDisplay: shownInOrNull(currency, net + vat),
    commissionWithVatDisplay: shownInOrNull(currency, commission + commissionVat),
  }
}

export const rules = {readSalesReport} satisfies Rules
