import {describe, expect, test} from 'vitest'
import {verdictsOf} from '../../src/flows/job-report.ts'
import {charged, isCreate, killedAfter, once, tableOfTests} from '../support/table.ts'

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
