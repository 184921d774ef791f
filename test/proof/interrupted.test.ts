import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {tryLock} from '../../src/store/lock.ts'
import {cartLock, foldersOf} from '../../src/store/paths.ts'
import {manyOrders, orderFile} from '../support/order-file.ts'
import type {Running} from '../support/scent.ts'
import {folderIn, openShop, type Shop} from '../support/served-shop.ts'

let shop: Shop
let variant: string

beforeEach(async () => {
  shop = await openShop()
  variant = shop.variant('RML-SAF-050')
  await shop.json(['cart', 'add', `${variant}=2`, '--customer', 'C-1'])
})
afterEach(() => shop.close())

const checkout = () => ['checkout', '--customer', 'C-1', '--address', shop.address, '--yes', '--json']

async function create(): Promise<string[]> {
  const {lockId} = await shop.json(['checkout', 'lock', '--customer', 'C-1'])
  return [
    ...['orders', 'create', '--lock', lockId, '--reference', 'PO-1', '--customer', 'C-1'],
    ...['--address', shop.address, '--json'],
  ]
}

/** Ctrl-C as often as it takes, which is twice at most. */
async function interrupt({child, ended, said}: Running) {
  child.kill('SIGINT')
  await Promise.race([ended, said('again to leave')])
  child.kill('SIGINT')
  return ended
}

const ways: [string, () => string[] | Promise<string[]>][] = [
  ['checkout --yes', checkout],
  ['orders create', create],
]

describe.each(ways)('Ctrl-C of `%s`', (_, words) => {
  test('while the answer is awaited says that it may have been charged, and the next run settles it', async () => {
    const argv = await words()
    shop.fault({match: {operation: 'createOrder'}, effect: 'hang', when: 'after', times: 1})
    const running = shop.start(argv)
    await shop.answered('createOrder')
    const {code, stdout, stderr} = await interrupt(running)
    expect(code).toBe(130)
    const {error} = JSON.parse(stdout)
    expect(error).toMatchObject({state: 'INTERRUPTED', exitCode: 130})
    expect(error.message + stderr).toMatch(/may have (been charged|taken effect)/)
    const order = await shop.json(argv.filter((word) => word !== '--json'))
    expect(shop.orders()).toMatchObject([{id: order.id}])
    expect(shop.debits()).toBe(1)
  })

  test('between two tries says that it may have been charged too', async () => {
    const argv = await words()
    shop.fault({match: {operation: 'createOrder'}, effect: 'status', status: 504, when: 'before'})
    const running = shop.start(argv)
    await shop.answered('createOrder')
    await shop.answered('createOrder')
    await new Promise((turn) => setTimeout(turn, 300))
    const {code, stdout} = await interrupt(running)
    const {error} = JSON.parse(stdout)
    expect(error.message).toMatch(/may have (been charged|taken effect)|may exist/)
    expect([12, 130]).toContain(code)
    shop.sandbox.state.faults.clear()
    await shop.json(argv.filter((word) => word !== '--json'))
    expect(shop.orders()).toHaveLength(1)
    expect(shop.debits()).toBe(1)
  })
})

test.each(ways)('SIGTERM of `%s` leaves at once, with the same words and exit code', async (_, words) => {
  const argv = await words()
  shop.fault({match: {operation: 'createOrder'}, effect: 'hang', when: 'after', times: 1})
  const {child, ended} = shop.start(argv)
  await shop.answered('createOrder')
  child.kill('SIGTERM')
  // As timeout(1) does: to the process, and to its group.
  child.kill('SIGTERM')
  const {code, stdout, stderr} = await ended
  expect([code, stderr]).toEqual([130, expect.not.stringContaining('again to leave')])
  const {error} = JSON.parse(stdout)
  expect(error).toMatchObject({state: 'INTERRUPTED', exitCode: 130})
  expect(error.message).toMatch(/may have (been charged|taken effect)/)
})

test('Ctrl-C of a cart command says whether the change may have been made', async () => {
  shop.fault({match: {operation: 'addCartItem'}, effect: 'hang', when: 'after', times: 1})
  const running = shop.start(['cart', 'add', variant, '--customer', 'C-1'])
  await shop.answered('addCartItem')
  const {code, stdout, stderr} = await interrupt(running)
  expect({code, stdout}).toEqual({code: 130, stdout: ''})
  expect(stderr).toMatch(/may have taken effect/)
  shop.fault({match: {operation: 'readCart'}, effect: 'hang', times: 1})
  const reading = shop.start(['cart', 'show', '--customer', 'C-1', '--json'])
  await shop.answered('readCart')
  const read = await interrupt(reading)
  expect(read.code).toBe(130)
  expect(JSON.parse(read.stdout).error.message).toMatch(/nothing was (changed|sent)/i)
})

const jobs: [string, (folder: string) => string][] = [
  ['orders import', (folder) => orderFile(folder, 'orders.csv', manyOrders('PO', 1))],
  ['cart import', cartFile],
]

function cartFile(folder: string): string {
  const path = join(folder, 'carts.csv')
  writeFileSync(path, 'customerRef,sku,quantity\nPO-C0,RML-SAF-050,1\n')
  return path
}

test.each(jobs)(
  'Ctrl-C of `%s` waits for no other checkout of a cart, and a resume goes on',
  async (name, fileIn) => {
    const file = fileIn(folderIn(shop.env, 'files'))
    const identity = {origin: shop.url, clientId: shop.env.SCENT_CLIENT_ID ?? '', onBehalfOf: null}
    const free = tryLock(cartLock(foldersOf(shop.env), identity, 'PO-C0'))
    const {child, ended, said} = shop.start([...name.split(' '), file, '--yes'])
    await said('Another checkout of this cart runs on this machine')
    child.kill('SIGINT')
    const began = performance.now()
    const {code, stderr} = await ended
    expect({code, soon: performance.now() - began < 30_000}).toEqual({code: 130, soon: true})
    free?.()
    const [, id = ''] = /scent jobs resume ([\w-]+)/.exec(stderr) ?? []
    expect((await shop.json(['jobs', 'show', id])).summary).toMatchObject({
      refused: 0,
      unknown: 0,
      pending: 1,
    })
    expect((await shop.json(['jobs', 'resume', id])).summary).toMatchObject({refused: 0, unknown: 0})
    expect([shop.orders().length, shop.cart('PO-C0')]).toEqual(
      name === 'orders import' ? [1, {}] : [0, {[variant]: 1}],
    )
  },
)

test.each(['SIGTERM', 'SIGHUP'] as const)('%s leaves records that the next run takes up', async (signal) => {
  shop.fault({match: {operation: 'createOrder'}, effect: 'hang', when: 'after', times: 1})
  const {child, ended} = shop.start(checkout())
  await shop.answered('createOrder')
  child.kill(signal)
  expect((await ended).code).not.toBe(0)
  const {items} = await shop.json(['doctor'])
  const {detail} = items.find(({check}: {check: string}) => check === 'orders')
  expect(detail).toBe('1 recorded beside those of jobs, 1 not settled: `scent orders list` names them.')
  const order = await shop.json(checkout().filter((word) => word !== '--json'))
  expect(shop.orders()).toMatchObject([{id: order.id}])
})
