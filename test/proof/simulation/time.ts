/**
 * The time of a simulation. It stands still while anybody works, and jumps to the next moment at which something happens
 * when everybody waits.
 */
export interface SimulatedTime {
  now(): number
  /** Calls `work` once, after this many milliseconds. */
  after(ms: number, work: () => void): void
  sleep(ms: number): Promise<void>
  /** Real work that takes no simulated time, one piece at a time and in order. */
  work<T>(piece: () => Promise<T>): Promise<T>
  /** Runs until `done` is settled. Throws if that takes longer than `limitMs`, or if nothing happens any more. */
  until<T>(done: Promise<T>, limitMs: number): Promise<T>
}

interface Moment {
  at: number
  n: number
  work: () => void
}

export function simulatedTime(): SimulatedTime {
  let now = 0
  let n = 0
  let busy = 0
  let last: Promise<unknown> = Promise.resolve()
  const moments: Moment[] = []
  const after = (ms: number, work: () => void) => {
    n += 1
    const moment = {at: now + Math.max(0, ms), n, work}
    let place = moments.length
    // Sorted so that the next moment is the last.
    while (place > 0 && (moments[place - 1] as Moment).at <= moment.at) place -= 1
    moments.splice(place, 0, moment)
  }
  const quiet = async () => {
    do await new Promise((turn) => setImmediate(turn))
    while (busy > 0)
  }
  return {
    now: () => now,
    after,
    sleep: (ms) => new Promise((wake) => after(ms, wake)),
    work(piece) {
      busy += 1
      const mine = last.then(piece).finally(() => {
        busy -= 1
      })
      last = mine.catch(() => {})
      return mine
    },
    async until(done, limitMs) {
      const limit = now + limitMs
      let over = false
      const end = () => {
        over = true
      }
      done.then(end, end)
      for (;;) {
        await quiet()
        if (over) return done
        const next = moments.pop()
        if (next === undefined) throw new Error('everybody waits, and nothing will happen')
        now = next.at
        if (now > limit) throw new Error(`not over after ${limitMs / 60_000} simulated minutes`)
        next.work()
      }
    },
  }
}
