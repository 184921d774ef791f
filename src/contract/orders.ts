import * as z from 'zod/mini'
import type {Operation} from './operation.ts'
import {customerRef, decimal, mentioned, oneOf, ratio, shown, timestamp, toned, uuid} from './wire.ts'

const filled = z.string().check(z.minLength(1), z.regex(/\S/, 'must not be blank'))

export const shippingAddress = z.strictObject({
  recipient: filled,
  line1: filled,
  line2: z.optional(z.string()),
  city: filled,
  nationalAddress: filled,
  region: z.optional(z.string()),
  postalCode: z.optional(z.string()),
  countryCode: z.string().check(z.regex(/^[A-Z]{3}$/, 'must be three capital letters (ISO 3166-1 alpha-3)')),
  phone: filled,
})
export type ShippingAddress = z.output<typeof shippingAddress>

export const orderStatus = toned(
  oneOf('Processing', 'Completed', 'Failed', 'Cancelled', 'PartiallyReturned', 'Returned'),
  {good: ['Completed'], warn: ['Processing', 'PartiallyReturned', 'Returned'], bad: ['Failed', 'Cancelled']},
)

export const createdOrder = z.looseObject({
  id: uuid,
  externalReference: z.string(),
  customerRef: shown(z.string()),
  status: orderStatus,
  failureReason: shown(z.string()),
  pricing: z.looseObject({
    currency: shown(z.string()),
    subtotal: shown(decimal),
    vat: shown(decimal),
    shippingFee: shown(
      z.looseObject({amount: shown(decimal), vatAmount: shown(decimal), amountWithVat: shown(decimal)}),
    ),
    discount: shown(z.looseObject({code: shown(z.string()), amount: shown(decimal)})),
    total: decimal,
    commission: shown(
      z.looseObject({
        amount: shown(decimal),
        vatAmount: shown(decimal),
        amountWithVat: shown(decimal),
        netAfterCommission: shown(decimal),
      }),
    ),
  }),
  modeBreakdown: shown(z.record(z.string(), decimal)),
})
export type CreatedOrder = z.output<typeof createdOrder>

const orderBody = z.strictObject({
  externalReference: z.string().check(z.minLength(1)),
  customerRef: z.optional(customerRef),
  lockId: uuid,
  discountCode: z.optional(z.string().check(z.minLength(1))),
  shippingAddress,
})
export type OrderBody = z.output<typeof orderBody>

export const createOrder = {
  summary: 'Order the lines of a cart at the prices of a lock.',
  method: 'POST',
  path: '/api/v1/scent/orders',
  auth: 'bearer',
  repeat: 'by-key',
  lost: 'With the same reference, lock and body it is sent again: the service makes one order of a reference. A journal keeps them, and the order is read back if an answer says that it exists.',
  body: orderBody,
  payload: createdOrder,
  fails: [
    'VALIDATION_ERRORS',
    'VALIDATION_PRICE_LOCK_EXPIRED',
    'VALIDATION_PRICE_LOCK_INVALID',
    'VALIDATION_INVALID_COUNTRY_CODE',
    'VALIDATION_CUSTOMER_REF_TOO_LONG',
    'CONFLICT_ORDER_DUPLICATE_REFERENCE',
    'CONFLICT_ORDER_IN_PROGRESS',
    'CONFLICT_ORDER_REQUIRES_INTERVENTION',
    'CONFLICT_CART_HAS_PENDING_ORDER',
    'CONFLICT_CART_CHECKOUT_RACE',
    'CONFLICT_PRICE_LOCK_ALREADY_USED',
    'BUSINESS_PRICE_NOT_AVAILABLE',
    'BUSINESS_CART_NOT_CHECKOUT_READY',
    'BUSINESS_PRODUCT_ACCESS_DISABLED',
  ],
} as const satisfies Operation

