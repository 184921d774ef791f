import {openPacer, quotas} from '../../src/client/pace.ts'
import {unshared} from '../../src/client/shared.ts'
import {createLimiter} from '../../src/sandbox/door/limits.ts'
import {seeded, virtualTime} from './virtual-time.ts'

/** Whether a request that arrives now is let through. */
type Admits = (now: number) => boolean

/** Windows that the spec allows: "sliding window evaluated over 4 sub-segments" of 60 s (spec, Limits). */
export const limiters: Record<string, (random: () => number) => Admits> = {
  'segments that begin with the first request': () => {
    const limiter = createLimiter(300)
    return (now) => limiter.take('me', now) === undefined
  },
  'segments that begin with the minute': (random) => segmented(random() * 60_000),
  'a window that slides by the millisecond': () => {
    const times: number[] = []
    return (now) => {
      while (times[0] !== undefined && times[0] <= now - 60_000) times.shift()
      return times.length < 300 && times.push(now) > 0
    }
  },
}

function segmented(offset: number): Admits {
  const segments = new Map<number, number>()
  return (now) => {
    const segment = Math.floor((now + offset) / 15_000)
    for (const old of segments.keys()) if (old <= segment - 4) segments.delete(old)
    const used = [...segments.values()].reduce((sum, n) => sum + n, 0)
    if (used >= 300) return false
    segments.set(segment, (segments.get(segment) ?? 0) + 1)
    return true
  }
}

/** The requests of one run, as many at a time as a job has orders under way, and ms that one takes on average. */
const COUNT = 3_000
const WIDTH = 4
const TAKES = 100

/**
 * Sends 3,000 requests through one pacer in virtual time. Returns the refusals, and the share of the quota that was
 * used: the least time that any client could take, in times of what it took. Each window of 60 s lets through so many
 * requests, and those of the last one take their own time.
 */
export async function paced(name: keyof typeof limiters, seed: number, limit: number) {
  const random = seeded(seed)
  const admits = limiters[name]?.(random)
  if (!admits) throw new Error(`no limiter ${name}`)
  const time = virtualTime(1_000_000 + random() * 100_000)
  const pacer = openPacer({
    ...quotas.bulk,
    limit,
    log: unshared(),
    maxWaitMs: Number.POSITIVE_INFINITY,
    ticks: time.now,
    sleep: time.sleep,
    later: (ms, work) => void time.sleep(ms).then(work),
    random,
  })
  let left = COUNT
  let refused = 0
  const one = async () => {
    while (left > 0) {
      left -= 1
      const permit = await pacer.permit()
      await time.sleep(random() * 60)
      const admitted = admits(time.now())
      await time.sleep(random() * 140)
      if (admitted) permit.used()
      else {
        refused += 1
        await permit.refused(5_000)
      }
    }
  }
  const started = time.now()
  await time.run(Promise.all(Array.from({length: WIDTH}, one)))
  const windows = Math.ceil(COUNT / limit) - 1
  const least = 60_000 * windows + ((COUNT - windows * limit) * TAKES) / WIDTH
  return {refused, share: least / (time.now() - started)}
}
