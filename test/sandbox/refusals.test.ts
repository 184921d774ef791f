import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {api} from '../../src/contract/api.ts'
import {entryOf} from '../../src/contract/errors.ts'
import {checkWorld} from '../../src/sandbox/check.ts'
import {servedNames} from '../../src/sandbox/routes.ts'
import {createSandbox, type Sandbox} from '../../src/sandbox/sandbox.ts'
import {type Answer, address, callerOf, control, raw, variantOf} from './caller.ts'
import {eventCases} from './event-refusals.ts'
import {type Case, codeBody, readCases} from './read-refusals.ts'

let sandbox: Sandbox
let caller: ReturnType<typeof callerOf>
let golden: string

const setUp = async (assume: string[] = []) => {
  sandbox = await createSandbox({assume})
  caller = callerOf(sandbox)
  golden = variantOf(sandbox, 'RML-SAF-050')
}
beforeEach(() => setUp())
afterEach(async () => {
  expect(checkWorld(sandbox.state.world)).toEqual([])
  await sandbox.close()
})

const long = 'x'.repeat(129)
const nobody = '00000000-0000-4000-8000-000000000000'
const add = (variantId: string, ref = 'C-1', quantity = 1) =>
  caller.ask('POST', '/scent/cart/items', {query: `customerRef=${ref}`, body: {variantId, quantity}})
const put = (body: object, variantId = golden, ref = 'C-1') =>
  caller.ask('PUT', `/scent/cart/${ref}/items/${variantId}`, {body})
const set = (sku: string, change: object) => control(sandbox, 'PATCH', `variants/${sku}`, change)
const retail = (change: object) => control(sandbox, 'PATCH', 'partners/rimal-retail', change)
const lock = async (ref = 'C-1', lines = {[golden]: 2}) =>
  (await caller.filled(ref, lines)).payload.lockId as string
const fault = (operation: string, more: object) =>
  control(sandbox, 'POST', 'faults', {match: {operation}, ...more})
const partnerId = (clientId: string) =>
  sandbox.credentials.find((credential) => credential.clientId === clientId)?.partnerId
const mint = (clientId: string, more: object = {}) => {
  const clientSecret = sandbox.credentials.find(
    (credential) => credential.clientId === clientId,
  )?.clientSecret
  return raw(sandbox, 'POST', '/api/v1/auth/token', {body: {clientId, clientSecret, ...more}})
}

/** An increase of a line is checked like an add. */
const lineCases = (of: 'setCartItem' | 'stepCartItem', up: object): Case[] => {
  const after = (change: () => Promise<unknown>) => async () => {
    await add(golden)
    await change()
    return put(up)
  }
  return [
    {of, code: 'VALIDATION_ERRORS', provoke: () => put({quantity: 1, action: 'increment'})},
    {of, code: 'VALIDATION_CUSTOMER_REF_TOO_LONG', provoke: () => put(up, golden, long)},
    {of, code: 'NOT_FOUND_CART_ITEM', provoke: () => put(up)},
    {of, code: 'NOT_FOUND_VARIANT', provoke: after(() => set('RML-SAF-050', {assortment: false}))},
    {of, code: 'BUSINESS_VARIANT_UNAVAILABLE', provoke: after(() => set('RML-SAF-050', {stock: 0}))},
    {of, code: 'BUSINESS_VARIANT_NOT_PRICED', provoke: after(() => set('RML-SAF-050', {price: null}))},
    {of, code: 'BUSINESS_PRODUCT_ACCESS_DISABLED', provoke: after(() => retail({productAccess: false}))},
  ]
}

