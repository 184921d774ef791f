import {describe, expect, test} from 'vitest'
import type {Sandbox} from '../support/types.ts'
import {type Caller, callerOf, control, useSandbox, variantOf} from './caller.ts'

let sandbox: Sandbox
let caller: Caller
useSandbox((opened) => {
  sandbox = opened
  caller = callerOf(opened)
})

const v = (sku: string) => variantOf(sandbox, sku)
const list = async (query: string) =>
  (await caller.ask('GET', '/scent/variants', {query: `pageSize=100&${query}`})).payload
const skus = async (query: string): Promise<string[]> =>
  (await list(query)).items.map(({sku}: {sku: string}) => sku)
const set = (sku: string, change: object) => control(sandbox, 'PATCH', `variants/${sku}`, change)

test('the list is the own assortment by SKU, inactive rows only when asked for', async () => {
  const all = await skus('')
  expect(all).toEqual([...all].sort())
  expect(all).toHaveLength(35)
  expect(await skus('activeOnly=false')).toHaveLength(36)
  expect(await skus('activeOnly=false')).toContain('SDR-LIN-100')
  const other = callerOf(sandbox, 'rimal-online')
  const theirs = (await other.ask('GET', '/scent/variants', {query: 'pageSize=100'})).payload
  expect(theirs.pagination.totalCount).toBe(32)
})

test('pages cut the same list, and say whether there is more', async () => {
  const pages: string[] = []
  for (let page = 1; page <= 4; page++) {
    const {items, pagination} = (
      await caller.ask('GET', '/scent/variants', {query: `page=${page}&pageSize=10`})
    ).payload
    pages.push(...items.map(({sku}: {sku: string}) => sku))
    expect(pagination).toEqual({
      page,
      pageSize: 10,
      totalCount: 35,
      totalPages: 4,
      hasPrevious: page > 1,
      hasNext: page < 4,
    })
  }
  expect(pages).toEqual(await skus(''))
})

describe('include', () => {
  test('fills pricing and availability only when asked', async () => {
    const plain = (await list(`id=${v('RML-SAF-050')}`)).items[0]
    expect(plain).toMatchObject({
      sku: 'RML-SAF-050',
      sizeMl: 50,
      isSample: false,
      pricing: null,
      availability: null,
    })
    const full = (await list(`id=${v('RML-SAF-050')}&include=tax,availability,pricing,pricing`)).items[0]
    expect(full.availability).toEqual({state: 'Available', availableQuantity: expect.any(Number)})
    expect(full.pricing).toEqual({
      currency: 'SAR',
      unitPrice: 120.5,
      goodsVatAmount: 18.08,
      totalWithVat: 138.58,
      rrp: 180.15,
      commission: {amount: 14.46, vatAmount: 2.17, netAfterCommission: 121.95},
      display: null,
    })
    expect((await list(`id=${v('RML-SAF-050')}&include=tax`)).items[0].pricing).toBeNull()
    expect((await list(`id=${v('NJD-ROY-050')}&include=pricing`)).items[0].pricing.commission).toBeNull()
    expect((await list(`id=${v('NJD-INC-100')}&include=pricing`)).items[0].pricing).toBeNull()
  })
})

describe('filters', () => {
  test('one name matches any of its values, several names match together', async () => {
    const scentId = (await list(`id=${v('RML-SAF-050')}`)).items[0].scentId
    expect(await skus(`scentId=${scentId}`)).toEqual(['RML-SAF-002', 'RML-SAF-050', 'RML-SAF-100'])
    const ids = `id=${v('RML-SAF-050').toUpperCase()}&id=${v('WRD-FIG-050')}&id=${crypto.randomUUID()}`
    expect(await skus(ids)).toEqual(['RML-SAF-050', 'WRD-FIG-050'])
    expect(await skus(`${ids}&scentId=${scentId}`)).toEqual(['RML-SAF-050'])
  })

  test('a note is found in any layer, whole and whatever its case', async () => {
    expect(await skus('note=SAFFRON')).toHaveLength(6)
    expect(await skus('note=saff')).toEqual([])
    expect(await skus('note=neroli&note=fig')).toHaveLength(6)
    expect(await skus('note=neroli&accord=creamy')).toEqual([])
    expect(await skus('accord=white%20floral')).toHaveLength(6)
  })

  test('prices are inclusive and those of the catalogue', async () => {
    expect(await skus('minPrice=120.50&maxPrice=120.5')).toEqual(['RML-SAF-050'])
    expect(await skus('minPrice=120.501&maxPrice=121')).toEqual([])
    expect(await skus('minPrice=2&maxPrice=1')).toEqual([])
    const [retail] = sandbox.credentials
    await set('RML-SAF-050', {partnerId: retail?.partnerId, price: 1})
    expect(await skus('minPrice=120.50&maxPrice=120.50')).toEqual(['RML-SAF-050'])
  })
})

