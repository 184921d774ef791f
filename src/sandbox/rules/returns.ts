import type {ReturnBody} from '../../contract/returns.ts'
import type {Call, CallOf, FieldRules, Judging, Rules} from '../core/call.ts'
import {find, findAll, insert, insertAndRead} from '../core/rows.ts'
import {
  groups,
  type Order,
  type OrderLine,
  orders,
  type Return,
  type ReturnLine,
  returnLines,
  returns,
} from '../core/schema.ts'
import type {State} from '../core/state.ts'
import type {Row} from '../core/table.ts'
import {uuidOf, type World} from '../core/world.ts'
import {type FieldFault, faultsOfTexts} from '../door/body.ts'
import {pageOfRows} from '../door/page.ts'
import {refuse} from '../door/reply.ts'
import {iso, isoOrNull} from '../time/clock.ts'
import {type EventType, emit} from './events.ts'
import {globalIdOf} from './orders.ts'
import {linesOf, refundFor, refundPayload} from './refunds.ts'

type CreateCall = CallOf<'createReturn'>
type RequestedLine = ReturnBody['lines'][number]

// R03. not shown: the other reason codes.
const reasonCodes = ['Damaged']
const day = 86_400_000

/** R07. not shown: which form is in force, this one or the singular one, whose requests can't be withdrawn. */
function createReturn(call: CreateCall): object {
  if (call.state.assumptions.R07 === 'singular')
    refuse('NOT_FOUND_ROUTE', {message: 'Use the singular path.'})
  return createdReturn(call)
}

/** 404s, then the pre-checks in the order the spec lists them (R02). No money moves. */
function createdReturn(call: Omit<CreateCall, 'params'> & OfOrder): object {
  const {state, world, partner, body, now} = call
  const order = ownScentOrder(call)
  const group = groupOf(world, order.id, body.fulfillmentGroupId)
  const wanted = matchLines(state, linesOf(world, order.id), body.lines)
  if (group.status !== 'Delivered') refuse('BUSINESS_RETURN_REQUEST_GROUP_NOT_DELIVERED')
  if (wanted.some(({line, quantity}) => quantity > remaining(world, line)))
    refuse('BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING')
  // R01: the last moment of the window still counts.
  const windowDays = partner.return_window_days
  if (now > (group.delivered_at ?? 0) + windowDays * day)
    refuse('BUSINESS_RETURN_REQUEST_WINDOW_EXPIRED', {windowDays})
  const ids = wanted.map(({line}) => line.id)
  // R05: a line that is named twice is a duplicate of itself.
  if (new Set(ids).size < ids.length || ids.some((id) => hasRequested(world, id)))
    refuse('BUSINESS_RETURN_REQUEST_DUPLICATE_LINE')
  const row = insertAndRead(world, returns, {
    id: world.id('return'),
    partner_id: partner.id,
    order_id: order.id,
    group_id: group.id,
    status: 'Requested',
    requested_at: now,
  })
  wanted.forEach(({line, quantity, reasonCode}, i) => {
    const id = world.id('return-line')
    const of = {return_id: row.id, line_id: line.id}
    insert(world, returnLines, {...of, id, position: i, quantity, reason: reasonCode})
  })
  tellOfReturn(world, row, 'return.requested', now)
  return returnPayload(state, row)
}

function faultsOfReasons({body: {lines = []}, state}: Judging<'createReturn'>): FieldFault[] {
  const sent = lines.flatMap((line: Partial<RequestedLine> | undefined, i): [string, string][] =>
    line?.reasonCode === undefined ? [] : [[`lines[${i}].reasonCode`, line.reasonCode]],
  )
  if (state.assumptions.R03 === 'any') return faultsOfTexts(Object.fromEntries(sent))
  return sent
    .filter(([, reason]) => !reasonCodes.includes(reason))
    .map(([name]) => ({
      name,
      message: 'is not a reason code',
      code: 'VALIDATION_INVALID_REASON_CODE',
      more: {allowedValues: {reasonCode: reasonCodes}},
    }))
}

