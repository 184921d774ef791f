import {Failure} from '../contract/failure.ts'
import {jobRequests, limits} from '../contract/limits.ts'
import type {ClientEvent} from './events.ts'
import {type Level, leastMsFor, levelOf, parseQuota, type Quota, roomIn, settle, slowDown} from './quota.ts'
import {type SharedFile, unshared} from './shared.ts'

/** Room in the quota for one request. Exactly one of these is called once the fate of the request is known. */
export interface Permit {
  /** An answer came, or may be on its way: the request counts. */
  used(): void
  /** It never arrived, and counts for nothing. */
  unused(): void
  /** The service refused it with a 429: it counts for nothing, but somebody else uses the quota. */
  refused(retryAfterMs: number): Promise<void>
}

/** Keeps requests within the quota of the credential (spec, Limits). */
export interface Pacer {
  /** Waits until a request may leave. Fails with RATE_LIMITED if that is too long, INTERRUPTED on abort. */
  permit(signal?: AbortSignal): Promise<Permit>
  /**
   * How full the quota is, as far as this process has heard, and the least ms until that number of further requests
   * has left; null if there is no quota. Only a process that sends nothing reads a file for it.
   */
  level(requests: number): (Level & {leastMs: number}) | null
}

/**
 * Permits in a window, and how many a process takes at a time. Of the tokens we mint 8, for a machine's other users of
 * the same address.
 */
export const quotas = {
  interactive: {limit: limits.requests, lease: 1, why: 'quota'},
  bulk: {limit: jobRequests, lease: 10, why: 'quota'},
  mint: {limit: limits.tokens - 2, lease: 1, why: 'token-quota'},
} as const

