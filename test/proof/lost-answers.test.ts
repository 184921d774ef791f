import {describe, expect, test} from 'vitest'
import {openShop, type Shop} from '../support/served-shop.ts'
import type {FaultOrder} from '../support/types.ts'

/** The ways in which an answer gets lost after the work is done. */
const losses: Record<string, Pick<FaultOrder, 'effect' | 'status'>> = {
  'a reset connection': {effect: 'reset'},
  'a 504': {effect: 'status', status: 504},
  'an answer that never comes': {effect: 'hang'},
  'a truncated answer': {effect: 'truncate'},
  'a malformed answer': {effect: 'malformed'},
}

const cases = Object.entries(losses).flatMap(([loss, fault]) =>
  [false, true].map((expire) => ({
    name: expire ? `${loss}, while the token expires,` : loss,
    fault,
    expire,
  })),
)

/** A token that expired was met, and replaced once. */
const mints = (shop: Shop) =>
  shop.sandbox.state.requests.list().filter((one) => one.operation === 'mintToken').length

async function inShop(work: (shop: Shop, sku: string) => Promise<void>): Promise<void> {
  const shop = await openShop()
  try {
    await work(shop, shop.variant('RML-SAF-050'))
  } finally {
    await shop.close()
  }
}

/** With --debug, so that what it writes is looked through for secrets too. */
const quick = ['--timeout', '2', '--debug']

describe.concurrent('after the commit', () => {
  test.each(cases)('$name does not double a cart', ({fault, expire}) =>
    inShop(async (shop, variant) => {
      await shop.json(['cart', 'add', `${variant}=2`, '--customer', 'C 1'])
      shop.fault({match: {operation: 'addCartItem'}, when: 'after', times: 1, ...fault}, {expire})
      const cart = await shop.json(['cart', 'add', `${variant}=3`, '--customer', 'C 1', ...quick])
      expect(cart.items).toMatchObject([{variantId: variant, quantity: 5}])
      expect(shop.cart('C 1')).toEqual({[variant]: 5})
      expect(mints(shop)).toBe(expire ? 2 : 1)
    }),
  )

  test.each(cases.filter(({expire}) => !expire))('$name does not double the bare cart', ({fault}) =>
    inShop(async (shop, variant) => {
      shop.fault({match: {operation: 'addCartItem'}, when: 'after', times: 1, ...fault})
      await shop.json(['cart', 'add', `${variant}=3`, ...quick])
      expect(shop.cart('')).toEqual({[variant]: 3})
    }),
  )

  test.each(cases)('$name leaves `checkout --yes` with one order and one debit', ({fault, expire}) =>
    inShop(async (shop, variant) => {
      await shop.json(['cart', 'add', `${variant}=2`, '--customer', 'C 1'])
      shop.fault({match: {operation: 'createOrder'}, when: 'after', times: 1, ...fault}, {expire})
      const words = ['checkout', '--customer', 'C 1', '--address', shop.address, '--yes', ...quick]
      const order = await shop.json(words)
      expect(shop.orders()).toMatchObject([{id: order.id, customer_ref: 'C 1', status: 'Processing'}])
      expect(shop.debits()).toBe(1)
      expect(order.pricing.total).toBe(305.9)
      expect(mints(shop)).toBe(expire ? 2 : 1)
    }),
  )

  test.each(cases)('$name leaves `orders create` with one order and one debit', ({fault, expire}) =>
    inShop(async (shop, variant) => {
      await shop.json(['cart', 'add', `${variant}=2`, '--customer', 'C 1'])
      const {lockId} = await shop.json(['checkout', 'lock', '--customer', 'C 1'])
      shop.fault({match: {operation: 'createOrder'}, when: 'after', times: 1, ...fault}, {expire})
      const order = await shop.json([
        ...['orders', 'create', '--lock', lockId, '--reference', 'PO-1', '--customer', 'C 1'],
        ...['--address', shop.address, ...quick],
      ])
      expect(shop.orders()).toMatchObject([{id: order.id, external_reference: 'PO-1'}])
      expect(shop.debits()).toBe(1)
    }),
  )

  test.each(['increment', 'decrement'])('a lost answer does not step twice: %s', (step) =>
    inShop(async (shop, variant) => {
      await shop.json(['cart', 'add', `${variant}=5`, '--customer', 'C 1'])
      for (const fault of Object.values(losses)) {
        shop.fault({match: {operation: 'stepCartItem'}, when: 'after', times: 1, ...fault})
        await shop.json(['cart', 'set', variant, `--${step}`, '--customer', 'C 1', ...quick])
      }
      expect(shop.cart('C 1')).toEqual(step === 'increment' ? {[variant]: 10} : {})
    }),
  )

  test('a lost refusal to step a line that is not there is still a refusal', () =>
    inShop(async (shop, variant) => {
      shop.fault({match: {operation: 'stepCartItem'}, effect: 'reset'})
      const words = ['cart', 'set', variant, '--decrement', '--customer', 'C 1']
      const {error} = await shop.json(words, {code: 5})
      expect(error.state).toBe('NOT_FOUND_CART_ITEM')
    }))
})
