/** A clock of a simulation: it jumps to the next sleeper when everybody sleeps. */
export function virtualTime(start = 1_000_000) {
  let now = start
  const sleepers: {at: number; wake: () => void}[] = []
  const sleep = (ms: number) =>
    new Promise<void>((wake) => {
      sleepers.push({at: now + Math.max(0, ms), wake})
    })
  return {
    now: () => now,
    sleep,
    advance(ms: number) {
      now += ms
    },
    /** Runs until `work` is done. */
    async run<T>(work: Promise<T>): Promise<T> {
      let done = false
      const ended = work.finally(() => {
        done = true
      })
      ended.catch(() => {})
      while (!done) {
        await new Promise((turn) => setImmediate(turn))
        if (done) break
        sleepers.sort((a, b) => a.at - b.at)
        const next = sleepers.shift()
        if (next === undefined) throw new Error('everybody waits, and nobody sleeps')
        now = Math.max(now, next.at)
        next.wake()
      }
      return ended
    },
  }
}

/** A generator of the same numbers for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
