import {afterEach, describe, expect, test} from 'vitest'
import {addCartItem} from '../../../src/contract/cart.ts'
import type {HttpRequest} from '../../../src/contract/wire.ts'
import {linesOf, viewCart} from '../../../src/flows/cart/lines.ts'
import {type Locked, lockCart, noteLock, orderLocked} from '../../../src/flows/order/lock.ts'
import {notePlan, type OrderIntent} from '../../../src/flows/order/records.ts'
import {submitLock} from '../../../src/flows/order/submit.ts'
import {takeUpEntry} from '../../../src/flows/order/take-up.ts'
import {address} from '../../support/address.ts'
import {openShop, type Shop} from '../../support/shop.ts'

let shop: Shop
afterEach(() => shop.close())

const lost = [
  {effect: 'reset'},
  {effect: 'status', status: 504},
  {effect: 'hang'},
  {effect: 'truncate'},
  {effect: 'malformed'},
] as const

async function prepared(customerRef = 'C-1', reference = 'PO-1') {
  await shop.fill(customerRef)
  return planned(customerRef, reference)
}

async function planned(
  customerRef = 'C-1',
  reference = 'PO-1',
): Promise<{intent: OrderIntent; locked: Locked}> {
  const outcome = await lockCart(shop.tools, customerRef)
  if (outcome.kind !== 'locked') throw new Error('the cart was not locked')
  const intent = {reference, customerRef, lines: outcome.locked.lines, address}
  await notePlan(shop.tools, intent)
  await noteLock(shop.tools, intent, outcome.locked)
  return {intent, locked: outcome.locked}
}

async function debits() {
  return (await shop.ledger()).filter(({transactionType}) => transactionType === 'Debit').length
}

const refused = (state: string) => ({
  status: 400,
  headers: {'content-type': 'application/json'},
  body: JSON.stringify({state, payload: null, details: null}),
})

const create = {match: {operation: 'createOrder'}} as const

