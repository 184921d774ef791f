import {expect} from 'vitest'
import {address} from '../support/address.ts'
import type {Sandbox} from '../support/types.ts'
import {callerOf, control, raw, variantOf} from './caller.ts'
import {eventCases} from './event-refusals.ts'
import {type Case, readCases} from './read-refusals.ts'

export type At = () => {sandbox: Sandbox; caller: ReturnType<typeof callerOf>}

/** Every way to reach a refusal. `holdMs`: how long an order is held in flight while another one comes. */
export function allCases(at: At, holdMs = 60): Case[] {
  return [...orderCases(at, holdMs), ...readCases(at), ...eventCases(at), ...singularCases(at)]
}

/** The refusals of a return request, where the service has the singular form of it. */
function singularCases(at: At): Case[] {
  const singular: At = () => {
    const {sandbox, caller} = at()
    const pathOf = (method: string, path: string) =>
      method === 'POST' ? path.replace(/return-requests$/, 'return-request') : path
    return {
      sandbox,
      caller: {...caller, ask: (method, path, more) => caller.ask(method, pathOf(method, path), more)},
    }
  }
  return eventCases(singular)
    .filter(({of}) => of === 'createReturn')
    .map((one) => ({...one, of: 'createReturnSingular', assume: ['R07=singular']}))
}

