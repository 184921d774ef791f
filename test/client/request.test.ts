import {describe, expect, it} from 'vitest'
import {assemble, prepare} from '../../src/client/request.ts'
import {mintToken} from '../../src/contract/auth.ts'
import {addCartItem, readCart, setCartItem, stepCartItem} from '../../src/contract/cart.ts'
import {previewCheckout} from '../../src/contract/checkout.ts'
import type {Operation} from '../../src/contract/operation.ts'
import {createOrder} from '../../src/contract/orders.ts'
import {listVariants} from '../../src/contract/variants.ts'
import {address} from '../support/address.ts'

const BASE = 'https://api.example.test'
const ID = '3f2b8a44-0c1d-4e5f-8a6b-7c8d9e0f1a2b'

/** A local refusal, in its own words. */
function refused(operation: Operation, input: object): string {
  try {
    prepare(BASE, operation, input)
  } catch (error) {
    expect(error).toMatchObject({code: 'INVALID_INPUT', exitCode: 2, facts: {effect: 'none'}})
    return (error as Error).message
  }
  throw new Error('nothing was refused')
}

describe('a query', () => {
  it('is written by the rules of its operation', () => {
    const {url} = prepare(BASE, listVariants, {
      query: {
        page: 2,
        pageSize: 100,
        include: ['pricing', 'tax'],
        id: [ID, ID.toUpperCase()],
        note: ['rose & oud', 'عود'],
        minPrice: '10.50',
        changedSince: '2026-01-31T10:00:00+03:00',
        activeOnly: false,
        maxPrice: undefined,
      },
    })
    expect(url).toBe(
      `${BASE}/api/v1/scent/variants?page=2&pageSize=100&include=pricing%2Ctax&id=${ID}&id=${ID.toUpperCase()}` +
        '&note=rose%20%26%20oud&note=%D8%B9%D9%88%D8%AF&minPrice=10.50' +
        '&changedSince=2026-01-31T10%3A00%3A00%2B03%3A00&activeOnly=false',
    )
  })

  it.each<[object, string]>([
    [{colour: 'red'}, 'colour "red" is not a parameter'],
    [{toString: 'x'}, 'toString "x" is not a parameter'],
    [{page: 0}, 'page 0 must be a whole number of 1 or more'],
    [{page: 1.5}, 'page 1.5 must'],
    [{page: Number.NaN}, 'must be a whole number'],
    [{pageSize: 101}, 'pageSize 101 must be a whole number from 1 to 100'],
    [{include: ['price']}, 'include "price" must be some of pricing, availability, tax'],
    [{include: []}, 'include must be some of'],
    [{id: ['x']}, 'id "x" must be a UUID'],
    [{note: ['']}, 'note "" must not be empty'],
    [{note: ['\ud800']}, 'half a character'],
    [{minPrice: '1e3'}, 'minPrice "1e3" must be a plain decimal'],
    [{minPrice: '+1'}, 'plain decimal'],
    [{minPrice: '01'}, 'plain decimal'],
    [{changedSince: 'yesterday'}, 'changedSince "yesterday" must be a date'],
    [{changedSince: '2026-02-30'}, 'must be a date'],
    [{changedSince: '2026-01-01T24:00:00Z'}, 'must be a date'],
    [{activeOnly: 'yes'}, 'activeOnly "yes" must be true or false'],
  ])('%o is refused', (query, message) => expect(refused(listVariants, {query})).toContain(message))

  it('takes a customerRef of 128 characters by any count, and no longer one', () => {
    expect(
      prepare(BASE, previewCheckout, {query: {customerRef: '🧴'.repeat(128), lock: true}}).url,
    ).toContain('&lock=true')
    const family = '👨‍👩‍👧‍👦'.repeat(128)
    expect(prepare(BASE, readCart, {params: {customerRef: family}}).url.length).toBeGreaterThan(9_000)
    expect(refused(previewCheckout, {query: {customerRef: `${family}x`}})).toContain('at most 128 characters')
  })
})

