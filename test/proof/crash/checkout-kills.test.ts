import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {callerOf} from '../../sandbox/caller.ts'
import {openShop, type Shop} from '../../support/served-shop.ts'
import type {FaultOrder} from '../../support/types.ts'

let shop: Shop
let variant: string

beforeAll(async () => {
  shop = await openShop()
  variant = shop.variant('RML-SAF-050')
})
afterAll(() => shop.close())

/** Fills a cart without the program. */
async function fill(customer: string): Promise<void> {
  const query = `customerRef=${encodeURIComponent(customer)}`
  await callerOf(shop.sandbox).ask('POST', '/scent/cart/items', {
    query,
    body: {variantId: variant, quantity: 2},
  })
}

const checkout = (customer: string, ...more: string[]) => [
  ...['checkout', '--customer', customer, '--address', shop.address, '--yes', '--json'],
  ...more,
]

const ordersOf = (customer: string) => shop.orders().filter((order) => order.customer_ref === customer)

/** Steps of the local record so far, in their order. */
function steps(reference: string): string[] {
  const folder = join(shop.env.SCENT_STATE_DIR ?? '', 'records')
  const names = existsSync(folder) ? readdirSync(folder, {recursive: true, encoding: 'utf8'}) : []
  const texts = names
    .filter((name) => name.endsWith('orders.ndjson'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  return texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.includes(`"${reference}"`))
    .map((line) => /"step":"([A-Z]+)"/.exec(line)?.[1] ?? '')
}

/** The request was not received, or its work is committed and its answer hangs. */
const unsent = {match: {operation: 'createOrder'}, effect: 'reset', when: 'before'} as const
const committed = {match: {operation: 'createOrder'}, effect: 'hang', when: 'after'} as const

/** Runs the program with SIGKILL as soon as the service is done with the request that the fault strikes. */
async function killAt(fault: FaultOrder & {match: {operation: string}}, words: string[]): Promise<void> {
  shop.fault({...fault, times: 1})
  const struck = shop.answered(fault.match.operation)
  const {child, ended} = shop.start(words)
  await struck
  child.kill('SIGKILL')
  await ended
}

/** Past the end of every lock. */
const later = () => shop.sandbox.state.clock.moveTo(shop.sandbox.state.clock.now() + 20 * 60_000)

/** Runs the checkout of a customer again, and requires that it has ordered once. */
async function ordersOnce(customer: string) {
  const again = await shop.scent(checkout(customer))
  expect(again.code, again.stderr).toBe(0)
  const [order, ...others] = ordersOf(customer)
  expect(others).toEqual([])
  expect(JSON.parse(again.stdout)).toMatchObject({
    id: order?.id,
    externalReference: order?.external_reference,
  })
  return {order, document: JSON.parse(again.stdout), stderr: again.stderr}
}

const listedFor = async (customer: string) => {
  const {items} = await shop.json(['orders', 'list'])
  return items.filter((item: {customerRef: string}) => item.customerRef === customer)
}

describe('kill -9 of a checkout', () => {
  test('before its lock arrived leaves a cart that is ordered once by the next run', async () => {
    await fill('K-lock')
    await killAt({match: {operation: 'previewCheckout'}, effect: 'hang', when: 'after'}, checkout('K-lock'))
    await ordersOnce('K-lock')
  })

  test('while the order has not reached the service is taken up under its own reference', async () => {
    await fill('K-before')
    await killAt(unsent, checkout('K-before', '--reference', 'PO-before'))
    expect(ordersOf('K-before')).toEqual([])
    expect(steps('PO-before').at(-1)).toBe('SUBMITTING')
    const {document, stderr} = await ordersOnce('K-before')
    expect(stderr).toContain('PO-before')
    expect(document).toMatchObject({externalReference: 'PO-before', pricing: {total: 305.9}})
  })

  test('while the service still works on the order waits for it, and orders once', async () => {
    await fill('K-slow')
    shop.fault({match: {operation: 'createOrder'}, effect: 'slow', delayMs: 2_500, times: 1})
    const {child, ended} = shop.start(checkout('K-slow'))
    while (shop.sandbox.state.inFlight.length === 0) await new Promise((turn) => setTimeout(turn, 5))
    child.kill('SIGKILL')
    await ended
    await ordersOnce('K-slow')
  })

  test('after the commit finds the order that exists, and does not order again', async () => {
    await fill('K-after')
    await killAt(committed, checkout('K-after'))
    const [before] = ordersOf('K-after')
    const {order} = await ordersOnce('K-after')
    expect(order?.id).toBe(before?.id)
    expect(await listedFor('K-after')).toMatchObject([
      {externalReference: order?.external_reference, orderId: order?.id},
    ])
  })

  test.each([
    {when: 'after', fault: committed, customer: 'K-late'},
    {when: 'before', fault: unsent, customer: 'K-lost'},
  ])('$when the commit is settled too when the lock has run out since', async ({fault, customer}) => {
    await fill(customer)
    await killAt(fault, checkout(customer))
    later()
    await ordersOnce(customer)
  })
})

describe('kill -9 of `orders create`', () => {
  const words = (customer: string, lock: string) => [
    ...['orders', 'create', '--lock', lock, '--reference', `PO-${customer}`, '--customer', customer],
    ...['--address', shop.address],
  ]
  const lock = async (customer: string) =>
    (await shop.json(['checkout', 'lock', '--customer', customer])).lockId as string

  test('after the commit: the same command again finds the order', async () => {
    await fill('K-create')
    const argv = words('K-create', await lock('K-create'))
    await killAt(committed, argv)
    const order = await shop.json(argv)
    expect(ordersOf('K-create')).toMatchObject([{id: order.id}])
  })

  test('whose lock ran out: a new lock under the same reference settles it', async () => {
    await fill('K-relock')
    const argv = words('K-relock', await lock('K-relock'))
    await killAt(unsent, argv)
    later()
    const [entry] = await listedFor('K-relock')
    expect(entry).toMatchObject({externalReference: 'PO-K-relock', outcome: 'open'})
    // Nothing but this lock was ever sent, and it expired unused: that proves that nothing was charged.
    const {error} = await shop.json(argv, {code: 6})
    expect(error).toMatchObject({state: 'VALIDATION_PRICE_LOCK_EXPIRED'})
    const order = await shop.json(words('K-relock', await lock('K-relock')))
    expect(ordersOf('K-relock')).toMatchObject([{id: order.id, external_reference: 'PO-K-relock'}])
  })
})

test('kill -9 right after each line that the record gets: one order, one debit', async () => {
  const debits = shop.debits()
  for (let line = 1; line <= 5; line++) {
    const customer = `K-line-${line}`
    await fill(customer)
    const reference = `PO-line-${line}`
    const {child, ended} = shop.start(checkout(customer, '--reference', reference))
    let alive = true
    void ended.then(() => {
      alive = false
    })
    while (alive && steps(reference).length < line) await new Promise((turn) => setImmediate(turn))
    child.kill('SIGKILL')
    await ended
    const again = await shop.scent(checkout(customer, '--reference', reference))
    expect([0, 8], again.stdout).toContain(again.code)
    expect(ordersOf(customer)).toHaveLength(1)
  }
  expect(shop.debits() - debits).toBe(5)
})

test('kill -9 at thirty moments of a checkout, and again until it ends: one order and one debit each', async () => {
  await fill('K-whole')
  const started = performance.now()
  expect((await shop.scent(checkout('K-whole'))).code).toBe(0)
  const whole = performance.now() - started
  const debits = shop.debits()
  const moments = Array.from({length: 30}, (_, i) => i)
  const one = async (i: number) => {
    const customer = `K-${i}`
    await fill(customer)
    const words = checkout(customer, ...(i % 2 === 0 ? [] : ['--reference', `PO-${i}`]))
    for (let kill = 0; kill < (i % 3) + 1; kill++) {
      const {child, ended} = shop.start(words)
      const timer = setTimeout(() => child.kill('SIGKILL'), (whole * 1.3 * (i + 1)) / moments.length)
      await ended
      clearTimeout(timer)
    }
    const last = await shop.scent(words)
    const document = JSON.parse(last.stdout)
    const orders = ordersOf(customer)
    expect(orders, `${customer}: ${last.stdout}${last.stderr}`).toHaveLength(1)
    // An earlier run may have got through: then there is nothing left to order, and the last one says so.
    if (last.code === 0) expect(document.id).toBe(orders[0]?.id)
    else if (i % 2 === 0) expect(document.error.state).toBe('BUSINESS_CART_NOT_CHECKOUT_READY')
    else expect(document.error).toMatchObject({details: {orderId: orders[0]?.id}})
  }
  const work = moments.map((i) => () => one(i))
  const hand = async () => {
    for (let next = work.pop(); next; next = work.pop()) await next()
  }
  await Promise.all([hand(), hand(), hand()])
  expect(shop.debits() - debits).toBe(moments.length)
  const {items} = await shop.json(['orders', 'list'])
  const ids = items.map((item: {orderId: string}) => item.orderId).filter(Boolean)
  expect(new Set(ids).size).toBe(ids.length)
}, 120_000)
