import {type Digits, exact} from '../../contract/money.ts'
import {isFar} from '../../flows/order/fees.ts'
import {badge, type Cell, money, moneyText, span} from '../../terminal/cells.ts'
import {localColumns} from '../../terminal/columns.ts'
import {type Card, card, type Table} from '../../terminal/table.ts'
import {counted, type Tone} from '../../terminal/text.ts'
import type {Ledger} from '../records.ts'
import type {DryRun, OrderPlan, RefusedOrder} from './plan.ts'
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
  const run = 'baskets' in plan ? plan : undefined
  const lines = `file; orders; alreadyPlaced Placed before; refused Orders that can't be made; lines; units;
    goods Goods incl. VAT; cities Shipping an order; shipping Shipping by these fees; total Total ${run?.baskets == null ? 'at most' : 'with shipping'}; baskets Baskets previewed; wallet Wallet now;
    walletAfter Wallet after${plan.total === null ? ' the goods' : ''}; requests; leastMs Time at the quota`
  const fields = localColumns<OrderPlan | DryRun>(lines, {
    refused: ({refused}) => (Array.isArray(refused) ? refused.length : refused) || null,
    alreadyPlaced: ({alreadyPlaced}) => alreadyPlaced || null,
    goods: ({goods}) => amount(goods),
    cities: ({cities}) => feesText(cities, plan.currency) || null,
    shipping: ({shipping, cities}) => (cities.length === 0 || run?.baskets != null ? null : amount(shipping)),
    total: ({total}) => amount(total),
    baskets: () => run?.baskets ?? null,
    wallet: ({wallet}) => amount(wallet),
    walletAfter: ({walletAfter}) => amount(walletAfter),
    leastMs: ({leastMs}) => timeText(leastMs),
  })
  return card(
    plan,
    fields.filter(({get}) => get(plan) !== null),
  )
}

/** Cities that a sentence names. */
const SOME_CITIES = 5

/** Such as `Riyadh 28.75 SAR, Jeddah not known`: what earlier orders there were charged. */
function feesText(cities: OrderPlan['cities'], currency: string | null): string {
  if (cities.every(({fee}) => fee === null)) return ''
  return listed(
    cities.map(({city, fee}) => `${city} ${fee === null ? 'not known' : moneyText(fee, currency)}`),
    ', ',
  )
}

function listed(names: string[], between: string): string {
  const more = names.length - SOME_CITIES
  return names.slice(0, SOME_CITIES).join(between) + (more > 0 ? ` and ${more} more` : '')
}

/** The cities whose fee no preview knows, and no earlier order tells; '' if there is none. */
export function unknownFees({cities}: Pick<OrderPlan, 'cities'>): string {
  const names = cities.filter((place) => place.fee === null && isFar(place)).map(({city}) => city)
  return names.length === 0
    ? ''
    : `Shipping to ${listed(names, ', ')} may cost more than in this total: no preview knows the fee of a city, and no earlier order tells it.`
}

/** Which orders of a file stand already; '' if none does. */
export function placedText({
  orders,
  alreadyPlaced,
  placedBy,
}: Pick<OrderPlan, 'orders' | 'alreadyPlaced' | 'placedBy'>): string {
  if (alreadyPlaced === 0) return ''
  const jobs = `${placedBy.length === 1 ? 'job' : 'jobs'} ${listed(placedBy, ', ')}`
  const by = placedBy.length === 0 ? 'before' : `by ${jobs}`
  return `${alreadyPlaced} of ${orders} ${alreadyPlaced === 1 ? 'was' : 'were'} placed ${by}.`
}

/** What is worth a second look before anything is ordered; '' for nothing. */
export function oddText({oddAddresses}: Pick<OrderPlan, 'oddAddresses'>): string {
  if (oddAddresses === null) return ''
  const {orders, first} = oddAddresses
  return `Warning: ${orders === 1 ? 'an order has' : `${orders} orders have`} a national address that is not four letters and four digits, such as RRRD2929: ${JSON.stringify(first)}${orders === 1 ? '' : ' is the first'}.`
}

const refusedColumns = localColumns<RefusedOrder>(
  'externalReference! Reference; customerRef- Customer; rows Line; state; message~ Why',
)

/** The orders that can't be made, if there are any. */
export function refusedTables({refused}: DryRun): Table<RefusedOrder>[] {
  return refused.length === 0
    ? []
    : [{columns: refusedColumns, rows: refused, title: "Orders that can't be made"}]
}

const timeText = (ms: number) => (ms < 60_000 ? 'under a minute' : `at least ${span(ms)}`)

const isShort = ({walletAfter}: Pick<OrderPlan, 'walletAfter'>) =>
  walletAfter !== null && exact(walletAfter).lt(0)

/** What else there is to say of a plan; '' for nothing. */
export const shortText = (plan: Pick<OrderPlan, 'walletAfter'>) =>
  isShort(plan) ? 'The wallet does not cover it.' : ''

export function planQuestion(plan: OrderPlan): string {
  const {orders, alreadyPlaced, refused} = plan
  const more = refused === 0 ? '' : `${refused} more can't be made at present, and are tried all the same.`
  const count = orders - alreadyPlaced - refused
  const asked =
    count === 0
      ? 'Nothing can be ordered at present. Go on?'
      : `Place ${counted(count, 'order')} ${costText(plan) || 'at the prices of their locks'}?`
  return [asked, more, placedText(plan), shortText(plan)].filter(Boolean).join(' ')
}

/** What a plan costs, as far as that is known; '' if nothing is. */
function costText({goods, total, cities, currency}: OrderPlan): string {
  if (cities.length === 0) return ''
  if (total !== null) return `for at most ${moneyText(total, currency)}, with shipping as for earlier orders`
  return goods === null ? '' : `for ${moneyText(goods, currency)} plus shipping`
}

/** A plan in one line, for the log of a script. */
export function planText(plan: OrderPlan): string {
  const {orders, lines, refused, currency, wallet, requests, leastMs} = plan
  const cost = costText(plan)
  const parts = [
    `${counted(orders, 'order')} of ${counted(lines, 'line')}`,
    ...(refused === 0 ? [] : [`${refused} of them can't be made at present`]),
    ...(cost ? [cost] : []),
    ...(wallet === null ? [] : [`${moneyText(wallet, currency)} in the wallet`]),
    `${requests} requests`,
    timeText(leastMs),
  ]
  return [`Planned: ${parts.join(', ')}.`, placedText(plan), shortText(plan)].filter(Boolean).join(' ')
}
