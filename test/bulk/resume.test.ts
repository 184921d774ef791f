import {afterEach, describe, expect, test} from 'vitest'
import type {JobFile} from '../../src/bulk/journal.ts'
import {openBudget} from '../../src/bulk/orders/one.ts'
import type {JobRecord} from '../../src/bulk/records.ts'
import {addCartItem, clearCart, removeCartItem} from '../../src/contract/cart.ts'
import {Failure} from '../../src/contract/failure.ts'
import {linesOf, viewCart} from '../../src/flows/cart/lines.ts'
import {planJob, runJob, type Wish} from '../support/bulk.ts'
import {openShop, type Shop} from '../support/shop.ts'
import {killedAfter} from '../support/table.ts'

let shop: Shop
let variantId: string
let other: string
afterEach(() => shop.close())

async function open(options: Parameters<typeof openShop>[0] = {}) {
  shop = await openShop(options)
  variantId = await shop.variant('RML-SAF-050')
  other = await shop.variant('NJD-INC-050')
}

const wish = (name: string, more: Partial<Wish> = {}): Wish => ({
  reference: `PO-${name}`,
  customerRef: 'C-1',
  lines: [{variantId, quantity: 2}],
  ...more,
})

const create = {match: {operation: 'createOrder'}} as const
const cart = async (customerRef = 'C-1') => linesOf(await viewCart(shop.client, customerRef))
const debits = async () =>
  (await shop.ledger()).filter(({transactionType}) => transactionType === 'Debit').length
const setStock = (stock: number) =>
  shop.sandbox.state.world.run('UPDATE variants SET stock = ? WHERE id = ?', stock, variantId)

describe('a job that is killed right after', () => {
  const outcome = (record: JobRecord) => record.step === 'OUTCOME'

  test.each([
    {why: 'its lock was gone', status: 400, state: 'VALIDATION_PRICE_LOCK_EXPIRED'},
    {why: 'its token was refused', status: 401, state: 'UNAUTHORIZED_INVALID_TOKEN'},
    {why: 'it heard of too many requests', status: 429, state: 'RATE_LIMITED', retryAfter: 999},
  ])('$why places the order at its resume', async ({why: _, ...fault}) => {
    await open()
    const job = await planJob([wish('1')])
    shop.fault({effect: 'status', ...fault, ...create, when: 'before', times: 1})
    const {states} = await runJob(shop, killedAfter(job, outcome))
    expect(states).toEqual(['todo'])
    expect((await runJob(shop, job)).states).toEqual(['placed'])
    expect(await cart()).toEqual([])
  })

  test('it found something in the cart leaves that there at its resume', async () => {
    await open()
    await shop.client.call(addCartItem, {query: {customerRef: 'C-1'}, body: {variantId: other, quantity: 1}})
    const job = await planJob([wish('1')])
    expect((await runJob(shop, killedAfter(job, outcome))).states).toEqual(['refused'])
    expect((await runJob(shop, job)).ends).toMatchObject([{state: 'refused', code: 'CART_NOT_EMPTY'}])
    expect(await cart()).toEqual([{variantId: other, quantity: 1}])
  })
})

