import type {Level} from '../client/quota.ts'

/** How fast a job gets on. */
export interface JobPace {
  elapsedMs: number
  /** Rows a minute, in the last minute or since the start; null where that can't be told yet. */
  rate: number | null
  /** What it will still take; null where that can't be told yet. */
  leftMs: number | null
  /** What keeps it from going on, and for how much longer. */
  waiting: {why: string; ms: number} | null
  /** null where the service has none. */
  quota: Level | null
}

export interface MeterOptions {
  /** Milliseconds of a clock that nobody sets. */
  ticks(): number
  counts(): {done: number; total: number}
  /** Requests that a row takes on average. */
  requestsEach(): number
  quota(requests: number): (Level & {leastMs: number}) | null
  waiting(): JobPace['waiting']
}

/** Each call measures a job that has begun just now, or is looked at from now on. */
export function openMeter({ticks, counts, requestsEach, quota, waiting}: MeterOptions): () => JobPace {
  const started = ticks()
  const first = counts().done
  const rateAt = openRate(started, first)
  let stoodMs = 0
  let readAt = started
  return () => {
    const now = ticks()
    const {done, total} = counts()
    const left = total - done
    const {leastMs = 0, ...level} = quota(Math.ceil(left * requestsEach())) ?? {}
    const wait = waiting()
    const isFull = 'used' in level && level.used === level.limit
    if (wait || isFull) stoodMs += now - readAt
    readAt = now
    const workMs = ((now - started - stoodMs) / (done - first)) * left
    return {
      elapsedMs: now - started,
      rate: rateAt(now, done),
      leftMs: done - first < ENOUGH ? null : Math.max(workMs + (wait?.ms ?? 0), leastMs),
      waiting: wait,
      quota: 'used' in level ? level : null,
    }
  }
}

const MINUTE = 60_000
/** So many rows tell how long one takes: those that are under way at a time end together. */
const ENOUGH = 10

/** A rate of a few seconds says nothing. */
const SOON = 5_000

/** In the last minute, or since the start where that is less. */
function openRate(started: number, first: number) {
  const marks = [{at: started, done: first}]
  return (now: number, done: number): number | null => {
    if (now - (marks.at(-1)?.at ?? 0) >= 1_000) marks.push({at: now, done})
    while (marks[1] && now - marks[1].at >= MINUTE) marks.shift()
    const [from = {at: now, done}] = marks
    const ms = now - from.at
    return ms < SOON ? null : Math.round(((done - from.done) * MINUTE) / ms)
  }
}
