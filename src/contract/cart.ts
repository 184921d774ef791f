import * as z from 'zod/mini'
import type {Operation} from './operation.ts'
import {availabilityState, marketing} from './variants.ts'
import {decimal, mentioned, oneOf, ratio, shown, timestamp, uuid} from './wire.ts'

const commission = z.looseObject({
  amount: shown(decimal),
  vatAmount: shown(decimal),
  netAfterCommission: shown(decimal),
  rate: shown(ratio),
})

const lineAmounts = z.looseObject({
  subtotal: shown(decimal),
  goodsVatAmount: shown(decimal),
  totalWithVat: shown(decimal),
  commission: shown(commission),
})

export const cartItem = z.looseObject({
  variantId: uuid,
  sku: shown(z.string()),
  sizeMl: shown(z.int()),
  quantity: z.int(),
  pricing: shown(
    z.looseObject({
      currency: shown(z.string()),
      unitPrice: shown(decimal),
      line: shown(lineAmounts),
      rrp: shown(decimal),
      display: shown(
        z.looseObject({unitPrice: shown(decimal), line: shown(lineAmounts), rrp: shown(decimal)}),
      ),
    }),
  ),
  availability: shown(
    z.looseObject({
      state: shown(availabilityState),
      availableQuantity: shown(z.int()),
      insufficientForQuantity: shown(z.boolean()),
    }),
  ),
  marketing: shown(marketing),
})
export type CartItem = z.output<typeof cartItem>

const cart = z.looseObject({
  id: shown(uuid),
  // not shown: what the partner-level cart has here; the preview says "string or null".
  customerRef: shown(z.string()),
  status: shown(oneOf('None', 'Open')),
  baseCurrency: shown(z.string()),
  items: z.array(cartItem),
  totals: shown(
    z.looseObject({
      chargedWithVat: shown(decimal),
      commissionWithVat: shown(decimal),
      netAfterCommission: shown(decimal),
      shipping: shown(
        z.looseObject({
          amount: shown(decimal),
          vatAmount: shown(decimal),
          amountWithVat: shown(decimal),
          freeThreshold: shown(decimal),
          isFree: shown(z.boolean()),
        }),
      ),
      display: shown(
        z.looseObject({
          currency: shown(z.string()),
          rate: shown(ratio),
          chargedWithVat: shown(decimal),
          commissionWithVat: shown(decimal),
          netAfterCommission: shown(decimal),
          shipping: shown(
            z.looseObject({
              amount: shown(decimal),
              vatAmount: shown(decimal),
              amountWithVat: shown(decimal),
              freeThreshold: shown(decimal),
            }),
          ),
        }),
      ),
    }),
  ),
  pricedAt: shown(timestamp),
})
export type Cart = z.output<typeof cart>

/** The bare, partner-level cart is the one without customerRef. */
export const whichCart = {customerRef: {kind: 'text', max: 128}} as const

// not shown: its answer. It is read as the cart of the other operations.
export const readCart = {
  summary: 'Read a cart.',
  method: 'GET',
  path: '/api/v1/scent/cart/{customerRef}',
  auth: 'bearer',
  repeat: 'freely',
  payload: mentioned(cart),
  fails: ['VALIDATION_CUSTOMER_REF_TOO_LONG'],
} as const satisfies Operation

export const addCartItem = {
  summary: 'Add a variant to a cart, or merge its quantity into the existing line.',
  method: 'POST',
  path: '/api/v1/scent/cart/items',
  auth: 'bearer',
  repeat: 'never',
  lost: 'A second one would add to the line: the cart is read, and its line is set to what it should hold.',
  query: whichCart,
  body: z.strictObject({variantId: uuid, quantity: z.int()}),
  payload: cart,
  fails: [
    'VALIDATION_ERRORS',
    'VALIDATION_CUSTOMER_REF_TOO_LONG',
    'NOT_FOUND_VARIANT',
    'BUSINESS_VARIANT_UNAVAILABLE',
    'BUSINESS_VARIANT_NOT_PRICED',
    'BUSINESS_PRODUCT_ACCESS_DISABLED',
  ],
} as const satisfies Operation

const oneLine = {
  method: 'PUT',
  path: '/api/v1/scent/cart/{customerRef}/items/{variantId}',
  auth: 'bearer',
  payload: cart,
} as const

const lineFails = [
  'VALIDATION_ERRORS',
  'VALIDATION_CUSTOMER_REF_TOO_LONG',
  'NOT_FOUND_CART_ITEM',
  'NOT_FOUND_VARIANT',
  'BUSINESS_VARIANT_UNAVAILABLE',
  'BUSINESS_VARIANT_NOT_PRICED',
  'BUSINESS_PRODUCT_ACCESS_DISABLED',
] as const

/** One route, two operations: an absolute quantity may be repeated, a step may not. */
export const setCartItem = {
  ...oneLine,
  summary: 'Set the quantity of a cart line.',
  repeat: 'freely',
  body: z.strictObject({quantity: z.int().check(z.gte(1))}),
  fails: lineFails,
} as const satisfies Operation

export const stepCartItem = {
  ...oneLine,
  summary: 'Step the quantity of a cart line by one.',
  repeat: 'never',
  lost: 'A second one would step twice: the cart is read, and its line is set to what it should hold.',
  body: z.strictObject({action: z.enum(['increment', 'decrement'])}),
  fails: lineFails,
} as const satisfies Operation

// not shown: its answer. If it is the cart, it is read as that.
export const removeCartItem = {
  summary: 'Remove one line of a cart.',
  method: 'DELETE',
  path: '/api/v1/scent/cart/{customerRef}/items/{variantId}',
  auth: 'bearer',
  repeat: 'freely', // NOT_FOUND_CART_ITEM after a lost answer means: done
  payload: mentioned(cart),
  fails: ['VALIDATION_CUSTOMER_REF_TOO_LONG', 'NOT_FOUND_CART_ITEM'],
} as const satisfies Operation

export const clearCart = {
  summary: 'Remove all lines of a cart.',
  method: 'DELETE',
  path: '/api/v1/scent/cart/{customerRef}/items',
  auth: 'bearer',
  repeat: 'freely',
  payload: cart,
  fails: ['VALIDATION_CUSTOMER_REF_TOO_LONG'],
} as const satisfies Operation

export const registration = z.looseObject({
  id: uuid,
  variantId: shown(uuid),
  partnerId: shown(uuid),
  createdAt: shown(timestamp),
  firedAt: shown(timestamp),
})
export type Registration = z.output<typeof registration>

export const notifyBackInStock = {
  summary: 'Register for a notice when a variant is back in stock.',
  method: 'POST',
  path: '/api/v1/scent/cart/notify/{variantId}',
  auth: 'bearer',
  // not shown: whether a repeat makes a second registration.
  repeat: 'never',
  lost: 'It is not known whether a second one makes a second registration. No route lists them, so the answer stays unknown.',
  payload: registration,
  fails: [
    'NOT_FOUND_VARIANT',
    'BUSINESS_VARIANT_NOT_UNAVAILABLE',
    'BUSINESS_VARIANT_ALREADY_AVAILABLE',
    'BUSINESS_NOTIFY_DISABLED',
  ],
} as const satisfies Operation