describe('one order', () => {
  test('is placed, charged once and on record, with one request', async () => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    const before = await debits()
    shop.requests.length = 0
    const outcome = await submitLock(shop.tools, intent, locked.lock)
    expect(outcome.kind).toBe('placed')
    expect(shop.requests).toEqual(['POST /api/v1/scent/orders'])
    expect(await debits()).toBe(before + 1)
    expect(await shop.records.find('PO-1')).toMatchObject({settled: true, pending: []})
  })

  test.each(lost)(
    'an answer lost by $effect after the commit leaves one order and one debit',
    async (fault) => {
      shop = await openShop()
      const {intent, locked} = await prepared()
      const before = await debits()
      shop.fault({...fault, ...create, when: 'after', times: 1})
      const outcome = await submitLock(shop.tools, intent, locked.lock)
      expect(outcome).toMatchObject({kind: 'placed', order: {answered: false, total: locked.lock.total}})
      expect(await debits()).toBe(before + 1)
    },
  )

  test.each(lost)('a request lost by $effect before it ran is sent again, and orders once', async (fault) => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    const before = await debits()
    shop.fault({...fault, ...create, when: 'before', times: 2})
    const outcome = await submitLock(shop.tools, intent, locked.lock)
    expect(outcome).toMatchObject({kind: 'placed', order: {answered: true}})
    expect(await debits()).toBe(before + 1)
  })

  test('a token that expires in the middle costs nothing but a new token', async () => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    shop.later(400)
    shop.fault({effect: 'reset', ...create, when: 'after', times: 1})
    expect(await submitLock(shop.tools, intent, locked.lock)).toMatchObject({kind: 'placed'})
  })

  test('a race on the cart is asked again', async () => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    shop.fault({effect: 'race', ...create, times: 2})
    expect(await submitLock(shop.tools, intent, locked.lock)).toMatchObject({kind: 'placed'})
  })

  test('a service that stays silent leaves the order unknown, never refused', async () => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    shop.fault({effect: 'status', status: 503, ...create, when: 'before'})
    const outcome = await submitLock(shop.tools, intent, locked.lock)
    expect(outcome).toMatchObject({kind: 'unknown', failure: {code: 'OUTCOME_UNKNOWN'}})
    expect(await shop.records.open()).toMatchObject([{reference: 'PO-1', settled: false}])
  })

  test('a refusal after a lost answer does not pass for "not charged"', async () => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    shop.fault({effect: 'reset', ...create, when: 'after', times: 1})
    shop.fault({effect: 'status', status: 403, state: 'FORBIDDEN', ...create, when: 'before', times: 1})
    const outcome = await submitLock(shop.tools, intent, locked.lock)
    expect(outcome).toMatchObject({kind: 'unknown', failure: {code: 'OUTCOME_UNKNOWN'}})
  })

  test.each([
    {status: 401, state: 'UNAUTHORIZED_INVALID_TOKEN'},
    {status: 403, state: 'FORBIDDEN'},
    {status: 400, state: 'VALIDATION_ERRORS'},
    {status: 422, state: 'BUSINESS_CART_NOT_CHECKOUT_READY'},
    {status: 422, state: 'BUSINESS_PRODUCT_ACCESS_DISABLED'},
    {status: 422, state: 'SOMETHING_NEW'},
  ])('$state at the first try is a refusal, and nothing is charged', async ({status, state}) => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    const before = await debits()
    shop.fault({effect: 'status', status, state, ...create, when: 'before', times: 1})
    const outcome = await submitLock(shop.tools, intent, locked.lock)
    expect(outcome).toMatchObject({kind: 'refused', failure: {code: state}})
    expect(await debits()).toBe(before)
  })

  test('a charge that differs from the lock is told, and on record', async () => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    // The city decides the shipping fee, and the lock could not know it.
    const elsewhere = {...intent, address: {...address, city: 'Jeddah'}}
    const outcome = await submitLock(shop.tools, elsewhere, locked.lock)
    expect(outcome).toMatchObject({kind: 'placed', order: {differs: {locked: locked.lock.total}}})
    expect(await shop.records.find('PO-1')).toMatchObject({settled: true, outcome: {message: /Charged/}})
  })

  test('a reference in progress, then refused, stays unknown', async () => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    const state = 'CONFLICT_ORDER_IN_PROGRESS'
    shop.fault({effect: 'status', status: 409, state, ...create, when: 'before', times: 3})
    shop.fault({effect: 'status', status: 403, state: 'FORBIDDEN', ...create, when: 'before', times: 1})
    expect(await submitLock(shop.tools, intent, locked.lock)).toMatchObject({kind: 'unknown'})
  })

  test('an answer with the order of another reference is never taken for ours', async () => {
    shop = await openShop({
      through: (send) => async (request) => {
        const response = await send(request)
        return {
          ...response,
          body: response.body.replace('"externalReference":"PO-1"', '"externalReference":"PO-9"'),
        }
      },
    })
    const {intent, locked} = await prepared()
    const outcome = await submitLock(shop.tools, intent, locked.lock)
    expect(outcome).toMatchObject({
      kind: 'unknown',
      failure: {code: 'OUTCOME_UNKNOWN', cause: {code: 'ORDER_MISMATCH'}},
    })
  })

  test('one that needs a person is never asked again by itself', async () => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    const state = 'CONFLICT_ORDER_REQUIRES_INTERVENTION'
    shop.fault({effect: 'status', status: 409, state, ...create, when: 'before'})
    shop.requests.length = 0
    const outcome = await submitLock(shop.tools, intent, locked.lock)
    expect(outcome).toMatchObject({kind: 'unknown', failure: {code: state}})
    expect(shop.requests).toHaveLength(1)
  })

  test('an empty wallet fails the order, and the record says that nothing was charged', async () => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    shop.sandbox.state.world.run('UPDATE partners SET wallet = 100')
    const outcome = await submitLock(shop.tools, intent, locked.lock)
    expect(outcome).toMatchObject({kind: 'refused', failure: {code: 'ORDER_FAILED'}})
  })
})

