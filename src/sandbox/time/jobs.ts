import type {State} from '../core/state.ts'
import type {World} from '../core/world.ts'
import {issueHour, issuePeriod, openPeriod, settlePeriod} from '../rules/commissions.ts'
import {purgeDeliveries} from '../rules/deliveries.ts'
import {expireNotice} from '../rules/notices.ts'
import {partnerIds} from '../rules/partners.ts'
import {closeStatement} from '../rules/statements.ts'
import {keptFor} from '../rules/webhooks.ts'
import {iso} from './clock.ts'
import {monthStart} from './month.ts'

/** A moment, and the ids of what is due then. */
interface Next {
  at: number
  ids: string[]
}

/** Something that happens by itself at a moment. */
interface Job {
  name: string
  /**
   * The earliest moment after this one at which it is due, and for what. A job that has something to run is judged
   * by the database alone: it is due, however late, until it ran.
   */
  next(world: World, after: number): Next | undefined
  /** Does it; may return the ids of what it made, instead of those it was due for. */
  run?(state: State, ids: string[], at: number): string[] | undefined
}

interface Fired {
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
    return {at: monthStart(Number(from), 1), ids: partnerIds(world, 'wallet IS NOT NULL')}
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
    return {at: last.at, ids: partnerIds(world)}
  },
  run: ({world}, ids, at) => ids.map((id) => openPeriod(world, id, at)),
}

/** The rows of `from` that come first by a column, and the moment `delay` after it. `from` is SQL up to its WHERE. */
function firstOf(
  world: World,
  {from, column, id = 'id', order = 'n', delay = 0}: Source,
  ...values: number[]
): Next | undefined {
  const rows = world.all<{id: string; at: number}>(
    `SELECT ${id} AS id, ${column} AS at FROM ${from} AND ${column} = (SELECT min(${column}) FROM ${from}) ORDER BY ${order}`,
    ...values,
  )
  const [first] = rows
  return first && {at: first.at + delay, ids: rows.map((row) => row.id)}
}

interface Source {
  from: string
  column: string
  id?: string
  order?: string
  delay?: number
}

/** A job that does the same for each id. */
function forEach(name: string, source: Source, run: (state: State, id: string, at: number) => void): Job {
  return {
    name,
    next: (world) => firstOf(world, source),
    run: (state, ids, at) => {
      for (const id of ids) run(state, id, at)
      return ids
    },
  }
}

const periods = 'commission_periods WHERE issued_at'
const issueCommissions = forEach(
  'commission-issued',
  {from: `${periods} IS NULL`, column: 'issue_date', order: 'id', delay: issueHour},
  ({world}, id, at) => issuePeriod(world, id, at),
)
const settleCommissions = forEach(
  'commission-settled',
  {from: `${periods} IS NOT NULL AND settled_at IS NULL`, column: 'settle_date', order: 'id'},
  ({world}, id, at) => settlePeriod(world, id, at),
)
const expireNotices = forEach(
  'notice-expired',
  {from: "notices WHERE status = 'AwaitingPartnerResponse'", column: 'deadline_at'},
  expireNotice,
)

/** An attempt of a delivery, which takes its time: the deliverer makes it. */
const delivering: Job = {
  name: 'webhook-attempt',
  next: (world) =>
    firstOf(world, {from: 'deliveries WHERE due_at IS NOT NULL', column: 'due_at', id: 'event_id'}),
}

/** Delivery records are kept for 30 days. */
const purging: Job = {
  name: 'deliveries-purged',
  next: (world) => firstOf(world, {from: 'attempts WHERE true', column: 'sent_at', delay: keptFor}),
  run: ({world}, ids, at) => {
    purgeDeliveries(world, at)
    return ids
  },
}

/** Nothing needs doing: a lock is judged by the clock when it is used. It is named because users wait for it. */
const lockExpiring: Job = {
  name: 'price-lock-expired',
  next: (world, after) => {
    const from = 'locks WHERE order_id IS NULL AND expires_at > ?1'
    return firstOf(world, {from, column: 'expires_at', order: 'id'}, after)
  },
}

/** Of two that are due at the same moment the first one runs first. */
const jobs: readonly Job[] = [
  delivering,
  purging,
  closeMonth,
  openCommissions,
  issueCommissions,
  settleCommissions,
  expireNotices,
  lockExpiring,
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

/** The moment of the next job; undefined if nothing is due any more. */
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

/** When something happens by itself next; deliveries that are due already are under way. */
export function nextByItself({world, clock}: State): number {
  const now = clock.now()
  const due = nextDue(world, now, running)?.at ?? Number.POSITIVE_INFINITY
  const sql = 'SELECT min(due_at) AS at FROM deliveries WHERE due_at > ?'
  return Math.min(due, world.get<{at: number | null}>(sql, now)?.at ?? Number.POSITIVE_INFINITY)
}