describe('an order whose answer was lost', () => {
  /** One that the service did not make, with a lock that is in force no more. */
  async function unknown(more: Partial<Wish> = {}) {
    const job = await planJob([wish('1', more), wish('2', {customerRef: 'C-2'})])
    const fault = shop.fault({effect: 'status', status: 504, ...create, when: 'before'})
    expect((await runJob(shop, job)).states).toEqual(['unknown', 'unknown'])
    shop.sandbox.state.faults.clear(fault.id)
    await shop.client.call(clearCart, {params: {customerRef: 'C-1'}})
    return job
  }

  test('and that can not be ordered anew now stays unknown, and stops no other', async () => {
    await open()
    const job = await unknown()
    setStock(0)
    const {states, problem} = await runJob(shop, job)
    expect(problem).toBeUndefined()
    expect(states[0]).toBe('unknown')
    setStock(100)
    expect((await runJob(shop, job)).states).toEqual(['placed', 'placed'])
  })

  test('is settled although the refilling of its cart was cut off', async () => {
    await open()
    const lines = [
      {variantId, quantity: 2},
      {variantId: other, quantity: 1},
    ]
    const job = await unknown({lines})
    await shop.client.call(addCartItem, {query: {customerRef: 'C-1'}, body: lines[0] as (typeof lines)[0]})
    const before = await debits()
    expect((await runJob(shop, job)).states).toEqual(['placed', 'placed'])
    expect(await debits()).toBe(before + 2)
  })

  test('is not told as refused while its cart is in use', async () => {
    await open()
    const job = await planJob([wish('1')])
    shop.fault({effect: 'reset', ...create, when: 'after', times: 1})
    await runJob(
      shop,
      killedAfter(job, ({step}) => step === 'SUBMITTING'),
    )
    const busy = () => Promise.reject(new Failure('BUSY'))
    const {orders} = await runJob(shop, job, {alone: busy})
    expect(orders.isOpen(0)).toBe(true)
    expect((await runJob(shop, job)).states).toEqual(['placed'])
  })

  test('counts as charged against the most that a job may charge', async () => {
    await open()
    const job = await planJob([wish('1'), wish('2', {customerRef: 'C-2'})])
    const rules = () => ({cart: 'require-empty', maxDrift: null, budget: openBudget('400', '0')}) as const
    shop.fault({effect: 'status', status: 504, ...create, when: 'after', times: 1})
    shop.fault({effect: 'status', status: 504, ...create, when: 'before'})
    await runJob(shop, killedAfter(job, outcomeOf('unknown')), {rules: rules(), concurrency: 1})
    shop.sandbox.state.faults.clear()
    const second = await runJob(shop, job, {rules: rules(), concurrency: 2})
    expect(second.ends).toMatchObject([{state: 'placed'}, {state: 'refused', code: 'LIMIT_EXCEEDED'}])
  })

  const outcomeOf = (kind: string) => (record: JobRecord) =>
    record.step === 'OUTCOME' && record.outcome === kind
})

describe('an order whose cart is in use', () => {
  test('is placed by a resume, not refused', async () => {
    await open()
    const job = await planJob([wish('1'), wish('2', {customerRef: 'C-2'})])
    const alone = <T>(customerRef: string, work: () => Promise<T>) =>
      customerRef === 'C-1' ? Promise.reject(new Failure('BUSY')) : work()
    const {states, problem} = await runJob(shop, job, {alone})
    expect(problem).toBeUndefined()
    expect(states).toEqual(['todo', 'placed'])
    expect((await runJob(shop, job)).states).toEqual(['placed', 'placed'])
  })

  test('is not mistaken for one whose journal is: that was placed', async () => {
    await open()
    const job = await planJob([wish('1')])
    let busy = true
    const append: JobFile['append'] = (added, options) => {
      const isOutcome = [added].flat().some(({step}) => step === 'OUTCOME')
      if (!busy || !isOutcome) return job.append(added, options)
      busy = false
      return Promise.reject(new Failure('BUSY'))
    }
    const {problem, orders} = await runJob(shop, {...job, append})
    expect(problem).toMatchObject({code: 'BUSY'})
    expect(orders.isOpen(0)).toBe(true)
    expect((await runJob(shop, job)).states).toEqual(['placed'])
  })
})

describe('the lines of an order that is refused', () => {
  const two = () => [
    {variantId, quantity: 2},
    {variantId: other, quantity: 1},
  ]
  const withhold = (held: boolean) =>
    shop.sandbox.state.world.run('UPDATE variants SET withheld = ? WHERE id = ?', held, other)

  test('are out of the cart before the next order of that customer, also where that takes a while', async () => {
    await open()
    withhold(true)
    const job = await planJob([wish('1', {lines: two()}), wish('2')])
    shop.fault({effect: 'status', status: 503, match: {operation: 'readCart'}, when: 'before', times: 12})
    const {ends} = await runJob(shop, job)
    expect(ends).toMatchObject([{state: 'refused', code: 'BUSINESS_VARIANT_UNAVAILABLE'}, {state: 'placed'}])
  })

  test('may be taken out by somebody else at the same moment', async () => {
    let meddle = true
    await open({
      through: (send) => async (request) => {
        if (request.method === 'DELETE' && meddle) {
          meddle = false
          await shop.client.call(removeCartItem, {params: {customerRef: 'C-1', variantId}})
        }
        return send(request)
      },
    })
    const third = await shop.variant('RML-TAI-050')
    await shop.client.call(addCartItem, {query: {customerRef: 'C-1'}, body: {variantId: third, quantity: 9}})
    setStock(1)
    const job = await planJob([wish('1', {lines: [...two(), {variantId: third, quantity: 1}]})])
    const {ends, problem} = await runJob(shop, job, {
      rules: {cart: 'replace', maxDrift: null, budget: openBudget(null, '0')},
    })
    expect(problem).toBeUndefined()
    expect(ends).toMatchObject([{state: 'refused', code: 'BUSINESS_CART_NOT_CHECKOUT_READY'}])
  })
})
