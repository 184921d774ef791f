import {join} from 'node:path'
import {expect, test} from 'vitest'
import {checkWorld} from '../../src/sandbox/core/check.ts'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {folder} from '../support/program.ts'
import type {Sandbox} from '../support/types.ts'
import {callerOf, control, variantOf} from './caller.ts'

interface Entry {
  amount: number
  balanceBefore: number
  balanceAfter: number
  transactionType: string
  referenceType: string
  timestamp: string
}

test.each([5000, 4999])('a ledger of %d more entries is whole, and its pages join', async (count) => {
  const sandbox = await createSandbox({seed: `bulk:wallet=${count}`, limits: false})
  expect(checkWorld(sandbox.state.world)).toEqual([])
  const {ask} = callerOf(sandbox)
  const page = async (query: string) => (await ask('GET', '/wallet/transactions', {query})).payload
  const demo = (await page('')).pagination.totalCount - count
  expect(demo).toBeGreaterThan(0)
  const entries: Entry[] = []
  for (let i = 1, hasNext = true; hasNext; i++) {
    const {items, pagination} = await page(`pageSize=100&page=${i}`)
    entries.push(...items)
    hasNext = pagination.hasNext
  }
  expect(entries).toHaveLength(count + demo)
  entries.forEach((entry, i) => {
    const sign = entry.transactionType === 'Credit' ? 1 : -1
    const moved = Math.round((entry.balanceAfter - entry.balanceBefore) * 100)
    expect(moved).toBe(Math.round(entry.amount * 100) * sign)
    const newer = entries[i - 1]
    if (newer !== undefined) {
      expect(entry.balanceAfter).toBe(newer.balanceBefore)
      expect(entry.timestamp <= newer.timestamp).toBe(true)
    }
  })
  // The same entries through every filter, newest first.
  const of = (test: (entry: Entry) => boolean) => entries.filter(test)
  const {timestamp: from} = entries[count - 50] as Entry
  const {timestamp: to} = entries[count - 300] as Entry
  const [early, late] = [to, from].sort()
  const within = of(({timestamp}) => timestamp >= (early ?? '') && timestamp < (late ?? ''))
  const window = `fromUtc=${early}&toUtc=${late}`
  expect((await page(`${window}&pageSize=100`)).items).toEqual(within.slice(0, 100))
  expect((await page(`${window}&pageSize=100&page=3`)).items).toEqual(within.slice(200))
  for (const types of [['Order'], ['TopUp'], ['Order', 'TopUp'], ['Refund', 'TopUp'], ['Refund']]) {
    const query = types.map((type) => `referenceType=${type}`).join('&')
    const expected = of(({referenceType}) => types.includes(referenceType))
    const {items, pagination} = await page(`${query}&pageSize=50&page=2`)
    expect(items).toEqual(expected.slice(50, 100))
    expect(pagination.totalCount).toBe(expected.length)
    const both = within.filter(({referenceType}) => types.includes(referenceType))
    expect((await page(`${query}&${window}`)).pagination.totalCount).toBe(both.length)
  }
  await sandbox.close()
})

test('a display currency is shown beside the amounts, and changes none', async () => {
  const sandbox = await createSandbox({limits: false})
  const {ask} = callerOf(sandbox)
  const plain = (await ask('GET', '/wallet/transactions')).payload.items[0]
  const [shown] = (await ask('GET', '/wallet/transactions', {headers: {'x-partner-currency': 'KWD'}})).payload
    .items
  expect(plain).toMatchObject({displayCurrency: null, rate: null, amountDisplay: null})
  expect(shown).toEqual({
    ...plain,
    displayCurrency: 'KWD',
    rate: 0.0818,
    amountDisplay: Math.round(plain.amount * 81.8) / 1000,
    balanceBeforeDisplay: Math.round(plain.balanceBefore * 81.8) / 1000,
    balanceAfterDisplay: 4090,
  })
  await sandbox.close()
})

test.each(['bulk', 'bulk:wallet=', 'bulk:wallet=0', 'bulk:wallet=-1', 'bulk:carts=1', 'nothing'])(
  'there is no seed %s',
  async (seed) => {
    await expect(createSandbox({seed})).rejects.toMatchObject({code: 'INVALID_INPUT'})
  },
)

test('where an overdraft is assumed, a wallet pays what it does not hold, and no other one does', async () => {
  const file = join(folder(), 'sandbox.db')
  const open = (assume: string[]) => createSandbox({file, limits: false, assume})
  const order = async (sandbox: Sandbox, reference: string) => {
    const caller = callerOf(sandbox, 'warda-boutique')
    const {payload} = await caller.filled(reference, {[variantOf(sandbox, 'RML-SAF-050')]: 2})
    const placed = await caller.order(reference, payload.lockId, reference)
    const {items} = (await caller.ask('GET', '/wallet/transactions')).payload
    expect(checkWorld(sandbox.state.world)).toEqual([])
    return [placed.payload.status, items[0]?.balanceAfter]
  }
  const first = await open([])
  expect(await order(first, 'PO-1')).toEqual(['Failed', undefined])
  await first.close()
  const second = await open(['L04=allowed'])
  expect(await order(second, 'PO-2')).toEqual(['Processing', -205.9])
  expect(await order(second, 'PO-3')).toEqual(['Processing', -511.8])
  await second.close()
  const third = await open([])
  expect(await order(third, 'PO-4')).toEqual(['Failed', -511.8])
  // The database itself keeps every other wallet from going below zero.
  const emptied = () => third.state.world.run("UPDATE partners SET wallet = -1 WHERE name = 'Rimal Retail'")
  expect(emptied).toThrow(/CHECK/)
  await control(third, 'PATCH', 'partners/warda-boutique', {wallet: 400})
  expect(await order(third, 'PO-5')).toEqual(['Processing', 94.1])
  await third.close()
})
