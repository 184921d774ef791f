import * as z from 'zod/mini'
import type {Operation} from './operation.ts'
import {refund} from './returns.ts'
import {oneOf, shown, timestamp, toned, uuid} from './wire.ts'

export const noticeChoices = ['CancelWhole', 'ShipAvailable'] as const
export type NoticeChoice = (typeof noticeChoices)[number]

export const notice = z.looseObject({
  id: uuid,
  scentOrderId: shown(uuid),
  reason: shown(oneOf('OutOfStock', 'Lost')),
  status: toned(
    oneOf('AwaitingPartnerResponse', 'Resolved', 'ExpiredCancelledWhole', 'ExpiredShipAvailable'),
    {
      good: ['Resolved'],
      warn: ['AwaitingPartnerResponse'],
      bad: ['ExpiredCancelledWhole', 'ExpiredShipAvailable'],
    },
  ),
  responseChoice: shown(oneOf(...noticeChoices)),
  notifiedAt: shown(timestamp),
  responseDeadlineAt: shown(timestamp),
  respondedAt: shown(timestamp),
  hasShipmentDeparted: shown(z.boolean()),
  line: shown(
    z.looseObject({
      scentOrderLineId: shown(uuid),
      variantId: shown(uuid),
      sku: shown(z.string()),
      orderedQuantity: shown(z.int()),
      availableQuantity: shown(z.int()),
      shortfallQuantity: shown(z.int()),
    }),
  ),
  impact: shown(z.looseObject({cancelWhole: shown(refund), shipAvailable: shown(refund)})),
})
export type Notice = z.output<typeof notice>

export const respondToNotice = {
  summary: 'Answer an unfulfillable-line notice.',
  method: 'PATCH',
  path: '/api/v1/scent/unfulfillable-notices/{noticeId}/respond',
  auth: 'bearer',
  repeat: 'freely', // the same choice again; a refusal after a lost answer proves only that it is closed
  body: z.strictObject({choice: z.enum(noticeChoices)}),
  payload: notice,
  // not shown: the name of the 404.
  fails: [
    'VALIDATION_ERRORS',
    'BUSINESS_NOTICE_NOT_AWAITING_RESPONSE',
    'CONFLICT_NOTICE_ALREADY_RESOLVED',
    'NOT_FOUND_UNFULFILLABLE_NOTICE',
  ],
} as const satisfies Operation
