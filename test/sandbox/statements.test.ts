import {describe, expect, test} from 'vitest'
import {monthStart} from '../../src/sandbox/time/month.ts'
import type {Sandbox} from '../support/types.ts'
import {type Caller, callerOf, control, useSandbox, variantOf} from './caller.ts'

let sandbox: Sandbox
let caller: Caller
useSandbox(
  (opened) => {
    sandbox = opened
    caller = callerOf(opened)
  },
  {limits: false},
)

interface Line {
  transactionType: string
  amount: number
  balanceAfter: number
}

const halalas = (amount: number) => Math.round(amount * 100)
const sum = (lines: Line[], type: string) =>
  lines
    .filter((line) => line.transactionType === type)
    .reduce((total, {amount}) => total + halalas(amount), 0)

const idsOf = async (partnerId?: string): Promise<string[]> =>
  (await control(sandbox, 'GET', 'state')).payload.statements
    .filter((one: {partnerId: string}) => partnerId === undefined || one.partnerId === partnerId)
    .map(({id}: {id: string}) => id)

const order = async (reference: string) => {
  const {lockId} = (await caller.filled('C-1', {[variantOf(sandbox, 'RML-SAF-050')]: 2})).payload
  return caller.order(reference, lockId, 'C-1')
}

/** To the first moment of the next month; tokens of before are old by then. */
const endMonth = async () => {
  const to = new Date(monthStart(sandbox.state.clock.now(), 1)).toISOString()
  const {fired} = (await control(sandbox, 'POST', 'clock', {to})).payload
  caller = callerOf(sandbox)
  return {to, fired}
}

test('the totals of a statement are those of its lines, and the lines are the ledger of its month', async () => {
  const [id] = await idsOf()
  const {payload: statement} = await caller.ask('GET', `/statements/${id}`)
  const {document, ...head} = statement
  const {lines} = document
  expect(lines.length).toBeGreaterThan(1)
  expect(halalas(head.totalDebits)).toBe(sum(lines, 'Debit'))
  expect(halalas(head.totalCredits)).toBe(sum(lines, 'Credit'))
  expect(halalas(head.netPosition)).toBe(halalas(head.totalCredits) - halalas(head.totalDebits))
  for (const field of ['partnerId', 'sequenceNumber', 'periodFrom', 'totalDebits', 'netPosition']) {
    expect(document[field]).toEqual(head[field])
  }
  const query = `pageSize=100&fromUtc=${head.periodFrom}&toUtc=${head.periodTo}`
  const {items} = (await caller.ask('GET', '/wallet/transactions', {query})).payload
  expect(items.map(({amount, balanceAfter}: Line) => [amount, balanceAfter]).reverse()).toEqual(
    lines.map(({amount, balanceAfter}: Line) => [amount, balanceAfter]),
  )
})

test('a month is closed for every wallet at its end, and nothing changes a closed one', async () => {
  await order('PO-1')
  const first = await idsOf()
  const {to, fired} = await endMonth()
  const closed = fired.filter(({job}: {job: string}) => job === 'statement-closed')
  expect(closed.map(({at}: {at: string}) => at)).toEqual([to, to, to, to])
  const own = await idsOf(sandbox.credentials[0]?.partnerId)
  expect(own).toEqual([first[0], closed[0].id])
  const read = async () => (await caller.ask('GET', `/statements/${closed[0].id}`)).payload
  const statement = await read()
  expect(statement).toMatchObject({
    sequenceNumber: 2,
    statementNumber: 'ST-000002',
    periodTo: to,
    generatedAt: to,
    locked: true,
    currency: 'SAR',
    document: {isProvisional: false},
  })
  const last = statement.document.lines.findLast(
    ({referenceType}: {referenceType: string}) => referenceType === 'Order',
  )
  const {header, scentDetail} = (
    await caller.ask('GET', `/orders/${last.referenceId}`, {headers: {'x-partner-currency': 'USD'}})
  ).payload
  expect(last).toMatchObject({
    amount: header.amount,
    orderGoodsVatAmount: scentDetail.totalGoodsVatAmount,
    orderCommissionVatAmount: scentDetail.totalCommissionVatAmount,
    orderTotalAmountWithVat: scentDetail.totalAmountWithVat,
    orderTotalCommissionWithVat: scentDetail.totalCommissionWithVat,
  })
  expect((await order('PO-2')).status).toBe(201)
  expect(await read()).toEqual(statement)
})

test('a month that ended while nobody moved the clock is closed before the next request sees it', async () => {
  const {state} = sandbox
  state.clock.moveTo(monthStart(state.clock.now(), 1) + 1_000)
  caller = callerOf(sandbox)
  const statuses = async () => (await caller.ask('GET', '/commission-periods')).payload.items
  expect(await statuses()).toHaveLength(4)
  expect(await idsOf(sandbox.credentials[0]?.partnerId)).toHaveLength(2)
})

describe('the provisional report', () => {
  const report = async (query: string) => (await caller.ask('GET', '/statements/report', {query})).payload

  test('is a document without a number, for any window, from inclusive, to exclusive', async () => {
    await order('PO-1')
    const all = await report('from=2000-01-01&to=2100-01-01')
    expect(all).toMatchObject({
      isProvisional: true,
      sequenceNumber: null,
      statementNumber: null,
      periodFrom: '2000-01-01T00:00:00.000Z',
      documentNature: expect.stringMatching(/not a legal tax invoice/),
    })
    expect(halalas(all.totalDebits)).toBe(sum(all.lines, 'Debit'))
    expect(halalas(all.totalCredits)).toBe(sum(all.lines, 'Credit'))
    const {timestamp} = all.lines.at(-1)
    expect((await report(`from=${timestamp}&to=2100-01-01`)).lines).toHaveLength(1)
    expect((await report(`from=2000-01-01&to=${timestamp}`)).lines).toHaveLength(all.lines.length - 1)
    expect((await report(`from=${timestamp}&to=${timestamp}`)).lines).toEqual([])
  })

  test('is a route of its own, not the statement named report', async () => {
    expect((await caller.ask('GET', '/statements/report')).state).toBe('VALIDATION_MISSING_REPORT_RANGE')
  })
})
