import {describe, expect, test} from 'vitest'
import {clearCart} from '../../../src/contract/cart.ts'
import {lockCart, noteLock} from '../../../src/flows/order/lock.ts'
import {notePlan} from '../../../src/flows/order/records.ts'
import {submitLock} from '../../../src/flows/order/submit.ts'
import {takeUpEntry} from '../../../src/flows/order/take-up.ts'
import type {OrderEntry} from '../../../src/store/orders.ts'
import {address} from '../../support/address.ts'
import {losses} from '../../support/shop.ts'
import {answer, charged, isCreate, killedAfter, once, rulesOf, tableOfTests} from '../../support/table.ts'

// The rows of the decision table of orders (docs/ordering.md) by their numbers and in words, from the first answer of a
// create on.
const t = tableOfTests()

describe('the answer of a create', () => {
  test.each([200, 201])('row 15: %i: moved, with our reference and the total of the lock', async (status) => {
    t.on(async (request) => {
      if (!isCreate(request) || status === 201) return undefined
      const made = await t.sandbox.send(request)
      return {...made, status, body: made.body.replace('"CREATED"', '"SUCCESS"')}
    })
    expect(await t.order()).toMatchObject({state: 'placed', total: '305.9', orderId: t.orders()[0]?.id})
    expect(t.orders()).toMatchObject(charged)
  })

  test('row 15: … another total is told', async () => {
    const job = await t.plan(t.wish(1, {city: 'Jeddah'}))
    const {orders, states} = await t.run(job)
    expect(states).toEqual(['placed'])
    expect(orders.outcome(0)?.message).toMatch(/^Charged .* the price lock said 305.9/)
  })

  test('row 15: … another reference is never taken for ours', async () => {
    t.on(async (request) => {
      if (!isCreate(request)) return undefined
      const made = await t.sandbox.send(request)
      return {...made, body: made.body.replace(t.reference(), 'PO-of-another')}
    })
    const {events, ...end} = await t.order()
    expect(events).toContainEqual(expect.objectContaining({outcome: 'unknown'}))
    // What answers the second time, when all others are done, is our own order.
    expect(end).toMatchObject({state: 'placed', orderId: t.orders()[0]?.id})
    expect(t.orders()).toMatchObject(charged)
  })

  test('row 16: 2xx unreadable: the same body again, to learn the id', async () => {
    t.spoil({effect: 'malformed', when: 'after', times: 1})
    expect(await t.order()).toMatchObject({state: 'placed', orderId: t.orders()[0]?.id, total: '305.9'})
    expect([t.bodies().length, t.sameBodies()]).toEqual([2, 1])
    expect(t.orders()).toMatchObject(charged)
  })

  test('row 17: CONFLICT_ORDER_IN_PROGRESS: same body after 1, 2, 4, 8, 16, 30 … s', async () => {
    t.spoil({status: 409, state: 'CONFLICT_ORDER_IN_PROGRESS', times: 8})
    expect(await t.order()).toMatchObject({state: 'placed'})
    expect([t.bodies().length, t.sameBodies()]).toEqual([9, 1])
    const pauses = t.events.flatMap((event) => (event.kind === 'asking-again' ? [event.inMs / 0.75] : []))
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 30].map((s) => s * 1000))
  })

  test('row 17: … up to 15 min, then unknown', async () => {
    t.spoil({status: 409, state: 'CONFLICT_ORDER_IN_PROGRESS'})
    const before = t.tools.now()
    expect(await t.order()).toMatchObject({state: 'unknown'})
    // Once more when all others are done.
    expect(t.tools.now() - before).toBeGreaterThan(1_700_000)
  })

  test.each([
    ...losses,
    ...[502, 503].map((status) => ({effect: 'status', when: 'after', status}) as const),
    {effect: 'status', when: 'after', status: 401, state: 'UPSTREAM_AUTH_FAILED'} as const,
  ])('row 18: $effect $status $when it ran: same reference, same lock, same body', async (loss) => {
    t.spoil({...loss, times: 1})
    expect(await t.order()).toMatchObject({state: 'placed'})
    expect([t.bodies().length, t.sameBodies()]).toEqual([2, 1])
    expect(t.orders()).toMatchObject(charged)
  })

  test.each(['before', 'after'])(
    'row 18: a crash after SUBMITTING, %s the send: the same once more',
    async (when) => {
      const job = await t.plan(t.wish())
      await t.run(killedAfter(job, ({step}) => step === (when === 'before' ? 'SUBMITTING' : 'OUTCOME')))
      expect((await t.run(job)).states).toEqual(['placed'])
      expect([t.sameBodies(), t.orders()]).toMatchObject([1, charged])
    },
  )

  test('row 19: CONFLICT_CART_CHECKOUT_RACE: same body, up to 5 times, then unknown: it may be another run', async () => {
    t.spoil({effect: 'race', times: 4})
    expect(await t.order()).toMatchObject({state: 'placed'})
    expect([t.bodies().length, t.sameBodies()]).toEqual([5, 1])
    t.begin()
    t.spoil({effect: 'race'})
    expect(await t.order()).toMatchObject({state: 'unknown', code: 'OUTCOME_UNKNOWN'})
  })

  test('row 20: CONFLICT_CART_HAS_PENDING_ORDER of another reference: as row 6', async () => {
    t.on(once(isCreate, () => void t.underWay('PO-of-another')))
    expect(await t.order()).toMatchObject({state: 'refused', code: 'CONFLICT_CART_HAS_PENDING_ORDER'})
    expect(await t.cart()).toEqual([{variantId: t.variantId, quantity: 2}])
  })

  test('row 20: … of another order of the file: unknown, as another run is at work', async () => {
    const next = t.wish(2, {customerRef: t.customer()})
    t.on(once(isCreate, () => void t.underWay(next.reference)))
    const {states} = await t.run(await t.plan(t.wish(), next))
    expect([states, t.orders()]).toEqual([['unknown', 'unknown'], []])
  })

  test('row 20: … of our reference: as row 17', async () => {
    t.spoil({status: 409, state: 'CONFLICT_CART_HAS_PENDING_ORDER'})
    t.on(once(isCreate, () => void t.underWay(t.reference())))
    expect(await t.order()).toMatchObject({state: 'unknown'})
  })
})