it('is refused in the same words if another user of zod has set a language', async () => {
  const {config, locales} = await import('zod/mini')
  const {localeError} = config()
  config(locales.en())
  try {
    expect(refused(addCartItem, {body: {variantId: ID, quantity: 1.5}})).toContain(
      'quantity 1.5 must be a whole number',
    )
  } finally {
    config({localeError})
  }
})

describe('a body', () => {
  const order = {externalReference: 'R-1', lockId: ID, shippingAddress: address}

  it('is sent as JSON, without what is undefined', () => {
    const {body, headers} = prepare(BASE, createOrder, {body: {...order, discountCode: undefined}})
    expect(JSON.parse(body ?? '')).toEqual(order)
    expect(body).not.toContain('discountCode')
    expect(headers['content-type']).toBe('application/json')
  })

  it.each<[Operation, object, string]>([
    [addCartItem, {variantId: 'x', quantity: 1}, 'variantId "x" must be a UUID'],
    [addCartItem, {variantId: ID, quantity: 1.5}, 'quantity 1.5 must be a whole number'],
    [addCartItem, {variantId: ID}, 'quantity must be a number'],
    [addCartItem, {variantId: ID, quantity: 1, price: 1}, 'price is not a field of this request'],
    [setCartItem, {quantity: 0}, 'quantity 0 must be at least 1'],
    [stepCartItem, {action: 'double'}, 'action "double" must be one of increment, decrement'],
    [createOrder, {...order, externalReference: ''}, 'externalReference "" must not be empty'],
    [createOrder, {...order, externalReference: 'a\ud800'}, 'externalReference'],
    [
      createOrder,
      {...order, shippingAddress: {...address, countryCode: 'sa'}},
      'shippingAddress.countryCode "sa"',
    ],
    [
      createOrder,
      {...order, shippingAddress: {...address, phone: ' '}},
      'shippingAddress.phone " " must not be blank',
    ],
    [createOrder, {...order, customerRef: 'x'.repeat(129)}, 'customerRef'],
  ])('that is wrong is refused by field, value and rule: $2', (operation, body, message) => {
    const params = {customerRef: 'a', variantId: ID}
    expect(refused(operation, {params, body})).toContain(message)
  })

  it('that is wrong and long is cut between two characters, whatever they are made of', () => {
    for (const value of ['😀'.repeat(129), `x${'😀'.repeat(129)}`]) {
      const message = refused(addCartItem, {body: {variantId: value, quantity: 1}})
      expect(message).toContain('😀… must be a UUID')
      expect(message).not.toMatch(/\p{Surrogate}/u)
    }
  })

  it('that is wrong never shows a secret', () => {
    const message = refused(mintToken, {body: {clientId: 'c', clientSecret: 17}})
    expect(message).toContain('clientSecret must be text')
    expect(message).not.toContain('17')
  })
})

describe('a path given as it is', () => {
  const at = (path: string, base = BASE) => assemble(base, {method: 'DELETE', path, query: []}).url

  it('is sent as it is, also below a base with a path', () => {
    expect(at('/api/v1/scent/cart/%2E%2Fa/items')).toBe(`${BASE}/api/v1/scent/cart/%2E%2Fa/items`)
    expect(at('/api/v1/x', `${BASE}/gate/`)).toBe(`${BASE}/gate/api/v1/x`)
  })

  it.each([
    '/api/v1/scent/cart/../orders',
    '/api/v1/scent/cart/./items',
    '/api/v1/scent/cart/%2e%2e/items',
    '/api/v1/scent/cart/%2E./items',
    '/api/v1/scent/cart/a b',
    '/api/v1/scent/cart/ü',
    '/api/v1/scent\\cart',
    '/api/v1/scent/cart?x=1',
    '/api/v1/scent/cart#x',
    'api/v1',
    '@evil.test/api/v1',
    '/api/v1/\nx',
  ])('%j is refused: a parser would make another one of it', (path) => {
    expect(() => at(path)).toThrow(expect.objectContaining({code: 'INVALID_INPUT'}))
  })
})