describe('a reference that exists', () => {
  test('with the same goods and total is this very order, not ordered again', async () => {
    shop = await openShop()
    const first = await prepared()
    await submitLock(shop.tools, first.intent, first.locked.lock)
    const before = await debits()
    const second = await prepared()
    const outcome = await submitLock(shop.tools, second.intent, second.locked.lock)
    expect(outcome).toMatchObject({kind: 'already-placed'})
    expect(await debits()).toBe(before)
  })

  test("with other goods is somebody else's, and refused", async () => {
    shop = await openShop()
    const first = await prepared()
    await submitLock(shop.tools, first.intent, first.locked.lock)
    await shop.fill('C-1', 3)
    const second = await planned()
    const outcome = await submitLock(shop.tools, second.intent, second.locked.lock)
    expect(outcome).toMatchObject({kind: 'refused', failure: {code: 'ORDER_MISMATCH', exitCode: 8}})
    expect(await shop.records.find('PO-1')).toMatchObject({outcome: {outcome: 'placed'}})
  })

  test('with other goods of the same total is refused as well', async () => {
    shop = await openShop()
    shop.sandbox.state.world.run("UPDATE assortment SET price = 10000, mode = 'Wholesale'")
    shop.sandbox.state.world.run('UPDATE variants SET stock = 100, floor = 0')
    const first = await prepared()
    await submitLock(shop.tools, first.intent, first.locked.lock)
    const variantId = await shop.variant('RML-SAF-100')
    await shop.client.call(addCartItem, {query: {customerRef: 'C-1'}, body: {variantId, quantity: 2}})
    const second = await planned()
    expect(second.locked.lock.total).toEqual(first.locked.lock.total)
    const outcome = await submitLock(shop.tools, second.intent, second.locked.lock)
    expect(outcome).toMatchObject({kind: 'refused', failure: {code: 'ORDER_MISMATCH'}})
  })

  test('for another customer is refused as well', async () => {
    shop = await openShop()
    const first = await prepared('C-1')
    await submitLock(shop.tools, first.intent, first.locked.lock)
    const second = await prepared('C-2')
    const outcome = await submitLock(shop.tools, second.intent, second.locked.lock)
    expect(outcome).toMatchObject({kind: 'refused', failure: {code: 'ORDER_MISMATCH'}})
  })

  test("and can't be read leaves the outcome unknown", async () => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    shop.fault({effect: 'reset', ...create, when: 'after', times: 1})
    shop.fault({
      effect: 'status',
      status: 403,
      state: 'FORBIDDEN',
      match: {operation: 'readOrder'},
      when: 'before',
    })
    const outcome = await submitLock(shop.tools, intent, locked.lock)
    expect(outcome).toMatchObject({kind: 'unknown'})
  })
})

describe('a lock that is gone', () => {
  test('is taken again under the same reference when nothing was sent before', async () => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    shop.later(16 * 60)
    const outcome = await orderLocked(shop.tools, intent, locked, locked.lock.total)
    expect(outcome).toMatchObject({kind: 'placed'})
    expect((await shop.records.find('PO-1'))?.locks).toHaveLength(2)
  })

  test('is no proof that an earlier try was not charged', async () => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    shop.fault({effect: 'reset', ...create, when: 'after', times: 1})
    const state = 'VALIDATION_PRICE_LOCK_INVALID'
    shop.fault({effect: 'status', status: 400, state, ...create, when: 'before', times: 1})
    const outcome = await submitLock(shop.tools, intent, locked.lock)
    expect(outcome).toMatchObject({kind: 'relock', open: [locked.lock.lockId]})
    expect(await shop.records.open()).toMatchObject([{outcome: {outcome: 'unknown'}}])
  })

  test('because it expired is asked once more after a lost answer, and the order that stands is found', async () => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    shop.fault({effect: 'reset', ...create, when: 'after', times: 1})
    const state = 'VALIDATION_PRICE_LOCK_EXPIRED'
    shop.fault({effect: 'status', status: 400, state, ...create, when: 'before', times: 1})
    const outcome = await submitLock(shop.tools, intent, locked.lock)
    expect(outcome).toMatchObject({kind: 'placed', order: {answered: false}})
  })

  test('with a price above the approved one asks for a decision', async () => {
    shop = await openShop()
    const {intent, locked} = await prepared()
    shop.sandbox.state.world.run('UPDATE assortment SET price = price + 1000')
    shop.later(16 * 60)
    const outcome = await orderLocked(shop.tools, intent, locked, locked.lock.total)
    expect(outcome).toMatchObject({kind: 'changed'})
  })
})

