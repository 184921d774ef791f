import {isOddAddress} from '../../contract/address.ts'
import {Failure} from '../../contract/failure.ts'
import {leastMs} from '../../contract/limits.ts'
import {amountText, type Digits, digits, exact} from '../../contract/money.ts'
import {placeKey} from '../../flows/order/fees.ts'
import {minus} from '../../flows/order/price.ts'
import {readBalance} from '../../flows/wallet.ts'
import type {Outcome} from '../../store/orders.ts'
import {moneyText} from '../../terminal/cells.ts'
import {type CheckedRows, lookUpSkus} from '../file/check.ts'
import {copyOf} from '../file/rows.ts'
import {appendAll, type JobDraft} from '../journal.ts'
import type {Wish} from '../kind.ts'
import {ifOpen, type Offers, type RuledOut, readOffers, ruledOut} from '../offers.ts'
import type {PlannedRow} from '../records.ts'
import {type Earlier, readEarlier, type Standing} from './earlier.ts'
import {type FileOrder, ordersIn} from './file.ts'

/** What a job of orders will do, before anything is sent that changes anything. */
export interface OrderPlan {
  file: string
  orders: number
  lines: number
  units: number
  /** Orders that stand already, and the jobs that placed them. */
  alreadyPlaced: number
  placedBy: string[]
  /** Orders that can't be made, as far as is known. Neither of these and of those that stand is anything in a sum. */
  refused: number
  /** The goods with VAT at the prices of this moment; shipping comes on top. null if the catalog can't be read. */
  goods: Digits | null
  /** What shipping costs by the fees of earlier orders; null if one of the cities is not known from them. */
  shipping: Digits | null
  /** The goods and that shipping, of which some may be free; null if one of them is not known. */
  total: Digits | null
  /** Where to, with the fee that an earlier order was charged; null if there was none. */
  cities: CityPlan[]
  /** Orders whose national address may have been mistyped, and the first of these addresses; null if there is none. */
  oddAddresses: {orders: number; first: string} | null
  currency: string | null
  /** One for each line, and two for each order, of those that do not stand. */
  requests: number
  /** How long these take at the quota of a job, in milliseconds. */
  leastMs: number
  /** What the wallet holds now, and will when the total is paid, or else the goods; null if that is not known. */
  wallet: Digits | null
  walletAfter: Digits | null
}

interface CityPlan {
  city: string
  countryCode: string
  orders: number
  fee: Digits | null
}

/** A plan with the orders that can't be made, and with what live previews say if they were asked for. */
export interface DryRun extends Omit<OrderPlan, 'refused'> {
  refused: RefusedOrder[]
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
 * that can't be made by what the catalog and the records of this machine say.
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
  const named = await namesIn(rows)
  const known = {offers: await readOffers(client, named.variants), earlier: await readEarlier(session, named)}
  const sums = openSums(known)
  await appendAll(draft, plannedRows(rows, known, at, sums, refuse))
  const wallet = (await ifOpen(readBalance(client)))?.balance ?? null
  progress.clear()
  return {rows, earlier: known.earlier, plan: {file: source.path, ...planOf(sums, known.offers, wallet)}}
}

/** What is known of the orders of a file before anything is sent. */
interface Known {
  offers: Offers
  earlier: Earlier
}

const openSums = ({earlier}: Known) => ({
  ...{orders: 0, lines: 0, units: 0, requests: 0, alreadyPlaced: 0, refused: 0},
  placedBy: new Set<string>(),
  goods: exact('0'),
  cities: new Map<string, CityPlan>(),
  oddAddresses: null as OrderPlan['oddAddresses'],
  feeOf: earlier.fees,
})
type Sums = ReturnType<typeof openSums>

