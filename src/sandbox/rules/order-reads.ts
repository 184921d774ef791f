import type {Call, CallOf, Rules} from '../core/call.ts'
import type {World} from '../core/world.ts'
import {refuse} from '../door/reply.ts'
import {iso, isoOrNull} from '../time/clock.ts'
import {type Currency, currencies, type Halalas, sar, sarOrNull, shownInOrNull, vatRate} from './money.ts'
import {globalIdOf} from './orders.ts'
import type {Partner} from './partners.ts'

export interface OrderRow {
  n: number
  id: string
  partner_id: string
  saga_id: string
  external_reference: string
  customer_ref: string
  lock_id: string
  status: string
  failure_reason: string | null
  intervention: number
  detail_reason: string | null
  goods_net: Halalas
  goods_vat: Halalas
  shipping_net: Halalas
  shipping_vat: Halalas
  commission_net: Halalas
  commission_vat: Halalas
  created_at: number
  completed_at: number | null
}

interface LineRow {
  id: string
  variant_id: string
  quantity: number
  returned: number
  unit: Halalas
  net: Halalas
  vat: Halalas
  mode: string
  commission: Halalas | null
  commission_vat: Halalas | null
}

interface GroupRow {
  id: string
  status: string
  delivered_at: number | null
}

type ReadCall = Pick<Call, 'world' | 'partner' | 'currency'>

// O25. not shown: the numbers themselves; these are made up.
export const platformTaxNumber = '310000000000003'

/** O04. not shown: the answer; it is that of the other read. */
function readOrder(call: CallOf<'readOrder'>): unknown {
  return orderPayload(call, ownOrder(call.world, call.partner, call.params.orderId))
}

function readOrderByGlobalId(call: CallOf<'readOrderByGlobalId'>): unknown {
  const {orderGlobalId} = call.params
  const n = /^SCN-(\d{10})$/.exec(orderGlobalId)?.[1]
  const sql = 'SELECT * FROM orders WHERE n = ? AND partner_id = ?'
  const order = n === undefined ? undefined : call.world.get<OrderRow>(sql, Number(n), call.partner.id)
  if (order === undefined) refuse('NOT_FOUND_ORDER', {orderGlobalId})
  return orderPayload(call, order)
}

/** O04. not shown: the answer. */
function trackOrder(call: CallOf<'trackOrder'>): unknown {
  const order = ownOrder(call.world, call.partner, call.params.orderId)
  return {orderId: order.id, ...delivery(call.world, order.id)}
}

function ownOrder(world: World, partner: Partner, orderId: string): OrderRow {
  const sql = 'SELECT * FROM orders WHERE id = ? AND partner_id = ?'
  const order = world.get<OrderRow>(sql, orderId.toLowerCase(), partner.id)
  if (order === undefined) refuse('NOT_FOUND_ORDER', {orderId})
  return order
}

/**
 * The payload of both order reads. G17: the display currency is the header's, else the partner's own. O23:
 * its amount is what the wallet paid, the totals of the detail are the goods alone.
 */
export function orderPayload(call: ReadCall, order: OrderRow): object {
  const currency = call.currency ?? currencies.find(({code}) => code === call.partner.currency) ?? null
  const goods = order.goods_net + order.goods_vat
  const amount = goods + order.shipping_net + order.shipping_vat
  return {
    header: {
      orderGlobalId: globalIdOf(order.n),
      partnerId: order.partner_id,
      productType: 'Scent',
      productOrderId: order.id,
      externalReference: order.external_reference,
      amount: sar(amount),
      currency: 'SAR',
      status: order.status,
      failureCode: order.failure_reason, // O21
      createdAt: iso(order.created_at),
      completedAt: isoOrNull(order.completed_at),
      displayCurrency: currency?.code ?? null,
      rate: currency?.rate ?? null,
      amountDisplay: shownInOrNull(currency, amount),
    },
    // O29: opaque to clients, and null unless the sandbox was told otherwise.
    scentDetail: order.detail_reason === null ? scentDetail(call, order, currency) : null,
    detailUnavailableReason: order.detail_reason,
  }
}

function scentDetail({world, partner}: ReadCall, order: OrderRow, currency: Currency | null): object {
  const lines = world.all<LineRow>('SELECT * FROM order_lines WHERE order_id = ? ORDER BY position', order.id)
  return {
    id: order.id,
    orderGlobalId: globalIdOf(order.n),
    sagaId: order.saga_id,
    partnerId: order.partner_id,
    externalReference: order.external_reference,
    customerRef: order.customer_ref === '' ? null : order.customer_ref,
    totalAmount: sar(order.goods_net),
    totalCommission: sar(order.commission_net),
    currency: 'SAR',
    status: order.status,
    lines: lines.map((line) => linePayload(line, currency)),
    ...delivery(world, order.id),
    totalGoodsVatAmount: sar(order.goods_vat),
    totalCommissionVatAmount: sar(order.commission_vat),
    totalAmountWithVat: sar(order.goods_net + order.goods_vat),
    totalCommissionWithVat: sar(order.commission_net + order.commission_vat),
    taxPoint: iso(order.created_at), // O25
    platformTaxRegistrationNumber: platformTaxNumber,
    partnerTaxRegistrationNumber: partner.vat_number,
    partnerIsVatRegistered: partner.vat_number !== null,
    displayCurrency: currency?.code ?? null,
    rate: currency?.rate ?? null,
    totalAmountDisplay: shownInOrNull(currency, order.goods_net),
  }
}

/** O24. not shown: source and classification. O26: a Wholesale line has no commission, not one of zero. */
function linePayload(line: LineRow, currency: Currency | null): object {
  return {
    id: line.id,
    variantId: line.variant_id,
    quantity: line.quantity,
    returnedQuantity: line.returned,
    unitAmount: sar(line.unit),
    lineTotal: sar(line.net),
    partnerCommission: sarOrNull(line.commission),
    pricingMode: line.mode,
    source: null,
    taxClassification: 'Standard',
    vatRateApplied: vatRate,
    lineGoodsVatAmount: sar(line.vat),
    lineCommissionVatAmount: sarOrNull(line.commission_vat),
    unitAmountDisplay: shownInOrNull(currency, line.unit),
    lineTotalDisplay: shownInOrNull(currency, line.net),
    partnerCommissionDisplay: shownInOrNull(currency, line.commission),
  }
}

function delivery(world: World, orderId: string): object {
  const groups = world.all<GroupRow>('SELECT * FROM groups WHERE order_id = ? ORDER BY id', orderId)
  return {
    fulfillmentGroups: groups.map(({id, status, delivered_at}) => ({
      id,
      status,
      deliveredAt: isoOrNull(delivered_at),
    })),
    deliveryRollup: {
      totalGroups: groups.length,
      deliveredGroups: groups.filter((group) => group.status === 'Delivered').length,
    },
  }
}

export const rules = {readOrder, readOrderByGlobalId, trackOrder} satisfies Rules
