import {type Digits, digits, exact} from '../../contract/money.ts'
import type {ShippingAddress} from '../../contract/orders.ts'
import type {OrderEntry} from '../../store/orders.ts'

/** What shipping an order to a place cost. */
export interface ShippingFee {
  fee: Digits
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

/** The same for one place, however its city is written. */
export const placeKey = ({city, countryCode}: Place) => `${countryCode} ${city.trim().toLowerCase()}`

/** The fees that earlier orders show; of a place the fee of its newest order. One that was shipped free tells nothing. */
export function shippingFees(orders: Iterable<Ordered>): (place: Place) => ShippingFee | undefined {
  const fees = new Map<string, ShippingFee>()
  for (const order of orders) {
    const fee = feeOf(order)
    const before = fees.get(placeKey(order.address))
    if (fee && !(before && before.at > fee.at)) fees.set(placeKey(order.address), fee)
  }
  return (place) => fees.get(placeKey(place))
}

/** The fee that its lock took for a near place, and what was charged beyond that. */
function feeOf({locks, outcome, updatedAt}: Ordered): ShippingFee | undefined {
  const {total, shipping} = locks.at(-1) ?? {}
  if (outcome?.outcome !== 'placed' || outcome.total === null) return undefined
  if (total === undefined || shipping === undefined || exact(shipping).lte(0)) return undefined
  const fee = exact(outcome.total).minus(exact(total)).plus(exact(shipping))
  return {fee: digits(fee.toFixed()), at: updatedAt}
}
