import {type Notice, notice} from '../../contract/notices.ts'
import {deadline, time} from '../cells.ts'
import {columns} from '../columns.ts'
import {type Card, card} from '../table.ts'

/** A notice; its refund only once it has landed. */
export function noticeCard(one: Notice): Card<Notice> {
  const lines = `id Notice; status; responseChoice Choice; reason; scentOrderId Order; line.sku SKU;
    line.orderedQuantity Ordered; line.availableQuantity Available; line.shortfallQuantity Short;
    responseDeadlineAt Deadline; respondedAt Answered;
    impact.cancelWhole.total|impact.shipAvailable.total Refund incl. VAT;
    impact.cancelWhole.commissionClawback|impact.shipAvailable.commissionClawback Commission taken back;
    impact.cancelWhole.shippingFeeRefund|impact.shipAvailable.shippingFeeRefund Shipping refund;
    impact.cancelWhole.currency|impact.shipAvailable.currency+`
  return card(
    one,
    columns(notice, lines, {
      responseDeadlineAt: ({status, responseDeadlineAt}) =>
        status === 'AwaitingPartnerResponse' ? deadline(responseDeadlineAt) : time(responseDeadlineAt),
    }),
  )
}
