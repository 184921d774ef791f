import {type Digits, digits, exact} from '../../contract/money.ts'
import type {ShippingAddress} from '../../contract/orders.ts'
import type {OrderEntry} from '../../store/orders.ts'

/** What an order to a city was charged beyond its price lock, which takes every city as a near one. */
export interface CityFee {
  extra: Digits
  /** When it was ordered. */
  at: string
}

type Place = Pick<ShippingAddress, 'city' | 'countryCode'>
type Ordered = Pick<OrderEntry, 'outcome' | 'updatedAt'> & {
  address: Place
  locks: readonly Pick<OrderEntry['locks'][number], 'total' | 'shipping'>[]
}

// not shown: the list of cities of the near zone.
const NEAR = /^(ar[- ]?)?riyadh$|^الرياض$/i

/** Whether shipping to a place may cost more than its price lock says. */
export const isFar = ({city, countryCode}: Place) => countryCode !== 'SAU' || !NEAR.test(city.trim())

const keyOf = ({city, countryCode}: Place) => `${countryCode} ${city.trim().toLowerCase()}`

/**
 * The fees that earlier orders show; of a place the fee of its newest order. Those that cost nothing more tell nothing:
 * shipping may have been free, whatever the city.
 */
export function cityFees(orders: Iterable<Ordered>): (place: Place) => CityFee | undefined {
  return newestOf(orders, (order) => {
    const extra = extraOf(order)
    return extra?.gt(0) ? {extra: digits(extra.toFixed()), at: order.updatedAt} : undefined
  })
}

/** What shipping an order to a place cost. */
interface ShippingFee {
  fee: Digits
  at: string
}

/** The same for the whole fee, of near places too. Orders that were shipped free tell nothing. */
export function shippingFees(orders: Iterable<Ordered>): (place: Place) => ShippingFee | undefined {
  return newestOf(orders, (order) => {
    const locked = order.locks.at(-1)?.shipping
    const extra = extraOf(order)
    if (locked === undefined || extra === undefined || exact(locked).lte(0)) return undefined
    return {fee: digits(extra.plus(exact(locked)).toFixed()), at: order.updatedAt}
  })
}

/** What an order was charged beyond its lock. */
function extraOf({locks, outcome}: Ordered): ReturnType<typeof exact> | undefined {
  const locked = locks.at(-1)?.total
  if (outcome?.outcome !== 'placed' || outcome.total === null || locked === undefined) return undefined
  return exact(outcome.total).minus(exact(locked))
}

function newestOf<Fee extends {at: string}>(
  orders: Iterable<Ordered>,
  feeOf: (order: Ordered) => Fee | undefined,
): (place: Place) => Fee | undefined {
  const fees = new Map<string, Fee>()
  for (const order of orders) {
    const fee = feeOf(order)
    const before = fees.get(keyOf(order.address))
    if (fee && !(before && before.at > fee.at)) fees.set(keyOf(order.address), fee)
  }
  return (place) => fees.get(keyOf(place))
}
