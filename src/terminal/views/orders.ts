import * as z from 'zod/mini'
import {
  fulfillmentGroup,
  type OrderRead,
  type OrderTracking,
  orderLine,
  orderRead,
  orderStatus,
  type scentDetail,
} from '../../contract/orders.ts'
import {decimal, timestamp, toned, uuid} from '../../contract/wire.ts'
import type {VariantNames} from '../../flows/names.ts'
import {bare, pretty} from '../cells.ts'
import {columns} from '../columns.ts'
import {type Card, card, rowsOf, type Table} from '../table.ts'

type OrderLine = z.output<typeof orderLine>

/** not shown: the answer by Scent id. One with neither header nor detail is read as the detail itself. */
function detailOf(order: OrderRead): z.output<typeof scentDetail> | null | undefined {
  return order.scentDetail ?? (order.header ? undefined : (order as z.output<typeof scentDetail>))
}

/** The facts of an order as a whole. */
export function orderCard(order: OrderRead): Card<OrderRead> {
  const lines = `header.productOrderId|scentDetail.id|id Order;
    header.orderGlobalId|scentDetail.orderGlobalId|orderGlobalId Global id;
    header.externalReference|scentDetail.externalReference|externalReference Reference;
    scentDetail.customerRef|customerRef Customer; header.status|scentDetail.status|status Status;
    header.failureCode Failure; header.amount Charged incl. VAT;
    scentDetail.totalAmountWithVat|totalAmountWithVat Goods incl. VAT;
    scentDetail.totalGoodsVatAmount|totalGoodsVatAmount VAT on goods;
    scentDetail.totalCommissionWithVat|totalCommissionWithVat Commission incl. VAT;
    header.currency|scentDetail.currency|currency+; header.amountDisplay? About;
    header.createdAt Created; header.completedAt Completed; detailUnavailableReason? Detail unavailable`
  return card(order, columns(orderRead, lines, {}, order.header?.currency ?? detailOf(order)?.currency))
}

/** The lines of an order; what its variants are called comes from the local catalog. */
export function orderLines(order: OrderRead, names?: VariantNames): Table<OrderLine> {
  const detail = detailOf(order)
  const named = ({variantId}: OrderLine) => names?.of({id: String(variantId)})
  const people = {
    sku: (line: OrderLine) => named(line)?.sku ?? line.variantId,
    name: (line: OrderLine) => named(line)?.name,
  }
  const lines = `sku! SKU; name- Name; id- Line; variantId? Variant; quantity! Qty; returnedQuantity- Returned;
    unitAmount- Unit; lineTotal Total; pricingMode- Mode`
  return {
    rows: rowsOf(detail?.lines),
    empty: 'The answer names no lines.',
    columns: columns(orderLine, lines, people, detail?.currency),
  }
}

type Group = z.output<typeof fulfillmentGroup>

/** The fulfillment groups of an order. */
export function trackingTable(tracking: OrderTracking): Table<Group> {
  const rollup = tracking.deliveryRollup
  return {
    rows: rowsOf(tracking.fulfillmentGroups),
    empty: 'The order has no fulfillment group yet.',
    columns: groupColumns,
    below: rollup ? [{label: 'Delivered', cell: deliveredText(rollup)}] : [],
  }
}

function deliveredText({deliveredGroups, totalGroups}: NonNullable<OrderTracking['deliveryRollup']>): string {
  const [delivered, total] = [deliveredGroups, totalGroups].map((count) => pretty(bare(count)))
  return `${delivered} of ${total}`
}

export const groupColumns = columns(fulfillmentGroup, 'id Group; status!; deliveredAt Delivered')

/** What can have become of an order of the local record. */
export const outcomeWords = ['placed', 'already-placed', 'open', 'refused', 'unknown', 'abandoned']
export const statusWords: readonly string[] = orderStatus.known

const tones = {good: ['placed', 'already-placed'], warn: ['open'], bad: ['refused', 'unknown']}

/** An order of the local record. */
const recordedOrder = z.object({
  externalReference: z.string(),
  customerRef: z.nullable(z.string()),
  outcome: toned(z.string(), tones),
  orderId: z.nullable(uuid),
  total: z.nullable(decimal),
  currency: z.nullable(z.string()),
  status: z.nullable(orderStatus),
  startedAt: timestamp,
  updatedAt: timestamp,
  /** When a later run found that it stood. */
  askedAgainAt: z.nullable(timestamp),
  /** Why it does not stand, or why nobody knows. */
  error: z.nullable(
    z.object({
      state: z.string(),
      httpStatus: z.optional(z.number()),
      message: z.string(),
      hint: z.string(),
    }),
  ),
})
export type RecordedOrder = z.output<typeof recordedOrder>

export const recordedOrderColumns = columns(
  recordedOrder,
  `externalReference! Reference; outcome!; orderId Order; total- Total; currency+; customerRef- Customer;
    startedAt- Started; askedAgainAt-* Asked again; error.message~ Why; error.state? Code; updatedAt? Updated; status?`,
)
