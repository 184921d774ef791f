import {afterAll, beforeAll, describe, expect, test} from 'vitest'
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