describe('an order that exists', () => {
  /** Made by another program of the partner, before the job. */
  const older = async (quantity = 2) => {
    const [{reference, customerRef}, {lines}] = [
      t.wish(),
      t.wish(1, {lines: [{variantId: t.variantId, quantity}]}),
    ]
    const made = await t.run(await t.plan({reference, customerRef, lines}))
    expect(made.states).toEqual(['placed'])
    return made.ends[0]?.orderId
  }

  test('row 21: CONFLICT_ORDER_DUPLICATE_REFERENCE of the same content, older than the job: already ordered', async () => {
    const orderId = await older()
    expect(await t.order()).toMatchObject({state: 'already-placed', orderId})
    expect([t.orders(), await t.cart()]).toMatchObject([charged, []])
  })

  test('row 21: … older than the job it is also after a lost answer', async () => {
    const orderId = await older()
    t.later(120)
    t.spoil({effect: 'reset', times: 1})
    expect(await t.order()).toMatchObject({state: 'already-placed', orderId})
    expect(t.orders()).toMatchObject(charged)
  })

  test('row 21: … of the same content, after a lost answer: done, once', async () => {
    t.spoil({effect: 'reset', when: 'after', times: 1})
    expect(await t.order()).toMatchObject({state: 'placed', orderId: t.orders()[0]?.id})
    expect(t.orders()).toMatchObject(charged)
  })

  test('row 21: … of another content: the reference is taken', async () => {
    await older(3)
    expect(await t.order()).toMatchObject({state: 'refused', code: 'ORDER_MISMATCH'})
    expect([t.orders(), await t.cart()]).toMatchObject([[{units: 3, debits: 1}], []])
  })

  const lockUsedBy = (orderId: string) =>
    t.on((request) => {
      if (!isCreate(request) || t.bodies().length > 1) return undefined
      return answer(409, 'CONFLICT_PRICE_LOCK_ALREADY_USED', {orderId})
    })

  test('row 22: CONFLICT_PRICE_LOCK_ALREADY_USED by our reference: done', async () => {
    const orderId = (await older()) ?? ''
    lockUsedBy(orderId)
    t.bodies().length = 0
    expect(await t.order()).toMatchObject({state: 'already-placed', orderId})
    expect(t.bodies()).toHaveLength(1)
  })

  test('row 22: … by another one: a new lock, the same reference', async () => {
    const of = t.wish(2)
    const {ends} = await t.run(await t.plan(of))
    t.bodies().length = 0
    lockUsedBy(ends[0]?.orderId ?? '')
    expect(await t.order()).toMatchObject({state: 'placed'})
    expect([t.bodies().length, t.sameBodies()]).toEqual([2, 2])
    expect(t.orders()).toMatchObject(charged)
  })

  test('row 23: CONFLICT_ORDER_REQUIRES_INTERVENTION: for a person, and never sent again', async () => {
    t.spoil({status: 409, state: 'CONFLICT_ORDER_REQUIRES_INTERVENTION'})
    const {job, state, code} = await t.order()
    expect([state, code]).toEqual(['unknown', 'CONFLICT_ORDER_REQUIRES_INTERVENTION'])
    expect((await t.run(job)).states).toEqual(['unknown'])
    expect(t.bodies()).toHaveLength(1)
  })
})

