import {describe, expect, test} from 'vitest'
import type {Sandbox} from '../support/types.ts'
import {type Caller, callerOf, control, useSandbox, variantOf} from './caller.ts'
import {historic} from './event-refusals.ts'

let sandbox: Sandbox
let caller: Caller
useSandbox((opened) => {
  sandbox = opened
  caller = callerOf(opened)
})

const ordered = async (lines: Record<string, number>, reference = 'PO-1') => {
  const wanted = Object.entries(lines).map(([sku, quantity]) => [variantOf(sandbox, sku), quantity])
  const {payload} = await caller.filled(reference, Object.fromEntries(wanted))
  return (await caller.order(reference, payload.lockId, reference)).payload
}
const raise = (orderId: string, body: object) => control(sandbox, 'POST', `orders/${orderId}/notices`, body)
const respond = (id: string, choice: string) =>
  caller.ask('PATCH', `/scent/unfulfillable-notices/${id}/respond`, {body: {choice}})
const balance = async () => (await caller.ask('GET', '/wallet/transactions')).payload.items[0].balanceAfter
const later = async (seconds: number) => {
  const {payload} = await control(sandbox, 'POST', 'clock', {advanceSeconds: seconds})
  caller = callerOf(sandbox)
  return payload.fired as {job: string; id: string}[]
}
const hours = 3_600

test('the demo data has an open notice with 48 of its 72 hours left', async () => {
  const {payload} = await control(sandbox, 'GET', 'state')
  const [notice] = payload.notices
  expect(notice).toMatchObject({
    scentOrderId: historic(sandbox, 'HIST-0003').id,
    reason: 'OutOfStock',
    status: 'AwaitingPartnerResponse',
    responseChoice: null,
    respondedAt: null,
    line: {sku: 'SDR-HON-050', orderedQuantity: 4, availableQuantity: 3, shortfallQuantity: 1},
    impact: {cancelWhole: null, shipAvailable: null},
  })
  const left = Date.parse(notice.responseDeadlineAt) - sandbox.state.clock.now()
  expect(left / 3_600_000).toBeCloseTo(48, 1)
  expect((await respond(notice.id, 'ShipAvailable')).payload).toMatchObject({status: 'Resolved'})
})

describe('raising a notice', () => {
  test('answers it and the event that carries it', async () => {
    const {id} = await ordered({'RML-SAF-050': 3})
    const {payload} = await raise(id, {lineId: 'RML-SAF-050', availableQuantity: 2, departed: true})
    expect(payload.notice).toMatchObject({scentOrderId: id, hasShipmentDeparted: true})
    expect(Date.parse(payload.notice.responseDeadlineAt) - Date.parse(payload.notice.notifiedAt)).toBe(
      72 * hours * 1000,
    )
    expect(payload.event).toMatchObject({
      eventId: expect.stringMatching(/^[0-9a-f]{64}$/),
      eventType: 'notice.raised',
      occurredAt: payload.notice.notifiedAt,
      partnerId: sandbox.credentials[0]?.partnerId,
      data: {orderId: id, noticeId: payload.notice.id, notice: payload.notice},
    })
  })

  test('is refused where nothing can be missing', async () => {
    const {id} = await ordered({'RML-SAF-050': 3})
    const line = {lineId: 'RML-SAF-050'}
    expect((await raise(id, {...line, availableQuantity: 3})).status).toBe(400)
    expect((await raise(id, {...line, reason: 'Lost', availableQuantity: 1})).status).toBe(400)
    expect((await raise(id, {lineId: 'RML-SAF-100'})).state).toBe('NOT_FOUND_ORDER_LINE')
    expect((await raise('SCN-9999999999', line)).state).toBe('NOT_FOUND_ORDER')
    expect((await raise(id, line)).status).toBe(200)
    expect((await raise(id, line)).status).toBe(400)
    const old = historic(sandbox, 'HIST-0001')
    expect((await raise(old.id, {lineId: old.lines[0]})).status).toBe(400)
  })
})