const cases: Case[] = [
  {
    of: 'mintToken',
    code: 'UNAUTHORIZED_INVALID_CREDENTIALS',
    provoke: () => mint('nobody', {clientSecret: 'x'}),
  },
  {of: 'mintToken', code: 'UNAUTHORIZED_PARTNER_INACTIVE', provoke: () => mint('dormant-trading')},
  {
    of: 'mintToken',
    code: 'FORBIDDEN_NOT_YOUR_DESCENDANT',
    provoke: () => mint('rimal-retail', {onBehalfOf: partnerId('warda-boutique')}),
  },
  {
    of: 'mintToken',
    code: 'FORBIDDEN_DELEGATION_TARGET_INVALID',
    provoke: () => mint('rimal-retail', {onBehalfOf: partnerId('rimal-retail')}),
  },
  {of: 'mintToken', code: 'VALIDATION_ERRORS', provoke: () => mint('rimal-retail', {clientSecret: 1})},
  {of: 'readVariant', code: 'NOT_FOUND_VARIANT', provoke: () => caller.ask('GET', '/scent/variants/x')},
  {
    of: 'readCart',
    code: 'VALIDATION_CUSTOMER_REF_TOO_LONG',
    provoke: () => caller.ask('GET', `/scent/cart/${long}`),
  },
  {
    of: 'clearCart',
    code: 'VALIDATION_CUSTOMER_REF_TOO_LONG',
    provoke: () => caller.ask('DELETE', `/scent/cart/${long}/items`),
  },
  {of: 'addCartItem', code: 'VALIDATION_ERRORS', provoke: () => add(golden, 'C-1', 0)},
  {of: 'addCartItem', code: 'VALIDATION_CUSTOMER_REF_TOO_LONG', provoke: () => add(golden, long)},
  {of: 'addCartItem', code: 'NOT_FOUND_VARIANT', provoke: () => add(nobody)},
  {
    of: 'addCartItem',
    code: 'BUSINESS_VARIANT_UNAVAILABLE',
    provoke: () => add(variantOf(sandbox, 'SDR-LIN-100')),
  },
  {
    of: 'addCartItem',
    code: 'BUSINESS_VARIANT_NOT_PRICED',
    provoke: () => add(variantOf(sandbox, 'NJD-INC-100')),
  },
  {
    of: 'addCartItem',
    code: 'BUSINESS_PRODUCT_ACCESS_DISABLED',
    provoke: async () => {
      await retail({productAccess: false})
      return add(nobody)
    },
  },
  ...lineCases('setCartItem', {quantity: 3}),
  ...lineCases('stepCartItem', {action: 'increment'}),
  {
    of: 'removeCartItem',
    code: 'VALIDATION_CUSTOMER_REF_TOO_LONG',
    provoke: () => caller.ask('DELETE', `/scent/cart/${long}/items/${golden}`),
  },
  {
    of: 'removeCartItem',
    code: 'NOT_FOUND_CART_ITEM',
    provoke: () => caller.ask('DELETE', `/scent/cart/C-1/items/not-a-uuid`),
  },
  {
    of: 'notifyBackInStock',
    code: 'NOT_FOUND_VARIANT',
    provoke: () => caller.ask('POST', `/scent/cart/notify/${nobody}`),
  },
  {
    of: 'notifyBackInStock',
    code: 'BUSINESS_VARIANT_NOT_UNAVAILABLE',
    provoke: () => caller.ask('POST', `/scent/cart/notify/${golden}`),
  },
  {
    of: 'notifyBackInStock',
    code: 'BUSINESS_VARIANT_ALREADY_AVAILABLE',
    assume: ['W06=ALREADY_AVAILABLE'],
    provoke: () => caller.ask('POST', `/scent/cart/notify/${golden}`),
  },
  {
    of: 'notifyBackInStock',
    code: 'BUSINESS_NOTIFY_DISABLED',
    provoke: async () => {
      await retail({notifyEnabled: false})
      return caller.ask('POST', `/scent/cart/notify/${variantOf(sandbox, 'SDR-HON-100')}`)
    },
  },
  {
    of: 'previewCheckout',
    code: 'VALIDATION_CUSTOMER_REF_TOO_LONG',
    provoke: () => caller.ask('GET', '/scent/cart/checkout-preview', {query: `customerRef=${long}`}),
  },
  {
    of: 'previewCheckout',
    code: 'CONFLICT_PRICE_LOCK_CREATE_RACE',
    provoke: async () => {
      await fault('previewCheckout', {effect: 'race'})
      return caller.ask('GET', '/scent/cart/checkout-preview', {query: 'lock=true'})
    },
  },
  {
    of: 'previewCheckoutOf',
    code: 'VALIDATION_CUSTOMER_REF_TOO_LONG',
    provoke: () => caller.ask('GET', `/scent/cart/${long}/checkout-preview`),
  },
  {
    of: 'previewCheckoutOf',
    code: 'CONFLICT_PRICE_LOCK_CREATE_RACE',
    provoke: async () => {
      await fault('previewCheckoutOf', {effect: 'race'})
      return caller.ask('GET', '/scent/cart/C-1/checkout-preview', {query: 'lock=true'})
    },
  },
  {
    of: 'takePriceLock',
    code: 'VALIDATION_CUSTOMER_REF_TOO_LONG',
    provoke: () => caller.ask('POST', `/scent/cart/${long}/price-lock`),
  },
  {
    of: 'takePriceLock',
    code: 'BUSINESS_CART_NOT_CHECKOUT_READY',
    provoke: () => caller.ask('POST', '/scent/cart/empty/price-lock'),
  },
  {
    of: 'takePriceLock',
    code: 'BUSINESS_PRODUCT_ACCESS_DISABLED',
    provoke: async () => {
      await add(golden)
      await retail({productAccess: false})
      return caller.ask('POST', '/scent/cart/C-1/price-lock')
    },
  },
  {
    of: 'takePriceLock',
    code: 'CONFLICT_PRICE_LOCK_CREATE_RACE',
    provoke: async () => {
      await fault('takePriceLock', {effect: 'race'})
      return caller.ask('POST', '/scent/cart/C-1/price-lock')
    },
  },
  {of: 'createOrder', code: 'VALIDATION_ERRORS', provoke: async () => caller.order('', await lock(), 'C-1')},
  {
    of: 'createOrder',
    code: 'VALIDATION_CUSTOMER_REF_TOO_LONG',
    provoke: async () => caller.order('PO-1', await lock(), long),
  },
  {
    of: 'createOrder',
    code: 'VALIDATION_INVALID_COUNTRY_CODE',
    provoke: async () =>
      caller.order('PO-1', await lock(), 'C-1', {shippingAddress: {...address, countryCode: 'XXX'}}),
  },
  {
    of: 'createOrder',
    code: 'VALIDATION_PRICE_LOCK_INVALID',
    provoke: () => caller.order('PO-1', nobody, 'C-1'),
  },
  {
    of: 'createOrder',
    code: 'VALIDATION_PRICE_LOCK_EXPIRED',
    provoke: async () => {
      const lockId = await lock()
      await control(sandbox, 'POST', 'clock', {advanceSeconds: 900})
      caller = callerOf(sandbox)
      return caller.order('PO-1', lockId, 'C-1')
    },
  },
  {
    of: 'createOrder',
    code: 'CONFLICT_ORDER_DUPLICATE_REFERENCE',
    provoke: async () => {
      await caller.order('PO-1', await lock(), 'C-1')
      return caller.order('PO-1', nobody, 'another', {shippingAddress: {...address, city: 'Jeddah'}})
    },
    details: () => ({orderId: lastOrder()}),
  },
  {
    of: 'createOrder',
    code: 'CONFLICT_PRICE_LOCK_ALREADY_USED',
    provoke: async () => {
      const lockId = await lock()
      await caller.order('PO-1', lockId, 'C-1')
      return caller.order('PO-2', lockId, 'C-1')
    },
    details: () => ({orderId: lastOrder()}),
  },
  {
    of: 'createOrder',
    code: 'CONFLICT_ORDER_IN_PROGRESS',
    provoke: async () => {
      const lockId = await lock()
      await fault('createOrder', {effect: 'slow', when: 'before', delayMs: 60, times: 1})
      const first = caller.order('PO-1', lockId, 'C-1')
      const second = await caller.order('PO-1', lockId, 'C-1')
      expect((await first).status).toBe(201)
      return second
    },
  },
  {
    of: 'createOrder',
    code: 'CONFLICT_CART_HAS_PENDING_ORDER',
    provoke: async () => {
      const lockId = await lock()
      await fault('createOrder', {effect: 'slow', when: 'before', delayMs: 60, times: 1})
      const first = caller.order('PO-1', lockId, 'C-1')
      const second = await caller.order('PO-2', lockId, 'C-1')
      expect((await first).status).toBe(201)
      return second
    },
  },
  {
    of: 'createOrder',
    code: 'CONFLICT_ORDER_REQUIRES_INTERVENTION',
    provoke: async () => {
      const {payload} = await caller.order('PO-1', await lock(), 'C-1')
      await control(sandbox, 'POST', `orders/${payload.id}/intervene`)
      return caller.order('PO-1', nobody, 'C-1')
    },
  },
  {
    of: 'createOrder',
    code: 'CONFLICT_CART_CHECKOUT_RACE',
    provoke: async () => {
      const lockId = await lock()
      await fault('createOrder', {effect: 'race', times: 1})
      const refused = await caller.order('PO-1', lockId, 'C-1')
      expect((await caller.order('PO-1', lockId, 'C-1')).status).toBe(201)
      return refused
    },
  },
  {
    of: 'createOrder',
    code: 'BUSINESS_PRICE_NOT_AVAILABLE',
    provoke: async () => {
      const lockId = await lock()
      await set('RML-SAF-050', {price: null})
      return caller.order('PO-1', lockId, 'C-1')
    },
  },
  {
    of: 'createOrder',
    code: 'BUSINESS_CART_NOT_CHECKOUT_READY',
    provoke: async () => {
      const lockId = await lock()
      await set('RML-SAF-050', {assortment: false})
      return caller.order('PO-1', lockId, 'C-1')
    },
    details: () => ({cartIssue: 'VARIANT_NOT_ASSIGNED', variantIds: [golden]}),
  },
  {
    of: 'createOrder',
    code: 'BUSINESS_PRODUCT_ACCESS_DISABLED',
    provoke: async () => {
      const lockId = await lock()
      await retail({productAccess: false})
      return caller.order('PO-1', lockId, 'C-1')
    },
  },
  {
    of: 'readOrder',
    code: 'NOT_FOUND_ORDER',
    provoke: () => caller.ask('GET', '/scent/orders/x'),
    details: () => ({orderId: 'x'}),
  },
  {
    of: 'trackOrder',
    code: 'NOT_FOUND_ORDER',
    provoke: () => caller.ask('GET', `/scent/orders/${nobody}/tracking`),
    details: () => ({orderId: nobody}),
  },
  {
    of: 'readOrderByGlobalId',
    code: 'NOT_FOUND_ORDER',
    provoke: () => caller.ask('GET', '/orders/SCN-9999999999'),
    details: () => ({orderGlobalId: 'SCN-9999999999'}),
  },
  {
    of: 'listWalletTransactions',
    code: 'NOT_FOUND_WALLET',
    provoke: async () => {
      await retail({wallet: null})
      return caller.ask('GET', '/wallet/transactions')
    },
  },
  ...readCases(() => ({sandbox, caller})),
  ...eventCases(() => ({sandbox, caller})),
]