describe('a lock that is gone', () => {
  const expire = () => t.later(16 * 60)
  const invalidate = async () => {
    await t.put(1)
    await t.put(1, t.other)
  }

  test.each([
    ['VALIDATION_PRICE_LOCK_EXPIRED', expire],
    ['VALIDATION_PRICE_LOCK_INVALID', invalidate],
  ])('row 24: %s, and no try is open: cart, new lock, price check, same reference', async (_, spoil) => {
    t.on(once(isCreate, spoil))
    const {state, orders} = await t.order({}, {rules: {...rulesOf('0.1'), cart: 'replace'}})
    expect(state).toBe('refused')
    expect(orders.outcome(0)?.state).toBe('LIMIT_EXCEEDED')
    t.begin()
    t.on(once(isCreate, spoil))
    expect(await t.order({}, {rules: {...rulesOf(null), cart: 'replace'}})).toMatchObject({state: 'placed'})
    expect(t.sameBodies()).toBe(2)
    expect(t.orders()).toMatchObject(charged)
  })

  /** An order whose answers are all lost, and whose lock the service calls invalid from then on. */
  async function open(when: 'before' | 'after') {
    t.spoil({status: 504, when, times: 1})
    t.spoil({status: 504})
    const {job, state} = await t.order()
    expect(state).toBe('unknown')
    const [old = ''] = t.bodies()
    const lost = t.orders()
    t.state.faults.clear()
    t.on((request) =>
      isCreate(request) && request.body === old ? answer(400, 'VALIDATION_PRICE_LOCK_INVALID') : undefined,
    )
    return {job, lost}
  }

  test('row 25: … after an ambiguous try that ran: filled again, new lock, same reference, cart cleared', async () => {
    const {job, lost} = await open('after')
    expect((await t.run(job)).ends).toMatchObject([{state: 'placed', orderId: lost[0]?.id}])
    expect([t.orders(), await t.cart()]).toMatchObject([charged, []])
  })

  test('row 25: … after one that did not run: the new lock orders', async () => {
    const {job, lost} = await open('before')
    expect(lost).toEqual([])
    expect((await t.run(job)).states).toEqual(['placed'])
    expect(t.orders()).toMatchObject(charged)
  })

  test('row 25: … and proves nothing: if no new lock can be had, the order stays unknown', async () => {
    const {job} = await open('before')
    t.set('withheld', 1)
    expect((await t.run(job)).states).toEqual(['unknown'])
  })

  test('row 26: BUSINESS_PRICE_NOT_AVAILABLE: new preview, price check, same reference', async () => {
    t.on(once(isCreate, () => t.setPrice(null)))
    expect(await t.order()).toMatchObject({state: 'refused', code: 'BUSINESS_CART_NOT_CHECKOUT_READY'})
    t.begin()
    t.spoil({status: 422, state: 'BUSINESS_PRICE_NOT_AVAILABLE', times: 1})
    expect(await t.order()).toMatchObject({state: 'placed'})
    expect(t.orders()).toMatchObject(charged)
  })
})

