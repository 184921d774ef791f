import {describe, expect, test} from 'vitest'
import type {Sandbox} from '../support/types.ts'
import {type Caller, callerOf, control, useSandbox, variantOf} from './caller.ts'

let sandbox: Sandbox
let caller: Caller
const reopen = useSandbox((opened) => {
  sandbox = opened
  caller = callerOf(opened)
})

const v = (sku: string) => variantOf(sandbox, sku)
const add = (sku: string, quantity: number, ref: string | undefined = 'C') =>
  caller.ask('POST', '/scent/cart/items', {
    ...(ref === '' ? {} : {query: `customerRef=${ref}`}),
    body: {variantId: v(sku), quantity},
  })
const put = (sku: string, body: object) => caller.ask('PUT', `/scent/cart/C/items/${v(sku)}`, {body})
const read = (headers: Record<string, string> = {}) => caller.ask('GET', '/scent/cart/C', {headers})

const empty = {
  id: null,
  customerRef: 'C',
  status: 'None',
  baseCurrency: 'SAR',
  items: [],
  totals: {
    chargedWithVat: 0,
    commissionWithVat: 0,
    netAfterCommission: 0,
    shipping: {amount: 0, vatAmount: 0, amountWithVat: 0, freeThreshold: 500, isFree: false},
    display: null,
  },
  pricedAt: null,
}

test('a cart that never had items, and one that was cleared or emptied, read the same', async () => {
  expect((await read()).payload).toEqual(empty)
  await add('RML-SAF-050', 1)
  expect((await caller.ask('DELETE', '/scent/cart/C/items')).payload).toEqual(empty)
  expect((await caller.ask('DELETE', '/scent/cart/C/items')).payload).toEqual(empty)
  await add('RML-SAF-050', 1)
  expect((await put('RML-SAF-050', {action: 'decrement'})).payload).toEqual(empty)
  await add('RML-SAF-050', 1)
  expect((await caller.ask('DELETE', `/scent/cart/C/items/${v('RML-SAF-050')}`)).payload).toEqual(empty)
})

test('a second add merges into its line, which keeps its place', async () => {
  await add('RML-SAF-050', 1)
  await add('RML-TAI-050', 1)
  const {payload} = await add('RML-SAF-050', 2)
  expect(payload.items.map(({sku, quantity}: {sku: string; quantity: number}) => [sku, quantity])).toEqual([
    ['RML-SAF-050', 3],
    ['RML-TAI-050', 1],
  ])
})

test('quantities are whole numbers up to 9,999, after the merge as well', async () => {
  await add('RML-SAF-050', 9_999)
  for (const answer of [
    await add('RML-SAF-050', 1),
    await put('RML-SAF-050', {action: 'increment'}),
    await put('RML-SAF-050', {quantity: 10_000}),
    await put('RML-SAF-050', {quantity: 0}),
  ]) {
    expect(answer).toMatchObject({
      status: 400,
      state: 'VALIDATION_ERRORS',
      details: {errors: {quantity: [expect.any(String)]}},
    })
  }
  expect((await read()).payload.items[0].quantity).toBe(9_999)
})

test('a set needs exactly one of quantity and action', async () => {
  await add('RML-SAF-050', 2)
  for (const body of [{}, {quantity: 1, action: 'increment'}, {other: 1}]) {
    const answer = await put('RML-SAF-050', body)
    expect(Object.keys(answer.details.errors)).toEqual(['quantity', 'action'])
  }
  expect((await put('RML-SAF-050', {action: 'double'})).details.errors).toHaveProperty('action')
  expect((await put('RML-SAF-050', {quantity: 5})).payload.items[0].quantity).toBe(5)
})

test('a decrease needs neither access nor stock nor price', async () => {
  await add('RML-SAF-050', 5)
  await control(sandbox, 'PATCH', 'variants/RML-SAF-050', {price: null, stock: 0})
  await control(sandbox, 'PATCH', 'partners/rimal-retail', {productAccess: false})
  expect((await put('RML-SAF-050', {action: 'decrement'})).payload.items[0].quantity).toBe(4)
  expect((await put('RML-SAF-050', {quantity: 1})).payload.items[0]).toMatchObject({
    quantity: 1,
    pricing: null,
  })
  expect((await read()).payload.totals.chargedWithVat).toBe(0)
})

test('more than the stock is taken, and said', async () => {
  const {payload} = await add('RML-NIG-100', 4)
  expect(payload.items[0].availability).toEqual({
    state: 'Limited',
    availableQuantity: 3,
    insufficientForQuantity: true,
  })
})

