import {describe, expect, test} from 'vitest'
import type {Sandbox} from '../support/types.ts'
import {callerOf, control, useSandbox, variantOf} from './caller.ts'

let sandbox: Sandbox
let caller: ReturnType<typeof callerOf>
let clientId: string

const be = (partner: string) => {
  clientId = partner
  caller = callerOf(sandbox, partner)
}

useSandbox(
  (opened) => {
    sandbox = opened
    be('rimal-retail')
  },
  {limits: false},
)

const list = async (query = '') => (await caller.ask('GET', '/commission-periods', {query})).payload.items
const one = async (id: string) =>
  (await list('pageSize=100')).find((period: {id: string}) => period.id === id)
const object = (id: string, reason: unknown) =>
  caller.ask('POST', `/commission-periods/${id}/objection`, {body: {reason}})
const moveTo = async (to: string) => {
  const moved = await control(sandbox, 'POST', 'clock', {to})
  caller = callerOf(sandbox, clientId)
  return moved.payload.fired
}
const plus = (at: string, hours: number) => new Date(Date.parse(at) + hours * 3_600_000).toISOString()

test('the demo has a period of each status, newest first', async () => {
  const periods = await list()
  expect(periods.map(({status}: {status: string}) => status)).toEqual(['Provisional', 'Issued', 'Settled'])
  expect(periods[1].periodTo).toBe(periods[0].periodFrom)
  for (const status of ['Provisional', 'Issued', 'Settled']) {
    expect(await list(`status=${status}`)).toMatchObject([{status}])
  }
})

test('a period is provisional from its first day, issued a week after its end, settled a week later', async () => {
  be('rimal-online')
  const [{id, periodTo, issueDate}] = await list('status=Provisional')
  expect(issueDate).toBe(plus(periodTo, 7 * 24))
  await moveTo(periodTo)
  expect(await list('status=Provisional')).toMatchObject([{periodFrom: periodTo}, {id}])
  await moveTo(plus(issueDate, 5))
  expect(await one(id)).toMatchObject({status: 'Provisional', issuedAt: null})
  await moveTo(plus(issueDate, 6))
  expect(await one(id)).toMatchObject({status: 'Issued', issuedAt: plus(issueDate, 6), settledAt: null})
  await moveTo(plus(periodTo, 14 * 24))
  expect(await one(id)).toMatchObject({status: 'Settled', settledAt: plus(periodTo, 14 * 24)})
  // Settlement leaves the wallet alone.
  expect((await caller.ask('GET', '/wallet/transactions')).payload.items).toEqual([])
})

test('a period earns what its orders do, to the halala, and an issued one stays as it was issued', async () => {
  be('rimal-online')
  const [before] = await list('status=Provisional')
  const {lockId} = (await caller.filled('C-1', {[variantOf(sandbox, 'RML-SAF-050')]: 2})).payload
  const {commission} = (await caller.order('PO-1', lockId, 'C-1')).payload.pricing
  const [after] = await list('status=Provisional')
  const grown = (field: string) => Math.round((after[field] - before[field]) * 100) / 100
  expect(grown('totalCommission')).toBe(commission.amount)
  expect(grown('totalCommissionVat')).toBe(commission.vatAmount)
  expect(grown('totalCommissionWithVat')).toBe(commission.amountWithVat)
  await moveTo(plus(after.issueDate, 6))
  expect(await one(after.id)).toMatchObject({status: 'Issued', totalCommission: after.totalCommission})
})

test('a refund claws its commission back from the period in which it lands', async () => {
  const order = (await control(sandbox, 'GET', 'state')).payload.orders.find(
    ({externalReference}: {externalReference: string}) => externalReference === 'HIST-0002',
  )
  const {scentDetail} = (await caller.ask('GET', `/scent/orders/${order.id}`)).payload
  const line = scentDetail.lines.find(({partnerCommission}: {partnerCommission: number}) => partnerCommission)
  const body = {
    fulfillmentGroupId: scentDetail.fulfillmentGroups[0].id,
    lines: [{scentOrderLineId: line.id, quantity: 1, reasonCode: 'Damaged'}],
  }
  const asked = await caller.ask('POST', `/scent/orders/${order.id}/return-requests`, {body})
  const [before] = await list('status=Provisional')
  let refund: {commissionClawback: number} | undefined
  for (const step of ['accept', 'dispatch', 'receive', 'refund']) {
    refund = (await control(sandbox, 'POST', `returns/${asked.payload.id}/${step}`, {})).payload.refund
  }
  const [after] = await list('status=Provisional')
  const lost = Math.round((before.totalCommissionWithVat - after.totalCommissionWithVat) * 100)
  expect(refund?.commissionClawback).toBeGreaterThan(0)
  expect(lost).toBe(Math.round((refund?.commissionClawback ?? 0) * 100))
  expect(Math.round((after.totalCommission + after.totalCommissionVat) * 100)).toBe(
    Math.round(after.totalCommissionWithVat * 100),
  )
})

