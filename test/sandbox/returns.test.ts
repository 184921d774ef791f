import {describe, expect, test} from 'vitest'
import type {Sandbox} from '../support/types.ts'
import {type Caller, callerOf, control, useSandbox, variantOf} from './caller.ts'
import {historic} from './event-refusals.ts'

let sandbox: Sandbox
let caller: Caller
const reopen = useSandbox((opened) => {
  sandbox = opened
  caller = callerOf(opened)
})

/** Asks for units of the lines of an order, by their place in it. */
const request = (reference: string, quantities: Record<number, number>, path = 'return-requests') => {
  const order = historic(sandbox, reference)
  const lines = Object.entries(quantities).map(([i, quantity]) => ({
    scentOrderLineId: order.lines[Number(i)],
    quantity,
    reasonCode: 'Damaged',
  }))
  return caller.ask('POST', `/scent/orders/${order.id}/${path}`, {
    body: {fulfillmentGroupId: order.group, lines},
  })
}
const withdraw = (id: string) => caller.ask('PATCH', `/scent/return-requests/${id}/withdraw`)
const operate = (id: string, step: string, body?: object) =>
  control(sandbox, 'POST', `returns/${id}/${step}`, body)
const balance = async () => (await caller.ask('GET', '/wallet/transactions')).payload.items[0].balanceAfter

/** Orders, delivers and answers the reference. */
const delivered = async (reference: string, lines: Record<string, number>, more: object = {}) => {
  const wanted = Object.entries(lines).map(([sku, quantity]) => [variantOf(sandbox, sku), quantity])
  const {payload} = await caller.filled(reference, Object.fromEntries(wanted))
  const order = await caller.order(reference, payload.lockId, reference, more)
  await control(sandbox, 'POST', `orders/${order.payload.id}/deliver`)
  return order.payload
}

