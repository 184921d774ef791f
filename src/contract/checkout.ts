import * as z from 'zod/mini'
import {whichCart} from './cart.ts'
import type {Operation} from './operation.ts'
import {availabilityState, marketing} from './variants.ts'
import {decimal, mentioned, oneOf, ratio, shown, timestamp, toned, uuid} from './wire.ts'

export const previewLine = z.looseObject({
  variantId: uuid,
  quantity: z.int(),
  ok: z.boolean(),
  issue: shown(
    toned(oneOf('UNAVAILABLE', 'INSUFFICIENT_STOCK', 'PRICE_BELOW_FLOOR', 'NOT_PRICED'), {
      bad: ['UNAVAILABLE', 'INSUFFICIENT_STOCK', 'PRICE_BELOW_FLOOR', 'NOT_PRICED'],
    }),
  ),
  sku: shown(z.string()),
  listPrice: shown(decimal),
  baseCurrency: shown(z.string()),
  lineGoodsVatAmount: shown(decimal),
  lineTotalWithVat: shown(decimal),
  availability: shown(availabilityState),
  availableQuantity: shown(z.int()),
  lineCommission: shown(decimal),
  lineCommissionVatAmount: shown(decimal),
  lineNetAfterCommission: shown(decimal),
  marketing: shown(marketing),
})
export type PreviewLine = z.output<typeof previewLine>

/** A preview is safe to act on when its lines, canCheckout and, once ordered from, its lock and total are there. */
export const preview = z.looseObject({
  cartId: shown(uuid),
  partnerId: shown(uuid),
  customerRef: shown(z.string()),
  lines: z.array(previewLine),
  canCheckout: z.boolean(),
  cartIssue: shown(oneOf('CART_HAS_PENDING_ORDER', 'PRODUCT_ACCESS_DISABLED')),
  pendingOrderReference: shown(z.string()),
  pricedAt: shown(timestamp),
  lockId: shown(uuid),
  lockExpiresAt: shown(timestamp),
  chargedWithVat: shown(decimal),
  commissionWithVat: shown(decimal),
  netAfterCommission: shown(decimal),
  displayCurrency: shown(z.string()),
  rate: shown(ratio),
  chargedWithVatDisplay: shown(decimal),
  commissionWithVatDisplay: shown(decimal),
  netAfterCommissionDisplay: shown(decimal),
})
export type Preview = z.output<typeof preview>

export const previewCheckout = {
  summary: 'Price a cart, name its issues and, with lock=true, take a price lock.',
  method: 'GET',
  path: '/api/v1/scent/cart/checkout-preview',
  auth: 'bearer',
  repeat: 'freely', // each call with lock=true takes a lock; one that is never submitted only expires
  query: {...whichCart, lock: {kind: 'boolean'}},
  payload: preview,
  fails: ['VALIDATION_CUSTOMER_REF_TOO_LONG', 'CONFLICT_PRICE_LOCK_CREATE_RACE'],
} as const satisfies Operation

// not shown: beyond "path-segment form of the preview"; its query is taken to be the other form's `lock`.
export const previewCheckoutOf = {
  ...previewCheckout,
  summary: 'Price a cart: the path-segment form.',
  path: '/api/v1/scent/cart/{customerRef}/checkout-preview',
  query: {lock: {kind: 'boolean'}},
  payload: mentioned(preview),
} as const satisfies Operation

// not shown: request and answer. No body is sent; the answer is read as a preview with its lock.
export const takePriceLock = {
  summary: 'Take a price lock on a cart.',
  method: 'POST',
  path: '/api/v1/scent/cart/{customerRef}/price-lock',
  auth: 'bearer',
  repeat: 'freely', // a lost lock only expires
  payload: mentioned(preview),
  fails: [
    'VALIDATION_CUSTOMER_REF_TOO_LONG',
    'BUSINESS_CART_NOT_CHECKOUT_READY',
    'CONFLICT_PRICE_LOCK_CREATE_RACE',
  ],
} as const satisfies Operation
