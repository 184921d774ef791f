import {readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {savedAddresses} from '../../src/store/addresses.ts'
import {type OrderRecord, orderRecords} from '../../src/store/orders.ts'
import {recordsFolder} from '../../src/store/paths.ts'
import {address} from '../support/address.ts'
import {folder} from '../support/program.ts'

const identity = {origin: 'https://api.example.com', clientId: 'rimal', onBehalfOf: null}
const lines = [{variantId: 'v1', quantity: 2}]
let clock = 0
const at = () => new Date(Date.UTC(2026, 0, 1, 0, 0, clock++)).toISOString()

function records() {
  const root = folder()
  const folders = {config: join(root, 'config'), state: join(root, 'state')}
  return {folders, orders: orderRecords(folders, identity)}
}
const planned = (reference: string, more: object = {}): OrderRecord => ({
  step: 'PLANNED',
  reference,
  customerRef: null,
  lines,
  address,
  at: at(),
  ...more,
})
const locked = (reference: string, lockId: string): OrderRecord => ({
  step: 'LOCKED',
  reference,
  lockId,
  expiresAt: null,
  pricedAt: null,
  total: '305.90',
  lines,
  at: at(),
})
const submitting = (reference: string, attempt: number): OrderRecord => ({
  step: 'SUBMITTING',
  reference,
  attempt,
  lockId: 'l1',
  bodyHash: 'h',
  at: at(),
})
const outcome = (reference: string, kind: 'placed' | 'refused' | 'unknown'): OrderRecord => ({
  step: 'OUTCOME',
  reference,
  outcome: kind,
  http: 201,
  state: 'CREATED',
  orderId: 'o1',
  total: '305.90',
  currency: 'SAR',
  status: 'Processing',
  at: at(),
})

describe('the record of orders', () => {
  test('folds the steps of a reference into one entry, oldest first', async () => {
    const {orders} = records()
    const steps = [planned('a'), planned('b'), locked('a', 'l1'), submitting('a', 1), outcome('a', 'placed')]
    for (const step of steps) await orders.append(step)
    const all = await orders.all()
    expect(all.map(({reference}) => reference)).toEqual(['a', 'b'])
    expect(all[0]).toMatchObject({
      reference: 'a',
      locks: [{lockId: 'l1', total: '305.90'}],
      pending: [],
      outcome: {outcome: 'placed', orderId: 'o1'},
      settled: true,
      startedAt: steps[0]?.at,
    })
    expect((await orders.open()).map(({reference}) => reference)).toEqual(['b'])
    expect(await orders.find('b')).toMatchObject({settled: false, pending: []})
    expect(await orders.find('c')).toBeUndefined()
  })

  test('keeps an order with an unknown outcome open', async () => {
    const {orders} = records()
    for (const step of [planned('a'), submitting('a', 1), outcome('a', 'unknown')]) await orders.append(step)
    expect(await orders.open()).toMatchObject([
      {reference: 'a', outcome: {outcome: 'unknown'}, pending: [{attempt: 1}], settled: false},
    ])
  })

  test('opens a refused reference again when it is planned again', async () => {
    const {orders} = records()
    for (const step of [planned('a'), submitting('a', 1), outcome('a', 'refused'), planned('a')])
      await orders.append(step)
    expect(await orders.open()).toMatchObject([{reference: 'a', pending: []}])
  })

  test('keeps what was submitted and has no answer when it is planned again', async () => {
    const {orders} = records()
    for (const step of [planned('a'), submitting('a', 1), planned('a')]) await orders.append(step)
    expect(await orders.open()).toMatchObject([{reference: 'a', pending: [{attempt: 1}]}])
  })

  test('never opens a placed reference again', async () => {
    const {orders} = records()
    for (const step of [planned('a'), outcome('a', 'placed'), planned('a')]) await orders.append(step)
    expect(await orders.open()).toEqual([])
  })

  test('is kept for each host, credential and partner by itself, with mode 0600', async () => {
    const {folders, orders} = records()
    await orders.append(planned('a'))
    for (const other of [{origin: 'https://b.example.com'}, {clientId: 'warda'}, {onBehalfOf: 'p'}])
      expect(await orderRecords(folders, {...identity, ...other}).all()).toEqual([])
    const path = join(recordsFolder(folders, identity), 'orders.ndjson')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('refuses the records of another identity', async () => {
    const {folders, orders} = records()
    await orders.append(planned('a'))
    const mine = join(recordsFolder(folders, identity), 'orders.ndjson')
    const other = {...identity, clientId: 'warda'}
    await orderRecords(folders, other).append(planned('b'))
    const theirs = join(recordsFolder(folders, other), 'orders.ndjson')
    writeFileSync(theirs, readFileSync(mine))
    await expect(orderRecords(folders, other).all()).rejects.toMatchObject({code: 'FOREIGN_FILE'})
    await expect(orderRecords(folders, other).append(planned('c'))).rejects.toMatchObject({
      code: 'FOREIGN_FILE',
    })
  })
})

test('saved addresses come newest first, each once, without those of refused orders', async () => {
  const {orders} = records()
  const jeddah = {...address, city: 'Jeddah'}
  const wrong = {...address, phone: 'no'}
  await orders.append(planned('a'))
  await orders.append(planned('b', {address: jeddah}))
  await orders.append(planned('c', {address: wrong}))
  await orders.append(outcome('c', 'refused'))
  await orders.append(planned('d'))
  expect(await savedAddresses(orders)).toEqual([address, jeddah])
})
