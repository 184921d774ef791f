import {describe, expect, test} from 'vitest'
import type {Sandbox} from '../support/types.ts'
import {type Caller, callerOf, control, origin, useSandbox, variantOf} from './caller.ts'
import {codeBody} from './read-refusals.ts'

let sandbox: Sandbox
let caller: Caller
let ask: Caller['ask']
useSandbox(
  (opened) => {
    sandbox = opened
    caller = callerOf(opened)
    ask = caller.ask
  },
  {limits: false},
)

const create = (more: object = {}) =>
  ask('POST', '/scent/discount-codes', {body: {code: 'SUMMER', ...codeBody, ...more}})
const update = (id: string, more: object = {}) =>
  ask('PATCH', `/scent/discount-codes/${id}`, {body: {...codeBody, ...more}})
const list = async (query = '') => (await ask('GET', '/scent/discount-codes', {query})).payload

test('a created code is answered in full, with its place', async () => {
  const answer = await create({scopedVariantIds: [], minOrderValue: null, totalUsageCap: null})
  const {id} = answer.payload
  expect(answer).toMatchObject({
    status: 201,
    state: 'CREATED',
    headers: {location: `${origin}/api/v1/scent/discount-codes/${id}`},
  })
  expect(answer.payload).toEqual({
    ...codeBody,
    id,
    code: 'SUMMER',
    partnerId: sandbox.credentials[0]?.partnerId,
    validFrom: '2026-01-01T00:00:00.000Z',
    validTo: '2026-12-31T21:00:00.000Z',
    totalUsageCap: null,
    minOrderValue: null,
    usageCount: 0,
    createdAt: expect.any(String),
    lastModifiedAt: answer.payload.createdAt,
  })
  expect((await list()).items[0]).toEqual(answer.payload)
})

test('an update replaces every field and leaves the code, its usage and its birth', async () => {
  const {payload: before} = await create()
  const scoped = [variantOf(sandbox, 'RML-SAF-050')]
  const replaced = {
    discountType: 'FixedAmount',
    value: 25.75,
    validFrom: '2026-02-01T00:00:00.000Z',
    validTo: '2026-03-01T00:00:00.000Z',
    isActive: false,
    totalUsageCap: null,
    perCustomerCap: null,
    productScope: 'VariantList',
    scopedVariantIds: scoped,
    minOrderValue: null,
  }
  await control(sandbox, 'POST', 'clock', {advanceSeconds: 60})
  const after = await callerOf(sandbox).ask('PATCH', `/scent/discount-codes/${before.id}`, {
    body: {...replaced, code: 'SUMMER'},
  })
  expect(after).toMatchObject({status: 200, state: 'SUCCESS'})
  const {lastModifiedAt, ...rest} = after.payload
  const {id, partnerId, code, usageCount, createdAt} = before
  expect(rest).toEqual({...replaced, id, partnerId, code, usageCount, createdAt})
  expect(Date.parse(lastModifiedAt)).toBeGreaterThan(Date.parse(before.lastModifiedAt))
})

test.each(Object.keys(codeBody))('an update without %s is refused and changes nothing', async (field) => {
  const {payload: before} = await create()
  const answer = await update(before.id, {[field]: undefined})
  expect(answer).toMatchObject({status: 400, state: 'VALIDATION_ERRORS'})
  expect(answer.details.errors).toEqual({[field]: ['is required']})
  expect((await list()).items[0]).toEqual(before)
})

test('the code itself cannot be changed', async () => {
  const {payload} = await create()
  const answer = await update(payload.id, {code: 'WINTER'})
  expect(answer).toMatchObject({
    state: 'VALIDATION_ERRORS',
    details: {errors: {code: ['cannot be changed']}},
  })
})