describe('an order that was cut off', () => {
  async function cutOff(when: 'before' | 'after') {
    shop = await openShop()
    const {intent, locked} = await prepared()
    // Silence for longer than patience: the record stays open.
    const silence = shop.fault({effect: 'status', status: 504, ...create, when: 'before'})
    if (when === 'after') {
      shop.sandbox.state.faults.clear()
      shop.fault({effect: 'status', status: 504, ...create, when: 'after', times: 1})
      shop.fault({effect: 'status', status: 504, ...create, when: 'before'})
    }
    expect(silence.id).toBeGreaterThan(0)
    const first = await orderLocked(shop.tools, intent, locked, locked.lock.total)
    expect(first.kind).toBe('unknown')
    shop.sandbox.state.faults.clear()
    const [entry] = await shop.records.open()
    if (!entry) throw new Error('nothing is open')
    return entry
  }

  test.each(['before', 'after'] as const)('%s the commit is taken up as one order', async (when) => {
    const entry = await cutOff(when)
    const before = (await debits()) - (when === 'after' ? 1 : 0)
    expect(await takeUpEntry(shop.tools, entry)).toMatchObject({kind: 'placed'})
    expect(await debits()).toBe(before + 1)
    expect(await shop.records.open()).toEqual([])
  })

  test('after the commit is that order, also when its lock would have run out meanwhile', async () => {
    const entry = await cutOff('after')
    const before = await debits()
    shop.later(20 * 60)
    expect(await takeUpEntry(shop.tools, entry)).toMatchObject({kind: 'placed'})
    expect(await debits()).toBe(before)
  })

  test('before the commit is proven uncharged once every lock it was sent with has expired', async () => {
    const entry = await cutOff('before')
    const before = await debits()
    shop.later(20 * 60)
    expect(await takeUpEntry(shop.tools, entry)).toMatchObject({kind: 'relock'})
    expect(await debits()).toBe(before)
    expect(await shop.records.open()).toEqual([])
  })

  test('is not proven uncharged while one of its locks answers anything but expired', async () => {
    const entry = await cutOff('before')
    shop.later(20 * 60)
    const state = 'VALIDATION_PRICE_LOCK_INVALID'
    shop.fault({effect: 'status', status: 400, state, ...create, when: 'before'})
    const open = expect.arrayContaining([entry.pending[0]?.lockId])
    expect(await takeUpEntry(shop.tools, entry)).toMatchObject({kind: 'relock', open})
    expect(await shop.records.open()).toMatchObject([{outcome: {outcome: 'unknown'}}])
  })

  test('is never sent again with another body', async () => {
    const entry = await cutOff('before')
    shop.requests.length = 0
    const elsewhere = {...entry, address: {...address, city: 'Jeddah'}}
    await expect(takeUpEntry(shop.tools, elsewhere)).rejects.toMatchObject({code: 'INVALID_INPUT'})
    expect(shop.requests).toEqual([])
    const moved = {...entry, address: Object.fromEntries(Object.entries(entry.address).reverse())}
    expect(await takeUpEntry(shop.tools, moved as typeof entry)).toMatchObject({kind: 'placed'})
  })

  test('is settled on a service that looks at the lock first, and the cart it filled for that is cleared', async () => {
    let strict = false
    shop = await openShop({
      through: (send) => async (request) => {
        const old = strict && request.url.endsWith('/scent/orders') && request.body?.includes(oldLock)
        return old ? refused('VALIDATION_PRICE_LOCK_INVALID') : send(request)
      },
    })
    let oldLock = ''
    const {intent, locked} = await prepared()
    oldLock = locked.lock.lockId
    shop.fault({effect: 'status', status: 504, ...create, when: 'after', times: 1})
    shop.fault({effect: 'status', status: 504, ...create, when: 'before'})
    await orderLocked(shop.tools, intent, locked, locked.lock.total)
    shop.sandbox.state.faults.clear()
    strict = true
    const before = await debits()
    const [entry] = await shop.records.open()
    if (!entry) throw new Error('nothing is open')
    expect(await takeUpEntry(shop.tools, entry)).toMatchObject({kind: 'placed', order: {answered: false}})
    expect(await debits()).toBe(before)
    expect(linesOf(await viewCart(shop.client, 'C-1'))).toEqual([])
  })

  test('is not settled by a new lock whose order fails, before the earlier lock has expired as well', async () => {
    let gone = 'VALIDATION_PRICE_LOCK_INVALID'
    shop = await openShop({
      through: (send) => async (request) => {
        const old = cut && request.url.endsWith('/scent/orders') && request.body?.includes(oldLock)
        return old ? refused(gone) : send(request)
      },
    })
    let cut = false
    const {intent, locked} = await prepared()
    const oldLock = locked.lock.lockId
    shop.fault({effect: 'status', status: 504, ...create, when: 'before'})
    await orderLocked(shop.tools, intent, locked, locked.lock.total)
    shop.sandbox.state.faults.clear()
    cut = true
    shop.sandbox.state.world.run('UPDATE partners SET wallet = 100')
    const open = async () => {
      const [entry] = await shop.records.open()
      if (!entry) throw new Error('nothing is open')
      return entry
    }
    // The first create may still be on its way, and the wallet may be filled by the time it arrives.
    expect(await takeUpEntry(shop.tools, await open())).toMatchObject({
      kind: 'unknown',
      failure: {cause: {code: 'ORDER_FAILED'}},
    })
    gone = 'VALIDATION_PRICE_LOCK_EXPIRED'
    const failed = {kind: 'refused', failure: {code: 'ORDER_FAILED'}}
    expect(await takeUpEntry(shop.tools, await open())).toMatchObject(failed)
    expect(await shop.records.open()).toEqual([])
  })
})