const lastOrder = () =>
  sandbox.state.world.get<{id: string}>('SELECT id FROM orders ORDER BY n DESC LIMIT 1')?.id

describe('each refusal that an operation lists is reached for real', () => {
  test.each(cases.map((one) => [one.of, one.code, one] as const))('%s: %s', async (_, code, one) => {
    if (one.assume) {
      await sandbox.close()
      await setUp(one.assume)
    }
    const answer = await one.provoke()
    expect(answer).toMatchObject({state: code, status: entryOf(code).http, payload: null})
    if (one.details) expect(answer.details).toEqual(one.details())
  })

  test('none is left out', () => {
    const listed = servedNames.flatMap((name) => api[name].fails.map((code) => `${name} ${code}`))
    const provoked = new Set(cases.map(({of, code}) => `${of} ${code}`))
    expect(listed.filter((one) => !provoked.has(one))).toEqual([])
  })
})

describe('what belongs to another partner looks exactly like what does not exist', () => {
  test('orders, their tracking, locks and lines', async () => {
    const {payload} = await caller.order('PO-1', await lock(), 'C-1')
    const global = (await caller.ask('GET', `/scent/orders/${payload.id}`)).payload.header
      .orderGlobalId as string
    const foreignLock = await lock('C-2')
    const other = callerOf(sandbox, 'rimal-online')
    const bytes = ({status, state, details, payload: none}: Answer, id: string) =>
      JSON.stringify({status, state, details, none}).replaceAll(id, 'ID')
    const pairs: [string, string, (id: string) => Promise<Answer>][] = [
      [payload.id, nobody, (id) => other.ask('GET', `/scent/orders/${id}`)],
      [payload.id, nobody, (id) => other.ask('GET', `/scent/orders/${id}/tracking`)],
      [global, 'SCN-9999999999', (id) => other.ask('GET', `/orders/${id}`)],
      [foreignLock, nobody, (id) => other.order('PO-9', id, 'C-2')],
      [golden, nobody, (id) => other.ask('DELETE', `/scent/cart/C-2/items/${id}`)],
      [variantOf(sandbox, 'NJD-ROY-100'), nobody, (id) => other.ask('GET', `/scent/variants/${id}`)],
    ]
    for (const [foreign, missing, ask] of pairs) {
      expect(bytes(await ask(foreign), foreign)).toBe(bytes(await ask(missing), missing))
    }
  })

  test('statements, commission periods, discount codes, scents and brands', async () => {
    const own = (await caller.ask('GET', '/commission-periods')).payload.items[0]
    const code = (await caller.ask('GET', '/scent/discount-codes')).payload.items[0]
    const {statements} = (await control(sandbox, 'GET', 'state')).payload
    const scent = (await caller.ask('GET', '/scent/scents')).payload.items[0]
    for (const size of ['002', '050', '100']) {
      const sku = `${sandbox.state.world.get<{sku: string}>('SELECT sku FROM variants WHERE scent_id = ?', scent.id)?.sku.slice(0, 8)}${size}`
      await set(sku, {assortment: false, partnerId: partnerId('rimal-online')})
    }
    const other = callerOf(sandbox, 'rimal-online')
    const lateCode = {...codeBody, code: 'OTHER'}
    const bytes = ({status, state, details, payload: none}: Answer, id: string) =>
      JSON.stringify({status, state, details, none}).replaceAll(id, 'ID')
    const body = {reason: 'x'}
    const pairs: [string, (id: string) => Promise<Answer>][] = [
      [own.id, (id) => other.ask('POST', `/commission-periods/${id}/objection`, {body})],
      [code.id, (id) => other.ask('PATCH', `/scent/discount-codes/${id}`, {body: codeBody})],
      [code.id, (id) => other.ask('PATCH', `/scent/discount-codes/${id}`, {body: lateCode})],
      [statements[0].id, (id) => other.ask('GET', `/statements/${id}`)],
      [scent.id, (id) => other.ask('GET', `/scent/scents/${id}`)],
    ]
    for (const [foreign, ask] of pairs) {
      const theirs = await ask(foreign)
      expect(theirs.status).toBe(404)
      expect(bytes(theirs, foreign)).toBe(bytes(await ask(nobody), nobody))
      // An id that is no uuid is an unknown one as well.
      expect(bytes(await ask('x'), '/x/')).toBe(bytes(theirs, foreign))
    }
  })

  test('a variant outside the assortment, on a wishlist and for a notification', async () => {
    const other = callerOf(sandbox, 'rimal-online')
    const foreign = variantOf(sandbox, 'NJD-ROY-100')
    const tries: ((variantId: string) => Promise<Answer>)[] = [
      (variantId) => other.ask('POST', '/scent/wishlist/C-1/items', {body: {variantId}}),
      (variantId) => other.ask('POST', `/scent/cart/notify/${variantId}`),
      (variantId) => other.ask('DELETE', `/scent/wishlist/C-1/items/${variantId}`),
    ]
    for (const ask of tries) {
      const [theirs, missing] = [await ask(foreign), await ask(nobody)]
      expect({...theirs, headers: {}}).toEqual({...missing, headers: {}})
    }
  })

  test('the same customerRef and the same reference are free for every partner', async () => {
    const other = callerOf(sandbox, 'rimal-online')
    const mine = await caller.order('PO-1', await lock('same'), 'same')
    const preview = await other.filled('same', {[golden]: 1})
    const theirs = await other.order('PO-1', preview.payload.lockId, 'same')
    expect([mine.status, theirs.status]).toEqual([201, 201])
    expect((await other.ask('GET', '/wallet/transactions')).payload.pagination.totalCount).toBe(1)
  })
})
