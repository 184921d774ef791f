import type {Assumptions} from '../core/assumptions.ts'
import type {World} from '../core/world.ts'
import type {Clock} from '../time/clock.ts'
import {type Posted, post} from './webhook-post.ts'
import {type AttemptRow, keptFor, type SubscriptionRow} from './webhooks.ts'

/** H07. not shown: the schedule. When each attempt is made, in milliseconds of virtual time after the first. */
export const schedule = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400].map((seconds) => seconds * 1000)

interface DeliveryRow {
  n: number
  subscription_id: string
  event_id: string
  /** Attempts made so far. */
  attempts: number
  first_at: number | null
  /** When the next attempt is due; null when there is none. */
  due_at: number | null
}

/**
 * Sends what is in the outbox. A subscription has one attempt under way at a time, the oldest due first (H25); one
 * that fails waits for its next turn and lets the others pass. What is not recorded as made is made again after a
 * restart (H28), so a receiver may see an event twice, with the same eventId.
 */
export interface Deliverer {
  /** Starts on all that is due now. */
  start(): void
  /** Until nothing is due any more and nothing is under way. */
  settled(): Promise<void>
  /** Makes the next attempt of one delivery out of turn, and answers its record. */
  fire(delivery: number): Promise<AttemptRow>
  /** Forgets what is under way: the database was replaced. */
  forget(): void
}

interface Surroundings {
  world: World
  clock: Clock
  closing: AbortSignal
  strict: boolean
  assumptions: Assumptions
  /** Called when a subscription has nothing to do any more. */
  idle(): void
}

export function createDeliverer(around: Surroundings): Deliverer {
  const {world, clock, closing} = around
  const lanes = new Map<string, Promise<void>>()
  const busy = new Map<number, Promise<unknown>>()
  let era = 0

  /** Answers undefined when the sandbox closed or its database was replaced while the attempt was under way. */
  const attempt = (delivery: DeliveryRow): Promise<AttemptRow | undefined> => {
    const made = attemptNow(delivery)
    busy.set(delivery.n, made)
    return made
  }
  const attemptNow = async (delivery: DeliveryRow) => {
    const begun = era
    const sentAt = clock.now()
    const posted = await send(around, delivery)
    if (posted === undefined || closing.aborted || era !== begun) return undefined
    busy.delete(delivery.n)
    return world.transaction(() => record(world, delivery, posted, sentAt))
  }
  const next = (subscriptionId: string) =>
    closing.aborted
      ? undefined
      : world.get<DeliveryRow>(
          `SELECT * FROM deliveries WHERE subscription_id = ? AND due_at <= ?
           AND n NOT IN (SELECT value FROM json_each(?)) ORDER BY due_at, n LIMIT 1`,
          subscriptionId,
          clock.now(),
          JSON.stringify([...busy.keys()]),
        )
  const run = async (subscriptionId: string) => {
    const begun = era
    for (let due = next(subscriptionId); due !== undefined; due = next(subscriptionId)) {
      await attempt(due)
      if (era !== begun) return
    }
    lanes.delete(subscriptionId)
    if (!closing.aborted) around.idle()
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
      const row = world.get<DeliveryRow>('SELECT * FROM deliveries WHERE n = ?', n)
      const made = row && (await attempt(row))
      if (made === undefined) throw new Error(`delivery ${n} is gone`)
      around.idle()
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
async function send(around: Surroundings, delivery: DeliveryRow): Promise<Posted | undefined> {
  const {world, strict, assumptions, closing} = around
  const row = world.get<SubscriptionRow>('SELECT * FROM subscriptions WHERE id = ?', delivery.subscription_id)
  const event = world.get<{body: string}>('SELECT body FROM events WHERE id = ?', delivery.event_id)
  if (row === undefined || event === undefined) throw new Error(`delivery ${delivery.n} lacks its event`)
  return post({
    url: row.url,
    headers: JSON.parse(row.headers) as Record<string, string>,
    secret: row.secret,
    body: event.body,
    strict,
    scheme: assumptions.H05,
    signal: closing,
  })
}

/**
 * Writes an attempt down, with what becomes of its delivery. One that was dropped meanwhile is not tried again, and of
 * one that was purged meanwhile nothing is kept.
 */
function record(
  world: World,
  {n}: DeliveryRow,
  {status, error}: Posted,
  sentAt: number,
): AttemptRow | undefined {
  const delivery = world.get<DeliveryRow & {event_type: string}>(
    `SELECT d.*, e.type AS event_type FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.n = ?`,
    n,
  )
  if (delivery === undefined) return undefined
  const attempts = delivery.attempts + 1
  const firstAt = delivery.first_at ?? sentAt
  const isFailed = error !== null && delivery.due_at !== null
  const nextAt = isFailed ? nextAttempt(firstAt, attempts, sentAt) : null
  const isDead = isFailed && nextAt === null
  const sql = 'UPDATE deliveries SET attempts = ?, first_at = ?, due_at = ? WHERE n = ?'
  world.run(sql, attempts, firstAt, nextAt, n)
  // H11. not shown: what a failure that is tried again is called.
  const outcome = error === null ? 'Success' : isDead ? 'DeadLettered' : 'Failed'
  const update = 'UPDATE subscriptions SET last_delivery_at = ?, last_delivery_status = ? WHERE id = ?'
  world.run(update, sentAt, outcome, delivery.subscription_id)
  return world.get<AttemptRow>(
    `INSERT INTO attempts (id, delivery_n, subscription_id, event_id, event_type, attempt, http_status, sent_at,
       succeeded, error, dead_at, next_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
    world.id('attempt'),
    n,
    delivery.subscription_id,
    delivery.event_id,
    delivery.event_type,
    attempts,
    status,
    sentAt,
    error === null ? 1 : 0,
    error,
    isDead ? sentAt : null,
    nextAt,
  )
}

/**
 * The moment of the next attempt by the schedule, which a sandbox that was down does not shift (H28); but a receiver
 * is never given less time than the schedule's first pause. null when the schedule is through.
 */
function nextAttempt(firstAt: number, attempts: number, sentAt: number): number | null {
  const after = schedule[attempts]
  const pause = schedule[1] ?? 0
  return after === undefined ? null : Math.max(firstAt + after, sentAt + pause)
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