describe('a request', () => {
  test('starts as Requested, with everything that does not apply yet as null, and moves no money', async () => {
    const before = await balance()
    const answer = await request('HIST-0002', {0: 1, 1: 2})
    expect(answer).toMatchObject({
      status: 200,
      state: 'SUCCESS',
      payload: {
        orderId: historic(sandbox, 'HIST-0002').id,
        returnRequestNumber: 'RMA-000001',
        status: 'Requested',
        declineReason: null,
        timeline: {
          decidedAt: null,
          waybillIssuedAt: null,
          collectionScheduledAt: null,
          inTransitAt: null,
          refundReleasedAt: null,
        },
        logistics: null,
        inspection: null,
        refund: null,
        lines: [
          {quantity: 1, reasonCode: 'Damaged'},
          {quantity: 2, reasonCode: 'Damaged'},
        ],
      },
    })
    expect(answer.payload.timeline.requestedAt).toMatch(/Z$/)
    expect(await balance()).toBe(before)
  })

  test('takes an allocation of its line, and no other one', async () => {
    const {payload} = await request('HIST-0002', {0: 1})
    await withdraw(payload.id)
    const order = historic(sandbox, 'HIST-0002')
    const [line] = payload.lines
    const again = (allocationId: string) =>
      caller.ask('POST', `/scent/orders/${order.id}/return-requests`, {
        body: {
          fulfillmentGroupId: order.group,
          lines: [
            {scentOrderLineId: line.scentOrderLineId, allocationId, quantity: 1, reasonCode: 'Damaged'},
          ],
        },
      })
    expect((await again(order.group)).state).toBe('NOT_FOUND_ORDER_LINE')
    expect((await again(line.allocationId.toUpperCase())).status).toBe(200)
  })

  test('counts open requests as gone, and gives withdrawn and rejected ones back', async () => {
    const first = (await request('HIST-0002', {1: 2})).payload
    expect((await request('HIST-0002', {1: 2})).state).toBe('BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING')
    expect((await request('HIST-0002', {1: 1})).state).toBe('BUSINESS_RETURN_REQUEST_DUPLICATE_LINE')
    await operate(first.id, 'accept')
    expect((await request('HIST-0002', {1: 2})).state).toBe('BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING')
    const second = await request('HIST-0002', {1: 1})
    expect(second.status).toBe(200)
    await withdraw(second.payload.id)
    await operate(first.id, 'receive')
    await operate(first.id, 'reject', {reason: 'Not ours'})
    expect((await request('HIST-0002', {1: 3})).status).toBe(200)
  })

  test('leaves alone what a notice has not settled, so that nothing is refunded twice', async () => {
    const {payload} = await caller.filled('N-1', {[variantOf(sandbox, 'RML-SAF-050')]: 2})
    const {payload: order} = await caller.order('N-1', payload.lockId, 'N-1', {})
    const {payload: read} = await caller.ask('GET', `/scent/orders/${order.id}`)
    const [line] = read.scentDetail.lines
    const raised = {lineId: line.id, availableQuantity: 1}
    expect((await control(sandbox, 'POST', `orders/${order.id}/notices`, raised)).status).toBe(200)
    await control(sandbox, 'POST', `orders/${order.id}/deliver`)
    const lines = [{scentOrderLineId: line.id, quantity: 1, reasonCode: 'Damaged'}]
    const body = {fulfillmentGroupId: read.scentDetail.fulfillmentGroups[0].id, lines}
    const ask = () => caller.ask('POST', `/scent/orders/${order.id}/return-requests`, {body})
    expect((await ask()).state).toBe('BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING')
    // The notice expires and cancels the line; the check after each test finds no unit given back twice.
    await control(sandbox, 'POST', 'clock', {advanceSeconds: 73 * 3600})
  })

  test('is taken up to the last moment of the window, and not after it', async () => {
    const order = historic(sandbox, 'HIST-0002')
    const {payload} = await caller.ask('GET', `/scent/orders/${order.id}`)
    const end = Date.parse(payload.scentDetail.fulfillmentGroups[0].deliveredAt) + 14 * 86_400_000
    await control(sandbox, 'POST', 'clock', {freeze: true, to: new Date(end).toISOString()})
    caller = callerOf(sandbox)
    const {payload: made} = await request('HIST-0002', {0: 1})
    expect(made.status).toBe('Requested')
    await withdraw(made.id)
    await control(sandbox, 'POST', 'clock', {advanceSeconds: 0.001})
    expect((await request('HIST-0002', {0: 1})).details).toEqual({windowDays: 14})
    await control(sandbox, 'PATCH', 'partners/rimal-retail', {returnWindowDays: 15})
    expect((await request('HIST-0002', {0: 1})).status).toBe(200)
  })

  test('names a line once', async () => {
    const order = historic(sandbox, 'HIST-0002')
    const line = {scentOrderLineId: order.lines[1], quantity: 1, reasonCode: 'Damaged'}
    const body = {fulfillmentGroupId: order.group, lines: [line, line]}
    const twice = await caller.ask('POST', `/scent/orders/${order.id}/return-requests`, {body})
    expect(twice.state).toBe('BUSINESS_RETURN_REQUEST_DUPLICATE_LINE')
  })

  test('of another partner does not exist, nor does its order', async () => {
    const {payload} = await request('HIST-0002', {0: 1})
    const order = historic(sandbox, 'HIST-0002')
    caller = callerOf(sandbox, 'rimal-online')
    expect((await withdraw(payload.id)).state).toBe('NOT_FOUND_RETURN_REQUEST')
    expect((await request('HIST-0002', {0: 1})).state).toBe('NOT_FOUND_SCENT_ORDER')
    expect((await caller.ask('GET', `/scent/orders/${order.id}/return-requests`)).status).toBe(404)
    expect((await caller.ask('GET', '/scent/return-requests')).payload.items).toEqual([])
  })
})

