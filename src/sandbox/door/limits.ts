/**
 * A sliding window of four 15 s segments (spec, Limits; X07), for any number of keys. It lives in memory
 * alone (X10), and how many requests run at once is not limited (X14).
 */
export interface Limiter {
  /** Takes a permit; otherwise returns the whole seconds until one is free again. A refused request takes nothing. */
  take(key: string, now: number): number | undefined
  /** Permits taken within the window, by key. */
  inUse(now: number): Record<string, number>
  reset(): void
}

const segment = 15_000
const segments = 4
/** Past this many keys the idle ones are dropped: the token route takes its keys from anonymous bodies. */
const tidyAbove = 1_000

interface Window {
  /** When the current segment began; the first one begins with the key's first request. */
  began: number
  current: number
  counts: number[]
}

export function createLimiter(permits: number): Limiter {
  const windows = new Map<string, Window>()
  return {
    take: (key, now) => {
      const window = windows.get(key) ?? {began: now, current: 0, counts: [0, 0, 0, 0]}
      if (windows.size >= tidyAbove && !windows.has(key)) dropIdle(windows, now)
      windows.set(key, window)
      turn(window, now)
      if (sum(window) >= permits) return secondsUntilOneReturns(window, now)
      window.counts[window.current] = (window.counts[window.current] ?? 0) + 1
      return undefined
    },
    inUse: (now) => {
      for (const window of windows.values()) turn(window, now)
      return Object.fromEntries([...windows].map(([key, window]) => [key, sum(window)]))
    },
    reset: () => windows.clear(),
  }
}

/** Moves on to the segment of `now`; a slot that is used again gives its permits back. */
function turn(window: Window, now: number): void {
  const steps = Math.max(0, Math.floor((now - window.began) / segment))
  for (let step = 0; step < Math.min(steps, segments); step++) {
    window.current = (window.current + 1) % segments
    window.counts[window.current] = 0
  }
  window.began += steps * segment
}

/** X08 */
function secondsUntilOneReturns(window: Window, now: number): number {
  let steps = 1
  while (steps < segments && !window.counts[(window.current + steps) % segments]) steps++
  return Math.max(1, Math.ceil((window.began + steps * segment - now) / 1000))
}

function dropIdle(windows: Map<string, Window>, now: number): void {
  for (const [key, window] of windows) {
    if (now - window.began >= segment * segments) windows.delete(key)
  }
}

function sum(window: Window): number {
  return window.counts.reduce((total, count) => total + count, 0)
}
