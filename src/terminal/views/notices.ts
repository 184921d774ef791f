import type {Notice} from '../../contract/notices.ts'
import {badge, deadline, money, time} from '../cells.ts'
import type {Card} from '../output.ts'
import type {Tone} from '../text.ts'

const tones: Record<string, Tone> = {
  AwaitingPartnerResponse: 'warn',
  Resolved: 'good',
  ExpiredCancelledWhole: 'bad',
  ExpiredShipAvailable: 'bad',
}

/** A notice; its refund only once it has landed. */
export function noticeCard(notice: Notice): Card<Notice> {
  const {line, impact} = notice
  const refund = impact?.cancelWhole ?? impact?.shipAvailable
  return {
    rows: [notice],
    upright: true,
    columns: [
      {key: 'id', header: 'Notice', get: ({id}) => id},
      {key: 'status', header: 'Status', get: ({status}) => badge(status, tones)},
      {key: 'choice', header: 'Choice', get: ({responseChoice}) => responseChoice},
      {key: 'reason', header: 'Reason', get: ({reason}) => reason},
      {key: 'order', header: 'Order', get: ({scentOrderId}) => scentOrderId},
      {key: 'sku', header: 'SKU', get: () => line?.sku},
      {key: 'ordered', header: 'Ordered', get: () => line?.orderedQuantity},
      {key: 'available', header: 'Available', get: () => line?.availableQuantity},
      {key: 'shortfall', header: 'Short', get: () => line?.shortfallQuantity},
      {
        key: 'deadline',
        header: 'Deadline',
        get: ({status, responseDeadlineAt}) =>
          status === 'AwaitingPartnerResponse' ? deadline(responseDeadlineAt) : time(responseDeadlineAt),
      },
      {key: 'responded', header: 'Answered', get: ({respondedAt}) => time(respondedAt)},
      {key: 'refund', header: 'Refund incl. VAT', get: () => money(refund?.total, refund?.currency)},
      {
        key: 'clawback',
        header: 'Commission taken back',
        get: () => money(refund?.commissionClawback, refund?.currency),
      },
      {
        key: 'shipping',
        header: 'Shipping refund',
        get: () => money(refund?.shippingFeeRefund, refund?.currency),
      },
      {key: 'currency', header: 'Currency', shown: 'plain', get: () => refund?.currency},
    ],
  }
}
