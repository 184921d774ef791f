import {type Digits, exact} from '../../contract/money.ts'
import {type Cell, money, moneyText, span} from '../../terminal/cells.ts'
import type {Card} from '../../terminal/output.ts'
import type {Column, Table} from '../../terminal/table.ts'

/** What a job will do, before anything is sent that changes anything. */
export interface PlanView {
  file: string
  orders: number
  lines: number
  units: number
  goods: Digits | null
  pricedGoods: Digits
  currency: string | null
  unpriced: {variantId: string; sku: string | null}[]
  requests: number
  leastMs: number
  wallet: Digits | null
  walletAfter: Digits | null
}

/** A plan with what live previews say. */
export interface DryRunView extends PlanView {
  /** What the orders that can be made would be charged, shipping included. */
  total: Digits | null
  baskets: number
  refused: RefusedOrder[]
}

interface RefusedOrder {
  externalReference: string
  customerRef: string
  rows: number[]
  state: string
  message: string
}

export function planCard(plan: PlanView | DryRunView): Card<PlanView | DryRunView> {
  const amount = (value: Digits | null): Cell => money(value, plan.currency ?? 'SAR')
  const previews = 'baskets' in plan ? plan : undefined
  const all = plan.unpriced.length === 0
  const columns: Column<PlanView | DryRunView>[] = [
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
  return {rows: [plan], upright: true, columns: columns.filter(({get}) => get(plan) !== null)}
}

const refusedColumns: Column<RefusedOrder>[] = [
  {key: 'reference', header: 'Reference', whole: true, get: (row) => row.externalReference},
  {key: 'customer', header: 'Customer', yields: true, get: ({customerRef}) => customerRef},
  {key: 'rows', header: 'Line', get: ({rows}) => rows.join(' ')},
  {key: 'state', header: 'State', get: ({state}) => state},
  {key: 'why', header: 'Why', get: ({message}) => message},
]

/** The orders that can't be made, where there are some. */
export function refusedPreviews({refused}: DryRunView): Table<RefusedOrder>[] {
  return refused.length === 0
    ? []
    : [{columns: refusedColumns, rows: refused, title: "Orders that can't be made"}]
}

const timeText = (ms: number) => (ms < 60_000 ? 'under a minute' : `at least ${span(ms)}`)

const isShort = ({walletAfter}: PlanView) => walletAfter !== null && exact(walletAfter).lt(0)

/** What else there is to say of a plan; '' for nothing. */
export const shortText = (plan: PlanView) => (isShort(plan) ? 'The wallet does not cover it.' : '')

export function planQuestion(plan: PlanView): string {
  const {orders, goods, currency} = plan
  const cost =
    goods === null ? 'at the prices of their locks' : `for ${moneyText(goods, currency)} plus shipping`
  return `Place ${orders} ${orders === 1 ? 'order' : 'orders'} ${cost}? ${shortText(plan)}`.trim()
}

/** A plan in one line, for the log of a script. */
export function planText(plan: PlanView): string {
  const {orders, lines, goods, currency, wallet, requests, leastMs} = plan
  const parts = [
    `${orders} ${orders === 1 ? 'order' : 'orders'} of ${lines} ${lines === 1 ? 'line' : 'lines'}`,
    ...(goods === null ? [] : [`${moneyText(goods, currency)} plus shipping`]),
    ...(wallet === null ? [] : [`${moneyText(wallet, currency)} in the wallet`]),
    `${requests} requests`,
    timeText(leastMs),
  ]
  return `Planned: ${parts.join(', ')}. ${shortText(plan)}`.trim()
}
