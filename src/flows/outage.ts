import {isFailure} from '../contract/failure.ts'

/** How long a job waits for the end of an outage before it stops, in milliseconds. */
export const OUTAGE_MS = 900_000
/** The longest pause between two tries, in milliseconds. */
const LONGEST_PAUSE_MS = 30_000

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

/** Repeats the work while the service can't be reached or is out of order. Calls `tell` before each pause. */
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
      if (!isFailure(error) || error.entry.scope !== 'wait' || stop.aborted) throw error
      const pause = Math.max(backoffMs(tries, LONGEST_PAUSE_MS, random), (error.facts.retryAfter ?? 0) * 1000)
      if (now() + pause - started > OUTAGE_MS) throw error
      tell(error.code, pause)
      await sleep(pause, stop)
    }
  }
}

/** The pause after so many tries: 1 s, doubled with each and at most the longest one, of which up to half is left to chance. */
export function backoffMs(tries: number, longestMs: number, random: () => number): number {
  return Math.min(1000 * 2 ** (tries - 1), longestMs) * (0.5 + random() / 2)
}