describe('what a code must be', () => {
  const cases: [string, object, string][] = [
    ['a percentage of zero', {value: 0}, 'value'],
    ['a percentage over 100', {value: 100.01}, 'value'],
    ['a negative amount', {discountType: 'FixedAmount', value: -1}, 'value'],
    ['a third decimal of an amount', {discountType: 'FixedAmount', value: 12.345}, 'value'],
    ['a value as text', {value: '10'}, 'value'],
    ['an unknown type', {discountType: 'percent'}, 'discountType'],
    ['an unknown scope', {productScope: 'Some'}, 'productScope'],
    ['a list without variants', {productScope: 'VariantList'}, 'scopedVariantIds'],
    ['variants for the whole catalog', {scopedVariantIds: [crypto.randomUUID()]}, 'scopedVariantIds'],
    [
      'a variant that is not its own',
      {productScope: 'VariantList', scopedVariantIds: [crypto.randomUUID()]},
      'scopedVariantIds',
    ],
    ['an end at its start', {validTo: '2026-01-01T00:00Z'}, 'validTo'],
    ['a date that is none', {validFrom: '2026-02-30'}, 'validFrom'],
    ['a second use for a customer', {perCustomerCap: 2}, 'perCustomerCap'],
    ['no use for a customer', {perCustomerCap: 0}, 'perCustomerCap'],
    ['no use at all', {totalUsageCap: 0}, 'totalUsageCap'],
    ['a negative least order', {minOrderValue: -0.01}, 'minOrderValue'],
  ]
  test.each(cases)('%s is refused by name, at create and at update', async (_, more, field) => {
    const {payload} = await create()
    for (const answer of [await create({code: 'OTHER', ...more}), await update(payload.id, more)]) {
      expect(answer).toMatchObject({status: 400, state: 'VALIDATION_ERRORS'})
      expect(Object.keys(answer.details.errors)).toEqual([field])
    }
  })

  test.each(['ab', 'x'.repeat(41), 'with space', 'نورة', 'welcome10', 'WELCOME10'])(
    'the code %s is refused',
    async (code) => expect((await create({code})).details.errors).toHaveProperty('code'),
  )

  test('another partner may use the same code', async () => {
    const other = callerOf(sandbox, 'rimal-online')
    const body = {code: 'WELCOME10', ...codeBody}
    expect((await other.ask('POST', '/scent/discount-codes', {body})).status).toBe(201)
  })

  test.each([0.01, 100])('a percentage of %d is fine', async (value) =>
    expect((await create({value})).status).toBe(201),
  )
})

test('the list is newest first, and activeOnly looks at the flag alone', async () => {
  const {payload: past} = await create({validTo: '2026-01-02'})
  await control(sandbox, 'POST', 'clock', {advanceSeconds: 1})
  const {payload: off} = await create({code: 'OFF', isActive: false})
  const ids = async (query: string) => (await list(query)).items.map(({id}: {id: string}) => id)
  const [first, second, ...demo] = await ids('')
  expect([first, second]).toEqual([off.id, past.id])
  expect(demo).toHaveLength(2)
  expect(await ids('activeOnly=true')).toEqual([past.id, ...demo])
  expect(await ids('activeOnly=false')).toEqual([off.id, past.id, ...demo])
  expect((await list('pageSize=1&page=2')).pagination).toEqual({
    page: 2,
    pageSize: 1,
    totalCount: 4,
    totalPages: 4,
    hasPrevious: true,
    hasNext: true,
  })
})

test('a code counts its orders, and takes no more of them than its caps allow', async () => {
  await create({totalUsageCap: 2, minOrderValue: null, validTo: '2100-01-01'})
  const lines = {[variantOf(sandbox, 'RML-SAF-050')]: 1}
  const order = async (ref: string, reference: string) => {
    const {lockId} = (await caller.filled(ref, lines)).payload
    return caller.order(reference, lockId, ref, {discountCode: 'SUMMER'})
  }
  expect((await order('C-1', 'PO-1')).payload.pricing).toMatchObject({
    discount: {code: 'SUMMER', amount: 15.06},
    total: 167.33,
  })
  expect((await order('C-1', 'PO-2')).details.errors).toEqual({discountCode: ['is used up']})
  expect((await order('C-2', 'PO-3')).status).toBe(201)
  expect((await order('C-3', 'PO-4')).details.errors).toEqual({discountCode: ['is used up']})
  expect((await list()).items[0]).toMatchObject({code: 'SUMMER', usageCount: 2})
})
