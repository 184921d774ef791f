import {describe, expect, it} from 'vitest'
import {openPacer, type PacerOptions, quotas, unpaced} from '../../src/client/pace.ts'
import {leastMsFor, levelOf, parseQuota, type Quota, roomIn, settle} from '../../src/client/quota.ts'
import {type SharedFile, unshared} from '../../src/client/shared.ts'
import {windowMs} from '../../src/contract/limits.ts'
import {seeded, virtualTime} from '../support/virtual-time.ts'

/** The window of the service: four segments of 15 s; a permit returns when its segment is used again. */
function limiter(limit: number, offset: number) {
  const segments = new Map<number, number>()
  let refused = 0
  return {
    refused: () => refused,
    /** Whether a request that arrives now is let through. */
    admits(now: number): boolean {
      const segment = Math.floor((now + offset) / 15_000)
      for (const old of segments.keys()) if (old <= segment - 4) segments.delete(old)
      const used = [...segments.values()].reduce((sum, n) => sum + n, 0)
      if (used >= limit) {
        refused += 1
        return false
      }
      segments.set(segment, (segments.get(segment) ?? 0) + 1)
      return true
    },
  }
}

type Time = ReturnType<typeof virtualTime>

/** One process of many: its own pacer on the log that all share. */
function processOf(
  time: Time,
  log: SharedFile,
  name: string,
  options: Partial<PacerOptions> & {seed: number},
) {
  return openPacer({
    log: {...log, me: name},
    ...quotas.bulk,
    maxWaitMs: Number.POSITIVE_INFINITY,
    ticks: time.now,
    sleep: time.sleep,
    later: (ms, work) => void time.sleep(ms).then(work),
    random: seeded(options.seed),
    ...options,
  })
}

/** Sends `count` requests, `width` at a time, each with a random way there and back. */
async function load(
  time: Time,
  pacer: ReturnType<typeof openPacer>,
  service: ReturnType<typeof limiter>,
  job: {count: number; width: number; random: () => number},
) {
  let left = job.count
  const one = async () => {
    while (left > 0) {
      left -= 1
      const permit = await pacer.permit()
      await time.sleep(job.random() * 200)
      const admitted = service.admits(time.now())
      await time.sleep(job.random() * 400)
      if (admitted) permit.used()
      else await permit.refused(5_000)
    }
  }
  await Promise.all(Array.from({length: job.width}, one))
}

describe('the pacing of several processes', () => {
  it.each(Array.from({length: 25}, (_, n) => n + 1))(
    'is never refused by the window of the service (seed %i)',
    async (seed) => {
      const random = seeded(seed)
      const time = virtualTime(1_000_000 + random() * 100_000)
      const service = limiter(300, random() * 60_000)
      const log = unshared()
      const processes = 1 + Math.floor(random() * 6)
      const width = 1 + Math.floor(random() * 6)
      const started = time.now()
      const total = 900
      await time.run(
        Promise.all(
          Array.from({length: processes}, (_, n) =>
            load(
              time,
              processOf(time, log, `p${n}`, {seed: seed * 100 + n, limit: seed % 2 ? 280 : 300}),
              service,
              {
                count: Math.ceil(total / processes),
                width,
                random,
              },
            ),
          ),
        ),
      )
      expect(service.refused()).toBe(0)
      // ⌈900/280⌉ − 1 full windows; the answers of the last ones, and leases that others hold, cost a little more.
      expect(time.now() - started).toBeLessThan(3 * 63_000 + ((total / processes / width) * 0.7 + 10) * 1000)
    },
  )

  it('leaves room for a command while a job uses all it may', async () => {
    const time = virtualTime()
    const log = unshared()
    const service = limiter(300, 0)
    const random = seeded(7)
    const job = load(time, processOf(time, log, 'job', {seed: 1}), service, {count: 400, width: 4, random})
    const command = async () => {
      await time.sleep(45_000)
      const before = time.now()
      const person = processOf(time, log, 'person', {...quotas.interactive, seed: 2})
      for (let n = 0; n < 15; n += 1) (await person.permit()).used()
      return time.now() - before
    }
    const [waited] = await time.run(Promise.all([command(), job]))
    expect(waited).toBe(0)
    expect(service.refused()).toBe(0)
  })

  it('counts the lease of a killed process as used, and waits it out', async () => {
    const time = virtualTime()
    const alive = new Set(['killed', 'next'])
    const log = {...unshared(), isAlive: (name: string) => alive.has(name)}
    const killed = processOf(time, log, 'killed', {seed: 1, limit: 10, lease: 10})
    await time.run(killed.permit())
    alive.delete('killed')
    const next = processOf(time, log, 'next', {seed: 2, limit: 10, lease: 10})
    const before = time.now()
    await time.run(next.permit())
    expect(time.now() - before).toBeGreaterThanOrEqual(windowMs)
    expect(time.now() - before).toBeLessThan(windowMs + 1_000)
  })

  it('does not wait for ever for one that seems to live', async () => {
    const time = virtualTime()
    const log = unshared()
    await time.run(processOf(time, log, 'one', {seed: 1, limit: 10, lease: 10}).permit())
    const next = processOf(time, log, 'next', {seed: 2, limit: 10, lease: 10})
    const before = time.now()
    await time.run(next.permit())
    expect(time.now() - before).toBeLessThan(17 * 60_000)
  })

  it('mints at most 8 tokens in a window', async () => {
    const time = virtualTime()
    const log = unshared()
    const times: number[] = []
    const mint = async (n: number) => {
      const pacer = processOf(time, log, `p${n}`, {...quotas.mint, seed: n + 1})
      const permit = await pacer.permit()
      times.push(time.now())
      permit.used()
    }
    await time.run(Promise.all(Array.from({length: 20}, (_, n) => mint(n))))
    // They go on living, and have told of their answers soon.
    expect(time.now() - virtualTime().now()).toBeLessThan(2 * windowMs + 5_000)
    for (let n = 8; n < times.length; n += 1) {
      expect((times[n] ?? 0) - (times[n - 8] ?? 0)).toBeGreaterThanOrEqual(windowMs)
    }
  })
})

