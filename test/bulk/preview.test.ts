import {describe, expect, test} from 'vitest'
import type {FileLine} from '../../src/bulk/file/rows.ts'
import type {FileOrder} from '../../src/bulk/orders/file.ts'
import {previewOrders} from '../../src/bulk/orders/preview.ts'
import {showCart} from '../../src/flows/cart/lines.ts'
import {address} from '../support/address.ts'
import {planJob, runJob} from '../support/bulk.ts'
import {losses, openShop, type Shop} from '../support/shop.ts'
import type {PreviewRun} from '../support/types.ts'

const CARTS = ['dry-1', 'dry-2']
const unknownId = '00000000-0000-4000-8000-000000000000'

function order(reference: string, lines: FileLine[], row = 2): FileOrder {
  return {reference, customerRef: `C-${reference}`, lines, address, rows: [row]}
}

async function* listed(orders: FileOrder[]) {
  yield* orders
}

function preview(shop: Shop, orders: FileOrder[], more: Partial<PreviewRun> = {}) {
  const {client, now, sleep, random} = shop.tools
  const patience = {now, sleep, random, stop: new AbortController().signal}
  return previewOrders({client, patience, orders: listed(orders), carts: CARTS, tell: () => {}, ...more})
}

async function held(shop: Shop, customerRef: string) {
  const view = await showCart(shop.client, customerRef)
  return 'items' in view ? view.items : view.lines
}

async function someOrders(shop: Shop): Promise<FileOrder[]> {
  const incense = await shop.variant('NJD-INC-002')
  const saffron = await shop.variant('RML-SAF-050')
  return [
    order('A', [{variantId: incense, quantity: 1}]),
    order('B', [
      {variantId: incense, quantity: 1},
      {variantId: saffron, quantity: 2},
    ]),
    order('C', [
      {variantId: saffron, quantity: 2},
      {variantId: incense.toUpperCase(), quantity: 1},
    ]),
  ]
}

/** What the orders are charged once they are made. */
async function charged(orders: FileOrder[]) {
  const shop = await openShop()
  const job = await planJob(
    orders.map((one) => ({...one, lines: one.lines as {variantId: string; quantity: number}[]})),
  )
  const {orders: done} = await runJob(shop, job)
  return done.charged().total.toFixed()
}

describe('previews of a file', () => {
  test('add up to what the orders are charged, shipping included, and price equal baskets once', async () => {
    const shop = await openShop()
    const orders = await someOrders(shop)
    shop.requests.length = 0
    const found = await preview(shop, orders, {carts: ['dry-1']})
    expect(found).toMatchObject({baskets: 2, total: await charged(orders), currency: 'SAR', refused: []})
    expect(found.goods).toBe('654.35')
    // A request a line, and two a basket.
    expect(shop.requests).toHaveLength(3 + 2 * 2)
    expect(shop.requests.filter((one) => /C-|orders|lock/.test(one))).toEqual([])
  })

  test('leave no cart filled', async () => {
    const shop = await openShop()
    await preview(shop, await someOrders(shop))
    for (const cart of CARTS) expect(await held(shop, cart)).toEqual([])
  })

  test('name the orders that can not be made, and add up the others', async () => {
    const shop = await openShop()
    const [good] = await someOrders(shop)
    if (!good) throw new Error('no order')
    shop.sandbox.state.world.run('UPDATE variants SET stock = 5')
    const [line = {quantity: 1}] = good.lines
    const found = await preview(shop, [
      order('much', [{...line, quantity: 6}], 4),
      good,
      order('none', [line, {variantId: unknownId, quantity: 1}], 3),
    ])
    expect(found.total).toBe(await charged([good]))
    expect(found.refused).toMatchObject([
      {externalReference: 'none', customerRef: 'C-none', rows: [3], state: 'NOT_FOUND_VARIANT'},
      {
        externalReference: 'much',
        rows: [4],
        state: 'BUSINESS_CART_NOT_CHECKOUT_READY',
        message: expect.stringContaining('INSUFFICIENT_STOCK'),
      },
    ])
    for (const cart of CARTS) expect(await held(shop, cart)).toEqual([])
  })

  test('take out what a run that was killed has left in the cart', async () => {
    const shop = await openShop()
    await shop.fill('dry-1', 3)
    const orders = await someOrders(shop)
    expect((await preview(shop, orders, {carts: ['dry-1']})).total).toBe(await charged(orders))
  })

  for (const operation of ['addCartItem', 'previewCheckout', 'clearCart'])
    test.each(losses)(
      `are the same when an answer of ${operation} is lost ($when, $effect)`,
      async (loss) => {
        const shop = await openShop()
        const orders = await someOrders(shop)
        shop.fault({...loss, match: {operation}, times: 1})
        const found = await preview(shop, orders)
        expect(found).toMatchObject({total: await charged(orders), refused: []})
        for (const cart of CARTS) expect(await held(shop, cart)).toEqual([])
      },
    )

  test('end with the basket under way when they are stopped, and leave its cart empty', async () => {
    const shop = await openShop()
    const orders = await someOrders(shop)
    const stop = new AbortController()
    let priced = 0
    const {now, sleep, random} = shop.tools
    const run = preview(shop, orders, {
      carts: ['dry-1'],
      patience: {now, sleep, random, stop: stop.signal},
      tell() {
        priced += 1
        stop.abort()
      },
    })
    await expect(run).rejects.toMatchObject({code: 'INTERRUPTED'})
    expect(priced).toBe(1)
    expect(await held(shop, 'dry-1')).toEqual([])
  })

  test('stop where somebody else changes their cart', async () => {
    const shop = await openShop({
      through: (send) => async (request) => {
        if (request.url.includes('checkout-preview')) await intrude?.()
        return send(request)
      },
    })
    let intrude: (() => Promise<unknown>) | undefined
    const orders = await someOrders(shop)
    intrude = () => {
      intrude = undefined
      return shop.fill('dry-1', 7)
    }
    await expect(preview(shop, orders, {carts: ['dry-1']})).rejects.toMatchObject({code: 'CHANGED_MEANWHILE'})
  })

  test('stop where the account may not order at all', async () => {
    const shop = await openShop()
    const orders = await someOrders(shop)
    const state = 'BUSINESS_PRODUCT_ACCESS_DISABLED'
    shop.fault({match: {operation: 'addCartItem'}, effect: 'status', status: 422, state})
    await expect(preview(shop, orders)).rejects.toMatchObject({code: 'BUSINESS_PRODUCT_ACCESS_DISABLED'})
  })
})