/** The refusals on the way from the token to the order, and of the wallet. */
function orderCases(at: At, holdMs: number): Case[] {
  const caller = {
    ask: (...request) => at().caller.ask(...request),
    filled: (...request) => at().caller.filled(...request),
    order: (...request) => at().caller.order(...request),
  } satisfies ReturnType<typeof callerOf>
  const golden = () => variantOf(at().sandbox, 'RML-SAF-050')
  const long = 'x'.repeat(129)
  const nobody = '00000000-0000-4000-8000-000000000000'
  const add = (variantId: string, ref = 'C-1', quantity = 1) =>
    caller.ask('POST', '/scent/cart/items', {query: `customerRef=${ref}`, body: {variantId, quantity}})
  const put = (body: object, variantId = golden(), ref = 'C-1') =>
    caller.ask('PUT', `/scent/cart/${ref}/items/${variantId}`, {body})
  const set = (sku: string, change: object) => control(at().sandbox, 'PATCH', `variants/${sku}`, change)
  const retail = (change: object) => control(at().sandbox, 'PATCH', 'partners/rimal-retail', change)
  const lock = async (ref = 'C-1', lines = {[golden()]: 2}) =>
    (await caller.filled(ref, lines)).payload.lockId as string
  const fault = (operation: string, more: object) =>
    control(at().sandbox, 'POST', 'faults', {match: {operation}, ...more})
  const partnerId = (clientId: string) =>
    at().sandbox.credentials.find((credential) => credential.clientId === clientId)?.partnerId
  const mint = (clientId: string, more: object = {}) => {
    const clientSecret = at().sandbox.credentials.find(
      (credential) => credential.clientId === clientId,
    )?.clientSecret
    return raw(at().sandbox, 'POST', '/api/v1/auth/token', {body: {clientId, clientSecret, ...more}})
  }

  /** An increase of a line is checked like an add. */
  const lineCases = (of: 'setCartItem' | 'stepCartItem', up: object): Case[] => {
    const after = (change: () => Promise<unknown>) => async () => {
      await add(golden())
      await change()
      return put(up)
    }
    return [
      {of, code: 'VALIDATION_ERRORS', provoke: () => put({quantity: 1, action: 'increment'})},
      {of, code: 'VALIDATION_CUSTOMER_REF_TOO_LONG', provoke: () => put(up, golden(), long)},
      {of, code: 'NOT_FOUND_CART_ITEM', provoke: () => put(up)},
      {of, code: 'NOT_FOUND_VARIANT', provoke: after(() => set('RML-SAF-050', {assortment: false}))},
      {of, code: 'BUSINESS_VARIANT_UNAVAILABLE', provoke: after(() => set('RML-SAF-050', {stock: 0}))},
      {of, code: 'BUSINESS_VARIANT_NOT_PRICED', provoke: after(() => set('RML-SAF-050', {price: null}))},
      {of, code: 'BUSINESS_PRODUCT_ACCESS_DISABLED', provoke: after(() => retail({productAccess: false}))},
    ]
  }

  const lastOrder = () =>
    at().sandbox.state.world.get<{id: string}>('SELECT id FROM orders ORDER BY n DESC LIMIT 1')?.id
  return [
    {
      of: 'mintToken',
      code: 'UNAUTHORIZED_INVALID_CREDENTIALS',
      provoke: () => mint('nobody', {clientSecret: 'a wrong secret'}),
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
    {of: 'addCartItem', code: 'VALIDATION_ERRORS', provoke: () => add(golden(), 'C-1', 0)},
    {of: 'addCartItem', code: 'VALIDATION_CUSTOMER_REF_TOO_LONG', provoke: () => add(golden(), long)},
    {of: 'addCartItem', code: 'NOT_FOUND_VARIANT', provoke: () => add(nobody)},
    {
      of: 'addCartItem',
      code: 'BUSINESS_VARIANT_UNAVAILABLE',
      provoke: () => add(variantOf(at().sandbox, 'SDR-LIN-100')),
    },
    {
      of: 'addCartItem',
      code: 'BUSINESS_VARIANT_NOT_PRICED',
      provoke: () => add(variantOf(at().sandbox, 'NJD-INC-100')),
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
      provoke: () => caller.ask('DELETE', `/scent/cart/${long}/items/${golden()}`),
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
      provoke: () => caller.ask('POST', `/scent/cart/notify/${golden()}`),
    },
    {
      of: 'notifyBackInStock',
      code: 'BUSINESS_VARIANT_ALREADY_AVAILABLE',
      assume: ['W06=ALREADY_AVAILABLE'],
      provoke: () => caller.ask('POST', `/scent/cart/notify/${golden()}`),
    },
    {
      of: 'notifyBackInStock',
      code: 'BUSINESS_NOTIFY_DISABLED',
      provoke: async () => {
        await retail({notifyEnabled: false})
        return caller.ask('POST', `/scent/cart/notify/${variantOf(at().sandbox, 'SDR-HON-100')}`)
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
      code: 'CONFLICT_PRICE_LOCK_CREATE_RACE',
      provoke: async () => {
        await fault('takePriceLock', {effect: 'race'})
        return caller.ask('POST', '/scent/cart/C-1/price-lock')
      },
    },
    {
      of: 'createOrder',
      code: 'VALIDATION_ERRORS',
      provoke: async () => caller.order('', await lock(), 'C-1'),
    },
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
      details: () => ({errors: {'shippingAddress.countryCode': ['is not a valid ISO 3166-1 alpha-3 code']}}),
    },
    {
      of: 'createOrder',
      code: 'VALIDATION_PRICE_LOCK_INVALID',
      provoke: () => caller.order('PO-1', nobody, 'C-1'),
      details: () => ({errors: {lockId: ['is not a lock of this cart']}}),
    },
    {
      of: 'createOrder',
      code: 'VALIDATION_PRICE_LOCK_EXPIRED',
      provoke: async () => {
        const lockId = await lock()
        await control(at().sandbox, 'POST', 'clock', {advanceSeconds: 900})
        // The token has run out as well.
        return callerOf(at().sandbox).order('PO-1', lockId, 'C-1')
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
        await fault('createOrder', {effect: 'slow', when: 'before', delayMs: holdMs, times: 1})
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
        await fault('createOrder', {effect: 'slow', when: 'before', delayMs: holdMs, times: 1})
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
        await control(at().sandbox, 'POST', `orders/${payload.id}/intervene`)
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
      details: () => ({cartIssue: 'VARIANT_NOT_ASSIGNED', variantIds: [golden()]}),
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
  ]
}
