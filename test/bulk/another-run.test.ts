import {describe, expect, test} from 'vitest'
import type {JobFile} from '../../src/bulk/journal.ts'
import {proveByLedger} from '../../src/bulk/orders/ledger.ts'
import {verdictsOf} from '../../src/bulk/orders/report.ts'
import type {BulkEvent} from '../../src/bulk/orders/run.ts'
import {charged, isCreate, isLock, killedAfter, tableOfTests} from '../support/table.ts'

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
        why: `The cart of ${t.customer()} holds lines of this very order already: another run of it may be under way, or was cut off. \`scent jobs resume ${job.head.id}\` orders under the same reference; only one of the two runs is charged.`,
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
        if (!which(request)) return undefined
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
  test.each([
    {what: 'another quantity of its variant', held: () => [[t.variantId, 3] as const]},
    {what: 'another variant', held: () => [[t.other, 1] as const]},
    {what: 'its lines and another variant', held: () => [[t.variantId, 2] as const, [t.other, 1] as const]},
  ])('$what is refused, and leaves that there', async ({held}) => {
    for (const [variantId, quantity] of held()) await t.put(quantity, variantId)
    const {ends, orders} = await t.run(await t.plan(t.wish()))
    expect(ends).toMatchObject([{state: 'refused', code: 'CART_NOT_EMPTY'}])
    const told = held().map(([variantId, quantity]) => `${quantity} of ${variantId}`)
    expect(orders.outcome(0)?.message).toBe(
      `The cart of ${t.customer()} holds ${told.join(', ')}, which this run did not put there.`,
    )
    expect(await cart()).toEqual(held())
  })
})