describe('lists', () => {
  test('show newest first, by order and by status, with what the create leaves out', async () => {
    const {payload: first} = await request('HIST-0002', {0: 1})
    const {payload: second} = await request('HIST-0002', {1: 1})
    await withdraw(first.id)
    const order = historic(sandbox, 'HIST-0002')
    const {payload} = await caller.ask('GET', `/scent/orders/${order.id}/return-requests`)
    expect(payload.items.map(({id}: {id: string}) => id)).toEqual([second.id, first.id])
    expect(payload.items[1]).toMatchObject({
      scentOrderId: order.id,
      orderGlobalId: expect.stringMatching(/^SCN-/),
      partnerId: sandbox.credentials[0]?.partnerId,
      requestedAt: first.timeline.requestedAt,
      decidedAt: null,
      decidedByUserId: null,
      status: 'Withdrawn',
    })
    expect(payload.pagination).toEqual({page: 1, pageSize: 20, totalCount: 2, totalPages: 1})
    const only = await caller.ask('GET', '/scent/return-requests', {query: 'status=Withdrawn&pageSize=1'})
    expect(only.payload.items.map(({id}: {id: string}) => id)).toEqual([first.id])
    for (const status of ['', 'requested', 'Requested,Withdrawn']) {
      const refused = await caller.ask('GET', '/scent/return-requests', {query: `status=${status}`})
      expect(refused.state).toBe('VALIDATION_INVALID_RETURN_STATUS')
    }
  })
})

describe('the operator', () => {
  test('goes step by step, and each step leaves its moment', async () => {
    const {payload} = await request('HIST-0002', {0: 1})
    const accepted = (await operate(payload.id, 'accept')).payload
    expect(accepted).toMatchObject({status: 'Accepted', logistics: null, inspection: null})
    expect(accepted.timeline.decidedAt).not.toBeNull()
    const sent = (await operate(payload.id, 'dispatch')).payload
    expect(sent).toMatchObject({
      status: 'Accepted',
      logistics: {
        waybillNumber: 'WB-00000001',
        carrier: 'Other',
        carrierNameOther: 'Sandbox Courier',
        returnDestinationType: 'SortingPoint',
      },
      inspection: null,
    })
    const received = (await operate(payload.returnRequestNumber, 'receive')).payload
    expect(received).toMatchObject({
      status: 'Processing',
      inspection: {decidedAt: null, outcome: null, shippingFeeRefundApplies: false},
      refund: null,
    })
    const refunded = (await operate(payload.id, 'refund')).payload
    expect(refunded).toMatchObject({status: 'Refunded', inspection: {outcome: 'Accepted'}})
    expect(refunded.timeline.refundReleasedAt).not.toBeNull()
    expect((await operate(payload.id, 'accept')).status).toBe(409)
  })

  test('takes no step back, and says why a request is rejected', async () => {
    const {payload} = await request('HIST-0002', {0: 1})
    await operate(payload.id, 'dispatch')
    expect((await operate(payload.id, 'accept')).status).toBe(409)
    expect((await operate(payload.id, 'reject')).status).toBe(409)
    await operate(payload.id, 'receive')
    expect((await operate(payload.id, 'reject', {reason: 'Empty box'})).payload).toMatchObject({
      status: 'Rejected',
      declineReason: 'Empty box',
      inspection: {outcome: 'Rejected'},
      refund: null,
    })
    expect((await operate('RMA-999999', 'accept')).status).toBe(404)
  })
})

