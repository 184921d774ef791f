import {mkdtempSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {checkWorld} from '../../src/sandbox/core/check.ts'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import type {Sandbox} from '../support/types.ts'
import {callerOf, control, raw, variantOf} from './caller.ts'

let sandbox: Sandbox

beforeEach(async () => {
  sandbox = await createSandbox()
})
afterEach(() => sandbox.close())

const order = async (reference: string) => {
  const caller = callerOf(sandbox)
  const {payload} = await caller.filled(reference, {[variantOf(sandbox, 'RML-SAF-050')]: 2})
  return caller.order(reference, payload.lockId, reference)
}

test('the controls need their token and leave only health open', async () => {
  const health = await raw(sandbox, 'GET', '/__sandbox/health')
  expect(health).toMatchObject({status: 200, payload: {status: 'ok', pid: process.pid}})
  const bare = await raw(sandbox, 'GET', '/__sandbox/v1/info')
  expect(bare.status).toBe(401)
  const wrong = await raw(sandbox, 'GET', '/__sandbox/v1/info', {headers: {authorization: 'Bearer x'}})
  expect(wrong.status).toBe(401)
  expect((await control(sandbox, 'GET', 'info')).status).toBe(200)
  expect((await control(sandbox, 'GET', 'nothing')).status).toBe(404)
  const wrongMethod = await control(sandbox, 'DELETE', 'clock')
  expect(wrongMethod).toMatchObject({status: 405, headers: {allow: 'GET, POST'}})
})

test('the controls tell the credentials, which work, and nothing else of them tells a secret', async () => {
  const {items} = (await control(sandbox, 'GET', 'credentials')).payload
  expect(items).toEqual(sandbox.credentials)
  expect(items.map(({clientId}: {clientId: string}) => clientId)).toEqual([
    'rimal-retail',
    'rimal-online',
    'warda-boutique',
    'dormant-trading',
  ])
  const {clientId, clientSecret} = items[2]
  const minted = await raw(sandbox, 'POST', '/api/v1/auth/token', {body: {clientId, clientSecret}})
  expect(minted.status).toBe(200)
  for (const path of ['info', 'state', 'requests']) {
    const told = JSON.stringify((await control(sandbox, 'GET', path)).payload)
    for (const secret of items.map((one: {clientSecret: string}) => one.clientSecret)) {
      expect(told).not.toContain(secret)
    }
  }
})

test('the demo data keeps every invariant and has a past', async () => {
  expect((await control(sandbox, 'GET', 'check')).payload).toEqual({violations: []})
  const {payload} = await control(sandbox, 'GET', 'state')
  expect(payload.orders.map(({status}: {status: string}) => status)).toEqual([
    'Processing',
    'Processing',
    'Processing',
    'Processing',
    'Processing',
    'Failed',
  ])
  expect(payload.statements).toMatchObject([{statementNumber: 'ST-000001'}])
  expect(payload.commissionPeriods).toHaveLength(6)
  expect(payload.partners).toMatchObject([
    {name: 'Rimal Retail', wallet: 50_000},
    {name: 'Rimal Online', wallet: 5_000},
    {name: 'Warda Boutique', wallet: 100, isVatRegistered: false, marketing: false},
    {name: 'Dormant Trading', active: false},
  ])
  expect(payload.registrations).toHaveLength(1)
})

test('the check finds what is broken', async () => {
  await order('PO-1')
  const {world} = sandbox.state
  world.run('UPDATE partners SET wallet = wallet + 1 WHERE name = ?', 'Rimal Retail')
  world.run('UPDATE variants SET stock = stock - 1 WHERE sku = ?', 'RML-SAF-050')
  world.run('DELETE FROM cart_lines')
  world.run("UPDATE ledger SET amount = amount + 1 WHERE reference_type = 'Order'")
  world.run('UPDATE order_lines SET net = net + 1')
  const {payload} = await control(sandbox, 'GET', 'check')
  expect(payload.violations.map(({invariant}: {invariant: string}) => invariant)).toEqual(
    expect.arrayContaining([
      'every ledger entry changes the balance by its amount',
      'a wallet holds its last balance',
      'stock moves add up to the stock',
      'an order is charged once, in full, and a failed one never',
      'the lines of an order add up to it',
    ]),
  )
})

describe('the clock', () => {
  test('advances, stops and runs on', async () => {
    const frozen = await control(sandbox, 'POST', 'clock', {freeze: true})
    expect(frozen.payload.frozen).toBe(true)
    const later = await control(sandbox, 'POST', 'clock', {advanceSeconds: 90})
    expect(Date.parse(later.payload.now) - Date.parse(frozen.payload.now)).toBe(90_000)
    const moved = await control(sandbox, 'POST', 'clock', {to: '2031-01-01T03:00:00+03:00'})
    expect(moved.payload.now).toBe('2031-01-01T00:00:00.000Z')
    expect((await control(sandbox, 'POST', 'clock', {to: '2030-01-01'})).status).toBe(400)
    await control(sandbox, 'POST', 'clock', {freeze: false})
    expect(Date.parse((await control(sandbox, 'GET', 'clock')).payload.now)).toBeGreaterThanOrEqual(
      Date.parse(moved.payload.now),
    )
  })

  test('goes to what falls due next, and says what it was', async () => {
    const {payload} = await callerOf(sandbox).filled('C', {[variantOf(sandbox, 'RML-SAF-050')]: 1})
    const moved = await control(sandbox, 'POST', 'clock', {next: true})
    expect(moved.payload.fired).toEqual([
      {job: 'price-lock-expired', at: payload.lockExpiresAt, id: payload.lockId},
    ])
    // Then the demo's notice expires, unless the month ends before.
    const {fired} = (await control(sandbox, 'POST', 'clock', {next: true})).payload
    expect(['notice-expired', 'statement-closed']).toContain(fired[0].job)
  })
})

test('a snapshot brings everything back, the clock too', async () => {
  await order('PO-1')
  await control(sandbox, 'POST', 'snapshots/first')
  const before = (await control(sandbox, 'GET', 'state')).payload
  await order('PO-2')
  await control(sandbox, 'POST', 'clock', {advanceSeconds: 86_400})
  await control(sandbox, 'POST', 'snapshots/first/restore')
  expect((await control(sandbox, 'GET', 'state')).payload).toEqual(before)
  expect(checkWorld(sandbox.state.world)).toEqual([])
  expect((await order('PO-2')).status).toBe(201)
  expect((await control(sandbox, 'POST', 'snapshots/none/restore')).status).toBe(400)
  expect((await control(sandbox, 'POST', `snapshots/${encodeURIComponent('../x')}`)).status).toBe(400)
})

test('a reset gives the first data again, with the same ids', async () => {
  const variants = () => sandbox.state.world.all('SELECT id, sku, stock FROM variants ORDER BY sku')
  const first = variants()
  await order('PO-1')
  await control(sandbox, 'POST', 'faults', {effect: 'slow'})
  await control(sandbox, 'POST', 'reset')
  expect(variants()).toEqual(first)
  expect((await control(sandbox, 'GET', 'faults')).payload.items).toEqual([])
  await control(sandbox, 'POST', 'reset', {seed: 'empty'})
  expect(variants()).toEqual([])
  expect((await control(sandbox, 'GET', 'info')).payload).toMatchObject({seed: 'empty'})
})

test('a partner changes by id, client id or name, its wallet by an entry of the ledger', async () => {
  const id = sandbox.credentials[2]?.partnerId
  for (const [key, wallet] of [
    [id, 12.34],
    ['warda-boutique', 500],
    ['Warda Boutique', null],
    [id, 7],
  ] as const) {
    const path = `partners/${encodeURIComponent(key ?? '')}`
    expect((await control(sandbox, 'PATCH', path, {wallet})).payload).toMatchObject({partnerId: id, wallet})
  }
  expect(checkWorld(sandbox.state.world)).toEqual([])
  expect((await control(sandbox, 'PATCH', 'partners/nobody', {active: false})).status).toBe(404)
  expect((await control(sandbox, 'PATCH', `partners/${id}`, {wallet: 1.234})).status).toBe(400)
  expect((await control(sandbox, 'PATCH', `partners/${id}`, {walet: 1})).status).toBe(400)
})

test('a variant changes for one partner or for all', async () => {
  const [retail, online] = sandbox.credentials
  const read = async (clientId: string) =>
    (
      await callerOf(sandbox, clientId).ask('GET', `/scent/variants/${variantOf(sandbox, 'RML-SAF-050')}`, {
        query: 'include=pricing,availability',
      })
    ).payload
  await control(sandbox, 'PATCH', 'variants/RML-SAF-050', {partnerId: online?.partnerId, price: 99})
  expect([
    (await read('rimal-retail')).pricing.unitPrice,
    (await read('rimal-online')).pricing.unitPrice,
  ]).toEqual([120.5, 99])
  await control(sandbox, 'PATCH', 'variants/RML-SAF-050', {price: 80, availability: 'Limited'})
  expect(await read('rimal-retail')).toMatchObject({
    pricing: {unitPrice: 80},
    availability: {state: 'Limited'},
    marketing: {currentPrice: 80},
  })
  await control(sandbox, 'PATCH', `variants/${variantOf(sandbox, 'RML-SAF-050')}`, {
    partnerId: retail?.partnerId,
    pricingMode: 'Wholesale',
    availability: 'Unavailable',
  })
  expect(await read('rimal-retail')).toMatchObject({
    pricing: {commission: null},
    availability: {state: 'Unavailable', availableQuantity: 0},
  })
  expect(checkWorld(sandbox.state.world)).toEqual([])
})

test('the journal has every exchange, without secrets', async () => {
  await order('PO-1')
  const {payload} = await control(sandbox, 'GET', 'requests')
  expect(payload.items.map(({operation}: {operation: string}) => operation)).toEqual([
    'mintToken',
    'addCartItem',
    'previewCheckout',
    'createOrder',
  ])
  expect(payload.items[3]).toMatchObject({
    method: 'POST',
    target: '/api/v1/scent/orders',
    status: 201,
    state: 'CREATED',
  })
  const text = JSON.stringify(payload)
  expect(text).not.toContain(sandbox.credentials[0]?.clientSecret)
  expect(text).not.toContain('eyJ')
  expect((await control(sandbox, 'GET', 'requests?since=3')).payload.items).toHaveLength(1)
  await control(sandbox, 'DELETE', 'requests')
  expect((await control(sandbox, 'GET', 'requests')).payload.items).toEqual([])
})

test('a database on disk has everything at the next opening', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'scent-')), 'sandbox.db')
  const open = () => createSandbox({file})
  await sandbox.close()
  sandbox = await open()
  const {payload} = await order('PO-1')
  await control(sandbox, 'POST', 'clock', {advanceSeconds: 3_600})
  const now = sandbox.state.clock.now()
  await sandbox.close()
  sandbox = await open()
  expect(sandbox.state.clock.now()).toBeGreaterThanOrEqual(now)
  expect((await callerOf(sandbox).ask('GET', `/scent/orders/${payload.id}`)).payload.header.status).toBe(
    'Processing',
  )
  expect((await order('PO-1')).state).toBe('CONFLICT_ORDER_DUPLICATE_REFERENCE')
})

