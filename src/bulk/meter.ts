import type {Level} from '../client/quota.ts'
import type {Session} from '../session.ts'

/** How far a job is, in rows. */
export interface Counts {
  done: number
  total: number
  refused: number
  unknown: number
  /** What was charged so far; null if jobs of its kind charge nothing. */
  charged: string | null
  currency: string | null
}

/** How fast a job gets on. */
interface Pace {
  elapsedMs: number
  /** Rows a minute, in the last minute or since the start; null as long as that can't be told. */
  rate: number | null
  /** What it will still take; null as long as that can't be told. */
  leftMs: number | null
  /** What keeps it from going on, and for how much longer. */
  waiting: {why: string; ms: number} | null
  /** null if the service has none. */
  quota: Level | null
}

/** How far a job is, and how fast it gets on. */
export type Standing = Counts & Pace

export interface Measured<Of = Counts> {
  counts(): Of
  /** Requests that a row takes on average. */
  requestsEach(): number
}

interface MeterOptions extends Measured<Pick<Counts, 'done' | 'total'>>, Pick<Session, 'quota' | 'waiting'> {
  /** Monotonic milliseconds. */
  ticks(): number
}

/** Each call measures a job that has begun just now, or is looked at from now on. */
export function openMeter({ticks, counts, requestsEach, quota, waiting}: MeterOptions): () => Pace {
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
/** This many rows tell how long one takes: those that are under way at a time end together. */
const ENOUGH = 10

/** A rate of a few seconds says nothing. */
const SOON = 5_000

/** In the last minute, or since the start if that is less. */
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
