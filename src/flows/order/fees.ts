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
type Ordered = Pick<OrderEntry, 'address' | 'locks' | 'outcome' | 'updatedAt'>

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
  const fees = new Map<string, CityFee>()
  for (const order of orders) {
    const fee = feeOf(order)
    const before = fees.get(keyOf(order.address))
    if (fee && !(before && before.at > fee.at)) fees.set(keyOf(order.address), fee)
  }
  return (place) => fees.get(keyOf(place))
}

function feeOf({locks, outcome, updatedAt}: Ordered): CityFee | undefined {
  const locked = locks.at(-1)?.total
  if (outcome?.outcome !== 'placed' || outcome.total === null || locked === undefined) return undefined
  const extra = exact(outcome.total).minus(exact(locked))
  return extra.lte(0) ? undefined : {extra: digits(extra.toFixed()), at: updatedAt}
}