test('the bare cart is another cart than any customer’s', async () => {
  await add('RML-SAF-050', 1, '')
  const bare = await caller.ask('GET', '/scent/cart/checkout-preview')
  expect(bare.payload).toMatchObject({customerRef: null, lines: [{quantity: 1}]})
  expect((await read()).payload).toEqual(empty)
  expect((await caller.ask('GET', '/scent/cart')).status).toBe(404)
})

test('unknown fields of a body are dropped with a warning in the journal, or refused when E09 is turned', async () => {
  const body = {variantId: v('RML-SAF-050'), quantity: 1, colour: 'red'}
  expect((await caller.ask('POST', '/scent/cart/items', {body})).status).toBe(200)
  expect(sandbox.state.requests.list().at(-1)?.ignored).toEqual(['colour'])
  await reopen({assume: ['E09=reject']})
  expect((await caller.ask('POST', '/scent/cart/items', {body})).details.errors).toEqual({
    colour: ['is not a field of this request'],
  })
})

test('routes that the spec implies and does not document are not served', async () => {
  for (const path of ['/scent/carts', '/scent/unfulfillable-notices', '/statements', '/wallet'])
    expect((await caller.ask('GET', path)).state).toBe('NOT_FOUND_ROUTE')
  for (const path of ['/scent/orders', '/scent/webhooks', '/scent/discount-codes/x'])
    expect((await caller.ask('GET', path)).state).toBe('METHOD_NOT_ALLOWED')
})

describe('marketing', () => {
  test('is there for a partner with the feature, and its key is absent without', async () => {
    await add('RML-SAF-050', 1)
    expect((await read()).payload.items[0].marketing).toEqual({
      currentPrice: 120.5,
      compareAtPrice: 145,
      discountPercent: 16.9,
      badges: ['BEST_SELLER', 'SAMPLE_AVAILABLE'],
      currentPriceDisplay: null,
      compareAtPriceDisplay: null,
    })
    await control(sandbox, 'PATCH', 'partners/rimal-retail', {marketing: false})
    expect((await read()).payload.items[0]).not.toHaveProperty('marketing')
    const preview = await caller.ask('GET', '/scent/cart/C/checkout-preview')
    expect(preview.payload.lines[0]).not.toHaveProperty('marketing')
  })
})

describe('display', () => {
  test('is null without a supported currency, and rounded to its digits with one', async () => {
    await add('RML-SAF-050', 2)
    expect((await read()).payload.items[0].pricing.display).toBeNull()
    const {payload} = await read({'x-partner-currency': 'KWD'})
    expect(payload.items[0].pricing.display).toEqual({
      unitPrice: 9.857,
      line: {
        subtotal: 19.714,
        goodsVatAmount: 2.957,
        totalWithVat: 22.671,
        commission: {amount: 2.366, vatAmount: 0.355, netAfterCommission: 19.95, rate: 0.12},
      },
      rrp: 14.736,
    })
    expect(payload.totals.display).toMatchObject({currency: 'KWD', rate: 0.0818, chargedWithVat: 25.023})
    expect((await read({'x-partner-currency': 'USD'})).payload.totals.display.chargedWithVat).toBe(81.57)
  })

  test('on order reads the header wins over the partner’s own currency', async () => {
    const {payload} = await caller.filled('C', {[v('RML-SAF-050')]: 2})
    const {id} = (await caller.order('PO-1', payload.lockId, 'C')).payload
    const header = async (headers: Record<string, string> = {}) =>
      (await caller.ask('GET', `/scent/orders/${id}`, {headers})).payload.header
    expect(await header()).toMatchObject({displayCurrency: null, amountDisplay: null})
    await control(sandbox, 'PATCH', 'partners/rimal-retail', {currency: 'EUR'})
    expect(await header()).toMatchObject({displayCurrency: 'EUR', amountDisplay: 74.95})
    expect(await header({'x-partner-currency': 'KWD'})).toMatchObject({
      displayCurrency: 'KWD',
      amountDisplay: 25.023,
    })
  })
})

describe('back in stock', () => {
  const notify = (sku: string) => caller.ask('POST', `/scent/cart/notify/${v(sku)}`)

  test('a repeat is the same registration until it fires, once the variant is sellable', async () => {
    const first = await notify('NJD-LEA-100')
    expect(first.payload).toMatchObject({variantId: v('NJD-LEA-100'), firedAt: null})
    expect((await notify('NJD-LEA-100')).payload).toEqual(first.payload)
    await control(sandbox, 'PATCH', 'variants/NJD-LEA-100', {stock: 3})
    const {registrations} = (await control(sandbox, 'GET', 'state')).payload
    expect(registrations.find(({id}: {id: string}) => id === first.payload.id).firedAt).toEqual(
      expect.any(Number),
    )
    await control(sandbox, 'PATCH', 'variants/NJD-LEA-100', {stock: 0})
    expect((await notify('NJD-LEA-100')).payload.id).not.toBe(first.payload.id)
  })
})