export const fieldRules = {
  createReturn: faultsOfReasons,
  createReturnSingular: faultsOfReasons,
} satisfies FieldRules

type OfOrder = Pick<Call, 'world' | 'partner'> & {params: {orderId: string}}

function ownScentOrder({world, partner, params}: OfOrder): Order {
  const order = find(world, orders, {id: params.orderId.toLowerCase(), partner_id: partner.id})
  return order ?? refuse('NOT_FOUND_SCENT_ORDER')
}

/** R18: the group of another order is not found, whoever owns that order. */
function groupOf(world: World, orderId: string, groupId: string): Row<typeof groups> {
  const group = find(world, groups, {id: groupId.toLowerCase(), order_id: orderId})
  return group ?? refuse('NOT_FOUND_FULFILLMENT_GROUP')
}

type WantedLine = RequestedLine & {line: OrderLine}

function matchLines(state: State, lines: OrderLine[], requested: RequestedLine[]): WantedLine[] {
  return requested.map((wanted) => {
    const line = lines.find(({id}) => id === wanted.scentOrderLineId.toLowerCase())
    if (line === undefined) refuse('NOT_FOUND_ORDER_LINE')
    // R04: no read shows the allocations of a line; one that is sent must be the line's own.
    const allocation = wanted.allocationId?.toLowerCase()
    if (allocation !== undefined && allocation !== allocationOf(state, line.id))
      refuse('NOT_FOUND_ORDER_LINE')
    return {...wanted, line}
  })
}

const allocationOf = ({seed}: State, lineId: string) => uuidOf(seed, `allocation of ${lineId}`, 1)

/** R06: what is in an open request, or in a notice that is not settled, counts as gone: nothing is refunded twice. */
function remaining(world: World, line: OrderLine): number {
  const sql = `SELECT coalesce(sum(l.quantity), 0) AS n FROM return_lines l JOIN returns r ON r.id = l.return_id
    WHERE r.order_id = ? AND l.line_id = ? AND r.status IN ('Requested', 'Accepted', 'Processing')`
  const open = world.get<{n: number}>(sql, line.order_id, line.id)?.n ?? 0
  const noticed = world.get<{n: number}>(
    `SELECT coalesce(sum(ordered), 0) AS n FROM notices WHERE line_id = ? AND status = 'AwaitingPartnerResponse'`,
    line.id,
  )
  return line.quantity - line.cancelled - line.returned - open - (noticed?.n ?? 0)
}

function hasRequested(world: World, lineId: string): boolean {
  const sql = `SELECT 1 AS found FROM return_lines l JOIN returns r ON r.id = l.return_id
    WHERE l.line_id = ? AND r.status = 'Requested' LIMIT 1`
  return world.get(sql, lineId) !== undefined
}

function withdrawReturn({state, world, partner, params, now}: CallOf<'withdrawReturn'>): object {
  if (state.assumptions.R07 === 'singular')
    refuse('NOT_FOUND_ROUTE', {message: 'No request can be withdrawn.'})
  const id = params.returnRequestId.toLowerCase()
  const row = find(world, returns, {id, partner_id: partner.id})
  if (row === undefined) refuse('NOT_FOUND_RETURN_REQUEST') // G19. not shown: the name of the 404.
  if (row.status !== 'Requested') refuse('BUSINESS_RETURN_REQUEST_NOT_PENDING')
  world.run("UPDATE returns SET status = 'Withdrawn' WHERE id = ?", row.id)
  const withdrawn: Return = {...row, status: 'Withdrawn'}
  tellOfReturn(world, withdrawn, 'return.withdrawn', now)
  return returnPayload(state, withdrawn) // not shown: the answer. (R17)
}

function listOrderReturns(call: CallOf<'listOrderReturns'>): object {
  return pageOfReturns(call, 'order_id = ?1', ownScentOrder(call).id)
}

/** R16: newest first, and a filter by one status, which the door has judged. */
function listReturns(call: CallOf<'listReturns'>): object {
  const where = 'partner_id = ?1 AND (?2 IS NULL OR status = ?2)'
  return pageOfReturns(call, where, call.partner.id, call.query.status ?? null)
}

