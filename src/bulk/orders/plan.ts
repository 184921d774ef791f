import {Failure, isFailure} from '../../contract/failure.ts'
import {leastMs} from '../../contract/limits.ts'
import {type Digits, digits, exact} from '../../contract/money.ts'
import {pricesOf, type UnitPrice} from '../../flows/catalog.ts'
import {minus} from '../../flows/order/price.ts'
import {readBalance} from '../../flows/wallet.ts'
import {counted} from '../../terminal/text.ts'
import {type CheckedRows, lookUpSkus} from '../file/check.ts'
import {appendAll, type JobDraft} from '../journal.ts'
import type {Wish} from '../kind.ts'
import type {PlannedRow} from '../records.ts'
import {type FileOrder, ordersIn} from './file.ts'
import type {OrderPreviews} from './preview.ts'

/** What a job of orders will do, before anything is sent that changes anything. */
export interface OrderPlan {
  file: string
  orders: number
  lines: number
  units: number
  /** The goods with VAT at the prices of this moment; shipping comes on top. null if a price is not known. */
  goods: Digits | null
  /** Those of the goods that have a price. */
  pricedGoods: Digits
  currency: string | null
  /** Variants of the file that the catalog names no price for: the service may refuse them. */
  unpriced: {variantId: string; sku: string | null}[]
  /** One for each line, and two for each order. */
  requests: number
  /** How long these take at the quota of a job, in milliseconds. */
  leastMs: number
  /** What the wallet holds now, and will when the goods are paid; null if that is not known. */
  wallet: Digits | null
  walletAfter: Digits | null
}

/** A plan with what live previews say. */
export interface DryRun extends OrderPlan, Omit<OrderPreviews, 'total' | 'currency'> {
  /** What the orders that can be made would be charged, shipping included. */
  total: Digits | null
}

/** Writes every order into the draft of a job, and adds up what they will take. Only reads. */
export async function planOrders(wish: Wish, draft: Pick<JobDraft, 'append'>, at: string) {
  const {session, source} = wish
  const {client, progress} = session
  progress.say('Reading the catalog …')
  const rows = await lookUpSkus(wish, await session.catalogTools())
  progress.say('Planning …')
  const prices = (await ifOpen(pricesOf(client, await variantsIn(rows)))) ?? new Map<string, UnitPrice>()
  const sums = {orders: 0, lines: 0, units: 0, goods: exact('0'), known: true}
  await appendAll(draft, plannedRows(rows, prices, at, sums))
  const wallet = (await ifOpen(readBalance(client)))?.balance ?? null
  progress.clear()
  return {rows, plan: {file: source.path, ...planOf(sums, rows, prices, wallet)}}
}

interface Sums {
  orders: number
  lines: number
  units: number
  goods: ReturnType<typeof exact>
  /** Whether every order has a price. */
  known: boolean
}

/** Every order of the file as the journal keeps it; adds each to the sums. */
async function* plannedRows(
  {file, checked, found}: CheckedRows,
  prices: ReadonlyMap<string, UnitPrice>,
  at: string,
  sums: Sums,
): AsyncGenerator<PlannedRow> {
  for await (const order of ordersIn(file, checked, found)) {
    const goods = goodsOf(order, prices)
    sums.orders += 1
    sums.lines += order.lines.length
    sums.units += order.lines.reduce((units, {quantity}) => units + quantity, 0)
    if (goods === null) sums.known = false
    else sums.goods = sums.goods.plus(goods)
    yield rowOf(order, goods, at)
  }
}