describe('a refund', () => {
  test('credits goods and shipping each by themselves, and takes the commission back from the earnings', async () => {
    await delivered('PO-1', {'RML-SAF-050': 2})
    const before = await balance()
    const {payload} = await request('PO-1', {0: 1})
    const refunded = (await operate(payload.id, 'refund')).payload
    expect(refunded.refund).toEqual({
      currency: 'SAR',
      goods: {net: 120.5, vat: 18.08, total: 138.58},
      commissionClawback: 16.63,
      shippingFeeRefund: 28.75,
      total: 138.58,
    })
    expect(refunded.inspection.shippingFeeRefundApplies).toBe(true)
    const {items} = (await caller.ask('GET', '/wallet/transactions', {query: 'referenceType=Refund'})).payload
    expect(items).toMatchObject([
      {transactionType: 'Credit', amount: 28.75, referenceType: 'Refund'},
      {transactionType: 'Credit', amount: 138.58, balanceBefore: before, referenceType: 'Refund'},
    ])
    expect(await balance()).toBe(Math.round((before + 138.58 + 28.75) * 100) / 100)
  })

  test('of every unit, one by one, adds up to what was charged, to the halala', async () => {
    const {pricing, id} = await delivered('PO-1', {'RML-SAF-050': 3})
    const parts: {
      goods: {net: number; vat: number}
      commissionClawback: number
      shippingFeeRefund: number
    }[] = []
    for (let i = 0; i < 3; i++) {
      const {payload} = await request('PO-1', {0: 1})
      parts.push((await operate(payload.id, 'refund')).payload.refund)
    }
    const sum = (pick: (part: (typeof parts)[number]) => number | null) =>
      parts.reduce((total, part) => total + Math.round((pick(part) ?? 0) * 100), 0) / 100
    expect(sum(({goods}) => goods.net)).toBe(pricing.subtotal)
    expect(sum(({goods}) => goods.vat)).toBe(pricing.vat)
    expect(sum(({commissionClawback}) => commissionClawback)).toBe(pricing.commission.amountWithVat)
    expect(parts.map(({shippingFeeRefund}) => shippingFeeRefund)).toEqual([28.75, null, null])
    expect(await balance()).toBe(50_000)
    const {header, scentDetail} = (await caller.ask('GET', `/scent/orders/${id}`)).payload
    expect([header.status, scentDetail.lines[0].returnedQuantity]).toEqual(['PartiallyReturned', 3])
    expect((await request('PO-1', {0: 1})).state).toBe('BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING')
  })

  test('of sound goods keeps the shipping fee, and Wholesale has no commission to take back', async () => {
    await delivered('PO-1', {'NJD-LEA-050': 1})
    const {payload} = await request('PO-1', {0: 1})
    const {refund, inspection} = (await operate(payload.id, 'refund', {defect: false})).payload
    expect(refund).toMatchObject({commissionClawback: null, shippingFeeRefund: null})
    expect(inspection.shippingFeeRefundApplies).toBe(false)
    const {items} = (await caller.ask('GET', '/wallet/transactions', {query: 'referenceType=Refund'})).payload
    expect(items).toHaveLength(1)
  })

  test('of a free shipping order gives no fee back', async () => {
    await delivered('PO-1', {'RML-SAF-050': 5})
    const {payload} = await request('PO-1', {0: 1})
    expect((await operate(payload.id, 'refund')).payload.refund.shippingFeeRefund).toBeNull()
  })

  test('returns no stock', async () => {
    await delivered('PO-1', {'RML-SAF-050': 2})
    const stock = () =>
      sandbox.state.world.get<{stock: number}>("SELECT stock FROM variants WHERE sku = 'RML-SAF-050'")?.stock
    const before = stock()
    const {payload} = await request('PO-1', {0: 2})
    await operate(payload.id, 'refund')
    expect(stock()).toBe(before)
  })

  test('reaches a partner whose wallet was taken away', async () => {
    await delivered('PO-1', {'RML-SAF-050': 1})
    await control(sandbox, 'PATCH', 'partners/rimal-retail', {wallet: null})
    const {payload} = await request('PO-1', {0: 1})
    await operate(payload.id, 'refund')
    expect(await balance()).toBe(167.33)
  })
})

test('any reason is taken where that is assumed, and kept as it was sent', async () => {
  await reopen({assume: ['R03=any']})
  const order = historic(sandbox, 'HIST-0002')
  const because = (reasonCode: string) => {
    const lines = [{scentOrderLineId: order.lines[0], quantity: 1, reasonCode}]
    const body = {fulfillmentGroupId: order.group, lines}
    return caller.ask('POST', `/scent/orders/${order.id}/return-requests`, {body})
  }
  expect((await because(' ')).details).toEqual({errors: {'lines[0].reasonCode': ['is required']}})
  expect((await because('WrongItem')).payload.lines).toMatchObject([{reasonCode: 'WrongItem'}])
})

test('the singular form answers Pending, and can neither be withdrawn nor asked for by the plural path', async () => {
  expect((await request('HIST-0002', {0: 1}, 'return-request')).state).toBe('NOT_FOUND_ROUTE')
  await reopen({assume: ['R07=singular']})
  expect((await request('HIST-0002', {0: 1})).state).toBe('NOT_FOUND_ROUTE')
  const {payload, status} = await request('HIST-0002', {0: 1}, 'return-request')
  expect([status, payload.status]).toEqual([200, 'Pending'])
  expect((await withdraw(payload.id)).state).toBe('NOT_FOUND_ROUTE')
  expect((await operate(payload.id, 'accept')).payload.status).toBe('Accepted')
})