export interface PacerOptions {
  /** The log of this quota that all processes of this machine share. */
  log: SharedFile
  limit: number
  lease: number
  /** The reason to name for a wait that the service has not asked for. */
  why: 'quota' | 'token-quota'
  /** The longest wait for a permit; a job that must be finished gives infinity. */
  maxWaitMs: number
  /** Monotonic milliseconds, shared by all processes. */
  ticks(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  random(): number
  /** Runs work after a while, unless the program has ended by then. */
  later(ms: number, work: () => void): void
  tell?(event: ClientEvent): void
}

/** After its last answer a process that goes on living has told the others of it after this long. */
const TELL_MS = 1_000

/**
 * A rolling log: request n may leave once the answer to request n − limit is older than a window. However the service
 * cuts its own window into segments, it has forgotten that request by then.
 */
export function openPacer(options: PacerOptions): Pacer {
  const share = openShare(options)
  const permit = permitOf(share, options)
  let taking: Promise<number> | undefined
  return {
    async permit(signal) {
      const {own} = share
      while (own.unused === 0) {
        taking ??= takeLease(share, options).finally(() => {
          taking = undefined
        })
        const waitMs = await taking
        const why = share.seen?.pausedUntil === undefined ? options.why : 'rate-limit'
        if (own.unused === 0) await wait(options, why, waitMs, signal)
      }
      own.unused -= 1
      own.outstanding += 1
      return permit
    },
    level(requests) {
      const now = options.ticks()
      const known = share.seen ?? parseQuota(options.log.read(), now)
      // Without the permits that this process holds and has not used.
      const state = settle(withOwn(known, {...share.own, unused: 0}, now), now, () => true)
      return {
        ...levelOf(state, now, options.limit),
        leastMs: leastMsFor(state, now, options.limit, requests),
      }
    },
  }
}

/** The part of this process: permits it may still use, requests on their way, answers it has not told of. */
interface Own {
  id: string
  holder: string
  unused: number
  outstanding: number
  answered: number[]
}

/** This process's part in the log that all share. */
interface Share {
  own: Own
  /** The log as it was when this process changed it last. */
  seen: Quota | undefined
  /** Changes the log, telling it what came in since. If it can't be had, this process keeps one of its own. */
  change<T>(step: Step<T>): Promise<T>
}

type Step<T> = (state: Quota, now: number) => {state: Quota; result: T}

function openShare({log, ticks, random}: PacerOptions): Share {
  const own: Own = {id: `${log.me} ${random()}`, holder: log.me, unused: 0, outstanding: 0, answered: []}
  const alone = unshared()
  const share: Share = {
    own,
    seen: undefined,
    async change<T>(step: Step<T>) {
      let told = 0
      const update = (text: string | undefined) => {
        const now = ticks()
        told = own.answered.length
        const done = step(withOwn(settle(parseQuota(text, now), now, log.isAlive), own, now), now)
        return {text: JSON.stringify(done.state), result: done}
      }
      const done = (await log.update(update)) ?? (await alone.update(update))
      own.answered.splice(0, told)
      const {state, result} = (done as {result: ReturnType<Step<T>>}).result
      share.seen = state
      return result
    },
  }
  return share
}

/** The state with what a process knows of itself. */
function withOwn(state: Quota, own: Own, now: number): Quota {
  const others = state.leases.filter(({id}) => id !== own.id)
  const n = own.unused + own.outstanding
  return {
    ...state,
    answered: [...state.answered, ...own.answered],
    leases: n === 0 ? others : [...others, {id: own.id, holder: own.holder, n, at: now}],
  }
}

/** Takes permits ahead. Returns the milliseconds to wait, 0 if there was room. */
function takeLease({own, change}: Share, {limit, lease}: PacerOptions): Promise<number> {
  let taken = 0
  return change((state, now) => {
    const {room, waitMs} = roomIn(state, now, limit)
    // The second time round, if the first one could not be written.
    own.unused -= taken
    taken = Math.min(room, lease)
    own.unused += taken
    return {state: withOwn(state, {...own, answered: []}, now), result: waitMs}
  })
}

/** Gives back the permits that this process does not use, and tells the others of its answers. */
function giveBack({own, change}: Share): Promise<void> {
  return change((state, now) => {
    own.unused = 0
    return {state: withOwn(state, {...own, answered: []}, now), result: undefined}
  })
}

function permitOf(share: Share, options: PacerOptions): Permit {
  const {own} = share
  let telling = false
  /** A process may live on without sending: the others hear of it all the same. */
  function tellSoon(): void {
    if (telling) return
    telling = true
    options.later(TELL_MS, async () => {
      telling = false
      await giveBack(share)
    })
  }
  return {
    used() {
      own.outstanding -= 1
      own.answered.push(Math.round(options.ticks()))
      tellSoon()
    },
    unused() {
      own.outstanding -= 1
      own.unused += 1
      // At once: a program that reaches nobody ends, and a lease it leaves behind would count as used.
      void giveBack(share)
    },
    async refused(retryAfterMs) {
      own.outstanding -= 1
      const halved = await share.change((state, now) => slowDown(state, now, retryAfterMs))
      if (halved) options.tell?.({kind: 'shared-credential'})
    },
  }
}

async function wait(
  options: PacerOptions,
  why: PacerOptions['why'] | 'rate-limit',
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal?.aborted) throw new Failure('INTERRUPTED', {effect: 'none'})
  if (ms > options.maxWaitMs) {
    const message = 'The quota of this credential is used up by the requests sent before; nothing was sent.'
    throw new Failure('RATE_LIMITED', {effect: 'none', message, retryAfter: Math.ceil(ms / 1000)})
  }
  options.tell?.({kind: 'waiting', why, ms})
  // Otherwise everybody who waits for the same permit wakes at the same moment.
  await options.sleep(ms + options.random() * 50, signal)
  if (signal?.aborted) throw new Failure('INTERRUPTED', {effect: 'none'})
}

/** For a service without a quota. */
export const unpaced: Pacer = {
  permit: async () => ({used: () => {}, unused: () => {}, refused: async () => {}}),
  level: () => null,
}
