import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {openBudget} from '../../src/bulk/orders/one.ts'
import {planJob, runJob, type Wish} from '../support/bulk.ts'
import {openShop, type Shop} from '../support/shop.ts'

let shop: Shop
let variantId: string
let other: string
beforeAll(async () => {
  shop = await openShop()
  variantId = await shop.variant('RML-SAF-050')
  other = await shop.variant()
})
afterAll(() => shop.close())

const wish = (name: string, more: Partial<Wish> = {}): Wish => ({
  reference: `PO-${name}`,
  customerRef: `C-${name}`,
  lines: [{variantId, quantity: 2}],
  ...more,
})

describe('a bulk job', () => {
  test('makes one order of each row, in lines + 2 requests', async () => {
    shop.requests.length = 0
    await shop.token()
    const job = await planJob([
      wish('a'),
      wish('b', {
        lines: [
          {variantId, quantity: 1},
          {variantId: other, quantity: 1},
        ],
      }),
      wish('c', {customerRef: 'C-a'}),
    ])
    const {states, problem} = await runJob(shop, job)
    expect(problem).toBeUndefined()
    expect(states).toEqual(['placed', 'placed', 'placed'])
    expect(shop.requests.filter((one) => !one.endsWith('/token'))).toHaveLength(1 + 2 + (2 + 2) + (1 + 2))
  })
})

describe('the price of an order', () => {
  test('that went up since the plan is not charged, unless a drift was approved; an unknown one is', async () => {
    const job = await planJob([wish('dear', {goods: '100.00'}), wish('fair', {goods: '277.15'}), wish('new')])
    const {ends} = await runJob(shop, job)
    expect(ends.map(({state, code}) => [state, code])).toEqual([
      ['refused', 'LIMIT_EXCEEDED'],
      ['placed', 'CREATED'],
      ['placed', 'CREATED'],
    ])
    const again = await planJob([wish('drift', {goods: '250.00'}), wish('unknown')])
    const rules = {cart: 'require-empty', maxDrift: '0.2', budget: openBudget(null, '0')} as const
    expect((await runJob(shop, again, {rules})).states).toEqual(['placed', 'refused'])
  })
})
