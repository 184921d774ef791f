import {setTimeout} from 'node:timers/promises'
import {find, insertAndRead} from '../core/rows.ts'
import {type Attempt, attempts, type Delivery, deliveries, events, subscriptions} from '../core/schema.ts'
import type {Deliverer, State} from '../core/state.ts'
import type {World} from '../core/world.ts'
import type {Fault, Way} from '../door/faults.ts'
import {nextAttempt} from '../time/webhook-schedule.ts'
import {type Posted, post} from './webhook-post.ts'
import {keptFor} from './webhooks.ts'

/** How long a late delivery is under way, unless the fault says it. */
const LATE_MS = 5_000
/** A delivery that nothing overtakes goes on after this time. */
const OVERTAKEN_MS = 5_000

const sleep = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, {signal}).catch(() => {})

type Surroundings = Pick<
  State,
  'world' | 'clock' | 'closing' | 'strict' | 'assumptions' | 'ticker' | 'faults'
>

export function createDeliverer(around: Surroundings): Deliverer {
  const {world, clock, closing, ticker, faults} = around
  /** Those that wait until another delivery of their subscription has overtaken them. */
  const overtaken = new Map<string, Set<() => void>>()
  const heldBack = async (fault: Fault | undefined, subscriptionId: string) => {
    if (fault?.delivery === 'late') await sleep(fault.delayMs ?? LATE_MS, closing)
    if (fault?.delivery !== 'reordered') return
    const passed = new AbortController()
    const waiting = overtaken.get(subscriptionId) ?? new Set()
    overtaken.set(subscriptionId, waiting)
    const pass = () => passed.abort()
    waiting.add(pass)
    await sleep(OVERTAKEN_MS, AbortSignal.any([passed.signal, closing]))
    waiting.delete(pass)
  }
  const lanes = new Map<string, Promise<void>>()
  const busy = new Map<number, Promise<unknown>>()
  let era = 0

  /** Resolves to undefined if the sandbox closed or its database was replaced while the attempt was under way. */
  const attempt = (delivery: Delivery, fault: Fault | undefined): Promise<Attempt | undefined> => {
    const made = attemptNow(delivery, fault)
    busy.set(delivery.n, made)
    return made
  }
  const attemptNow = async (delivery: Delivery, fault: Fault | undefined) => {
    const begun = era
    const sentAt = clock.now()
    await heldBack(fault, delivery.subscription_id)
    const posted = await send(around, delivery, fault?.delivery)
    for (const pass of overtaken.get(delivery.subscription_id) ?? []) pass()
    if (posted === undefined || closing.aborted || era !== begun) return undefined
    busy.delete(delivery.n)
    return world.transaction(() =>
      record(world, delivery, posted, {sentAt, isHidden: fault?.delivery === 'unrecorded'}),
    )
  }
  const next = (subscriptionId: string) =>
    closing.aborted
      ? undefined
      : world.get<Delivery>(
          `SELECT * FROM deliveries WHERE subscription_id = ? AND due_at <= ?
           AND n NOT IN (SELECT value FROM json_each(?)) ORDER BY due_at, n LIMIT 1`,
          subscriptionId,
          clock.now(),
          JSON.stringify([...busy.keys()]),
        )
  const run = async (subscriptionId: string) => {
    const begun = era
    // The lane is known before it can end, or it would stay for ever.
    await Promise.resolve()
    for (let due = next(subscriptionId); due !== undefined; due = next(subscriptionId)) {
      const fault = faults.waylay()
      const made = attempt(due, fault)
      // What is held back lets others pass.
      if (fault?.delivery !== 'late' && fault?.delivery !== 'reordered') await made
      if (era !== begun) return
    }
    lanes.delete(subscriptionId)
    if (!closing.aborted) ticker.wake()
  }
  const start = () => {
    if (closing.aborted) return
    for (const {id} of world.all<{id: string}>('SELECT id FROM subscriptions ORDER BY n')) {
      if (!lanes.has(id) && next(id) !== undefined) lanes.set(id, run(id))
    }
  }
  return {
    start,
    settled: async () => {
      for (start(); lanes.size + busy.size > 0 && !closing.aborted; start()) {
        await Promise.all([...lanes.values(), ...busy.values()])
      }
    },
    fire: async (n) => {
      const row = find(world, deliveries, {n})
      const made = row && (await attempt(row, faults.waylay()))
      if (made === undefined) throw new Error(`delivery ${n} is gone`)
      ticker.wake()
      return made
    },
    forget: () => {
      era += 1
      busy.clear()
      lanes.clear()
    },
  }
}

/** H14: by the subscription as it is now. */
async function send(
  around: Surroundings,
  delivery: Delivery,
  way: Way | undefined,
): Promise<Posted | undefined> {
  const {world, strict, assumptions, closing} = around
  const row = find(world, subscriptions, {id: delivery.subscription_id})
  const event = find(world, events, {id: delivery.event_id})
  if (row === undefined || event === undefined) throw new Error(`delivery ${delivery.n} lacks its event`)
  return post({
    url: row.url,
    headers: JSON.parse(row.headers) as Record<string, string>,
    secret: row.secret,
    body: event.body,
    eventId: event.id,
    strict,
    scheme: assumptions.H05,
    signal: closing,
    way,
  })
}

/**
 * Records an attempt, and what follows for its delivery. A delivery that was dropped meanwhile is not tried again; if it
 * was purged meanwhile, nothing is recorded.
 */
function record(
  world: World,
  {n}: Delivery,
  {status, error}: Posted,
  {sentAt, isHidden}: {sentAt: number; isHidden: boolean},
): Attempt | undefined {
  const delivery = world.get<Delivery & {event_type: string}>(
    `SELECT d.*, e.type AS event_type FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.n = ?`,
    n,
  )
  if (delivery === undefined) return undefined
  const made = delivery.attempts + 1
  const firstAt = delivery.first_at ?? sentAt
  const isFailed = error !== null && delivery.due_at !== null
  const nextAt = isFailed ? nextAttempt(firstAt, made, sentAt) : null
  const isDead = isFailed && nextAt === null
  const sql = 'UPDATE deliveries SET attempts = ?, first_at = ?, due_at = ? WHERE n = ?'
  world.run(sql, made, firstAt, nextAt, n)
  // H11. not shown: what a failure that is tried again is called.
  const outcome = error === null ? 'Success' : isDead ? 'DeadLettered' : 'Failed'
  const update = 'UPDATE subscriptions SET last_delivery_at = ?, last_delivery_status = ? WHERE id = ?'
  world.run(update, sentAt, outcome, delivery.subscription_id)
  return insertAndRead(world, attempts, {
    id: world.id('attempt'),
    delivery_n: n,
    subscription_id: delivery.subscription_id,
    event_id: delivery.event_id,
    event_type: delivery.event_type,
    attempt: made,
    http_status: status,
    sent_at: sentAt,
    succeeded: error === null,
    error,
    dead_at: isDead ? sentAt : null,
    next_at: nextAt,
    hidden: isHidden,
  })
}

/** Takes away attempts that have been kept for 30 days, and events that nobody asks for any more. */
export function purgeDeliveries(world: World, at: number): void {
  world.run('DELETE FROM attempts WHERE sent_at <= ?', at - keptFor)
  world.run(
    `DELETE FROM deliveries WHERE due_at IS NULL
     AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.delivery_n = deliveries.n)`,
  )
  world.run('DELETE FROM events WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = events.id)')
}