export const orderLine = z.looseObject({
  id: shown(uuid),
  variantId: shown(uuid),
  quantity: shown(z.int()),
  returnedQuantity: shown(z.int()),
  unitAmount: shown(decimal),
  lineTotal: shown(decimal),
  partnerCommission: shown(decimal),
  pricingMode: shown(oneOf('Wholesale', 'Retail')),
  source: shown(z.string()),
  taxClassification: shown(z.string()),
  vatRateApplied: shown(ratio),
  lineGoodsVatAmount: shown(decimal),
  lineCommissionVatAmount: shown(decimal),
  unitAmountDisplay: shown(decimal),
  lineTotalDisplay: shown(decimal),
  partnerCommissionDisplay: shown(decimal),
})

export const fulfillmentGroup = z.looseObject({
  id: shown(uuid),
  status: shown(toned(z.string(), {good: ['Delivered']})), // not shown: its other values
  deliveredAt: shown(timestamp),
})

const deliveryRollup = z.looseObject({totalGroups: shown(z.int()), deliveredGroups: shown(z.int())})

export const scentDetail = z.looseObject({
  id: shown(uuid),
  orderGlobalId: shown(z.string()),
  sagaId: shown(uuid),
  partnerId: shown(uuid),
  externalReference: shown(z.string()),
  customerRef: shown(z.string()),
  totalAmount: shown(decimal),
  totalCommission: shown(decimal),
  currency: shown(z.string()),
  status: shown(z.string()),
  lines: shown(z.array(orderLine)),
  fulfillmentGroups: shown(z.array(fulfillmentGroup)),
  deliveryRollup: shown(deliveryRollup),
  totalGoodsVatAmount: shown(decimal),
  totalCommissionVatAmount: shown(decimal),
  totalAmountWithVat: shown(decimal),
  totalCommissionWithVat: shown(decimal),
  taxPoint: shown(timestamp),
  platformTaxRegistrationNumber: shown(z.string()),
  partnerTaxRegistrationNumber: shown(z.string()),
  partnerIsVatRegistered: shown(z.boolean()),
  displayCurrency: shown(z.string()),
  rate: shown(ratio),
  totalAmountDisplay: shown(decimal),
})

const orderHeader = z.looseObject({
  orderGlobalId: shown(z.string()),
  partnerId: shown(uuid),
  productType: shown(oneOf('Scent')),
  productOrderId: shown(uuid),
  externalReference: shown(z.string()),
  amount: shown(decimal),
  currency: shown(z.string()),
  status: shown(orderStatus),
  failureCode: shown(z.string()),
  createdAt: shown(timestamp),
  completedAt: shown(timestamp),
  displayCurrency: shown(z.string()),
  rate: shown(ratio),
  amountDisplay: shown(decimal),
})

export const orderRead = z.looseObject({
  header: shown(orderHeader),
  scentDetail: shown(scentDetail),
  detailUnavailableReason: shown(z.string()),
})
export type OrderRead = z.output<typeof orderRead>

export const readOrderByGlobalId = {
  summary: 'Read an order by its global id.',
  method: 'GET',
  path: '/api/v1/orders/{orderGlobalId}',
  auth: 'bearer',
  repeat: 'freely',
  payload: orderRead,
  fails: ['NOT_FOUND_ORDER'],
} as const satisfies Operation

// not shown: the shape of this answer; it is read as the one by global id, or as a bare scentDetail.
export const readOrder = {
  summary: 'Read an order by its Scent id.',
  method: 'GET',
  path: '/api/v1/scent/orders/{orderId}',
  auth: 'bearer',
  repeat: 'freely',
  payload: mentioned(orderRead),
  fails: ['NOT_FOUND_ORDER'],
} as const satisfies Operation

// not shown: the shape of this answer.
const orderTracking = z.looseObject({
  orderId: shown(uuid),
  fulfillmentGroups: shown(z.array(fulfillmentGroup)),
  deliveryRollup: shown(deliveryRollup),
})
export type OrderTracking = z.output<typeof orderTracking>

export const trackOrder = {
  summary: 'Read the fulfillment groups of an order.',
  method: 'GET',
  path: '/api/v1/scent/orders/{orderId}/tracking',
  auth: 'bearer',
  repeat: 'freely',
  payload: mentioned(orderTracking),
  fails: ['NOT_FOUND_ORDER'],
} as const satisfies Operation
