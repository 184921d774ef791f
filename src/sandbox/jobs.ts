import {iso} from './clock.ts'
import {expireNotice} from './notices.ts'
import type {State} from './state.ts'
import type {World} from './world.ts'

/** Something that happens by itself at a moment. */
interface Job {
  name: string
  /** The earliest moment after this one at which it is due, and for what. */
  next(world: World, after: number): {at: number; ids: string[]} | undefined
  run?(state: State, ids: string[], at: number): void
}

export interface Fired {
  job: string
  at: string
  id: string
}

const jobs: readonly Job[] = [
  {
    name: 'notice-expired',
    next: (world) => {
      const rows = world.all<{id: string; deadline_at: number}>(
        `SELECT id, deadline_at FROM notices WHERE status = 'AwaitingPartnerResponse' AND deadline_at =
         (SELECT min(deadline_at) FROM notices WHERE status = 'AwaitingPartnerResponse') ORDER BY n`,
      )
      const [first] = rows
      return first && {at: first.deadline_at, ids: rows.map(({id}) => id)}
    },
    run: (state, ids, at) => {
      for (const id of ids) expireNotice(state, id, at)
    },
  },
  {
    // Nothing needs doing: a lock is judged by the clock when it is used. It is named because users wait for it.
    name: 'price-lock-expired',
    next: (world, after) => {
      const rows = world.all<{id: string; expires_at: number}>(
        `SELECT id, expires_at FROM locks WHERE order_id IS NULL AND expires_at =
         (SELECT min(expires_at) FROM locks WHERE order_id IS NULL AND expires_at > ?) ORDER BY id`,
        after,
      )
      const [first] = rows
      return first && {at: first.expires_at, ids: rows.map(({id}) => id)}
    },
  },
]

function nextDue(world: World, after: number): {at: number; job: Job; ids: string[]} | undefined {
  const due = jobs.flatMap((job) => {
    const next = job.next(world, after)
    return next === undefined ? [] : [{...next, job}]
  })
  return due.sort((a, b) => a.at - b.at)[0]
}

/** The moment of the next job, or undefined when nothing is due any more. */
export function nextMoment({world, clock}: State): number | undefined {
  return nextDue(world, clock.now())?.at
}

/** Moves the clock forward to a moment and runs, in order, what falls due on the way. */
export function advanceTo(state: State, moment: number): Fired[] {
  const fired: Fired[] = []
  for (let at = state.clock.now(); ; ) {
    const due = nextDue(state.world, at)
    if (due === undefined || due.at > moment) break
    at = due.at
    state.clock.moveTo(at)
    due.job.run?.(state, due.ids, at)
    fired.push(...due.ids.map((id) => ({job: due.job.name, at: iso(at), id})))
  }
  state.clock.moveTo(moment)
  return fired
}
