import {describe, expect, test} from 'vitest'
import {salesReports} from '../../src/contract/reports.ts'
import type {Sandbox} from '../support/types.ts'
import {type Caller, callerOf, control, useSandbox, variantOf} from './caller.ts'

let sandbox: Sandbox
let caller: Caller
useSandbox(
  (opened) => {
    sandbox = opened
    // It has sold nothing yet.
    caller = callerOf(opened, 'rimal-online')
  },
  {limits: false},
)

const whole = 'fromUtc=2026-01-01&toUtc=2027-01-31'
const span = () => {
  const now = sandbox.state.clock.now()
  const at = (days: number) => new Date(now + days * 86_400_000).toISOString()
  return `fromUtc=${at(-30)}&toUtc=${at(30)}`
}
const report = async (name: string, query = span(), headers = {}) =>
  (await caller.ask('GET', `/scent/reports/sales/${name}`, {query, headers})).payload
const order = async (reference: string, ref: string, lines: Record<string, number>) => {
  const ids = Object.fromEntries(Object.entries(lines).map(([sku, n]) => [variantOf(sandbox, sku), n]))
  const {lockId} = (await caller.filled(ref, ids)).payload
  return (await caller.order(reference, lockId, ref)).payload
}

test('an unknown report matches no route, whatever else is wrong', async () => {
  expect((await caller.ask('GET', '/scent/reports/sales/by-brand', {query: 'x=1'})).state).toBe(
    'NOT_FOUND_ROUTE',
  )
  expect((await caller.ask('GET', '/scent/reports/sales')).state).toBe('NOT_FOUND_ROUTE')
  expect((await caller.ask('POST', '/scent/reports/sales/summary')).headers.allow).toBe('GET')
})

describe.each(salesReports)('%s', (name) => {
  const state = async (query: string) =>
    (await caller.ask('GET', `/scent/reports/sales/${name}`, {query})).state

  test('needs both ends, in their order, apart from each other', async () => {
    const missing = await caller.ask('GET', `/scent/reports/sales/${name}`, {query: 'toUtc=2026-01-01'})
    expect(missing).toMatchObject({status: 400, state: 'VALIDATION_INVALID_QUERY_PARAMETER'})
    expect(Object.keys(missing.details.errors)).toEqual(['fromUtc'])
    expect(await state('fromUtc=2026-01-02&toUtc=2026-01-01')).toBe('VALIDATION_INVALID_DATE')
    expect(await state('fromUtc=2026-01-01&toUtc=2026-01-01T00:00:00Z')).toBe('VALIDATION_INVALID_PERIOD')
    expect(await state('fromUtc=2026-01-01&toUtc=2026-01-01T00:00:00.001Z')).toBe('SUCCESS')
  })

  test('spans 400 days at most, to the millisecond', async () => {
    expect(await state('fromUtc=2025-01-01&toUtc=2026-02-05')).toBe('SUCCESS')
    expect(await state('fromUtc=2025-01-01&toUtc=2026-02-05T00:00:00.001Z')).toBe(
      'VALIDATION_REPORT_WINDOW_TOO_LARGE',
    )
  })
})

test('a partner that sold nothing has zeros and no rows', async () => {
  expect(await report('summary', whole)).toMatchObject({orderCount: 0, netSales: 0, displayCurrency: null})
  for (const name of ['by-variant', 'by-customer', 'by-day']) expect((await report(name)).items).toEqual([])
})

test('the reports agree with the orders and with each other', async () => {
  const first = await order('PO-1', 'C-1', {'RML-SAF-050': 2, 'WRD-JAS-050': 1})
  const second = await order('PO-2', 'C-2', {'RML-SAF-050': 1})
  const summary = await report('summary')
  const sum = (pick: (pricing: typeof first.pricing) => number) =>
    Math.round((pick(first.pricing) + pick(second.pricing)) * 100) / 100
  expect(summary).toMatchObject({
    currency: 'SAR',
    orderCount: 2,
    unitsSold: 4,
    netSales: sum(({subtotal}) => subtotal),
    vat: sum(({vat}) => vat),
    commission: sum(({commission}) => commission.amount),
    commissionVat: sum(({commission}) => commission.vatAmount),
  })
  for (const [name, rows] of [
    ['by-variant', 2],
    ['by-customer', 2],
    ['by-day', 1],
  ] as const) {
    const {items} = await report(name)
    expect(items).toHaveLength(rows)
    for (const field of ['netSales', 'vat', 'salesWithVat', 'commissionWithVat', 'unitsSold']) {
      const total = items.reduce((all: number, item: Record<string, number>) => all + (item[field] ?? 0), 0)
      expect(total).toBeCloseTo(summary[field], 6)
    }
  }
  expect((await report('by-customer')).items[0]).toMatchObject({customerRef: 'C-1', orderCount: 1})
  expect((await report('by-variant')).items[0]).toMatchObject({
    sku: 'RML-SAF-050',
    unitsSold: 3,
    orderCount: 2,
  })
})

test('what was cancelled or returned is not sold, and a failed order never was', async () => {
  const {id} = await order('PO-1', 'C-1', {'RML-SAF-050': 2, 'WRD-JAS-050': 1})
  const before = await report('summary')
  const {scentDetail} = (await caller.ask('GET', `/scent/orders/${id}`)).payload
  const line = scentDetail.lines[0]
  const raised = await control(sandbox, 'POST', `orders/${id}/notices`, {
    lineId: line.id,
    reason: 'OutOfStock',
    availableQuantity: 1,
    departed: false,
  })
  const noticeId = raised.payload.notice?.id ?? raised.payload.id
  const answered = await caller.ask('PATCH', `/scent/unfulfillable-notices/${noticeId}/respond`, {
    body: {choice: 'ShipAvailable'},
  })
  const {goods} = answered.payload.impact.shipAvailable
  const after = await report('summary')
  expect(after.unitsSold).toBe(before.unitsSold - 1)
  expect(after.netSales).toBeCloseTo(before.netSales - goods.net, 6)
  expect(after.vat).toBeCloseTo(before.vat - goods.vat, 6)
  await order('PO-2', 'C-2', {'NJD-LEA-050': 20})
  expect((await caller.ask('GET', '/wallet/transactions')).payload.items[0].referenceType).toBe('Refund')
  expect(await report('summary')).toEqual({...after, fromUtc: expect.any(String), toUtc: expect.any(String)})
})

test('a display currency is shown beside the amounts, and changes none', async () => {
  await order('PO-1', 'C-1', {'RML-SAF-050': 2})
  const query = span()
  const plain = await report('summary', query)
  const shown = await report('summary', query, {'x-partner-currency': 'KWD'})
  expect(shown).toEqual({
    ...plain,
    displayCurrency: 'KWD',
    rate: 0.0818,
    netSalesDisplay: 19.714,
    salesWithVatDisplay: 22.671,
    commissionWithVatDisplay: expect.any(Number),
  })
  for (const code of ['kwd', 'SAR', 'XXX', '']) {
    expect(await report('summary', query, {'x-partner-currency': code})).toEqual(plain)
  }
})