test('of several ports the first free one is served, and a taken one alone is refused', async () => {
  const first = await sandbox.listen(0)
  const port = Number(new URL(first).port)
  const other = await createSandbox()
  await expect(other.listen(port)).rejects.toMatchObject({code: 'INVALID_INPUT'})
  const second = await other.listen([port, 0])
  expect(second).not.toBe(first)
  expect((await fetch(`${second}/__sandbox/health`)).status).toBe(200)
  await other.close()
})

test('an order is found by its external reference too, and not where several partners use it', async () => {
  const placed = await order('PO-1')
  const byReference = await control(sandbox, 'POST', 'orders/PO-1/deliver')
  expect(byReference.payload).toEqual(
    (await control(sandbox, 'POST', `orders/${placed.payload.id}/deliver`)).payload,
  )
  expect((await control(sandbox, 'POST', 'orders/PO-2/deliver')).status).toBe(404)
  const {world} = sandbox.state
  const other = world.get<{id: string}>("SELECT id FROM partners WHERE name <> 'Rimal Retail'")?.id ?? ''
  world.run('UPDATE orders SET partner_id = ? WHERE id = ?', other, (await order('PO-3')).payload.id)
  await order('PO-3')
  const several = await control(sandbox, 'POST', 'orders/PO-3/deliver')
  expect(several.status).toBe(400)
})
