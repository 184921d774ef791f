import {describe, expect, test} from 'vitest'
import {address} from '../support/address.ts'
import type {Sandbox} from '../support/types.ts'
import {type Caller, callerOf, control, useSandbox, variantOf} from './caller.ts'

let sandbox: Sandbox
let caller: Caller
const reopen = useSandbox((opened) => {
  sandbox = opened
  caller = callerOf(opened)
})

const v = (sku: string) => variantOf(sandbox, sku)
const set = (sku: string, change: object) => control(sandbox, 'PATCH', `variants/${sku}`, change)
const retail = (change: object) => control(sandbox, 'PATCH', 'partners/rimal-retail', change)
const preview = (ref: string, query = '') => caller.ask('GET', `/scent/cart/${ref}/checkout-preview`, {query})
const put = (ref: string, sku: string, body: object) =>
  caller.ask('PUT', `/scent/cart/${ref}/items/${v(sku)}`, {body})

describe('a preview', () => {
  test('of no cart is empty and cannot check out', async () => {
    expect((await preview('none', 'lock=true')).payload).toMatchObject({
      cartId: null,
      lines: [],
      canCheckout: false,
      cartIssue: null,
      lockId: null,
      lockExpiresAt: null,
      chargedWithVat: 0,
    })
  })

  test('names the most blocking issue of each line', async () => {
    const skus = ['RML-SAF-050', 'RML-TAI-050', 'NJD-LEA-050', 'SDR-SEA-050', 'RML-NIG-050', 'WRD-FIG-100']
    await caller.filled('C', Object.fromEntries(skus.map((sku) => [v(sku), 5])))
    await set('RML-TAI-050', {price: null, stock: 0})
    await set('NJD-LEA-050', {availability: 'Unavailable'})
    await set('SDR-SEA-050', {stock: 4})
    await set('RML-NIG-050', {assortment: false})
    const {payload} = await preview('C', 'lock=true')
    const issues = Object.fromEntries(
      payload.lines.map((line: {sku: string; issue: string}) => [line.sku, line.issue]),
    )
    expect(issues).toEqual({
      'RML-SAF-050': null,
      'RML-TAI-050': 'NOT_PRICED',
      'NJD-LEA-050': 'UNAVAILABLE',
      'SDR-SEA-050': 'INSUFFICIENT_STOCK',
      'RML-NIG-050': 'UNAVAILABLE',
      'WRD-FIG-100': 'PRICE_BELOW_FLOOR',
    })
    expect(payload).toMatchObject({canCheckout: false, lockId: null})
    expect(payload.lines[1]).toMatchObject({ok: false, listPrice: null, lineTotalWithVat: null})
  })

  test('names an order in the making before a paused access', async () => {
    const {payload} = await caller.filled('C', {[v('RML-SAF-050')]: 1})
    await control(sandbox, 'POST', 'faults', {
      match: {operation: 'createOrder'},
      effect: 'slow',
      when: 'before',
      delayMs: 80,
    })
    const order = caller.order('PO-1', payload.lockId, 'C')
    await new Promise((turn) => setTimeout(turn, 10))
    await retail({productAccess: false})
    expect((await preview('C', 'lock=true')).payload).toMatchObject({
      canCheckout: false,
      cartIssue: 'CART_HAS_PENDING_ORDER',
      pendingOrderReference: 'PO-1',
      lockId: null,
    })
    await retail({productAccess: true})
    expect((await order).status).toBe(201)
    await retail({productAccess: false})
    expect((await preview('C')).payload.cartIssue).toBe('PRODUCT_ACCESS_DISABLED')
  })

  test('shows money in KWD with three digits, and ignores an unknown currency', async () => {
    await caller.filled('C', {[v('RML-SAF-050')]: 2})
    const shown = await caller.ask('GET', '/scent/cart/C/checkout-preview', {
      headers: {'x-partner-currency': 'KWD'},
    })
    expect(shown.payload).toMatchObject({displayCurrency: 'KWD', rate: 0.0818, chargedWithVatDisplay: 25.023})
    for (const code of ['kwd', 'SAR', 'XXX', '']) {
      const plain = await caller.ask('GET', '/scent/cart/C/checkout-preview', {
        headers: {'x-partner-currency': code},
      })
      expect(plain.payload).toMatchObject({displayCurrency: null, rate: null, chargedWithVatDisplay: null})
    }
  })
})

