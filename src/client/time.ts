/** A longer timer would go off immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Time and chance of this machine, as a client needs them. */
export const realTime = {
  now: () => Date.now(),

  /** Monotonic milliseconds, which all processes of this machine share until it restarts. */
  ticks(): number {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1000 + nanoseconds / 1e6
  },

  /** Ends early, without a word, when the signal is aborted: look at it afterwards. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((wake) => {
      if (signal?.aborted) return wake()
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        wake()
      }
      const timer = setTimeout(done, Math.min(ms, LONGEST_TIMER_MS))
      signal?.addEventListener('abort', done, {once: true})
    })
  },

  /** Runs work after a while, unless the program has ended by then. */
  later(ms: number, work: () => void): void {
    setTimeout(work, ms).unref()
  },

  random: () => Math.random(),
}
