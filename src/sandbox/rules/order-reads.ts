import type {Call, CallOf, Rules} from '../core/call.ts'
import {find, findAll} from '../core/rows.ts'
import type {Partner} from '../core/schema.ts'
import {groups, type Order, type OrderLine, orderLines, orders} from '../core/schema.ts'
import type {World} from '../core/world.ts'
import {refuse} from '../door/reply.ts'
import {iso, isoOrNull} from '../time/clock.ts'
import {type Currency, currencies, displayIn, sar, sarOrNull, shownInOrNull, vatRate} from './money.ts'
import {globalIdOf} from './orders.ts'

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
  const own = {n: Number(n), partner_id: call.partner.id}
  const order = n === undefined ? undefined : find(call.world, orders, own)
  if (order === undefined) refuse('NOT_FOUND_ORDER', {orderGlobalId})
  return orderPayload(call, order)
}

/** O04. not shown: the answer. */
function trackOrder(call: CallOf<'trackOrder'>): unknown {
  const order = ownOrder(call.world, call.partner, call.params.orderId)
  return {orderId: order.id, ...delivery(call.world, order.id)}
}

function ownOrder(world: World, partner: Partner, orderId: string): Order {
  const order = find(world, orders, {id: orderId.toLowerCase(), partner_id: partner.id})
  if (order === undefined) refuse('NOT_FOUND_ORDER', {orderId})
  return order
}

/**
 * The payload of both order reads. G17: the display currency is the header's, else the partner's own. O23:
 * its amount is what the wallet paid, the totals of the detail are the goods alone.
 */
function orderPayload(call: ReadCall, order: Order): object {
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
      ...displayIn(currency),
      amountDisplay: shownInOrNull(currency, amount),
    },
    // O29: opaque to clients, and null unless the sandbox was told otherwise.
    scentDetail: order.detail_reason === null ? scentDetail(call, order, currency) : null,
    detailUnavailableReason: order.detail_reason,
  }
}

function scentDetail({world, partner}: ReadCall, order: Order, currency: Currency | null): object {
  const lines = findAll(world, orderLines, {order_id: order.id}, 'position')
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
    ...displayIn(currency),
    totalAmountDisplay: shownInOrNull(currency, order.goods_net),
  }
}

/** O24. not shown: source and classification. O26: a Wholesale line has no commission, not one of zero. */
function linePayload(line: OrderLine, currency: Currency | null): object {
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
  const fulfillmentGroups = groupsOf(world, orderId)
  const delivered = fulfillmentGroups.filter(({status}) => status === 'Delivered')
  return {
    fulfillmentGroups,
    deliveryRollup: {totalGroups: fulfillmentGroups.length, deliveredGroups: delivered.length},
  }
}

export function groupsOf(world: World, orderId: string) {
  return findAll(world, groups, {order_id: orderId}, 'id').map(({id, status, delivered_at}) => ({
    id,
    status,
    deliveredAt: isoOrNull(delivered_at),
  }))
}

export const rules = {readOrder, readOrderByGlobalId, trackOrder} satisfies Rules
