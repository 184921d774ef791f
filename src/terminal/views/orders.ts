import type * as z from 'zod/mini'
import type {Digits} from '../../contract/money.ts'
import type {
  fulfillmentGroup,
  OrderRead,
  OrderTracking,
  orderLine,
  scentDetail,
} from '../../contract/orders.ts'
import {badge, money, time} from '../cells.ts'
import type {Card} from '../output.ts'
import {type Column, rowsOf, type Table} from '../table.ts'
import type {Tone} from '../text.ts'

export const orderTones: Record<string, Tone> = {
  Processing: 'warn',
  Completed: 'good',
  Failed: 'bad',
  Cancelled: 'bad',
  PartiallyReturned: 'warn',
  Returned: 'warn',
}

type OrderLine = z.output<typeof orderLine>

/** not shown: the answer by Scent id. One with neither header nor detail is read as the detail itself. */
function detailOf(order: OrderRead): z.output<typeof scentDetail> | null | undefined {
  return order.scentDetail ?? (order.header ? undefined : (order as z.output<typeof scentDetail>))
}

/** What there is to say of an order as a whole. */
export function orderCard(order: OrderRead): Card<OrderRead> {
  const detail = detailOf(order)
  const header = order.header
  const currency = header?.currency ?? detail?.currency
  return {
    rows: [order],
    upright: true,
    columns: [
      {key: 'id', header: 'Order', get: () => header?.productOrderId ?? detail?.id},
      {key: 'global-id', header: 'Global id', get: () => header?.orderGlobalId ?? detail?.orderGlobalId},
      {
        key: 'reference',
        header: 'Reference',
        get: () => header?.externalReference ?? detail?.externalReference,
      },
      {key: 'customer', header: 'Customer', get: () => detail?.customerRef},
      {key: 'status', header: 'Status', get: () => badge(header?.status ?? detail?.status, orderTones)},
      {key: 'failure', header: 'Failure', get: () => header?.failureCode},
      {
        key: 'total',
        header: 'Charged incl. VAT',
        get: () => money(header?.amount, currency),
      },
      {key: 'goods', header: 'Goods incl. VAT', get: () => money(detail?.totalAmountWithVat, currency)},
      {key: 'vat', header: 'VAT on goods', get: () => money(detail?.totalGoodsVatAmount, currency)},
      {
        key: 'commission',
        header: 'Commission incl. VAT',
        get: () => money(detail?.totalCommissionWithVat, currency),
      },
      {key: 'currency', header: 'Currency', shown: 'plain', get: () => currency},
      {
        key: 'total-display',
        header: 'About',
        ...(header?.displayCurrency ? {} : ({shown: 'asked'} as const)),
        get: () => money(header?.amountDisplay, header?.displayCurrency),
      },
      {key: 'created', header: 'Created', get: () => time(header?.createdAt)},
      {key: 'completed', header: 'Completed', get: () => time(header?.completedAt)},
      {
        key: 'detail-unavailable',
        header: 'Detail unavailable',
        shown: 'asked',
        get: () => order.detailUnavailableReason,
      },
    ],
  }
}

/** The lines of an order. */
export function orderLines(order: OrderRead): Table<OrderLine> {
  const detail = detailOf(order)
  const currency = detail?.currency
  return {
    rows: rowsOf(detail?.lines),
    empty: 'The answer names no lines.',
    columns: [
      {key: 'line', header: 'Line', whole: true, yields: true, get: ({id}) => id},
      {key: 'variant', header: 'Variant', whole: true, get: ({variantId}) => variantId},
      {key: 'quantity', header: 'Qty', get: ({quantity}) => quantity},
      {key: 'returned', header: 'Returned', yields: true, get: ({returnedQuantity}) => returnedQuantity},
      {key: 'unit', header: 'Unit', yields: true, get: ({unitAmount}) => money(unitAmount, currency)},
      {key: 'total', header: 'Total', get: ({lineTotal}) => money(lineTotal, currency)},
      {key: 'mode', header: 'Mode', yields: true, get: ({pricingMode}) => pricingMode},
    ],
  }
}

type Group = z.output<typeof fulfillmentGroup>

/** The fulfillment groups of an order. */
export function trackingTable(tracking: OrderTracking): Table<Group> {
  const rollup = tracking.deliveryRollup
  return {
    rows: rowsOf(tracking.fulfillmentGroups),
    empty: 'The order has no fulfillment group yet.',
    columns: [
      {key: 'group', header: 'Group', whole: true, get: ({id}) => id},
      {key: 'status', header: 'Status', get: ({status}) => badge(status, {Delivered: 'good'})},
      {key: 'delivered', header: 'Delivered', get: ({deliveredAt}) => time(deliveredAt)},
    ],
    below: rollup ? [{label: 'Delivered', cell: `${rollup.deliveredGroups} of ${rollup.totalGroups}`}] : [],
  }
}

/** An order of the local record. */
export interface RecordedOrder {
  externalReference: string
  customerRef: string | null
  outcome: string
  orderId: string | null
  total: Digits | null
  currency: string | null
  status: string | null
  startedAt: string
  updatedAt: string
}

const outcomeTones: Record<string, Tone> = {
  placed: 'good',
  'already-placed': 'good',
  refused: 'bad',
  unknown: 'bad',
  open: 'warn',
}

export const recordedOrderColumns: Column<RecordedOrder>[] = [
  {key: 'reference', header: 'Reference', whole: true, get: (order) => order.externalReference},
  {key: 'outcome', header: 'Outcome', get: ({outcome}) => badge(outcome, outcomeTones)},
  {key: 'order', header: 'Order', whole: true, get: ({orderId}) => orderId},
  {key: 'total', header: 'Total', yields: true, get: ({total, currency}) => money(total, currency)},
  {key: 'currency', header: 'Currency', shown: 'plain', get: ({currency}) => currency},
  {key: 'customer', header: 'Customer', yields: true, get: ({customerRef}) => customerRef},
  {key: 'started', header: 'Started', yields: true, get: ({startedAt}) => time(startedAt)},
  {key: 'updated', header: 'Updated', shown: 'asked', get: ({updatedAt}) => time(updatedAt)},
  {key: 'status', header: 'Status', shown: 'asked', get: ({status}) => badge(status, orderTones)},
]