describe('an order that is refused', () => {
  test('row 27: CART_NOT_CHECKOUT_READY with variantIds: refused, naming them', async () => {
    t.on(once(isCreate, () => t.set('stock', 1)))
    const {state, code, message} = await t.order()
    expect([state, code]).toEqual(['refused', 'BUSINESS_CART_NOT_CHECKOUT_READY'])
    expect(message).toContain(t.variantId)
    expect(await t.cart()).toEqual([])
  })

  test.each([
    ['VALIDATION_INVALID_COUNTRY_CODE', {countryCode: 'XXX'}, /countryCode/],
    ['VALIDATION_ERRORS', {discountCode: 'NO-SUCH-CODE'}, /discountCode/],
  ])('row 28: field validation, %s: refused', async (code, more, field) => {
    const {state, message, ...end} = await t.order(more)
    expect([state, end.code]).toEqual(['refused', code])
    expect(message).toMatch(field)
    expect([t.orders(), await t.cart()]).toEqual([[], []])
  })

  test('row 29: unknown 4xx state: refused with the state, the reference kept', async () => {
    t.spoil({status: 422, state: 'SOMETHING_NEW', times: 1})
    const {state, code, reference} = await t.order()
    expect([state, code, reference]).toEqual(['refused', 'SOMETHING_NEW', t.reference()])
  })

  test('row 30: the order is Failed: refused, and not tried again without the user', async () => {
    t.state.world.run('UPDATE partners SET wallet = 100 WHERE id = ?', t.partnerId)
    const {job, state, code} = await t.order()
    expect([state, code]).toEqual(['refused', 'ORDER_FAILED'])
    t.state.world.run('UPDATE partners SET wallet = 5000000 WHERE id = ?', t.partnerId)
    expect((await t.run(job)).states).toEqual(['refused'])
    expect([t.orders(), t.bodies().length]).toEqual([[], 1])
  })

  test('row 30: … read after a lost answer as well', async () => {
    t.state.world.run('UPDATE partners SET wallet = 100 WHERE id = ?', t.partnerId)
    t.spoil({effect: 'reset', when: 'after', times: 1})
    expect(await t.order()).toMatchObject({state: 'refused', code: 'ORDER_FAILED'})
  })
})

describe('what is certain', () => {
  test('row 31: read right after create fails: stays moved', async () => {
    t.spoil({match: {operation: 'readOrder'}, status: 500})
    expect(await t.order()).toMatchObject({state: 'placed', orderId: t.orders()[0]?.id})
  })

  test('row 31: … and if only the read can tell whose it is, the order is unknown until it can be read', async () => {
    t.spoil({effect: 'reset', when: 'after', times: 1})
    t.spoil({match: {operation: 'readOrder'}, status: 403, state: 'FORBIDDEN'})
    const {job, state} = await t.order()
    expect(state).toBe('unknown')
    t.state.faults.clear()
    expect((await t.run(job)).ends).toMatchObject([{state: 'placed', orderId: t.orders()[0]?.id}])
  })

  async function neverRan() {
    t.spoil({status: 504})
    const {job, state} = await t.order()
    expect(state).toBe('unknown')
    t.state.faults.clear()
    return job
  }

  test('row 32: the fence: every lock is past its end, and each answers EXPIRED: not moved, and ordered anew', async () => {
    const job = await neverRan()
    t.later(20 * 60)
    expect((await t.run(job)).states).toEqual(['placed'])
    expect([t.orders(), t.sameBodies()]).toMatchObject([charged, 2])
  })

  test('row 32: … for an order that is given up: not moved', async () => {
    const {reference, customerRef, lines} = t.wish()
    const intent = {reference, customerRef, lines, address}
    await t.put(2)
    const taken = await lockCart(t.tools, customerRef)
    if (taken.kind !== 'locked') throw new Error('the cart was not locked')
    await notePlan(t.tools, intent)
    await noteLock(t.tools, intent, taken.locked)
    t.spoil({status: 504})
    expect(await submitLock(t.tools, intent, taken.locked.lock)).toMatchObject({kind: 'unknown'})
    const entry = (await t.records.find(reference)) as OrderEntry
    t.state.faults.clear()
    t.later(20 * 60)
    expect(await takeUpEntry(t.tools, entry)).toMatchObject({kind: 'relock'})
    expect([t.orders(), await t.records.open()]).toEqual([[], []])
  })

  test('row 32: … anything else proves nothing', async () => {
    const job = await neverRan()
    t.later(20 * 60)
    t.spoil({status: 400, state: 'VALIDATION_PRICE_LOCK_INVALID', times: 1})
    t.spoil({match: {operation: 'addCartItem'}, status: 422, state: 'BUSINESS_VARIANT_UNAVAILABLE'})
    await t.client.call(clearCart, {params: {customerRef: t.customer()}})
    expect((await t.run(job)).states).toEqual(['unknown'])
  })
})
