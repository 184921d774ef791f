import {Failure} from '../contract/failure.ts'
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
  /** Waits until a request may leave. Fails with RATE_LIMITED where that is too long, INTERRUPTED on abort. */
  permit(signal?: AbortSignal): Promise<Permit>
  /**
   * How full the quota is, as far as this process has heard, and the least ms until so many further requests have left;
   * null where there is none. Only a process that sends nothing reads a file for it.
   */
  level(requests: number): (Level & {leastMs: number}) | null
}

/**
 * Permits in a window, and how many a process takes at a time. Of the 300 a job leaves 20 to the commands a person
 * types; of the 10 tokens we mint 8, for a machine's other users of the same address.
 */
export const quotas = {
  interactive: {limit: 300, lease: 1, why: 'quota'},
  bulk: {limit: 280, lease: 10, why: 'quota'},
  mint: {limit: 8, lease: 1, why: 'token-quota'},
} as const

export interface PacerOptions {
  /** The log of this quota that all processes of this machine share. */
  log: SharedFile
  limit: number
  lease: number
  /** What a wait is called that the service has not asked for. */
  why: 'quota' | 'token-quota'
  /** The longest wait for a permit; a job that must be finished gives infinity. */
  maxWaitMs: number
  /** Milliseconds of a clock that nobody sets, shared by all processes. */
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
 * A rolling log: request n may leave when the answer to request n − limit came at least 60.5 s ago. However the
 * service cuts its window into segments, it has forgotten that request by then.
 */
export function openPacer(options: PacerOptions): Pacer {
  const {ticks, log} = options
  const own: Own = {
    id: `${log.me} ${options.random()}`,
    holder: log.me,
    unused: 0,
    outstanding: 0,
    answered: [],
  }
  const alone = unshared()
  /** The log as it was when this process changed it last. */
  let seen: Quota | undefined
  let taking: Promise<number> | undefined
  let telling = false

  /** Changes the log, telling it what came in since. Where it can't be had, this process keeps one of its own. */
  async function change<T>(step: (state: Quota, now: number) => {state: Quota; result: T}): Promise<T> {
    let told = 0
    const update = (text: string | undefined) => {
      const now = ticks()
      told = own.answered.length
      const {state, result} = step(tell(settle(parseQuota(text, now), now, log.isAlive), own, now), now)
      return {text: JSON.stringify(state), result: {state, result}}
    }
    const done = (await log.update(update)) ?? (await alone.update(update))
    own.answered.splice(0, told)
    const {state, result} = (done as {result: {state: Quota; result: T}}).result
    seen = state
    return result
  }

  /** Takes a lease. The ms to wait, 0 where there was room. */
  function take(): Promise<number> {
    let taken = 0
    return change((state, now) => {
      const {room, waitMs} = roomIn(state, now, options.limit)
      // The second time round, where the first one could not be written.
      own.unused -= taken
      taken = Math.min(room, options.lease)
      own.unused += taken
      return {state: tell(state, {...own, answered: []}, now), result: waitMs}
    })
  }

  /** A process that lives on without sending tells the others, and gives back what it does not use. */
  function tellSoon(): void {
    if (telling) return
    telling = true
    options.later(TELL_MS, async () => {
      telling = false
      await giveBack()
    })
  }

  function giveBack(): Promise<void> {
    return change((state, now) => {
      own.unused = 0
      return {state: tell(state, {...own, answered: []}, now), result: undefined}
    })
  }

  const permit: Permit = {
    used() {
      own.outstanding -= 1
      own.answered.push(Math.round(ticks()))
      tellSoon()
    },
    unused() {
      own.outstanding -= 1
      own.unused += 1
      // At once: a program that reaches nobody ends, and a lease it leaves behind would count as used.
      void giveBack()
    },
    async refused(retryAfterMs) {
      own.outstanding -= 1
      const halved = await change((state, now) => slowDown(state, now, retryAfterMs))
      if (halved) options.tell?.({kind: 'shared-credential'})
    },
  }

  return {
    async permit(signal) {
      while (own.unused === 0) {
        taking ??= take().finally(() => {
          taking = undefined
        })
        const waitMs = await taking
        const why = seen?.pausedUntil === undefined ? options.why : 'rate-limit'
        if (own.unused === 0) await wait(options, why, waitMs, signal)
      }
      own.unused -= 1
      own.outstanding += 1
      return permit
    },
    level(requests) {
      const now = ticks()
      const known = seen ?? parseQuota(log.read(), now)
      // Without the permits that this process holds and has not used.
      const state = settle(tell(known, {...own, unused: 0}, now), now, () => true)
      return {
        ...levelOf(state, now, options.limit),
        leastMs: leastMsFor(state, now, options.limit, requests),
      }
    },
  }
}

/** What this process holds: permits it may still use, requests on their way, answers it has not told of. */
interface Own {
  id: string
  holder: string
  unused: number
  outstanding: number
  answered: number[]
}

/** The state with what a process knows of itself. */
function tell(state: Quota, own: Own, now: number): Quota {
  const others = state.leases.filter(({id}) => id !== own.id)
  const n = own.unused + own.outstanding
  return {
    ...state,
    answered: [...state.answered, ...own.answered],
    leases: n === 0 ? others : [...others, {id: own.id, holder: own.holder, n, at: now}],
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
  // Everybody who waits for the same permit wakes at the same moment otherwise.
  await options.sleep(ms + options.random() * 50, signal)
  if (signal?.aborted) throw new Failure('INTERRUPTED', {effect: 'none'})
}

/** For a service without a quota. */
export const unpaced: Pacer = {
  permit: async () => ({used: () => {}, unused: () => {}, refused: async () => {}}),
  level: () => null,
}
