import * as z from 'zod/mini'
import {windowMs} from '../contract/limits.ts'

/** One quota, as all processes of this machine know it. Times are ticks, see realTime.ticks. */
const quota = z.object({
  v: z.literal(1),
  /** The times at which the answers of the last window came, oldest first. */
  answered: z.array(z.number()),
  /** Permits that a process has taken, and whose answers are not known yet. */
  leases: z.array(z.object({id: z.string(), holder: z.string(), n: z.number(), at: z.number()})),
  /** Somebody else uses the credential: since when, and which share was left to us then. */
  slow: z.optional(z.object({at: z.number(), share: z.number()})),
  /** Until when a Retry-After asked to wait. */
  pausedUntil: z.optional(z.number()),
})
export type Quota = z.output<typeof quota>

/** Reads a quota; one that can't be read, or is of the ticks before a restart, counts as unused. */
export function parseQuota(text: string | undefined, now: number): Quota {
  const fresh: Quota = {v: 1, answered: [], leases: []}
  if (text === undefined) return fresh
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return fresh
  }
  const known = quota.safeParse(value)
  return known.success && !isOfEarlierBoot(known.data, now) ? known.data : fresh
}

/** Ticks begin anew when the machine restarts: what lies in the future was written before. */
function isOfEarlierBoot({answered, leases, slow, pausedUntil = 0}: Quota, now: number): boolean {
  const times = [...answered, ...leases.map(({at}) => at), ...(slow ? [slow.at] : []), pausedUntil - windowMs]
  return times.some((at) => at > now + 1_000)
}

/** No request takes this long: a holder that seems to live has got the number of a dead one. */
const LONGEST_LEASE_MS = 15 * 60_000

/** Forgets what has left the window. The lease of a dead process counts as used, just now at the latest. */
export function settle(state: Quota, now: number, isAlive: (holder: string) => boolean): Quota {
  const dead = state.leases.filter(({holder, at}) => now - at > LONGEST_LEASE_MS || !isAlive(holder))
  const late = dead.flatMap(({n}) => Array<number>(n).fill(now))
  const {pausedUntil, ...rest} = state
  return {
    ...rest,
    answered: [...state.answered.filter((at) => now - at < windowMs), ...late],
    leases: state.leases.filter((lease) => lease.n > 0 && !dead.includes(lease)),
    ...(pausedUntil !== undefined && pausedUntil > now && {pausedUntil}),
  }
}

/** How many permits there are, and otherwise the ms until there may be one. `limit` is for a window. */
export function roomIn(state: Quota, now: number, limit: number): {room: number; waitMs: number} {
  const capacity = capacityOf(state, now, limit)
  const used = usedIn(state)
  const pause = Math.max(0, (state.pausedUntil ?? now) - now)
  if (used < capacity && pause === 0) return {room: capacity - used, waitMs: 0}
  const next = used < capacity ? now : freeAt(state, used - capacity)
  return {room: 0, waitMs: Math.max(pause, next === undefined ? ASK_AGAIN_MS : next - now)}
}

const capacityOf = ({slow}: Quota, now: number, limit: number) =>
  Math.max(1, Math.floor(limit * shareNow(slow, now)))

const usedIn = ({answered, leases}: Quota) => answered.length + leases.reduce((sum, {n}) => sum + n, 0)

/** How full a quota is. */
export interface Level {
  /** Permits of the last window that are taken, and how many there are for us. */
  used: number
  limit: number
  /** Whether these are fewer than usual, since somebody else uses the credential. */
  shared: boolean
}

/** More than the limit may be taken, by a command that may take more or before the limit was lowered: it is full then. */
export function levelOf(state: Quota, now: number, limit: number): Level {
  const capacity = capacityOf(state, now, limit)
  return {used: Math.min(usedIn(state), capacity), limit: capacity, shared: capacity < limit}
}

/** The ms until the last of this number of further requests may leave, if each is answered at once. */
export function leastMsFor(state: Quota, now: number, limit: number, requests: number): number {
  if (requests === 0) return 0
  const capacity = capacityOf(state, now, limit)
  // Each permit comes back after a window, for the request that comes a whole quota later.
  const windows = Math.ceil(requests / capacity) - 1
  const under = Array<number>(usedIn(state) - state.answered.length).fill(now)
  const taken = [...[...state.answered].sort((a, b) => a - b), ...under]
  const before = taken[taken.length + requests - windows * capacity - capacity - 1]
  const first = Math.max(now, state.pausedUntil ?? now, before === undefined ? now : before + windowMs)
  return first - now + windows * windowMs
}

/** If only answers that are not reported yet can free a permit, the log is read again after this long. */
const ASK_AGAIN_MS = 200

/** When the permit leaves the window that makes room for one more. */
function freeAt(state: Quota, over: number): number | undefined {
  const sorted = [...state.answered].sort((a, b) => a - b)
  const at = sorted[over]
  return at === undefined ? undefined : at + windowMs
}

const RECOVERY_WINDOWS = 5
const LEAST_SHARE = 0.1

/** The share of the limit that is ours: what was left for one window, then slowly all of it again. */
function shareNow(slow: Quota['slow'], now: number): number {
  if (slow === undefined) return 1
  const windows = (now - slow.at) / windowMs - 1
  return Math.min(1, slow.share + (1 - slow.share) * Math.max(0, windows / RECOVERY_WINDOWS))
}

/** A 429 that we can't explain: halve, and say whether that was news. The refusals of one moment count as one. */
export function slowDown(state: Quota, now: number, retryAfterMs: number): {state: Quota; result: boolean} {
  const halved = state.slow === undefined || now - state.slow.at > windowMs / 4
  const share = Math.max(LEAST_SHARE, shareNow(state.slow, now) / 2)
  const until = now + Math.min(retryAfterMs, windowMs)
  return {
    result: halved,
    state: {
      ...state,
      ...(halved && {slow: {at: now, share}}),
      pausedUntil: Math.max(state.pausedUntil ?? 0, until),
    },
  }
}