/** Every order of the file as the journal keeps it; adds each to the sums. Those that stand have their outcome at once. */
async function* plannedRows(
  {file, checked, found}: CheckedRows,
  {offers, earlier}: Known,
  at: string,
  sums: Sums,
  refuse: (order: RefusedOrder) => void,
): AsyncGenerator<PlannedRow | Outcome> {
  for await (const order of ordersIn(file, checked, found)) {
    const goods = goodsOf(order, offers)
    sums.orders += 1
    sums.lines += order.lines.length
    sums.units += order.lines.reduce((units, {quantity}) => units + quantity, 0)
    yield rowOf(order, goods, at)
    const standing = earlier.standing(order)
    if (standing !== undefined) {
      sums.alreadyPlaced += 1
      if (standing.job !== null) sums.placedBy.add(standing.job)
      yield outcomeOf(standing, at)
      continue
    }
    sums.requests += order.lines.length + 2
    const out = earlier.taken(order) ?? ruledOutOf(order, offers)
    if (out === undefined) addUp(sums, order, goods)
    else {
      sums.refused += 1
      refuse(refusalOf(order, out))
    }
  }
}

/** Adds an order that can be made to the sums. */
function addUp(sums: Sums, {address}: FileOrder, goods: string | null): void {
  const {city, countryCode, nationalAddress} = address
  if (isOddAddress(address)) {
    sums.oddAddresses ??= {orders: 0, first: nationalAddress}
    sums.oddAddresses.orders += 1
  }
  if (goods !== null) sums.goods = sums.goods.plus(goods)
  const key = `${countryCode} ${city}`
  const place = sums.cities.get(key) ?? {city, countryCode, orders: 0, fee: null}
  place.orders += 1
  place.fee = sums.feeOf({city, countryCode})?.fee ?? null
  sums.cities.set(key, place)
}

/** The outcome of an order that is not sent, as it stands already. */
function outcomeOf({job, outcome}: Standing, at: string): Outcome {
  const message = `${job === null ? 'It was ordered' : `Job ${job} placed it`} at ${outcome.at}.`
  return {
    ...{step: 'OUTCOME', at, reference: outcome.reference, outcome: 'already-placed', http: null},
    ...{state: 'CONFLICT_ORDER_DUPLICATE_REFERENCE', orderId: outcome.orderId, total: outcome.total},
    ...{currency: outcome.currency, status: outcome.status, message},
  }
}

/** Why an order can't be made, for every variant that speaks against it; the code is that of the first. */
function ruledOutOf({lines}: FileOrder, offers: Offers): RuledOut | undefined {
  const [first, ...others] = lines.flatMap(({variantId = ''}) => ruledOut(variantId, offers) ?? [])
  return first && {...first, message: [first, ...others].map(({message}) => message).join(' ')}
}

function planOf(
  {goods: sum, cities: places, placedBy, feeOf: _, requests, ...counts}: Sums,
  offers: Offers,
  wallet: Digits | null,
): Omit<OrderPlan, 'file'> {
  const goods = offers.size === 0 ? null : digits(sum.toFixed())
  const cities = [...places.values()]
  const shipping = shippingOf(cities)
  const total =
    goods === null || shipping === null ? null : digits(exact(goods).plus(exact(shipping)).toFixed())
  const cost = total ?? goods
  return {
    ...counts,
    placedBy: [...placedBy],
    goods,
    shipping,
    total,
    cities,
    currency: [...offers.values()].find(({currency}) => currency !== null)?.currency ?? null,
    requests,
    leastMs: leastMs(requests),
    wallet,
    walletAfter: wallet === null || cost === null ? null : minus(wallet, cost),
  }
}

function shippingOf(cities: CityPlan[]): Digits | null {
  let sum = exact('0')
  for (const {orders, fee} of cities) {
    if (fee === null) return null
    sum = sum.plus(exact(fee).times(orders))
  }
  return digits(sum.toFixed())
}

/** Every variant, reference and city of a checked file, once. */
async function namesIn({file, checked, found}: CheckedRows) {
  const named = {variants: new Set<string>(), references: new Set<string>(), places: new Set<string>()}
  for await (const {reference, lines, address} of ordersIn(file, checked, found)) {
    named.references.add(copyOf(reference))
    named.places.add(placeKey(address))
    for (const {variantId = ''} of lines) named.variants.add(copyOf(variantId.toLowerCase()))
  }
  return named
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
    message: `${costs[of]} ${moneyText(amount, plan.currency)}, above the --max-total of ${amountText(maxTotal, plan.currency)}. Nothing was ordered.`,
    hint: 'Approve the new amount with --max-total, or import less.',
    details: {[of]: String(amount), maxTotal},
  })
}
