import {expect, test} from 'vitest'
import type {World} from '../../src/sandbox/core/world.ts'
import {openShop} from '../support/served-shop.ts'

/** Brings the ledger of the partner to that many entries. */
function fillLedger({world}: {world: World}, count: number) {
  const sql = `SELECT COUNT(*) AS entries FROM ledger JOIN partners ON partners.id = partner_id WHERE client_id = ?`
  const {entries = 0} = world.get<{entries: number}>(sql, 'rimal-retail') ?? {}
  for (let i = entries; i < count; i++) {
    world.run(
      `INSERT INTO ledger
         (partner_id, seq, type, amount, balance_before, balance_after, reference_type, reference_id, at)
       SELECT p.id, max(l.seq) + 1, 'Credit', 0, wallet, wallet, 'TopUp', ?, max(l.at) + 1
       FROM partners p JOIN ledger l ON l.partner_id = p.id WHERE p.client_id = 'rimal-retail'`,
      `top-up ${i}`,
    )
  }
}

const ofEach = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({length: count}, (_, i) => work(i)))

test.concurrent('twenty cold processes at once need one token, and none fails', async () => {
  const shop = await openShop({limits: true})
  const ends = await ofEach(20, () => shop.scent(['catalog', 'variants', '--page-size', '1', '--json']))
  expect(ends.map(({code, stderr}) => ({code, stderr}))).toEqual(ends.map(() => ({code: 0, stderr: ''})))
  const requests = shop.requests()
  expect(requests.filter(({operation}) => operation === 'mintToken')).toHaveLength(1)
  expect(requests.filter(({status}) => status !== 200)).toEqual([])
  expect(requests).toHaveLength(21)
  await shop.close()
})

test.concurrent('four hundred reads of four processes meet no 429, and leave room for a person', async () => {
  const shop = await openShop({limits: true})
  fillLedger(shop.sandbox.state, 100)
  const all = ofEach(4, () =>
    shop.scent(['wallet', 'transactions', '--all', '--page-size', '1', '--output', 'ndjson']),
  )
  let busy = true
  void all.then(() => {
    busy = false
  })
  // Once the jobs have used up their part of the quota, somebody types a command.
  const {requests, limits} = shop.sandbox.state
  const inUse = () => limits.rest.inUse(performance.now())['rimal-retail'] ?? 0
  while (inUse() < 270) await new Promise((turn) => setTimeout(turn, 100))
  const typed = await shop.scent(['catalog', 'variants', '--page-size', '1', '--json', '--max-wait', '5'])
  expect({...typed, stdout: ''}).toMatchObject({code: 0, stderr: ''})
  expect(busy).toBe(true)
  for (const {code, stdout} of await all) {
    expect(code).toBe(0)
    expect(stdout.trim().split('\n')).toHaveLength(100)
  }
  expect(requests.list().filter(({status}) => status === 429)).toEqual([])
  expect(requests.list().filter(({operation}) => operation === 'mintToken')).toHaveLength(1)
  await shop.close()
}, 180_000)

test.concurrent('five checkouts of one cart at once make one order, and one debit', async () => {
  const shop = await openShop({limits: true})
  await shop.json(['cart', 'add', `${shop.variant('RML-SAF-050')}=2`, '--customer', 'C'])
  const words = ['checkout', '--customer', 'C', '--address', shop.address, '--yes', '--json']
  const ends = await ofEach(5, () => shop.scent(words))
  const [order, ...others] = shop.orders()
  expect(others).toEqual([])
  expect(shop.debits()).toBe(1)
  const placed = ends.filter(({code}) => code === 0)
  expect(placed.length).toBeGreaterThan(0)
  for (const {stdout} of placed) expect(JSON.parse(stdout).id).toBe(order?.id)
  // The others found the cart empty, or the order standing.
  for (const {code, stdout} of ends) expect([0, 7, 8], stdout).toContain(code)
  await shop.close()
})