function pageOfReturns(
  call: CallOf<'listOrderReturns' | 'listReturns'>,
  where: string,
  ...values: (string | null)[]
): object {
  const source = {from: `FROM returns WHERE ${where}`, values, order: 'n DESC'}
  return pageOfRows<Return>(call, source, (row) => listedReturn(call.state, row))
}

/** Items of lists have some fields that the answer to a create lacks. */
export function listedReturn(state: State, row: Return): object {
  const n = find(state.world, orders, {id: row.order_id})?.n ?? 0
  return {
    ...returnPayload(state, row),
    scentOrderId: row.order_id,
    orderGlobalId: globalIdOf(n),
    partnerId: row.partner_id,
    requestedAt: iso(row.requested_at),
    decidedAt: isoOrNull(row.decided_at),
    decidedByUserId: row.decided_at === null ? null : uuidOf(state.seed, 'operator', 1),
  }
}

/** not shown: the form of the number. (R08) */
export const returnNumberOf = ({n}: {n: number}): string => `RMA-${String(n).padStart(6, '0')}`

/** Fields that do not apply yet are null; the timeline is there from the start (R10). */
export function returnPayload(state: State, row: Return): object {
  const {world} = state
  const refund = refundFor(world, row.id)
  const lines = returnLinesOf(world, row.id)
  return {
    id: row.id,
    orderId: row.order_id,
    fulfillmentGroupId: row.group_id,
    returnRequestNumber: returnNumberOf(row),
    status: row.status === 'Requested' && state.assumptions.R07 === 'singular' ? 'Pending' : row.status,
    declineReason: row.decline_reason,
    timeline: {
      requestedAt: iso(row.requested_at),
      decidedAt: isoOrNull(row.decided_at),
      waybillIssuedAt: isoOrNull(row.dispatched_at),
      collectionScheduledAt: isoOrNull(row.dispatched_at),
      inTransitAt: isoOrNull(row.dispatched_at),
      refundReleasedAt: isoOrNull(refund?.at ?? null),
    },
    logistics: row.dispatched_at === null ? null : logisticsOf(row),
    inspection: row.received_at === null ? null : inspectionOf(row, typeof refund?.shipping === 'number'),
    refund: refund === undefined ? null : refundPayload(refund),
    lines: lines.map((line) => ({
      id: line.id,
      scentOrderLineId: line.line_id,
      allocationId: allocationOf(state, line.line_id),
      quantity: line.quantity,
      reasonCode: line.reason,
    })),
  }
}

export function returnLinesOf(world: World, returnId: string): ReturnLine[] {
  return findAll(world, returnLines, {return_id: returnId}, 'position')
}

// not shown: carriers, and other destinations. (R12)
const logisticsOf = ({n}: Return) => ({
  waybillNumber: `WB-${String(n).padStart(8, '0')}`,
  carrier: 'Other',
  carrierNameOther: 'Sandbox Courier',
  returnDestinationType: 'SortingPoint',
})

const inspectionOf = (row: Return, shippingFeeRefundApplies: boolean) => ({
  receivedAt: isoOrNull(row.received_at),
  inspectionStartedAt: isoOrNull(row.received_at),
  decidedAt: isoOrNull(row.inspected_at),
  // not shown: the outcome of a rejected inspection. (R11)
  outcome: row.inspected_at === null ? null : row.status === 'Rejected' ? 'Rejected' : 'Accepted',
  shippingFeeRefundApplies,
})

export function tellOfReturn(world: World, row: Return, type: EventType, at: number): void {
  const data = {
    orderId: row.order_id,
    returnRequestId: row.id,
    returnRequestNumber: returnNumberOf(row),
    status: row.status,
  }
  emit(world, {type, partnerId: row.partner_id, subject: row.id, data, at})
}

export const rules = {
  createReturn,
  createReturnSingular: createdReturn,
  withdrawReturn,
  listOrderReturns,
  listReturns,
} satisfies Rules