describe('an answer', () => {
  test('CancelWhole gives everything back, and the shipping fee when nothing is left of the order', async () => {
    const {id, pricing} = await ordered({'RML-SAF-050': 2})
    const {notice} = (await raise(id, {lineId: 'RML-SAF-050', availableQuantity: 1})).payload
    const {payload, status, state} = await respond(notice.id, 'CancelWhole')
    expect([status, state]).toEqual([200, 'SUCCESS'])
    expect(payload).toMatchObject({status: 'Resolved', responseChoice: 'CancelWhole'})
    expect(payload.respondedAt).not.toBeNull()
    expect(payload.impact).toEqual({
      cancelWhole: {
        currency: 'SAR',
        goods: {net: 241, vat: 36.15, total: 277.15},
        commissionClawback: pricing.commission.amountWithVat,
        shippingFeeRefund: 28.75,
        total: 277.15,
      },
      shipAvailable: null,
    })
    expect(await balance()).toBe(50_000)
    const {scentDetail, header} = (await caller.ask('GET', `/scent/orders/${id}`)).payload
    expect(scentDetail.lines[0]).toMatchObject({quantity: 2, returnedQuantity: 0})
    expect([header.status, scentDetail.fulfillmentGroups[0].status]).toEqual(['Processing', 'Cancelled'])
  })

  test('CancelWhole of one line of two keeps the shipping fee, and puts the units back into stock', async () => {
    const stock = () =>
      sandbox.state.world.get<{stock: number}>("SELECT stock FROM variants WHERE sku = 'RML-TAI-050'")?.stock
    const before = stock()
    const {id} = await ordered({'RML-SAF-050': 1, 'RML-TAI-050': 1})
    const {notice} = (await raise(id, {lineId: 'RML-TAI-050'})).payload
    const {payload} = await respond(notice.id, 'CancelWhole')
    expect(payload.impact.cancelWhole.shippingFeeRefund).toBeNull()
    expect(stock()).toBe(before)
  })

  test('ShipAvailable cancels the shortfall, whose units can not be returned later', async () => {
    const {id} = await ordered({'RML-SAF-050': 3})
    const before = await balance()
    const {notice} = (await raise(id, {lineId: 'RML-SAF-050', availableQuantity: 2})).payload
    const {payload} = await respond(notice.id, 'ShipAvailable')
    expect(payload.impact).toMatchObject({
      cancelWhole: null,
      shipAvailable: {goods: {net: 120.5, vat: 18.08, total: 138.58}, shippingFeeRefund: null},
    })
    expect(await balance()).toBe(Math.round((before + 138.58) * 100) / 100)
    await control(sandbox, 'POST', `orders/${id}/deliver`)
    const order = historic(sandbox, 'PO-1')
    const back = (quantity: number) =>
      caller.ask('POST', `/scent/orders/${id}/return-requests`, {
        body: {
          fulfillmentGroupId: order.group,
          lines: [{scentOrderLineId: order.lines[0], quantity, reasonCode: 'Damaged'}],
        },
      })
    expect((await back(3)).state).toBe('BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING')
    const made = await back(2)
    await control(sandbox, 'POST', `returns/${made.payload.id}/refund`)
    expect(await balance()).toBe(50_000)
  })

  test('to what is lost is a full cancel, whatever was chosen', async () => {
    const {id} = await ordered({'RML-SAF-050': 2})
    const {notice} = (await raise(id, {lineId: 'RML-SAF-050', reason: 'Lost', departed: true})).payload
    expect(notice.line).toMatchObject({availableQuantity: 0, shortfallQuantity: 2})
    const {payload} = await respond(notice.id, 'ShipAvailable')
    expect(payload).toMatchObject({status: 'Resolved', responseChoice: 'ShipAvailable'})
    expect(payload.impact).toMatchObject({cancelWhole: {total: 277.15}, shipAvailable: null})
  })

  test('finds the group of what is lost Lost, which can not be delivered any more', async () => {
    const {id} = await ordered({'RML-SAF-050': 2, 'RML-TAI-050': 1})
    await raise(id, {lineId: 'RML-SAF-050', reason: 'Lost'})
    const second = (await raise(id, {lineId: 'RML-TAI-050', reason: 'Lost'})).payload
    expect(second.notice.hasShipmentDeparted).toBe(true)
    const {payload} = await control(sandbox, 'POST', `orders/${id}/deliver`)
    expect(payload.groups).toMatchObject([{status: 'Lost', deliveredAt: null}])
    await later(72 * hours)
    const {scentDetail} = (await caller.ask('GET', `/scent/orders/${id}`)).payload
    expect(scentDetail.fulfillmentGroups).toMatchObject([{status: 'Lost'}])
  })

  test('by another partner finds no notice', async () => {
    const {id} = await ordered({'RML-SAF-050': 2})
    const {notice} = (await raise(id, {lineId: 'RML-SAF-050'})).payload
    caller = callerOf(sandbox, 'rimal-online')
    expect((await respond(notice.id, 'CancelWhole')).state).toBe('NOT_FOUND_UNFULFILLABLE_NOTICE')
    expect((await respond('x', 'CancelWhole')).state).toBe('NOT_FOUND_UNFULFILLABLE_NOTICE')
  })
})

test('notices are read by events alone', async () => {
  const {payload} = await control(sandbox, 'GET', 'state')
  const path = `/scent/unfulfillable-notices/${payload.notices[0].id}`
  expect((await caller.ask('GET', path)).status).toBe(404)
})
