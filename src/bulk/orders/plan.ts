import {Failure} from '../../contract/failure.ts'
import {leastMs} from '../../contract/limits.ts'
import {type Digits, digits, exact} from '../../contract/money.ts'
import {minus} from '../../flows/order/price.ts'
import {readBalance} from '../../flows/wallet.ts'
import {moneyText} from '../../terminal/cells.ts'
import {type CheckedRows, lookUpSkus} from '../file/check.ts'
import {appendAll, type JobDraft} from '../journal.ts'
import type {Wish} from '../kind.ts'
import {ifOpen, type Offers, type RuledOut, readOffers, ruledOut} from '../offers.ts'
import type {PlannedRow} from '../records.ts'
import {type FileOrder, ordersIn} from './file.ts'

/** What a job of orders will do, before anything is sent that changes anything. */
export interface OrderPlan {
  file: string
  orders: number
  lines: number
  units: number
  /** Orders that can't be made, as far as is known. Nothing of them is in any sum. */
  refused: number
  /** The goods with VAT at the prices of this moment; shipping comes on top. null if the catalog can't be read. */
  goods: Digits | null
  currency: string | null
  /** One for each line, and two for each order. */
  requests: number
  /** How long these take at the quota of a job, in milliseconds. */
  leastMs: number
  /** What the wallet holds now, and will when that is paid; null if that is not known. */
  wallet: Digits | null
  walletAfter: Digits | null
}

/** A plan with the orders that can't be made, and with what live previews say if they were asked for. */
export interface DryRun extends Omit<OrderPlan, 'refused'> {
  refused: RefusedOrder[]
  /** What the orders that can be made would be charged, shipping included; null if that is not known. */
  total: Digits | null
  /** Different baskets, each of which was previewed once; null without previews. */
  baskets: number | null
}

/** An order of a file that can't be made at present. */
export interface RefusedOrder extends RuledOut {
  externalReference: string
  customerRef: string
  rows: number[]
}

/** An order that can't be made, for a reason. */
export function refusalOf(
  {reference, customerRef, rows}: FileOrder,
  {state, message}: RuledOut,
): RefusedOrder {
  return {externalReference: reference, customerRef, rows, state, message}
}

/**
 * Writes every order into the draft of a job, and adds up what they will take. Only reads. `refuse` hears of the orders
 * that can't be made by what the catalog says.
 */
export async function planOrders(
  wish: Wish,
  draft: Pick<JobDraft, 'append'>,
  at: string,
  refuse: (order: RefusedOrder) => void = () => {},
) {
  const {session, source} = wish
  const {client, progress} = session
  progress.say('Reading the catalog …')
  const rows = await lookUpSkus(wish, await session.catalogTools())
  progress.say('Planning …')
  const offers = await readOffers(client, await variantsIn(rows))
  const sums: Sums = {orders: 0, lines: 0, units: 0, refused: 0, goods: exact('0')}
  await appendAll(draft, plannedRows(rows, offers, at, sums, refuse))
  const wallet = (await ifOpen(readBalance(client)))?.balance ?? null
  progress.clear()
  return {rows, plan: {file: source.path, ...planOf(sums, offers, wallet)}}
}

interface Sums {
  orders: number
  lines: number
  units: number
  refused: number
  goods: ReturnType<typeof exact>
}

/** Every order of the file as the journal keeps it; adds each to the sums. */
async function* plannedRows(
  {file, checked, found}: CheckedRows,
  offers: Offers,
  at: string,
  sums: Sums,
  refuse: (order: RefusedOrder) => void,
): AsyncGenerator<PlannedRow> {
  for await (const order of ordersIn(file, checked, found)) {
    const goods = goodsOf(order, offers)
    sums.orders += 1
    sums.lines += order.lines.length
    sums.units += order.lines.reduce((units, {quantity}) => units + quantity, 0)
    const out = ruledOutOf(order, offers)
    if (out !== undefined) {
      sums.refused += 1
      refuse(refusalOf(order, out))
    } else if (goods !== null) sums.goods = sums.goods.plus(goods)
    yield rowOf(order, goods, at)
  }
}

/** Why an order can't be made, for every variant that speaks against it; the code is that of the first. */
function ruledOutOf({lines}: FileOrder, offers: Offers): RuledOut | undefined {
  const [first, ...others] = lines.flatMap(({variantId = ''}) => ruledOut(variantId, offers) ?? [])
  return first && {...first, message: [first, ...others].map(({message}) => message).join(' ')}
}

function planOf(
  {orders, lines, units, refused, goods: sum}: Sums,
  offers: Offers,
  wallet: Digits | null,
): Omit<OrderPlan, 'file'> {
  const requests = lines + 2 * orders
  const goods = offers.size === 0 ? null : digits(sum.toFixed())
  return {
    orders,
    lines,
    units,
    refused,
    goods,
    currency: [...offers.values()].find(({currency}) => currency !== null)?.currency ?? null,
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

function goodsOf({lines}: FileOrder, offers: Offers): string | null {
  let sum = exact('0')
  for (const {variantId = '', quantity} of lines) {
    const unit = offers.get(variantId.toLowerCase())?.unitWithVat ?? null
    if (unit === null) return null
    sum = sum.plus(exact(unit).times(quantity))
  }
  return sum.toFixed()
}

const costs = {goods: 'The goods of the file cost', total: 'The orders would be charged'}

/** The failure of a plan whose goods, or whose total, cost more than the whole job may charge. */
export function aboveLimit(
  of: keyof typeof costs,
  plan: {goods: Digits | null; total?: Digits | null; currency: string | null},
  maxTotal: string | null | undefined,
): Failure | undefined {
  const amount = plan[of] ?? null
  if (amount === null || maxTotal == null || !exact(amount).gt(exact(maxTotal))) return undefined
  return new Failure('LIMIT_EXCEEDED', {
    message: `${costs[of]} ${moneyText(amount, plan.currency)}, above the --max-total of ${maxTotal}. Nothing was ordered.`,
    hint: 'Approve the new amount with --max-total, or import less.',
    details: {[of]: String(amount), maxTotal},
  })
}
