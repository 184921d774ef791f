import {exact} from '../contract/money.ts'
import type {JobDraft, PlannedRow} from '../store/jobs.ts'
import type {UnitPrice} from './catalog.ts'
import {type FileOrder, type OrderFile, ordersIn} from './order-file.ts'
import type {VariantsBySku} from './rows.ts'

/** What a job of orders will do, before anything is sent that changes anything. */
export interface OrderPlan {
  orders: number
  lines: number
  units: number
  /** The goods with VAT at the prices of this moment; shipping comes on top. null where a price is not known. */
  goods: string | null
  currency: string | null
  /** Variants of the file that the catalog names no price for: the service may refuse them. */
  unpriced: string[]
  /** One for each line, and two for each order. */
  requests: number
  /** How long these take at the quota of a job, in milliseconds. */
  leastMs: number
}

type File = Parameters<typeof ordersIn>[0]

const BATCH = 200
/** Requests of a window that a job may send, and how long it is. */
const WINDOW = {requests: 280, ms: 60_500}

/** Every variant that a checked file orders, once. */
export async function variantsIn(
  file: File,
  checked: Pick<OrderFile, 'index'>,
  found: VariantsBySku,
): Promise<Set<string>> {
  const ids = new Set<string>()
  for await (const order of ordersIn(file, checked, found)) {
    for (const {variantId = ''} of order.lines) ids.add(variantId.toLowerCase())
  }
  return ids
}

/** Writes every order of a checked file into the draft of a job, and adds up what it will take. */
export async function planOrders(
  file: File,
  checked: Pick<OrderFile, 'index'>,
  found: VariantsBySku,
  prices: ReadonlyMap<string, UnitPrice>,
  draft: Pick<JobDraft, 'append'>,
  at: string,
): Promise<OrderPlan> {
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
  const unpriced = [...prices].filter(([, {unitWithVat}]) => unitWithVat === null).map(([id]) => id)
  const requests = sum.lines + 2 * sum.orders
  return {
    orders: sum.orders,
    lines: sum.lines,
    units: sum.units,
    goods: sum.known ? sum.goods.toFixed() : null,
    currency: [...prices.values()].find(({currency}) => currency !== null)?.currency ?? null,
    unpriced,
    requests,
    leastMs: leastMs(requests),
  }
}

/** The shortest time for so many requests at the quota of a job. */
export function leastMs(requests: number): number {
  return Math.max(0, Math.ceil(requests / WINDOW.requests) - 1) * WINDOW.ms
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
