import type {State, Ticker} from '../core/state.ts'
import {nextByItself, runOverdue} from './jobs.ts'

const soonMs = 10
const longestMs = 3_600_000

export function createTicker(stateOf: () => State): Ticker {
  let timer: NodeJS.Timeout | undefined
  let soon = false
  /** The sandbox's time at which something is due next, as far as it is known. */
  let nextAt = Number.NEGATIVE_INFINITY

  const after = (ms: number, soonToo = false) => {
    clearTimeout(timer)
    soon = soonToo
    timer = setTimeout(tick, ms).unref()
  }
  const tick = () => {
    const state = stateOf()
    if (state.closing.aborted) return
    state.world.transaction(() => runOverdue(state))
    state.deliverer.start()
    nextAt = nextByItself(state)
    // A frozen clock reaches nothing by itself.
    const wait = state.clock.isFrozen() ? longestMs : nextAt - state.clock.now()
    after(Math.max(soonMs, Math.min(wait, longestMs)))
  }
  return {
    wake: () => {
      if (!soon) after(soonMs, true)
    },
    catchUp: () => {
      if (stateOf().clock.now() >= nextAt) tick()
    },
  }
}
