import {type Digits, exact} from '../../contract/money.ts'
import {badge, type Cell, money, moneyText, span} from '../../terminal/cells.ts'
import {localColumns} from '../../terminal/columns.ts'
import {type Card, card, type Table} from '../../terminal/table.ts'
import {counted, type Tone} from '../../terminal/text.ts'
import type {Ledger} from '../records.ts'
import type {DryRun, OrderPlan} from './plan.ts'
import type {RefusedPreview} from './preview.ts'
import type {OrderSummary, OrderVerdict} from './report.ts'

const verdictTones: Record<string, Tone> = {
  'CHARGED ONCE': 'good',
  'NOT CHARGED': 'warn',
  UNKNOWN: 'bad',
}

const columns = localColumns<OrderVerdict>(
  `externalReference! Reference; verdict!; outcome+; orderId Order; total- Total; currency+;
    customerRef- Customer; rows Line; error.state+ State; why~`,
  {
    verdict: ({verdict}) => badge(verdict, verdictTones),
    total: ({total, currency}) => money(total, currency),
  },
)

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
  const amount = (value: Digits | null | undefined): Cell => money(value, plan.currency ?? 'SAR')
  const previews = 'baskets' in plan ? plan : undefined
  const all = plan.unpriced.length === 0
  const lines = `file; orders; lines; units; goods Goods incl. VAT; pricedGoods Goods with a price;
    unpriced Variants without a price; total Total with shipping; baskets Baskets previewed;
    refused Orders that can't be made; wallet Wallet now; walletAfter Wallet after${previews ? '' : ' the goods'};
    requests; leastMs Time at the quota`
  const fields = localColumns<OrderPlan | DryRun>(lines, {
    goods: ({goods}) => amount(goods),
    pricedGoods: ({pricedGoods}) => (all ? null : amount(pricedGoods)),
    unpriced: ({unpriced}) => (all ? null : unpriced.map(({sku, variantId}) => sku ?? variantId).join(', ')),
    total: () => amount(previews?.total),
    refused: () => previews?.refused.length || null,
    wallet: ({wallet}) => amount(wallet),
    walletAfter: ({walletAfter}) => amount(walletAfter),
    leastMs: ({leastMs}) => timeText(leastMs),
  })
  return card(
    plan,
    fields.filter(({get}) => get(plan) !== null),
  )
}

const refusedColumns = localColumns<RefusedPreview>(
  'externalReference! Reference; customerRef- Customer; rows Line; state; message~ Why',
)

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
