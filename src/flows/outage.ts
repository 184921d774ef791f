import {type Failure, isFailure} from '../contract/failure.ts'

/** How long an outage of the service is waited for before a job stops, and the longest pause, in milliseconds. */
export const OUTAGE_MS = 900_000
export const LONGEST_PAUSE_MS = 30_000

export interface Patience {
  /** Monotonic milliseconds. */
  now(): number
  /** Ends early when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** From 0 to 1. */
  random(): number
  /** Ends the waits for a service that does not answer. */
  stop: AbortSignal
}

/** Does the work again for as long as the service can't be reached, or is out of order. `tell` hears of each pause. */
export async function patiently<T>(
  {now, sleep, random, stop}: Patience,
  tell: (code: string, inMs: number) => void,
  work: () => Promise<T>,
): Promise<T> {
  const started = now()
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isFailure(error) || endsRow(error) !== 'outage' || stop.aborted) throw error
      const backoff = Math.min(1000 * 2 ** (tries - 1), LONGEST_PAUSE_MS) * (0.5 + random() / 2)
      const pause = Math.max(backoff, (error.facts.retryAfter ?? 0) * 1000)
      if (now() + pause - started > OUTAGE_MS) throw error
      tell(error.code, pause)
      await sleep(pause, stop)
    }
  }
}

const OUTAGES = new Set([
  'OUTCOME_UNKNOWN',
  'NO_CONNECTION',
  'NO_ANSWER',
  'ODD_ANSWER',
  'UPSTREAM_AUTH_FAILED',
  'RATE_LIMITED',
  'CONFLICT_PRICE_LOCK_CREATE_RACE',
])
const STOPS = new Set(['BUSINESS_PRODUCT_ACCESS_DISABLED', 'NOT_FOUND_ROUTE'])
/** Refusals of ours that concern one row alone. */
const OWN_REFUSALS = new Set([
  'INVALID_INPUT',
  'LIMIT_EXCEEDED',
  'CART_NOT_EMPTY',
  'CHANGED_MEANWHILE',
  'ORDER_MISMATCH',
  'ORDER_FAILED',
])

/** What a failure ends: this row of a job, the wait for the service, or the whole job. */
export function endsRow({code, facts: {httpStatus = 0}}: Failure): 'refused' | 'outage' | 'stop' {
  if (OUTAGES.has(code) || httpStatus >= 500) return 'outage'
  if (STOPS.has(code) || [401, 403, 405, 415].includes(httpStatus)) return 'stop'
  return OWN_REFUSALS.has(code) || httpStatus >= 400 || isRule(code) ? 'refused' : 'stop'
}

/** A refusal that a preview told of: it carries the service's code without a status. */
const isRule = (code: string) => /^(?:BUSINESS|CONFLICT|VALIDATION|NOT_FOUND)_/.test(code)