test('what is returned unit by unit takes back commission and its VAT, to the halala', async () => {
  be('rimal-online')
  const [before] = await list('status=Provisional')
  const {lockId} = (await caller.filled('C-2', {[variantOf(sandbox, 'NJD-INC-002')]: 4})).payload
  const {id} = (await caller.order('PO-2', lockId, 'C-2')).payload
  await control(sandbox, 'POST', `orders/${id}/deliver`)
  const {scentDetail} = (await caller.ask('GET', `/scent/orders/${id}`)).payload
  for (let unit = 0; unit < 4; unit++) {
    const lines = [{scentOrderLineId: scentDetail.lines[0].id, quantity: 1, reasonCode: 'Damaged'}]
    const body = {fulfillmentGroupId: scentDetail.fulfillmentGroups[0].id, lines}
    const asked = await caller.ask('POST', `/scent/orders/${id}/return-requests`, {body})
    await control(sandbox, 'POST', `returns/${asked.payload.id}/refund`, {})
  }
  const [after] = await list('status=Provisional')
  expect(after).toMatchObject({
    totalCommission: before.totalCommission,
    totalCommissionVat: before.totalCommissionVat,
  })
})

describe('an objection', () => {
  test.each([
    ['one character', 'x'],
    ['a thousand characters', 'x'.repeat(1000)],
    ['a thousand Arabic letters', 'ن'.repeat(1000)],
  ])('may have %s', async (_, reason) => {
    const [{id}] = await list('status=Provisional')
    const answer = await object(id, reason)
    expect(answer).toMatchObject({status: 200, state: 'SUCCESS', payload: {id, objection: {reason}}})
    expect((await one(id)).objection).toEqual(answer.payload.objection)
  })

  test.each([
    ['nothing', ''],
    ['blanks', '   '],
    ['1001 characters', 'x'.repeat(1001)],
    ['501 characters of two units each', '🧴'.repeat(501)],
    ['a number', 5],
    ['null', null],
    ['no reason', undefined],
  ])('must not have %s', async (_, reason) => {
    const [{id}] = await list('status=Provisional')
    const answer = await object(id, reason)
    expect(answer).toMatchObject({status: 400, state: 'VALIDATION_ERRORS'})
    expect(Object.keys(answer.details.errors)).toEqual(['reason'])
    expect((await one(id)).objection).toBeNull()
  })

  test('is taken until the moment of the issue date, and does not stop the issue', async () => {
    const [{id, issueDate}] = await list('status=Provisional')
    await moveTo(plus(issueDate, -0.001))
    expect((await object(id, 'too low')).status).toBe(200)
    expect((await object(id, 'again')).state).toBe('CONFLICT_COMMISSION_PERIOD_ALREADY_OBJECTED')
    await moveTo(plus(issueDate, 6))
    expect(await one(id)).toMatchObject({status: 'Issued', objection: {reason: 'too low'}})
    // Of several reasons the first stays the same.
    expect((await object(id, 'again')).state).toBe('CONFLICT_COMMISSION_PERIOD_ALREADY_OBJECTED')
  })

  test('comes too late from the issue date on, and after the issue', async () => {
    const [{id, issueDate}] = await list('status=Provisional')
    await moveTo(issueDate)
    expect((await object(id, 'x')).state).toBe('CONFLICT_COMMISSION_PERIOD_PAST_ISSUE_DATE')
    await moveTo(plus(issueDate, 6))
    expect((await object(id, 'x')).state).toBe('CONFLICT_COMMISSION_PERIOD_NOT_PROVISIONAL')
    await moveTo(plus(issueDate, 24 * 7))
    expect((await object(id, 'x')).state).toBe('CONFLICT_COMMISSION_PERIOD_NOT_PROVISIONAL')
  })
})
