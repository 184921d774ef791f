import {afterEach, describe, expect, test} from 'vitest'
import {isFailure} from '../../../src/contract/failure.ts'
import {addToCart, removeLine, setQuantity, stepLine} from '../../../src/flows/cart/edit.ts'
import {linesOf, viewCart} from '../../../src/flows/cart/lines.ts'
import {openShop, type Shop} from '../../support/shop.ts'

let shop: Shop
afterEach(() => shop.close())

const lostAfter = [
  {effect: 'reset', when: 'after'},
  {effect: 'status', status: 504, when: 'after'},
  {effect: 'hang', when: 'after'},
  {effect: 'truncate', when: 'after'},
  {effect: 'malformed', when: 'after'},
] as const

async function held(customerRef: string) {
  return linesOf(await viewCart(shop.client, customerRef))
}

describe('adding to a cart', () => {
  test.each(lostAfter)(
    'an answer lost by $effect after the commit does not double the line',
    async (fault) => {
      shop = await openShop()
      const {variantId} = await shop.fill('C-1', 2)
      shop.fault({...fault, match: {operation: 'addCartItem'}, times: 1})
      await addToCart(shop.client, 'C-1', [{variantId, quantity: 3}])
      expect(await held('C-1')).toEqual([{variantId, quantity: 5}])
    },
  )

  test.each(lostAfter)(
    'a request lost by $effect before it ran is made up for on a line that exists',
    async (fault) => {
      shop = await openShop()
      const {variantId} = await shop.fill('C-2', 2)
      shop.fault({...fault, when: 'before', match: {operation: 'addCartItem'}, times: 1})
      await addToCart(shop.client, 'C-2', [{variantId, quantity: 3}])
      expect(await held('C-2')).toEqual([{variantId, quantity: 5}])
    },
  )

  test('a new line whose answer was lost is never added blindly: the first request may still arrive', async () => {
    shop = await openShop()
    const variantId = await shop.variant()
    shop.fault({effect: 'status', status: 504, when: 'before', match: {operation: 'addCartItem'}, times: 1})
    const error = await addToCart(shop.client, 'C-2', [{variantId, quantity: 3}]).catch((thrown) => thrown)
    expect(isFailure(error, 'OUTCOME_UNKNOWN') && error.exitCode).toBe(12)
    expect(await held('C-2')).toEqual([])
  })

  test('a refusal in the middle of several lines says which were added', async () => {
    shop = await openShop()
    const variantId = await shop.variant()
    const unavailable = await shop.variant('RML-SAF-100')
    shop.sandbox.state.world.run('UPDATE variants SET stock = 0 WHERE id = ?', unavailable)
    const third = await shop.variant('NJD-INC-050')
    const lines = [variantId, unavailable, third].map((id) => ({variantId: id, quantity: 1}))
    const error = await addToCart(shop.client, 'C-3', lines).catch((thrown) => thrown)
    expect(error).toMatchObject({code: 'BUSINESS_VARIANT_UNAVAILABLE'})
    expect(error.facts.details).toMatchObject({added: [variantId], stoppedAt: unavailable, notTried: [third]})
  })

  test('costs one read and one request a line', async () => {
    shop = await openShop()
    const variantId = await shop.variant()
    shop.requests.length = 0
    await addToCart(shop.client, 'C-3', [{variantId, quantity: 1}])
    expect(shop.requests).toEqual(['GET /api/v1/scent/cart/C-3', 'POST /api/v1/scent/cart/items'])
  })

  test('a cart that somebody else changed meanwhile is reported, not guessed', async () => {
    let meddle: (() => Promise<unknown>) | undefined
    shop = await openShop({
      through: (send) => async (request) => {
        if (request.method !== 'POST' || !request.url.includes('/cart/items') || !meddle) return send(request)
        const other = meddle
        meddle = undefined
        await other()
        return {status: 504, headers: {}, body: ''}
      },
    })
    const {variantId} = await shop.fill('C-4', 2)
    meddle = () => setQuantity(shop.client, 'C-4', {variantId, quantity: 9})
    const error = await addToCart(shop.client, 'C-4', [{variantId, quantity: 3}]).catch((thrown) => thrown)
    expect(isFailure(error, 'OUTCOME_UNKNOWN') && error.message).toContain('holds 9')
    expect(await held('C-4')).toEqual([{variantId, quantity: 9}])
  })

  test('a request that arrives late, before it is made up for, adds nothing', async () => {
    let late: (() => Promise<unknown>) | undefined
    let lose = false
    shop = await openShop({
      through: (send) => async (request) => {
        if (lose && request.method === 'POST') {
          lose = false
          late = () => send(request)
          return {status: 504, headers: {}, body: ''}
        }
        const deliver = request.method === 'GET' ? undefined : late
        if (deliver) late = undefined
        await deliver?.()
        return send(request)
      },
    })
    const {variantId} = await shop.fill('C-10', 2)
    lose = true
    await addToCart(shop.client, 'C-10', [{variantId, quantity: 3}])
    expect(await held('C-10')).toEqual([{variantId, quantity: 5}])
  })

  test('a lost answer on the bare cart is settled through the preview', async () => {
    shop = await openShop()
    const variantId = await shop.variant()
    shop.fault({effect: 'reset', when: 'after', match: {operation: 'addCartItem'}, times: 1})
    const view = await addToCart(shop.client, null, [{variantId, quantity: 2}])
    expect(linesOf(view)).toEqual([{variantId, quantity: 2}])
  })

  test('an expired token in the middle is renewed, and the line is there once', async () => {
    shop = await openShop()
    const {variantId} = await shop.fill('C-5', 1)
    shop.later(400)
    shop.fault({effect: 'reset', when: 'after', match: {operation: 'addCartItem'}, times: 1})
    await addToCart(shop.client, 'C-5', [{variantId, quantity: 1}])
    expect(await held('C-5')).toEqual([{variantId, quantity: 2}])
  })
})

describe('stepping and removing', () => {
  test.each(lostAfter)('a step whose answer is lost by $effect is taken once', async (fault) => {
    shop = await openShop()
    const {variantId} = await shop.fill('C-6', 2)
    shop.fault({...fault, match: {operation: 'stepCartItem'}, times: 1})
    shop.fault({...fault, match: {operation: 'setCartItem'}, times: 1})
    await stepLine(shop.client, 'C-6', variantId, 'increment')
    expect(await held('C-6')).toEqual([{variantId, quantity: 3}])
  })

  test('the last unit stepped away with a lost answer leaves no line', async () => {
    shop = await openShop()
    const {variantId} = await shop.fill('C-7', 1)
    shop.fault({effect: 'status', status: 502, when: 'before', match: {method: 'PUT'}, times: 1})
    await stepLine(shop.client, 'C-7', variantId, 'decrement')
    expect(await held('C-7')).toEqual([])
  })

  test('a removal whose answer was lost is done', async () => {
    shop = await openShop()
    const {variantId} = await shop.fill('C-8', 1)
    shop.fault({effect: 'reset', when: 'after', match: {operation: 'removeCartItem'}, times: 1})
    expect(linesOf(await removeLine(shop.client, 'C-8', variantId))).toEqual([])
  })

  test('removing a line that never was is refused', async () => {
    shop = await openShop()
    const {variantId} = await shop.fill('C-9', 1)
    await removeLine(shop.client, 'C-9', variantId)
    await expect(removeLine(shop.client, 'C-9', variantId)).rejects.toMatchObject({
      code: 'NOT_FOUND_CART_ITEM',
    })
  })
})
