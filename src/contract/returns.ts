import * as z from 'zod/mini'
import type {Operation} from './operation.ts'
import {pageOf, pageQuery} from './paging.ts'
import {decimal, mentioned, oneOf, shown, timestamp, toned, uuid} from './wire.ts'

const returnStatuses = ['Requested', 'Accepted', 'Processing', 'Refunded', 'Rejected', 'Withdrawn'] as const

const goodsAmounts = z.looseObject({net: shown(decimal), vat: shown(decimal), total: shown(decimal)})

/** The refund of a return, and the shape of a notice's impact. */
export const refund = z.looseObject({
  currency: shown(z.string()),
  goods: shown(goodsAmounts),
  commissionClawback: shown(decimal),
  shippingFeeRefund: shown(decimal),
  total: shown(decimal),
})

const returnLine = z.looseObject({
  id: shown(uuid),
  scentOrderLineId: shown(uuid),
  allocationId: shown(uuid),
  quantity: shown(z.int()),
  reasonCode: shown(oneOf('Damaged')), // not shown: other values
})

export const returnRequest = z.looseObject({
  id: uuid,
  orderId: shown(uuid),
  fulfillmentGroupId: shown(uuid),
  returnRequestNumber: shown(z.string()),
  // Pending is the answer of the operation's other, singular form.
  status: toned(oneOf(...returnStatuses, 'Pending'), {
    good: ['Accepted', 'Refunded'],
    warn: ['Requested', 'Pending', 'Processing'],
    bad: ['Rejected'],
  }),
  declineReason: shown(z.string()),
  timeline: shown(
    z.looseObject({
      requestedAt: shown(timestamp),
      decidedAt: shown(timestamp),
      waybillIssuedAt: shown(timestamp),
      collectionScheduledAt: shown(timestamp),
      inTransitAt: shown(timestamp),
      refundReleasedAt: shown(timestamp),
    }),
  ),
  logistics: shown(
    z.looseObject({
      waybillNumber: shown(z.string()),
      carrier: shown(z.string()),
      carrierNameOther: shown(z.string()),
      returnDestinationType: shown(oneOf('SortingPoint')), // not shown: other values
    }),
  ),
  inspection: shown(
    z.looseObject({
      receivedAt: shown(timestamp),
      inspectionStartedAt: shown(timestamp),
      decidedAt: shown(timestamp),
      outcome: shown(oneOf('Accepted')), // not shown: other values
      shippingFeeRefundApplies: shown(z.boolean()),
    }),
  ),
  refund: shown(refund),
  lines: shown(z.array(returnLine)),
  // Carried by the items of the per-order list.
  scentOrderId: shown(uuid),
  orderGlobalId: shown(z.string()),
  partnerId: shown(uuid),
  requestedAt: shown(timestamp),
  decidedAt: shown(timestamp),
  decidedByUserId: shown(uuid),
})
export type ReturnRequest = z.output<typeof returnRequest>

const returnBody = z.strictObject({
  fulfillmentGroupId: uuid,
  lines: z
    .array(
      z.strictObject({
        scentOrderLineId: uuid,
        allocationId: z.optional(uuid), // not shown: whether it is required
        quantity: z.int().check(z.gte(1)),
        reasonCode: z.string().check(z.minLength(1)),
      }),
    )
    .check(z.minLength(1)),
})
export type ReturnBody = z.output<typeof returnBody>

export const createReturn = {
  summary: 'Request the return of delivered lines.',
  method: 'POST',
  path: '/api/v1/scent/orders/{orderId}/return-requests',
  auth: 'bearer',
  repeat: 'never',
  lost: 'It is sent once more: a line that has an open request by then leads to the list, where the request with the same lines is this one.',
  body: returnBody,
  payload: returnRequest,
  fails: [
    'VALIDATION_ERRORS',
    'VALIDATION_INVALID_REASON_CODE',
    'NOT_FOUND_SCENT_ORDER',
    'NOT_FOUND_FULFILLMENT_GROUP',
    'NOT_FOUND_ORDER_LINE',
    'BUSINESS_RETURN_REQUEST_GROUP_NOT_DELIVERED',
    'BUSINESS_RETURN_REQUEST_WINDOW_EXPIRED',
    'BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING',
    'BUSINESS_RETURN_REQUEST_DUPLICATE_LINE',
  ],
} as const satisfies Operation

// not shown: which of the two forms is in force. This one is used only if the other route does not exist.
export const createReturnSingular = {
  ...createReturn,
  summary: 'Request the return of delivered lines: the reference form, whose answer is Pending.',
  path: '/api/v1/scent/orders/{orderId}/return-request',
} as const satisfies Operation

export const listOrderReturns = {
  summary: 'List the return requests of one order, newest first.',
  method: 'GET',
  path: '/api/v1/scent/orders/{orderId}/return-requests',
  auth: 'bearer',
  repeat: 'freely',
  query: pageQuery,
  payload: pageOf(returnRequest),
  fails: ['NOT_FOUND_SCENT_ORDER'],
} as const satisfies Operation

// not shown: anything but its status filter. It is read as a page of return requests.
export const listReturns = {
  summary: 'List the own return requests.',
  method: 'GET',
  path: '/api/v1/scent/return-requests',
  auth: 'bearer',
  repeat: 'freely',
  query: {
    ...pageQuery,
    status: {kind: 'enum', values: returnStatuses, own: 'VALIDATION_INVALID_RETURN_STATUS'},
  },
  payload: mentioned(pageOf(returnRequest)),
  fails: ['VALIDATION_INVALID_RETURN_STATUS'],
} as const satisfies Operation

// not shown: the answer. It is read as the return request.
export const withdrawReturn = {
  summary: 'Withdraw a return request that is still Requested.',
  method: 'PATCH',
  path: '/api/v1/scent/return-requests/{returnRequestId}/withdraw',
  auth: 'bearer',
  repeat: 'freely', // NOT_PENDING after a lost answer: the list tells whether it was us
  payload: mentioned(z.looseObject({id: shown(uuid), status: shown(z.string())})),
  // not shown: the name of the 404.
  fails: ['BUSINESS_RETURN_REQUEST_NOT_PENDING', 'NOT_FOUND_RETURN_REQUEST'],
} as const satisfies Operation