it('a permit comes back 60.5 s after its answer, and no earlier', () => {
  const state = parseQuota(JSON.stringify({v: 1, answered: [1_000, 2_000], leases: []}), 2_000)
  const roomAt = (now: number) =>
    roomIn(
      settle(state, now, () => true),
      now,
      2,
    )
  expect(roomAt(2_000)).toEqual({room: 0, waitMs: 59_500})
  expect(roomAt(61_499)).toEqual({room: 0, waitMs: 1})
  expect(roomAt(61_500)).toEqual({room: 1, waitMs: 0})
  expect(roomAt(62_500)).toEqual({room: 2, waitMs: 0})
})

describe('the time that requests take at least', () => {
  const state = parseQuota(JSON.stringify({v: 1, answered: [1_000, 2_000, 5_000], leases: []}), 10_000)

  it.each([
    ['nothing is left to be sent', 0, 0],
    ['there is room for all', 1, 0],
    ['the second waits for the oldest to leave the window', 2, 51_500],
    ['the third for the next one', 3, 52_500],
    ['the fourth for the last one', 4, 55_500],
    ['the fifth for the first of these', 5, windowMs],
    ['the ninth for the fifth', 9, 2 * windowMs],
  ])('%s', (_, requests, ms) => {
    expect(leastMsFor(state, 10_000, 4, requests)).toBe(ms)
  })

  it('counts from the end of a pause, and what is under way as answered now', () => {
    const busy = {...state, leases: [{id: 'x', holder: 'x', n: 1, at: 9_000}], pausedUntil: 40_000}
    expect(leastMsFor(busy, 10_000, 5, 1)).toBe(30_000)
    expect(leastMsFor(busy, 10_000, 4, 4)).toBe(windowMs)
  })
})

describe('the level of the quota', () => {
  it('counts what was sent in the last window, by all, and no permit that is only held', async () => {
    const time = virtualTime()
    const log = unshared()
    const one = processOf(time, log, 'one', {seed: 1})
    expect(one.level(0)).toMatchObject({used: 0, limit: 280, shared: false})
    const permits = [await one.permit(), await one.permit()]
    permits[0]?.used()
    expect(one.level(0)).toMatchObject({used: 2})
    const other = processOf(time, log, 'other', {...quotas.interactive, seed: 2})
    ;(await other.permit()).used()
    // Another process can't know that of the ten permits eight are not used yet.
    expect(other.level(0)).toMatchObject({used: 11, limit: 300})
  })

  it('is known to a process that sends nothing', async () => {
    const time = virtualTime()
    const log = unshared()
    const watching = processOf(time, log, 'watching', {seed: 1})
    const one = processOf(time, log, 'one', {seed: 2, lease: 1})
    for (const used of [1, 2, 3]) {
      ;(await one.permit()).used()
      expect(watching.level(0)).toMatchObject({used})
    }
  })

  it('falls as permits leave the window, without a look at the log', async () => {
    const time = virtualTime()
    const log = unshared()
    const never = () => {
      throw new Error('the log was read')
    }
    const one = processOf(time, {...log, read: never}, 'one', {seed: 1})
    for (let n = 0; n < 15; n += 1) (await one.permit()).used()
    time.advance(windowMs / 2)
    for (let n = 0; n < 5; n += 1) (await one.permit()).used()
    expect(one.level(0)).toMatchObject({used: 20})
    time.advance(windowMs / 2)
    expect(one.level(0)).toMatchObject({used: 5})
    time.advance(windowMs)
    expect(one.level(0)).toMatchObject({used: 0})
  })

  it('is full where a permit has to be waited for, and tells how long', async () => {
    const time = virtualTime()
    const waits: number[] = []
    const tell = (event: {kind: string; ms?: number}) => void waits.push(event.ms ?? 0)
    const one = processOf(time, unshared(), 'one', {seed: 1, limit: 20, tell})
    for (let n = 0; n < 20; n += 1) (await one.permit()).used()
    const more = one.permit()
    await expect.poll(() => waits.length).toBe(1)
    expect(one.level(1)).toMatchObject({used: 20, limit: 20, leastMs: waits[0]})
    await time.run(more)
    expect(one.level(0)).toMatchObject({used: 1})
  })

  it('says which share is left after a refusal that nobody here explains, and never that more is used', async () => {
    const time = virtualTime()
    const one = processOf(time, unshared(), 'one', {seed: 1, limit: 20, lease: 1})
    for (let n = 0; n < 15; n += 1) (await one.permit()).used()
    await (await one.permit()).refused(7_000)
    expect(one.level(0)).toMatchObject({used: 10, limit: 10, shared: true})
    time.advance(6 * windowMs)
    expect(one.level(0)).toMatchObject({used: 0, limit: 20, shared: false})
  })

  it('is none where nothing is paced', () => {
    expect(unpaced.level(1)).toBeNull()
  })
})

