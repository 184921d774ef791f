import {afterEach, beforeEach, expect, test} from 'vitest'
import {readWishlist} from '../../src/contract/wishlist.ts'
import {addToWishlist} from '../../src/flows/wishlist.ts'
import {losses, openShop, type Shop} from '../support/shop.ts'

let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})
afterEach(() => shop.close())

const held = async () =>
  (await shop.client.call(readWishlist, {params: {customerRef: 'C-1'}})).items.map(({variantId}) => variantId)

test.each(losses)('an answer lost by $effect $when the commit leaves the variant once', async (fault) => {
  const variantId = await shop.variant()
  shop.fault({...fault, match: {operation: 'addWishlistItem'}, times: 1})
  const {items} = await addToWishlist(shop.client, 'C-1', variantId)
  expect(items.map((item) => item.variantId)).toEqual([variantId])
  expect(await held()).toEqual([variantId])
})

test("an add that was lost stays unknown if the list can't be read", async () => {
  shop.fault({effect: 'reset', when: 'after', match: {operation: 'addWishlistItem'}, times: 1})
  shop.fault({effect: 'status', state: 'FORBIDDEN', match: {operation: 'readWishlist'}})
  const variantId = await shop.variant()
  await expect(addToWishlist(shop.client, 'C-1', variantId)).rejects.toMatchObject({code: 'OUTCOME_UNKNOWN'})
})

test('an add that never gets through is unknown', async () => {
  const variantId = await shop.variant()
  shop.fault({effect: 'reset', when: 'before', match: {operation: 'addWishlistItem'}, times: 9})
  await expect(addToWishlist(shop.client, 'C-1', variantId)).rejects.toMatchObject({code: 'OUTCOME_UNKNOWN'})
  expect(await held()).toEqual([])
})