function planOf(
  {orders, lines, units, goods: sum, known}: Sums,
  {names}: CheckedRows,
  prices: ReadonlyMap<string, UnitPrice>,
  wallet: Digits | null,
): Omit<OrderPlan, 'file'> {
  const requests = lines + 2 * orders
  const pricedGoods = digits(sum.toFixed())
  const goods = known ? pricedGoods : null
  const unpriced = [...prices].filter(([, {unitWithVat}]) => unitWithVat === null)
  return {
    orders,
    lines,
    units,
    goods,
    pricedGoods,
    currency: [...prices.values()].find(({currency}) => currency !== null)?.currency ?? null,
    unpriced: unpriced.map(([variantId]) => ({variantId, sku: names.get(variantId) ?? null})),
    requests,
    leastMs: leastMs(requests),
    wallet,
    walletAfter: wallet === null || goods === null ? null : minus(wallet, goods),
  }
}

/** Every variant that a checked file orders, once. */
async function variantsIn({file, checked, found}: CheckedRows): Promise<Set<string>> {
  const ids = new Set<string>()
  for await (const order of ordersIn(file, checked, found)) {
    for (const {variantId = ''} of order.lines) ids.add(variantId.toLowerCase())
  }
  return ids
}

/** What a plan can do without: undefined if this credential may not read it, or the service has none of it. */
async function ifOpen<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    const {httpStatus = 0} = isFailure(error) ? error.facts : {}
    if (httpStatus === 403 || httpStatus === 404) return undefined
    throw error
  }
}

function rowOf(order: FileOrder, goods: string | null, at: string): PlannedRow {
  const {reference, customerRef, lines, address, discountCode, rows} = order
  return {
    step: 'PLANNED',
    at,
    reference,
    customerRef,
    lines: lines.map(({variantId = '', quantity}) => ({variantId, quantity})),
    address,
    ...(discountCode === undefined ? {} : {discountCode}),
    rows,
    goods,
  }
}

function goodsOf({lines}: FileOrder, prices: ReadonlyMap<string, UnitPrice>): string | null {
  let sum = exact('0')
  for (const {variantId = '', quantity} of lines) {
    const unit = prices.get(variantId.toLowerCase())?.unitWithVat ?? null
    if (unit === null) return null
    sum = sum.plus(exact(unit).times(quantity))
  }
  return sum.toFixed()
}

/** What live previews say in the place of the plan's own figures. */
export function withPreviews(plan: OrderPlan, previews: OrderPreviews): DryRun {
  const total = previews.total === null ? null : digits(previews.total)
  return {
    ...plan,
    ...previews,
    total,
    currency: plan.currency ?? previews.currency,
    walletAfter: plan.wallet === null || total === null ? null : minus(plan.wallet, total),
  }
}

const LESS = 'Approve the new amount with --max-total, or import less.'
const isAbove = (amount: Digits | null, maxTotal: string | null | undefined): maxTotal is string =>
  amount !== null && maxTotal != null && exact(amount).gt(exact(maxTotal))

/** Fails with LIMIT_EXCEEDED if the goods alone cost more than the whole job may charge. */
export function requireWithin({pricedGoods, currency}: OrderPlan, maxTotal: string | null | undefined): void {
  if (!isAbove(pricedGoods, maxTotal)) return
  throw new Failure('LIMIT_EXCEEDED', {
    message: `The goods of the file cost ${pricedGoods} ${currency ?? ''}, above the --max-total of ${maxTotal}. Nothing was sent.`,
    hint: LESS,
    details: {goods: String(pricedGoods), maxTotal},
  })
}

/** The problem that an import would run into now, if any. */
export function findingOf(
  {total, currency, orders, refused}: DryRun,
  maxTotal: string | null | undefined,
): Failure | undefined {
  if (isAbove(total, maxTotal))
    return new Failure('LIMIT_EXCEEDED', {
      message: `The orders would be charged ${total} ${currency ?? ''}, above the --max-total of ${maxTotal}. Nothing was ordered.`,
      hint: LESS,
      details: {total: String(total), maxTotal},
    })
  if (refused.length === 0) return undefined
  return new Failure('ROWS_REFUSED', {
    message: `${refused.length} of ${counted(orders, 'order')} can't be made at present. Nothing was ordered.`,
    hint: 'Correct their lines, or import the file without them.',
  })
}
