import {describe, expect, test} from 'vitest'
import {jobOrders} from '../../src/bulk/orders/fold.ts'
import {verdictsOf} from '../../src/bulk/orders/report.ts'
import {createClient} from '../../src/client/client.ts'
import {openPacer} from '../../src/client/pace.ts'
import {unshared} from '../../src/client/shared.ts'
import {answer, charged, isCreate, killedAfter, once, tableOfTests} from '../support/table.ts'

const t = tableOfTests()
const isLook = ({url}: {url: string}) => url.includes('checkout-preview') && !url.includes('lock=true')

/** A run whose user presses Ctrl-C in its nth pause. */
function interruptedIn(nth: number) {
  const interrupt = new AbortController()
  let pauses = 0
  const sleep = async (ms: number, signal?: AbortSignal) => {
    pauses += 1
    if (pauses === nth) interrupt.abort()
    await t.tools.sleep(ms, signal)
  }
  return {stop: interrupt.signal, tools: {...t.tools, sleep}}
}

describe('Ctrl-C while an order of somebody else is under way in the cart', () => {
  test('ends the wait at once, and leaves the row for a resume', async () => {
    const over = t.underWay('PO-of-another')
    const job = await t.plan(t.wish(1), t.wish(2))
    const before = t.tools.now()
    const {states, problem} = await t.run(job, interruptedIn(1))
    expect({states, problem}).toEqual({states: ['todo', 'todo'], problem: undefined})
    expect([t.tools.now() - before, t.bodies()]).toEqual([0, []])
    over()
    expect((await t.run(job)).states).toEqual(['placed', 'placed'])
    expect([t.orders(1), t.orders(2)]).toMatchObject([charged, charged])
  })

  test('ends it also where only the create heard of it, and the order is not open', async () => {
    let over = () => {}
    t.on(
      once(isCreate, () => {
        over = t.underWay('PO-of-another')
      }),
    )
    const before = t.tools.now()
    const {job, state, orders, problem} = await t.order({}, interruptedIn(1))
    expect({state, problem, open: orders.isOpen(0)}).toEqual({state: 'todo', problem: undefined, open: false})
    expect([t.tools.now() - before, t.bodies().length]).toEqual([0, 1])
    const [told] = verdictsOf(orders, job)
    expect(told).toMatchObject({
      verdict: 'NOT CHARGED',
      why: `It was not ordered (INTERRUPTED). Another order is under way in its cart. \`scent jobs resume ${job.head.id}\` does it again.`,
    })
    over()
    expect((await t.run(job)).states).toEqual(['placed'])
    expect(t.orders()).toMatchObject(charged)
  })

  test('does not make an order whose answer was lost one that was not charged', async () => {
    t.spoil({status: 504, times: 1})
    let creates = 0
    let over = () => {}
    t.on((request) => {
      if (isCreate(request) && ++creates === 2) over = t.underWay('PO-of-another')
      return undefined
    })
    const {job, state, problem} = await t.order({}, interruptedIn(2))
    expect({state, problem, creates}).toEqual({state: 'unknown', problem: undefined, creates: 2})
    over()
    expect((await t.run(job)).states).toEqual(['placed'])
    expect(t.orders()).toMatchObject(charged)
  })
})

/** The tools of a run whose quota has room for so many requests; `waits` stands for its wait for more. */
function toolsWithQuota(limit: number, waits: (ms: number) => Promise<void>) {
  const {now, sleep, random} = t.tools
  const token = () => t.token()
  const pacer = openPacer({
    ...{log: unshared(), limit, lease: 1, why: 'quota', maxWaitMs: Number.POSITIVE_INFINITY, random},
    ...{ticks: now, sleep: waits, later: () => {}},
  })
  const client = createClient({
    ...{send: t.sandbox.send, baseUrl: 'http://127.0.0.1:1', pacer, maxWaitMs: 1000, timeoutMs: 40},
    ...{tokens: {get: token, renew: token, forget: () => {}}, now, sleep, random},
  })
  return {...t.tools, client}
}

