import {describe, expect, test} from 'vitest'
import type {JobFile} from '../../src/bulk/journal.ts'
import {proveByLedger} from '../../src/bulk/orders/ledger.ts'
import {verdictsOf} from '../../src/bulk/orders/report.ts'
import type {BulkEvent} from '../../src/bulk/orders/run.ts'
import {clearCart} from '../../src/contract/cart.ts'
import {answer, charged, isCreate, isLock, killedAfter, tableOfTests} from '../support/table.ts'

const t = tableOfTests()

const cart = async () => (await t.cart()).map(({variantId, quantity}) => [variantId, quantity])
const outcomes = (events: BulkEvent[]) =>
  events.flatMap((event) => (event.kind === 'row-done' ? [event.outcome] : []))

/** A run that was cut off with its cart filled, on a machine of its own. */
async function cutOff() {
  const job = await t.plan(t.wish())
  await t.run(killedAfter(job, ({step}) => step === 'LOCKED'))
}

/** A run that gets no second look at its order. */
function onePass(job: JobFile) {
  const stop = new AbortController()
  return t.run(job, {
    stop: stop.signal,
    tell: ({kind}) => {
      if (kind === 'row-done') stop.abort()
    },
  })
}

describe('an order whose lines another run of the file put into its cart', () => {
  test('is not told as not charged, and keeps them', async () => {
    await cutOff()
    const job = await t.plan(t.wish())
    const {orders} = await onePass(job)
    expect([...verdictsOf(orders, job)]).toMatchObject([
      {
        verdict: 'UNKNOWN',
        why: `The cart of ${t.customer()} holds 2 of ${t.variantId}, which this run did not put there. Another run of this file may be under way, or was cut off. \`scent jobs resume ${job.head.id}\` orders under the same reference; only one of the two runs is charged. If there is no other run, take out of the cart what it holds, and resume then.`,
      },
    ])
    expect([await cart(), t.bodies()]).toEqual([[[t.variantId, 2]], []])
    expect((await t.run(job)).states).toEqual(['placed'])
    expect(t.orders()).toMatchObject(charged)
  })

  test('is placed by the second look, where the other run was cut off', async () => {
    await cutOff()
    const {events, states} = await t.run(await t.plan(t.wish()))
    expect([outcomes(events), states]).toEqual([['unknown', 'placed'], ['placed']])
    expect([t.orders(), await cart()]).toMatchObject([charged, []])
  })

  test('is told as not settled where only some of its lines are there', async () => {
    const lines = [t.variantId, t.other].map((variantId) => ({variantId, quantity: 1}))
    await t.put(1, t.other)
    const {orders} = await onePass(await t.plan(t.wish(1, {lines})))
    expect([orders.state(0), await cart()]).toEqual(['unknown', [[t.other, 1]]])
  })

  test.each([
    {when: 'is about to send its create', which: isCreate},
    {when: 'is about to lock', which: isLock},
  ])('is made once where the other run $when', async ({which}) => {
    const [first, second] = [await t.plan(t.wish()), await t.plan(t.wish())]
    const ends: string[] = []
    let other: ReturnType<typeof t.run> | undefined
    // The first run goes on once the second one has told its first outcome.
    const told = new Promise<void>((resolve) => {
      const tell = (event: BulkEvent) => {
        if (event.kind !== 'row-done') return
        ends.push(event.outcome)
        resolve()
      }
      t.on(async (request) => {
        if (!which(request) || (isCreate(request) && t.asks(request))) return undefined
        other ??= t.run(second, {tell})
        await told
        return undefined
      })
    })
    const {states} = await t.run(first)
    const all = [...states, ...((await other)?.states ?? [])]
    expect(ends[0]).toBe('unknown')
    expect(all.map((state) => ['placed', 'already-placed'].includes(state))).toEqual([true, true])
    expect([t.orders(), await cart()]).toMatchObject([charged, []])
  })

  test('has its debit in the ledger, also where the other run was first', async () => {
    const first = await t.plan(t.wish())
    await t.run(killedAfter(first, ({step}) => step === 'LOCKED'))
    const second = await t.plan(t.wish())
    await onePass(second)
    await t.run(first)
    t.later(5)
    const {orders, states} = await t.run(second)
    expect(states).toEqual(['placed'])
    expect(await proveByLedger(t.client, orders)).toMatchObject({proved: true, debits: 1, missing: []})
  })

  test('is waited for while the create of the other run is under way', async () => {
    await t.put(2)
    const over = t.underWay(t.reference())
    let looks = 0
    t.on(({url}) => {
      if (url.includes('checkout-preview') && ++looks === 3) over()
      return undefined
    })
    const {events, states} = await t.run(await t.plan(t.wish()))
    expect([outcomes(events), states]).toEqual([['unknown', 'placed'], ['placed']])
    expect([looks > 3, t.orders()]).toMatchObject([true, charged])
  })
})

