import type {Client} from '../../client/client.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {leastMs} from '../../contract/limits.ts'
import {type Digits, digits, exact} from '../../contract/money.ts'
import {pricesOf, type UnitPrice} from '../../flows/catalog.ts'
import {minus} from '../../flows/order/price.ts'
import {readBalance} from '../../flows/wallet.ts'
import type {CheckedRows} from '../file/check.ts'
import type {JobDraft, PlannedRow} from '../journal.ts'
import {type FileOrder, ordersIn} from './file.ts'
import type {OrderPreviews} from './preview.ts'

/** What a job of orders will do, before anything is sent that changes anything. */
export interface OrderPlan {
  orders: number
  lines: number
  units: number
  /** The goods with VAT at the prices of this moment; shipping comes on top. null where a price is not known. */
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
  /** What the wallet holds now, and will when the goods are paid; null where that is not known. */
  wallet: Digits | null
  walletAfter: Digits | null
}

const BATCH = 200

/** Writes every order of a checked file into the draft of a job, and adds up what it will take. Only reads. */
export async function planOrders(
  client: Client,
  orders: CheckedRows,
  draft: Pick<JobDraft, 'append'>,
  at: string,
): Promise<OrderPlan> {
  const prices = (await ifOpen(pricesOf(client, await variantsIn(orders)))) ?? new Map<string, UnitPrice>()
  const {known, ...sum} = await planRows(orders, prices, draft, at)
  const unpriced = [...prices].filter(([, {unitWithVat}]) => unitWithVat === null)
  const requests = sum.lines + 2 * sum.orders
  const pricedGoods = digits(sum.goods.toFixed())
  const goods = known ? pricedGoods : null
  const wallet = (await ifOpen(readBalance(client)))?.balance ?? null
  return {
    ...sum,
    goods,
    pricedGoods,
    currency: [...prices.values()].find(({currency}) => currency !== null)?.currency ?? null,
    unpriced: unpriced.map(([variantId]) => ({variantId, sku: orders.names.get(variantId) ?? null})),
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

async function planRows(
  {file, checked, found}: CheckedRows,
  prices: ReadonlyMap<string, UnitPrice>,
  draft: Pick<JobDraft, 'append'>,
  at: string,
) {
  const sum = {orders: 0, lines: 0, units: 0, goods: exact('0'), known: true}
  let batch: PlannedRow[] = []
  const flush = async () => {
    await draft.append(batch)
    batch = []
  }
  for await (const order of ordersIn(file, checked, found)) {
    const goods = goodsOf(order, prices)
    sum.orders += 1
    sum.lines += order.lines.length
    sum.units += order.lines.reduce((units, {quantity}) => units + quantity, 0)
    if (goods === null) sum.known = false
    else sum.goods = sum.goods.plus(goods)
    batch.push(rowOf(order, goods, at))
    if (batch.length === BATCH) await flush()
  }
  await flush()
  return sum
}

/** What a plan can do without: undefined where this credential may not read it, or the service has none of it. */
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

/** A plan by live previews. */
export type PreviewedPlan = Omit<OrderPreviews, 'total'> &
  Pick<OrderPlan, 'currency' | 'walletAfter'> & {total: Digits | null}

/** What live previews say in the place of the plan's own figures. */
export function withPreviews({currency, wallet}: OrderPlan, previews: OrderPreviews): PreviewedPlan {
  const total = previews.total === null ? null : digits(previews.total)
  return {
    ...previews,
    total,
    currency: currency ?? previews.currency,
    walletAfter: wallet === null || total === null ? null : minus(wallet, total),
  }
}

/** Fails with LIMIT_EXCEEDED where the goods alone cost more than the whole job may charge. */
export function requireWithin({pricedGoods, currency}: OrderPlan, maxTotal: string | undefined): void {
  if (maxTotal === undefined || !exact(pricedGoods).gt(exact(maxTotal))) return
  throw new Failure('LIMIT_EXCEEDED', {
    message: `The goods of the file cost ${pricedGoods} ${currency ?? ''}, above the --max-total of ${maxTotal}. Nothing was sent.`,
    hint: 'Approve the new amount with --max-total, or import less.',
    details: {goods: String(pricedGoods), maxTotal},
  })
}

/** What an import would meet as things are; undefined where that is nothing. */
export function findingOf(
  {total, currency, orders, refused}: OrderPlan & PreviewedPlan,
  maxTotal: string | undefined,
): Failure | undefined {
  if (maxTotal !== undefined && total !== null && exact(total).gt(exact(maxTotal)))
    return new Failure('LIMIT_EXCEEDED', {
      message: `The orders would be charged ${total} ${currency ?? ''}, above the --max-total of ${maxTotal}. Nothing was ordered.`,
      hint: 'Approve the new amount with --max-total, or import less.',
      details: {total: String(total), maxTotal},
    })
  if (refused.length === 0) return undefined
  return new Failure('ROWS_REFUSED', {
    message: `${refused.length} of ${orders} ${orders === 1 ? 'order' : 'orders'} can't be made as things are. Nothing was ordered.`,
    hint: 'Correct their lines, or import the file without them.',
  })
}
