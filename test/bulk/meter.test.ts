import {describe, expect, it} from 'vitest'
import {openMeter} from '../../src/bulk/meter.ts'
import {openPacer, quotas} from '../../src/client/pace.ts'
import {unshared} from '../../src/client/shared.ts'
import {seeded, virtualTime} from '../support/virtual-time.ts'

interface Job {
  orders: number
  /** Milliseconds until an answer, on average. */
  answers: number
  limit?: number
  /** Requests that were sent just before. */
  before?: number
}

/** Runs a job of orders of three requests, four at a time, and reads its meter four times a second. */
async function metered({orders, answers, limit = quotas.bulk.limit, before = 0}: Job) {
  const time = virtualTime()
  const random = seeded(orders + answers)
  let wait: {why: string; until: number} | undefined
  const pacer = openPacer({
    ...quotas.bulk,
    limit,
    log: unshared(),
    maxWaitMs: Number.POSITIVE_INFINITY,
    ticks: time.now,
    sleep: time.sleep,
    later: (ms, work) => void time.sleep(ms).then(work),
    random,
    tell(event) {
      if (event.kind === 'waiting') wait = {why: event.why, until: time.now() + event.ms}
    },
  })
  for (let n = 0; n < before; n += 1) (await pacer.permit()).used()
  let begun = 0
  let done = 0
  const worker = async () => {
    while (begun < orders) {
      begun += 1
      for (let request = 0; request < 3; request += 1) {
        const permit = await pacer.permit()
        await time.sleep(answers * (0.5 + random()))
        permit.used()
      }
      done += 1
    }
  }
  const read = openMeter({
    ticks: time.now,
    counts: () => ({done, total: orders}),
    requestsEach: () => 3,
    quota: pacer.level,
    waiting: () => (wait && wait.until > time.now() ? {why: wait.why, ms: wait.until - time.now()} : null),
  })
  const readings: (ReturnType<typeof read> & {at: number})[] = []
  const reader = async () => {
    for (; done < orders; await time.sleep(250)) readings.push({...read(), at: time.now()})
  }
  await time.run(Promise.all([reader(), ...Array.from({length: 4}, worker)]))
  const ended = time.now()
  return readings.map((reading) => ({...reading, trueMs: ended - reading.at}))
}

/** By how much the time left was wrong, and by how much it changed beside the clock, at worst; in seconds. */
function errors(told: Awaited<ReturnType<typeof metered>>) {
  const worst = (list: number[]) => Math.max(...list.map(Math.abs)) / 1000
  const ends = told.map(({leftMs, at}) => at + (leftMs ?? 0))
  return {
    wrong: worst(told.map(({leftMs, trueMs}) => (leftMs ?? 0) - trueMs)),
    jump: worst(ends.slice(1).map((end, n) => end - (ends[n] ?? 0))),
  }
}

it.each<[string, Job]>([
  ['a service that answers at once', {orders: 600, answers: 5}],
  ['one that answers as usual', {orders: 600, answers: 150}],
  ['a quota that others have used up', {orders: 200, answers: 150, before: 280}],
  ['a small share of it', {orders: 150, answers: 150, limit: 56}],
])('the time left is what the quota makes it, and does not jump, with %s', async (_, job) => {
  const told = (await metered(job)).filter(({leftMs}) => leftMs !== null)
  expect(told.length).toBeGreaterThan(400)
  expect(errors(told).wrong).toBeLessThan(6)
  expect(errors(told).jump).toBeLessThan(1)
})

it.each([
  [800, 6],
  [1_500, 25],
])('after a minute it is that of a service which takes %i ms for an answer', async (answers, seconds) => {
  const told = (await metered({orders: 300, answers})).filter(({elapsedMs}) => elapsedMs > 60_000)
  expect(told[0]?.trueMs).toBeGreaterThan(120_000)
  expect(errors(told).wrong).toBeLessThan(seconds)
})

it('the rate is that of the last minute, and before that the one since the start', async () => {
  const rates = (await metered({orders: 600, answers: 150})).map(({rate, elapsedMs}) => ({rate, elapsedMs}))
  const later = rates.filter(({elapsedMs}) => elapsedMs > 60_000).map(({rate}) => rate ?? 0)
  // 280 requests a window are 93 orders.
  expect(Math.min(...later)).toBeGreaterThanOrEqual(83)
  expect(Math.max(...later)).toBeLessThanOrEqual(95)
  // The quota lets many through at once, and then none: what was done does not change, and its time grows.
  const waiting = rates.filter(({elapsedMs}) => elapsedMs > 15_000 && elapsedMs < 60_000)
  const done = waiting.map(({rate, elapsedMs}) => ((rate ?? 0) * elapsedMs) / 60_000)
  expect(waiting.length).toBeGreaterThan(3)
  expect(Math.min(...done)).toBeGreaterThan(85)
  expect(Math.max(...done)).toBeLessThan(95)
})

describe('without a quota', () => {
  const meterOf = (wait: {why: string; ms: number} | null = null) => {
    const state = {now: 1_000, done: 100}
    const read = openMeter({
      ticks: () => state.now,
      counts: () => ({done: state.done, total: 200}),
      requestsEach: () => 3,
      quota: () => null,
      waiting: () => wait,
    })
    return (now: number, done: number) => {
      Object.assign(state, {now, done})
      return read()
    }
  }

  it('counts what was done since it began, and tells nothing before that is enough', () => {
    const read = meterOf()
    expect(read(2_000, 109)).toEqual({elapsedMs: 1_000, rate: null, leftMs: null, waiting: null, quota: null})
    expect(read(11_000, 120)).toEqual({
      ...{elapsedMs: 10_000, rate: 120, leftMs: 40_000, waiting: null, quota: null},
    })
    expect(read(11_000, 200)).toMatchObject({leftMs: 0})
  })

  it('adds a wait to the time left, and takes it for no work', () => {
    const wait = {why: 'retry', ms: 8_000}
    const read = meterOf(wait)
    expect(read(11_000, 150)).toMatchObject({rate: 300, leftMs: 8_000, waiting: wait})
  })
})
