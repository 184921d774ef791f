import {type Digits, exact} from '../../contract/money.ts'
import {badge, type Cell, money, moneyText, span} from '../../terminal/cells.ts'
import type {Card} from '../../terminal/output.ts'
import type {Column, Table} from '../../terminal/table.ts'
import {counted, type Tone} from '../../terminal/text.ts'
import type {Ledger} from '../journal.ts'
import type {DryRun, OrderPlan} from './plan.ts'
import type {RefusedPreview} from './preview.ts'
import type {OrderSummary, OrderVerdict} from './report.ts'

const verdictTones: Record<string, Tone> = {
  'CHARGED ONCE': 'good',
  'NOT CHARGED': 'warn',
  UNKNOWN: 'bad',
}

const columns: Column<OrderVerdict>[] = [
  {key: 'reference', header: 'Reference', whole: true, get: (row) => row.externalReference},
  {key: 'verdict', header: 'Verdict', whole: true, get: ({verdict}) => badge(verdict, verdictTones)},
  {key: 'outcome', header: 'Outcome', shown: 'plain', get: ({outcome}) => outcome},
  {key: 'order', header: 'Order', yields: true, get: ({orderId}) => orderId},
  {key: 'total', header: 'Total', yields: true, get: ({total, currency}) => money(total, currency)},
  {key: 'currency', header: 'Currency', shown: 'plain', get: ({currency}) => currency},
  {key: 'customer', header: 'Customer', yields: true, get: ({customerRef}) => customerRef},
  {key: 'rows', header: 'Line', get: ({rows}) => rows.join(' ')},
  {key: 'state', header: 'State', shown: 'plain', get: ({error}) => error?.state},
  {key: 'why', header: 'Why', get: ({why}) => why},
]

export function verdictTable(
  rows: Iterable<OrderVerdict>,
  title: string,
  empty: string,
): Table<OrderVerdict> {
  return {columns, rows, title, empty}
}

/** What a job adds up to. */
export function summaryCard(
  {placed, alreadyPlaced, refused, unknown, pending = 0}: OrderSummary,
  charged: Cell,
  ledger: Ledger | undefined,
): Card<object> {
  const cells: [label: string, cell: Cell][] = [
    ['Charged once', placed],
    ['Ordered before', alreadyPlaced || null],
    ['Not charged', refused || null],
    ['Unknown', unknown || null],
    ['Not begun', pending || null],
    ['Charged in all', charged],
    ['Ledger', ledger && proofText(ledger)],
  ]
  const shown = cells.filter(([, cell]) => cell !== null && cell !== undefined)
  return {
    columns: shown.map(([label, cell]) => ({key: label, header: label, get: () => cell})),
    rows: [{}],
    upright: true,
  }
}

function proofText({proved, debits, missing, others}: Ledger): string {
  const beside = others > 0 ? `; ${others} other debits of orders since the job began` : ''
  return proved
    ? `placed orders and debits match, ${debits} to ${debits}, each total its own${beside}`
    : `of ${debits + missing.length} placed orders ${missing.length} have no debit (${missing.slice(0, 5).join(', ')})${beside}`
}

export function planCard(plan: OrderPlan | DryRun): Card<OrderPlan | DryRun> {
  const amount = (value: Digits | null): Cell => money(value, plan.currency ?? 'SAR')
  const previews = 'baskets' in plan ? plan : undefined
  const all = plan.unpriced.length === 0
  const fields: Column<OrderPlan | DryRun>[] = [
    {key: 'file', header: 'File', get: ({file}) => file},
    {key: 'orders', header: 'Orders', get: ({orders}) => orders},
    {key: 'lines', header: 'Lines', get: ({lines}) => lines},
    {key: 'units', header: 'Units', get: ({units}) => units},
    {key: 'goods', header: 'Goods incl. VAT', get: ({goods}) => amount(goods)},
    {
      key: 'priced-goods',
      header: 'Goods with a price',
      get: ({pricedGoods}) => (all ? null : amount(pricedGoods)),
    },
    {
      key: 'unpriced',
      header: 'Variants without a price',
      get: ({unpriced}) => (all ? null : unpriced.map(({sku, variantId}) => sku ?? variantId).join(', ')),
    },
    {key: 'total', header: 'Total with shipping', get: () => amount(previews?.total ?? null)},
    {key: 'baskets', header: 'Baskets previewed', get: () => previews?.baskets ?? null},
    {key: 'refused', header: "Orders that can't be made", get: () => previews?.refused.length || null},
    {key: 'wallet', header: 'Wallet now', get: ({wallet}) => amount(wallet)},
    {
      key: 'wallet-after',
      header: previews ? 'Wallet after' : 'Wallet after the goods',
      get: ({walletAfter}) => amount(walletAfter),
    },
    {key: 'requests', header: 'Requests', get: ({requests}) => requests},
    {key: 'time', header: 'Time at the quota', get: ({leastMs}) => timeText(leastMs)},
  ]
  return {rows: [plan], upright: true, columns: fields.filter(({get}) => get(plan) !== null)}
}

const refusedColumns: Column<RefusedPreview>[] = [
  {key: 'reference', header: 'Reference', whole: true, get: (row) => row.externalReference},
  {key: 'customer', header: 'Customer', yields: true, get: ({customerRef}) => customerRef},
  {key: 'rows', header: 'Line', get: ({rows}) => rows.join(' ')},
  {key: 'state', header: 'State', get: ({state}) => state},
  {key: 'why', header: 'Why', get: ({message}) => message},
]

/** The orders that can't be made, if there are any. */
export function refusedPreviews({refused}: DryRun): Table<RefusedPreview>[] {
  return refused.length === 0
    ? []
    : [{columns: refusedColumns, rows: refused, title: "Orders that can't be made"}]
}

const timeText = (ms: number) => (ms < 60_000 ? 'under a minute' : `at least ${span(ms)}`)

const isShort = ({walletAfter}: OrderPlan) => walletAfter !== null && exact(walletAfter).lt(0)

/** What else there is to say of a plan; '' for nothing. */
export const shortText = (plan: OrderPlan) => (isShort(plan) ? 'The wallet does not cover it.' : '')

export function planQuestion(plan: OrderPlan): string {
  const {orders, goods, currency} = plan
  const cost =
    goods === null ? 'at the prices of their locks' : `for ${moneyText(goods, currency)} plus shipping`
  return `Place ${counted(orders, 'order')} ${cost}? ${shortText(plan)}`.trim()
}

/** A plan in one line, for the log of a script. */
export function planText(plan: OrderPlan): string {
  const {orders, lines, goods, currency, wallet, requests, leastMs} = plan
  const parts = [
    `${counted(orders, 'order')} of ${counted(lines, 'line')}`,
    ...(goods === null ? [] : [`${moneyText(goods, currency)} plus shipping`]),
    ...(wallet === null ? [] : [`${moneyText(wallet, currency)} in the wallet`]),
    `${requests} requests`,
    timeText(leastMs),
  ]
  return `Planned: ${parts.join(', ')}. ${shortText(plan)}`.trim()
}
