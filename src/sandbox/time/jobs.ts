import type {State} from '../core/state.ts'
import type {World} from '../core/world.ts'
import {issueHour, issuePeriod, openPeriod, settlePeriod} from '../rules/commissions.ts'
import {purgeDeliveries} from '../rules/deliveries.ts'
import {expireNotice} from '../rules/notices.ts'
import {closeStatement} from '../rules/statements.ts'
import {keptFor} from '../rules/webhooks.ts'
import {iso} from './clock.ts'
import {monthStart} from './month.ts'

/** Something that happens by itself at a moment. */
interface Job {
  name: string
  /**
   * The earliest moment after this one at which it is due, and for what. One that has something to run is judged by
   * the database alone: it is due, however late, until it ran.
   */
  next(world: World, after: number): {at: number; ids: string[]} | undefined
  /** Does it; may answer the ids of what it made, instead of those it was due for. */
  run?(state: State, ids: string[], at: number): string[] | undefined
}

export interface Fired {
  job: string
  at: string
  id: string
}

/** The moment until which statements are closed. */
export const closedUntil = 'statements-closed-until'

/** L06: a statement for every wallet, at the first moment of the next month. */
const closeMonth: Job = {
  name: 'statement-closed',
  next: (world) => {
    const from = world.meta(closedUntil)
    if (from === undefined) return undefined
    const wallets = world.all<{id: string}>(
      'SELECT id FROM partners WHERE wallet IS NOT NULL ORDER BY global_id',
    )
    return {at: monthStart(Number(from), 1), ids: wallets.map(({id}) => id)}
  },
  run: ({world}, ids, at) => {
    const from = Number(world.meta(closedUntil))
    world.setMeta(closedUntil, String(at))
    return ids.map((id) => closeStatement(world, id, from, at))
  },
}

/** L13: a provisional period for every partner from the first moment of a month. */
const openCommissions: Job = {
  name: 'commission-opened',
  next: (world) => {
    const last = world.get<{at: number | null}>('SELECT max(period_to) AS at FROM commission_periods')
    if (last === undefined || last.at === null) return undefined
    const partners = world.all<{id: string}>('SELECT id FROM partners ORDER BY global_id')
    return {at: last.at, ids: partners.map(({id}) => id)}
  },
  run: ({world}, ids, at) => ids.map((id) => openPeriod(world, id, at)),
}

const periodsDue = (world: World, column: string, where: string, delay: number) => {
  const rows = world.all<{id: string; at: number}>(
    `SELECT id, ${column} AS at FROM commission_periods WHERE ${where} AND ${column} =
     (SELECT min(${column}) FROM commission_periods WHERE ${where}) ORDER BY id`,
  )
  const [first] = rows
  return first && {at: first.at + delay, ids: rows.map(({id}) => id)}
}

const issueCommissions: Job = {
  name: 'commission-issued',
  next: (world) => periodsDue(world, 'issue_date', 'issued_at IS NULL', issueHour),
  run: ({world}, ids, at) => {
    for (const id of ids) issuePeriod(world, id, at)
    return ids
  },
}

const settleCommissions: Job = {
  name: 'commission-settled',
  next: (world) => periodsDue(world, 'settle_date', 'issued_at IS NOT NULL AND settled_at IS NULL', 0),
  run: ({world}, ids, at) => {
    for (const id of ids) settlePeriod(world, id, at)
    return ids
  },
}

/** An attempt of a delivery, which takes its time: the deliverer makes it. */
const delivering: Job = {
  name: 'webhook-attempt',
  next: (world) => {
    const rows = world.all<{event_id: string; due_at: number}>(
      'SELECT event_id, due_at FROM deliveries WHERE due_at = (SELECT min(due_at) FROM deliveries WHERE due_at IS NOT NULL) ORDER BY n',
    )
    const [first] = rows
    return first && {at: first.due_at, ids: rows.map(({event_id}) => event_id)}
  },
}

/** Delivery records are kept for 30 days. */
const purging: Job = {
  name: 'deliveries-purged',
  next: (world) => {
    const sql =
      'SELECT id, sent_at FROM attempts WHERE sent_at = (SELECT min(sent_at) FROM attempts) ORDER BY n'
    const rows = world.all<{id: string; sent_at: number}>(sql)
    const [first] = rows
    return first && {at: first.sent_at + keptFor, ids: rows.map(({id}) => id)}
  },
  run: ({world}, ids, at) => {
    purgeDeliveries(world, at)
    return ids
  },
}

const jobs: readonly Job[] = [
  delivering,
  purging,
  closeMonth,
  openCommissions,
  issueCommissions,
  settleCommissions,
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
      return ids
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

const running = jobs.filter((job) => job.run !== undefined)

interface Due {
  at: number
  job: Job
  ids: string[]
}

function nextDue(world: World, after: number, among: readonly Job[] = jobs): Due | undefined {
  const due = among.flatMap((job) => {
    const next = job.next(world, after)
    return next === undefined ? [] : [{...next, job}]
  })
  return due.sort((a, b) => a.at - b.at)[0]
}

/** The moment of the next job, or undefined when nothing is due any more. */
export function nextMoment({world, clock}: State): number | undefined {
  return nextDue(world, clock.now())?.at
}

/** Moves the clock forward to a moment and does, in order, what falls due on the way; deliveries are waited for. */
export async function advanceTo(state: State, moment: number): Promise<Fired[]> {
  const {world, clock, closing} = state
  // A live clock runs on meanwhile, and is never put back.
  const moveOn = (at: number) => clock.now() < at && clock.moveTo(at)
  const fired: Fired[] = []
  for (let at = clock.now(); !closing.aborted; ) {
    const due = nextDue(world, at)
    if (due === undefined || due.at > moment) break
    at = Math.max(at, due.at)
    const happened = world.transaction(() => {
      moveOn(at)
      return fire(state, due)
    })
    fired.push(...happened)
    if (due.job === delivering) await state.deliverer.settled()
  }
  moveOn(moment)
  return fired
}

/** Runs what fell due while the clock ran by itself, or while the sandbox was down. */
export function runOverdue(state: State): Fired[] {
  const fired: Fired[] = []
  for (;;) {
    const now = state.clock.now()
    const due = nextDue(state.world, now, running)
    if (due === undefined || due.at > now) return fired
    fired.push(...fire(state, due))
  }
}

function fire(state: State, {job, ids, at}: Due): Fired[] {
  const made = job.run?.(state, ids, at) ?? ids
  return made.map((id) => ({job: job.name, at: iso(at), id}))
}

/** Sees to it that things happen by themselves while the clock runs. */
export interface Ticker {
  /** To be called after every change: looks soon for what is due, and sends what is in the outbox. */
  wake(): void
  /** Lets what is due by now happen first. */
  catchUp(): void
}

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

/** When something happens by itself next; deliveries that are due already are under way. */
function nextByItself({world, clock}: State): number {
  const now = clock.now()
  const due = nextDue(world, now, running)?.at ?? Number.POSITIVE_INFINITY
  const sql = 'SELECT min(due_at) AS at FROM deliveries WHERE due_at > ?'
  return Math.min(due, world.get<{at: number | null}>(sql, now)?.at ?? Number.POSITIVE_INFINITY)
}