test('changedSince answers what changed after it, oldest change first', async () => {
  await control(sandbox, 'POST', 'clock', {freeze: true})
  const start = (await control(sandbox, 'GET', 'clock')).payload.now
  expect(await skus(`changedSince=${start}`)).toEqual([])
  const changes: [string, object][] = [
    ['WRD-FIG-050', {price: 100}],
    ['NJD-LEA-100', {stock: 5}],
    ['RML-SAF-050', {active: false}],
  ]
  for (const [sku, change] of changes) {
    await control(sandbox, 'POST', 'clock', {advanceSeconds: 1})
    await set(sku, change)
  }
  expect(await skus(`changedSince=${start}&activeOnly=false`)).toEqual([
    'WRD-FIG-050',
    'NJD-LEA-100',
    'RML-SAF-050',
  ])
  const after = new Date(Date.parse(start) + 1_000).toISOString()
  expect(await skus(`changedSince=${after}`)).toEqual(['NJD-LEA-100'])
})

test('what no partner can see, what is another partner’s and what stays as it was is no change', async () => {
  await set('WRD-FIG-050', {active: true, price: 159})
  await control(sandbox, 'POST', 'clock', {advanceSeconds: 5})
  const start = (await control(sandbox, 'GET', 'clock')).payload.now
  await control(sandbox, 'POST', 'clock', {advanceSeconds: 5})
  const partnerId = sandbox.credentials[1]?.partnerId
  await set('WRD-FIG-050', {floor: 1})
  await set('WRD-FIG-050', {stock: 9_000})
  await set('WRD-FIG-050', {active: true, price: 159, availability: 'Available', assortment: true})
  await set('WRD-FIG-050', {partnerId, price: 99, pricingMode: 'Wholesale'})
  expect(await skus(`changedSince=${start}`)).toEqual([])
  await set('WRD-FIG-050', {pricingMode: 'Wholesale'})
  expect(await skus(`changedSince=${start}`)).toEqual(['WRD-FIG-050'])
})

test('an order counts as a change only when it changes the availability', async () => {
  const start = (await control(sandbox, 'GET', 'clock')).payload.now
  await set('RML-SAF-050', {stock: 13})
  await control(sandbox, 'POST', 'clock', {advanceSeconds: 5})
  const between = (await control(sandbox, 'GET', 'clock')).payload.now
  for (const [reference, quantity, changed] of [
    ['PO-1', 1, []],
    ['PO-2', 3, ['RML-SAF-050']],
  ] as const) {
    const {payload} = await caller.filled(reference, {[v('RML-SAF-050')]: quantity})
    await caller.order(reference, payload.lockId, reference)
    expect(await skus(`changedSince=${between}`)).toEqual(changed)
  }
  expect(await skus(`changedSince=${start}`)).toEqual(['RML-SAF-050'])
})

test('one variant reads as in the list', async () => {
  const id = v('RML-SAF-050')
  const [row] = (await list(`id=${id}&include=pricing`)).items
  const one = await caller.ask('GET', `/scent/variants/${id}`, {query: 'include=pricing'})
  expect(one.payload).toEqual(row)
})

test('the ledger lists newest first, by kind and by time with an open end', async () => {
  const ledger = async (query: string) => (await caller.ask('GET', '/wallet/transactions', {query})).payload
  const all = await ledger('')
  expect(all.items.map(({referenceType}: {referenceType: string}) => referenceType)).toEqual([
    'TopUp',
    'Order',
    'Order',
    'Order',
    'Order',
    'TopUp',
    'Order',
  ])
  for (const [i, entry] of all.items.entries()) {
    if (i > 0) expect(entry.balanceAfter).toBe(all.items[i - 1].balanceBefore)
  }
  expect((await ledger('referenceType=TopUp&referenceType=Refund')).pagination.totalCount).toBe(2)
  const {timestamp} = all.items[1]
  expect((await ledger(`fromUtc=${timestamp}`)).pagination.totalCount).toBe(2)
  expect((await ledger(`toUtc=${timestamp}`)).pagination.totalCount).toBe(5)
  expect((await ledger(`fromUtc=${timestamp}&toUtc=${timestamp}`)).pagination.totalCount).toBe(0)
})