describe('an order whose cart holds', () => {
  const holds = (held: (readonly [string, number])[]) =>
    `The cart of ${t.customer()} holds ${held.map(([variantId, quantity]) => `${quantity} of ${variantId}`).join(', ')}, which this run did not put there.`

  test('a variant that the file does not order for it is refused, and leaves that there', async () => {
    await t.put(1, t.other)
    const {ends, orders} = await t.run(await t.plan(t.wish()))
    expect(ends).toMatchObject([{state: 'refused', code: 'CART_NOT_EMPTY'}])
    expect(orders.outcome(0)?.message).toBe(holds([[t.other, 1]]))
    expect(await cart()).toEqual([[t.other, 1]])
  })

  test.each([
    {what: 'a multiple of its line', held: () => [[t.variantId, 4] as const]},
    {what: 'another quantity of its variant', held: () => [[t.variantId, 3] as const]},
    {what: 'its lines and another variant', held: () => [[t.variantId, 2] as const, [t.other, 1] as const]},
  ])('$what is not told as not charged, leaves that there, and is placed once it is gone', async ({held}) => {
    for (const [variantId, quantity] of held()) await t.put(quantity, variantId)
    const job = await t.plan(t.wish())
    const {orders, states, ends} = await t.run(job)
    expect(states).toEqual(['unknown'])
    expect(orders.outcome(0)?.message).toBe(
      `${holds(held())} Another run of this file may be under way, or was cut off.`,
    )
    expect([await cart(), t.bodies(), ends[0]?.orderId]).toEqual([held(), [], null])
    await t.client.call(clearCart, {params: {customerRef: t.customer()}})
    expect((await t.run(job)).states).toEqual(['placed'])
    expect(t.orders()).toMatchObject(charged)
  })

  test('lines of another order of the file is not told as not charged', async () => {
    await t.put(1, t.other)
    const lines = [{variantId: t.other, quantity: 1}]
    const next = t.wish(2, {customerRef: t.customer(), lines})
    const {orders} = await onePass(await t.plan(t.wish(), next))
    expect([orders.state(0), await cart()]).toEqual(['unknown', [[t.other, 1]]])
  })
})

describe('an order that is not sent here', () => {
  /** Another run of the file, on a machine of its own, has placed it before. */
  async function placedElsewhere() {
    expect((await t.run(await t.plan(t.wish()))).states).toEqual(['placed'])
    t.later(5)
  }

  test.each([
    {why: 'its variant is sold out', spoil: () => t.set('stock', 1)},
    {why: 'its price has risen', spoil: () => t.setPrice(99_900)},
    {why: 'its cart holds something of somebody', spoil: () => t.put(1, t.other)},
  ])('because $why is told as charged once if another run has placed it', async ({spoil}) => {
    await placedElsewhere()
    await spoil()
    const job = await t.plan(t.wish(1, {goods: '609.50'}))
    const {ends, orders} = await t.run(job)
    expect(ends).toMatchObject([{state: 'already-placed', orderId: t.orders()[0]?.id}])
    expect([...verdictsOf(orders, job)]).toMatchObject([{verdict: 'CHARGED ONCE'}])
    expect([t.orders(), t.bodies().length]).toMatchObject([charged, 1])
  })

  test('is told with what it was charged, also where the plain read of an order does not tell', async () => {
    await placedElsewhere()
    t.on(async (request) => {
      if (request.method !== 'GET' || !/\/scent\/orders\/[^/]+$/.test(request.url)) return undefined
      const {body, ...rest} = await t.sandbox.send(request)
      const {payload, ...envelope} = JSON.parse(body)
      return {...rest, body: JSON.stringify({...envelope, payload: payload.scentDetail})}
    })
    t.set('stock', 1)
    const {ends} = await t.run(await t.plan(t.wish()))
    expect(ends).toMatchObject([{state: 'already-placed', total: expect.stringMatching(/^\d+(\.\d+)?$/)}])
  })

  test('is not told as not charged while another run is making it', async () => {
    const over = t.underWay(t.reference())
    t.set('withheld', 1)
    const job = await t.plan(t.wish())
    const {states} = await onePass(job)
    expect([states, t.bodies()]).toEqual([['unknown'], []])
    over()
    t.set('withheld', 0)
    expect((await t.run(job)).states).toEqual(['placed'])
    expect(t.orders()).toMatchObject(charged)
  })

  test('is asked for until the service answers', async () => {
    t.set('stock', 1)
    let asked = 0
    t.on((request) => {
      if (!isCreate(request)) return undefined
      asked += 1
      if (asked === 1) return answer(503, 'SERVICE_UNAVAILABLE')
      return asked === 2 ? answer(409, 'CONFLICT_CART_CHECKOUT_RACE') : undefined
    })
    expect(await t.order()).toMatchObject({state: 'refused', code: 'BUSINESS_CART_NOT_CHECKOUT_READY'})
    expect([asked, t.bodies()]).toEqual([3, []])
  })
})