describe('an attempt that is still under way when its lock expires', () => {
  /** A service that looks at locks first, and is slow: it ends the first attempt at an order when it is previewed. */
  async function slowShop(ends: boolean) {
    let begun: HttpRequest | undefined
    let ended = false
    shop = await openShop({
      through: (send) => async (request) => {
        const creates = request.url.endsWith('/scent/orders')
        if (creates && begun === undefined) {
          begun = request
          shop.sandbox.state.inFlight.push({partnerId, externalReference: 'PO-1', customerRef: 'C-1'})
          return {status: 504, headers: {}, body: ''}
        }
        if (creates && !ended) return refused('VALIDATION_PRICE_LOCK_EXPIRED')
        if (ends && begun && !ended && request.url.includes('checkout-preview')) {
          ended = true
          shop.sandbox.state.inFlight = []
          await send(begun)
        }
        return send(request)
      },
    })
    const {id: partnerId} = shop.sandbox.state.world.get<{id: string}>(
      "SELECT id FROM partners WHERE name = 'Rimal Retail'",
    ) as {id: string}
    return prepared()
  }

  test('is not taken for one that never ran', async () => {
    const {intent, locked} = await slowShop(false)
    const outcome = await orderLocked(shop.tools, intent, locked, locked.lock.total)
    expect(outcome).toMatchObject({kind: 'unknown', failure: {code: 'OUTCOME_UNKNOWN'}})
    expect(await shop.records.open()).toHaveLength(1)
  })

  test('and ends before anybody looks, is found', async () => {
    const {intent, locked} = await slowShop(true)
    const before = await debits()
    const outcome = await orderLocked(shop.tools, intent, locked, locked.lock.total)
    expect(outcome).toMatchObject({kind: 'placed', order: {answered: false}})
    expect(await debits()).toBe(before + 1)
  })
})