describe('a price lock', () => {
  const lockOf = async (ref = 'C', quantity = 2) =>
    (await caller.filled(ref, {[v('RML-SAF-050')]: quantity})).payload.lockId as string
  const order = (lockId: string, reference = 'PO-1', ref = 'C') => caller.order(reference, lockId, ref)

  test('outlives a set to the same quantity', async () => {
    const lockId = await lockOf()
    await put('C', 'RML-SAF-050', {quantity: 2})
    expect((await order(lockId)).status).toBe(201)
  })

  test('belongs to one cart, and a newer one takes its place', async () => {
    const first = await lockOf()
    const second = (await caller.ask('POST', '/scent/cart/C/price-lock')).payload.lockId
    await lockOf('D')
    expect((await order(first)).state).toBe('VALIDATION_PRICE_LOCK_INVALID')
    expect((await order(second, 'PO-1', 'D')).state).toBe('VALIDATION_PRICE_LOCK_INVALID')
    expect((await order(second)).status).toBe(201)
  })

  test('reserves no stock', async () => {
    const lockId = await lockOf()
    await set('RML-SAF-050', {stock: 1})
    expect(await order(lockId)).toMatchObject({
      state: 'BUSINESS_CART_NOT_CHECKOUT_READY',
      details: {variantIds: [v('RML-SAF-050')]},
    })
  })
})