describe('a refusal that our own requests do not explain', () => {
  it('is told once, halves the share for one window, and pauses everybody', async () => {
    const time = virtualTime()
    const log = unshared()
    const events: unknown[] = []
    const one = processOf(time, log, 'one', {seed: 1, tell: (event) => events.push(event)})
    const permits = [await one.permit(), await one.permit()]
    for (const permit of permits) await permit.refused(7_000)
    expect(events).toEqual([{kind: 'shared-credential'}])
    const other = processOf(time, log, 'other', {seed: 2, tell: (event) => events.push(event)})
    const before = time.now()
    await time.run(other.permit())
    expect(events.at(-1)).toEqual({kind: 'waiting', why: 'rate-limit', ms: 7_000})
    expect(time.now() - before).toBeGreaterThanOrEqual(7_000)
    expect(time.now() - before).toBeLessThan(8_000)
  })

  it.each([
    [0, 0.5],
    [windowMs, 0.5],
    [2 * windowMs, 0.6],
    [4 * windowMs, 0.8],
    [6 * windowMs, 1],
    [60 * windowMs, 1],
  ])('leaves after %i ms a share of %f', (after, share) => {
    const state: Quota = {v: 1, answered: [], leases: [], slow: {at: 5, share: 0.5}}
    expect(levelOf(state, 5 + after, 1_000_000).limit).toBeCloseTo(share * 1_000_000, 0)
  })
})

describe('a wait for the quota', () => {
  it('fails with the seconds it would take, where that is longer than allowed', async () => {
    const time = virtualTime()
    const pacer = processOf(time, unshared(), 'one', {seed: 1, limit: 1, lease: 1, maxWaitMs: 10_000})
    ;(await pacer.permit()).used()
    await expect(time.run(pacer.permit())).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      exitCode: 9,
      facts: {effect: 'none', retryAfter: 61},
    })
  })

  it('ends when it is interrupted', async () => {
    const time = virtualTime()
    const pacer = processOf(time, unshared(), 'one', {seed: 1, limit: 1, lease: 1})
    ;(await pacer.permit()).used()
    await expect(time.run(pacer.permit(AbortSignal.abort()))).rejects.toMatchObject({code: 'INTERRUPTED'})
  })

  it('gives a permit back that was not used', async () => {
    const time = virtualTime()
    const pacer = processOf(time, unshared(), 'one', {seed: 1, limit: 1, lease: 1})
    for (let n = 0; n < 5; n += 1) (await pacer.permit()).unused()
    expect(time.now()).toBe(virtualTime().now())
  })
})

it.each([
  '',
  '{',
  '[]',
  '{"v":2}',
  '{"v":1,"answered":"x","leases":[]}',
  '{"v":1,"answered":[99999999999],"leases":[]}',
])('a log that says nothing sensible counts as empty: %s', async (text) => {
  const log = unshared()
  log.write(text)
  const pacer = processOf(virtualTime(), log, 'one', {seed: 1})
  await expect(pacer.permit()).resolves.toBeDefined()
})

describe('a log of the ticks before a restart of the machine', () => {
  const uptime = 30 * 24 * 3_600_000
  const now = 20_000
  const none: Quota = {v: 1, answered: [], leases: []}
  it.each<[string, Partial<Quota>]>([
    ['answers', {answered: [uptime]}],
    ['a Retry-After', {pausedUntil: uptime}],
    ['another user of the credential', {slow: {at: uptime, share: 0.1}}],
    ['permits of a process', {leases: [{id: 'x', holder: 'x', n: 300, at: uptime}]}],
  ])('counts as unused: %s', (_, part) => {
    const read = parseQuota(JSON.stringify({...none, ...part}), now)
    expect(
      roomIn(
        settle(read, now, () => true),
        now,
        300,
      ),
    ).toEqual({room: 300, waitMs: 0})
  })

  it('is told from a Retry-After of this moment', () => {
    const read = parseQuota(JSON.stringify({...none, pausedUntil: now + windowMs}), now)
    expect(roomIn(read, now, 300)).toEqual({room: 0, waitMs: windowMs})
  })
})