describe('a create for which the quota has no room', () => {
  // The lines, and the lock.
  const before = 2

  test('does not leave after a Ctrl-C in its wait, nothing says that it did, and a resume orders once', async () => {
    const interrupt = new AbortController()
    const tools = toolsWithQuota(before, async (ms) => {
      interrupt.abort()
      await t.tools.sleep(ms)
    })
    const job = await t.plan(t.wish())
    const {states, problem, orders} = await t.run(job, {stop: interrupt.signal, tools})
    expect({states, problem, stands: t.orders()}).toEqual({states: ['todo'], problem: undefined, stands: []})
    expect([orders.wasSubmitted(0), orders.outcome(0)]).toEqual([false, undefined])
    const [told] = verdictsOf(orders, job)
    expect(told).toMatchObject({outcome: 'pending', verdict: 'NOT CHARGED'})
    expect((await t.run(job)).states).toEqual(['placed'])
    expect(t.orders()).toMatchObject(charged)
  })

  test('is on record as not sent while it waits, and is sent once', async () => {
    const job = await t.plan(t.wish())
    const submitted: boolean[] = []
    const tools = toolsWithQuota(before, async (ms) => {
      const orders = jobOrders(job)
      orders.readOn()
      submitted.push(orders.wasSubmitted(0))
      await t.tools.sleep(ms)
    })
    expect((await t.run(job, {tools})).states).toEqual(['placed'])
    expect([submitted, t.orders()]).toMatchObject([[false], charged])
  })

  test('takes a new lock where its own becomes too old in the wait, and does not send that one', async () => {
    const job = await t.plan(t.wish())
    const locks: string[][] = []
    const append: typeof job.append = (added, options) => {
      for (const one of [added].flat()) if ('lockId' in one) locks.push([one.step, one.lockId])
      return job.append(added, options)
    }
    const tools = toolsWithQuota(before, () => t.tools.sleep(15 * 60_000))
    expect((await t.run({...job, append}, {tools})).states).toEqual(['placed'])
    const second = locks[1]?.[1] ?? ''
    expect(locks).toEqual([
      ['LOCKED', expect.not.stringMatching(second)],
      ['LOCKED', second],
      ['SUBMITTING', second],
    ])
    expect(t.orders()).toMatchObject(charged)
  })

  test('is not repeated after a Ctrl-C where the service refused it for now, and is not open', async () => {
    t.on((request) => (isCreate(request) ? answer(409, 'CONFLICT_CART_CHECKOUT_RACE') : undefined))
    const {job, state, orders, problem} = await t.order({}, interruptedIn(1))
    expect({state, problem, open: orders.isOpen(0)}).toEqual({state: 'todo', problem: undefined, open: false})
    expect(t.bodies()).toHaveLength(1)
    t.on(() => undefined)
    expect((await t.run(job)).states).toEqual(['placed'])
    expect(t.orders()).toMatchObject(charged)
  })

  test('is still asked for after a Ctrl-C where its answer was lost: only that settles it', async () => {
    t.spoil({status: 504, times: 1})
    const interrupt = new AbortController()
    const tools = toolsWithQuota(before + 1, async (ms) => {
      interrupt.abort()
      await t.tools.sleep(ms)
    })
    const job = await t.plan(t.wish())
    expect((await t.run(job, {stop: interrupt.signal, tools})).states).toEqual(['placed'])
    expect([interrupt.signal.aborted, t.orders()]).toMatchObject([true, charged])
  })
})

describe('an order of our own reference that is under way in the cart', () => {
  test('is waited for after Ctrl-C, and settled', async () => {
    let looks = 0
    const over = t.underWay(t.reference())
    t.on((request) => {
      if (isLook(request) && ++looks === 4) over()
      return undefined
    })
    expect(await t.order({}, interruptedIn(1))).toMatchObject({state: 'placed', problem: undefined})
    expect(t.orders()).toMatchObject(charged)
  })

  test('is unknown when Ctrl-C ends the wait for the one of somebody else that came after it', async () => {
    const over = t.underWay(t.reference())
    t.on(
      once(isLook, () => {
        over()
        t.underWay('PO-of-another')
      }),
    )
    const before = t.tools.now()
    expect(await t.order({}, interruptedIn(2))).toMatchObject({state: 'unknown', problem: undefined})
    expect(t.tools.now() - before).toBe(1000)
  })

  test('is unknown, not refused, where one of somebody else was there before it', async () => {
    const over = t.underWay('PO-of-another')
    t.on(
      once(isLook, () => {
        over()
        t.underWay(t.reference())
      }),
    )
    expect(await t.order()).toMatchObject({state: 'unknown'})
  })

  test('is unknown to who reads the journal of a process that was killed while it waited', async () => {
    t.underWay(t.reference())
    const job = await t.plan(t.wish())
    const before = t.tools.now()
    const {states} = await t.run(killedAfter(job, ({step}) => step === 'OUTCOME'))
    expect([states, t.tools.now() - before]).toEqual([['unknown'], 0])
    t.state.inFlight = []
    expect((await t.run(job)).states).toEqual(['placed'])
    expect(t.orders()).toMatchObject(charged)
  })
})