describe('an order', () => {
  const place = async (reference: string, lines: Record<string, number>, more: object = {}) => {
    const skus = Object.fromEntries(Object.entries(lines).map(([sku, quantity]) => [v(sku), quantity]))
    const {payload} = await caller.filled('C', skus)
    return caller.order(reference, payload.lockId, 'C', more)
  }

  test('costs more outside the zone, and nothing to ship from 500.00 on', async () => {
    const far = await place('PO-1', {'RML-SAF-050': 2}, {shippingAddress: {...address, city: 'Jeddah'}})
    expect(far.payload.pricing).toMatchObject({shippingFee: {amount: 45, vatAmount: 6.75}, total: 328.9})
    const near = await place('PO-2', {'RML-SAF-050': 2}, {shippingAddress: {...address, city: ' الرياض '}})
    expect(near.payload.pricing.total).toBe(305.9)
    const free = await place('PO-3', {'NJD-LEA-050': 2}, {shippingAddress: {...address, city: 'Jeddah'}})
    expect(free.payload.pricing).toMatchObject({
      shippingFee: {amount: 0, vatAmount: 0, amountWithVat: 0},
      total: 966,
    })
  })

  test('splits its net goods by mode; Wholesale lines carry no commission', async () => {
    const {payload} = await place('PO-1', {'NJD-LEA-050': 1, 'RML-SAF-050': 1})
    expect(payload.modeBreakdown).toEqual({Wholesale: 420, Retail: 120.5})
    expect(payload.pricing.commission).toEqual({
      amount: 14.46,
      vatAmount: 2.17,
      amountWithVat: 16.63,
      netAfterCommission: 604.95,
    })
    const read = await caller.ask('GET', `/scent/orders/${payload.id}`)
    const [wholesale, retailLine] = read.payload.scentDetail.lines
    expect(wholesale).toMatchObject({
      pricingMode: 'Wholesale',
      partnerCommission: null,
      lineCommissionVatAmount: null,
    })
    expect(retailLine).toMatchObject({pricingMode: 'Retail', partnerCommission: 14.46, vatRateApplied: 0.15})
  })

  test('that the wallet cannot pay is Failed, charges nothing and frees its reference', async () => {
    await retail({wallet: 305.89})
    const failed = await place('PO-1', {'RML-SAF-050': 2})
    expect(failed).toMatchObject({
      status: 201,
      payload: {status: 'Failed', failureReason: 'INSUFFICIENT_WALLET_BALANCE', pricing: {total: 305.9}},
    })
    const read = await caller.ask('GET', `/scent/orders/${failed.payload.id}`)
    expect(read.payload.header).toMatchObject({status: 'Failed', failureCode: 'INSUFFICIENT_WALLET_BALANCE'})
    expect((await caller.ask('GET', '/scent/cart/C')).payload.items).toHaveLength(1)
    await retail({wallet: 305.9})
    const again = await caller.ask('POST', '/scent/cart/C/price-lock')
    const placed = await caller.order('PO-1', again.payload.lockId, 'C')
    expect(placed.payload).toMatchObject({status: 'Processing'})
    expect(placed.payload.id).not.toBe(failed.payload.id)
    expect((await caller.ask('GET', '/wallet/transactions')).payload.items[0].balanceAfter).toBe(0)
  })

  test('without a wallet is Failed too', async () => {
    await retail({wallet: null})
    expect((await place('PO-1', {'RML-SAF-050': 2})).payload.failureReason).toBe('WALLET_NOT_PROVISIONED')
  })

  test('that succeeded answers DUPLICATE_REFERENCE whatever else is wrong by then', async () => {
    const {payload} = await place('PO-1', {'RML-SAF-050': 2}, {discountCode: 'WELCOME10'})
    await retail({productAccess: false})
    const repeat = await caller.order('PO-1', crypto.randomUUID(), 'C', {discountCode: 'WELCOME10'})
    expect(repeat).toMatchObject({
      state: 'CONFLICT_ORDER_DUPLICATE_REFERENCE',
      details: {orderId: payload.id},
    })
  })

  test('reports a discount that changes no other figure, and counts its use', async () => {
    const {payload} = await place('PO-1', {'RML-SAF-050': 2}, {discountCode: 'WELCOME10'})
    expect(payload.pricing).toMatchObject({discount: {code: 'WELCOME10', amount: 24.1}, total: 305.9})
    expect(await place('PO-2', {'RML-SAF-050': 2}, {discountCode: 'WELCOME10'})).toMatchObject({
      state: 'VALIDATION_ERRORS',
      details: {errors: {discountCode: ['is used up']}},
    })
    const flat = await place('PO-3', {'NJD-LEA-050': 1}, {discountCode: 'SAFFRON25'})
    expect(flat.payload.pricing.discount).toEqual({code: 'SAFFRON25', amount: 25})
    for (const [code, said] of [
      ['NOPE', 'is not known'],
      ['', 'is required'],
      ['x'.repeat(256), 'is not known'],
      ['x'.repeat(257), 'must not exceed 256 characters'],
    ] as const) {
      const answer = await place(`PO-${code.length}`, {'RML-SAF-002': 1}, {discountCode: code})
      expect(answer.details.errors.discountCode).toEqual([said])
    }
  })

  test('keeps its reference to 128 characters, with case, and its fields within bounds', async () => {
    expect((await place('x'.repeat(129), {'RML-SAF-050': 1})).details.errors).toHaveProperty(
      'externalReference',
    )
    expect((await place('x'.repeat(128), {'RML-SAF-050': 1})).status).toBe(201)
    expect((await place('po-1', {'RML-SAF-050': 1})).status).toBe(201)
    expect((await place('PO-1', {'RML-SAF-050': 1})).status).toBe(201)
    const shippingAddress = {...address, phone: '0'.repeat(33), city: 'x'.repeat(257)}
    expect(
      Object.keys((await place('PO-2', {'RML-SAF-050': 1}, {shippingAddress})).details.errors).sort(),
    ).toEqual(['shippingAddress.city', 'shippingAddress.phone'])
    for (const reference of ['a\u0000b', '\ud800']) {
      expect((await place(reference, {'RML-SAF-050': 1})).details.errors).toHaveProperty('externalReference')
    }
  })

  test.each(['sau', 'SA', 'S', 'XYZ', 'KSA'])('country code %s is no alpha-3 code', async (countryCode) => {
    const answer = await place('PO-1', {'RML-SAF-050': 1}, {shippingAddress: {...address, countryCode}})
    expect(answer).toMatchObject({status: 400, state: 'VALIDATION_INVALID_COUNTRY_CODE'})
  })

  test('answers 200 SUCCESS when O01 is turned', async () => {
    await reopen({assume: ['O01=success']})
    expect(await place('PO-1', {'RML-SAF-050': 1})).toMatchObject({status: 200, state: 'SUCCESS'})
  })

  test('of the bare cart is made without a customerRef', async () => {
    await caller.ask('POST', '/scent/cart/items', {body: {variantId: v('RML-SAF-050'), quantity: 1}})
    const {payload} = await caller.ask('GET', '/scent/cart/checkout-preview', {query: 'lock=true'})
    expect(payload.customerRef).toBeNull()
    const body = {externalReference: 'PO-1', lockId: payload.lockId, shippingAddress: address}
    expect(await caller.ask('POST', '/scent/orders', {body})).toMatchObject({
      status: 201,
      payload: {customerRef: null},
    })
  })

  test('is tracked through shipping and delivery', async () => {
    const {payload} = await place('PO-1', {'RML-SAF-050': 1})
    const track = async () => (await caller.ask('GET', `/scent/orders/${payload.id}/tracking`)).payload
    expect(await track()).toMatchObject({
      orderId: payload.id,
      fulfillmentGroups: [{status: 'Pending', deliveredAt: null}],
    })
    await control(sandbox, 'POST', `orders/${payload.id}/ship`)
    expect((await track()).fulfillmentGroups[0].status).toBe('Shipped')
    await control(sandbox, 'POST', `orders/${payload.id}/deliver`)
    expect(await track()).toMatchObject({deliveryRollup: {totalGroups: 1, deliveredGroups: 1}})
    expect((await caller.ask('GET', `/scent/orders/${payload.id}`)).payload.header.status).toBe('Processing')
  })
})
