import {createHash} from 'node:crypto'
import * as z from 'zod/mini'
import type {mintToken} from '../contract/auth.ts'
import {Failure, isFailure} from '../contract/failure.ts'
import type {Body, Payload} from '../contract/operation.ts'
import type {SharedFile} from './shared.ts'

/** Gives out bearer tokens. */
export interface TokenSource {
  /** A token that lives long enough for one request. */
  get(signal?: AbortSignal): Promise<string>
  /** A token other than `stale`, which the service called expired. */
  renew(stale: string, signal?: AbortSignal): Promise<string>
  /**
   * Drops a token that the service calls invalid, as after a change of its keys, so that the next command does not use
   * it again. Nothing is minted in its place. A brand-new one stays: the fault is elsewhere, and a loop would use up
   * the quota of tokens.
   */
  forget(invalid: string): void
}

/** For the token route itself. */
export const noTokens: TokenSource = {
  get: () => Promise.reject(new Error('the token route needs no token')),
  renew: () => Promise.reject(new Error('the token route needs no token')),
  forget: () => {},
}

interface TokenOptions {
  /** Shared by the processes of this user for one identity: origin, client id and partner acted for. */
  cache: SharedFile
  /** The credential, read only when a token must be minted. */
  credential(): Promise<Body<typeof mintToken>>
  /** Asks the service; its repeats and its budget are the caller's. */
  exchange(body: Body<typeof mintToken>, signal?: AbortSignal): Promise<Payload<typeof mintToken>>
  now(): number
  ticks(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Above it a token is used as it is. */
const FRESH_MS = 60_000
/** Below it nobody may rely on it; between the two one process renews it, and the others go on with it. */
const SPENT_MS = 15_000
/** A token that was good once is older than this. */
const BRAND_NEW_MS = 30_000
/** A wrong secret is not tried again so soon: a loop would use up the ten token requests of a minute. */
const REMEMBER_REFUSAL_MS = 30_000
/** How long others wait for the process that mints, before they mint for themselves. */
const PATIENCE_MS = 10_000
const LOOK_AGAIN_MS = 25

const UNFIT = 'The service answered with a token that no header can hold.'

const moment = {wall: z.number(), ticks: z.number()}
const record = z.object({
  v: z.literal(1),
  token: z.optional(z.object({text: z.string(), lifeMs: z.number(), ...moment})),
  refused: z.optional(z.object({print: z.string(), ...moment})),
})
type Cached = z.output<typeof record>
type Token = NonNullable<Cached['token']>

/** Tokens shared by all processes of this user: one mint serves them all (spec, Authentication). */
export function openTokens(options: TokenOptions): TokenSource {
  const {cache, sleep} = options
  const clock = () => ({wall: options.now(), ticks: options.ticks()})
  let held: Token | undefined
  let minting: Promise<string> | undefined
  /** After a renewal that failed while the old token still served, in ticks. */
  let quietUntil = 0

  /** The best token known other than the expired one, with the ms it still has. */
  function known(expired: string | undefined): {token: Token; leftMs: number} | undefined {
    for (const token of [held, parse(cache.read()).token]) {
      if (token === undefined || token.text === expired) continue
      const leftMs = token.lifeMs - ageOf(token, clock())
      if (leftMs > SPENT_MS) return {token, leftMs}
    }
    return undefined
  }

  async function mint(signal?: AbortSignal): Promise<string> {
    const body = await options.credential()
    const print = fingerprint(body)
    const at = clock()
    const {refused} = parse(cache.read())
    if (refused?.print === print) failAgain(REMEMBER_REFUSAL_MS - ageOf(refused, at))
    try {
      const {accessToken, expiresIn} = await options.exchange(body, signal)
      if (!/^[\x21-\x7e]+$/.test(accessToken))
        throw new Failure('ODD_ANSWER', {effect: 'none', message: UNFIT})
      held = {text: accessToken, lifeMs: expiresIn * 1000, ...at}
    } catch (error) {
      if (isFailure(error, 'UNAUTHORIZED_INVALID_CREDENTIALS')) {
        cache.write(JSON.stringify({v: 1, refused: {print, ...clock()}} satisfies Cached))
      }
      throw error
    }
    cache.write(JSON.stringify({v: 1, token: held} satisfies Cached))
    return held.text
  }

  /** One process mints, the others wait for what it writes. A lock that can't be had only costs a mint more. */
  async function mintForAll(expired: string | undefined, signal?: AbortSignal): Promise<string> {
    const end = options.ticks() + PATIENCE_MS
    for (;;) {
      if (signal?.aborted) throw new Failure('INTERRUPTED', {effect: 'none'})
      const done = await cache.alone(async () => known(expired)?.token.text ?? (await mint(signal)))
      if (done !== undefined) return done.result
      const other = known(expired)
      if (other !== undefined) return other.token.text
      if (options.ticks() > end) return mint(signal)
      await sleep(LOOK_AGAIN_MS, signal)
    }
  }

  /** Renews a token that is still good, if no other process does; if that fails, it is tried again later. */
  async function renewEarly(old: Token, signal?: AbortSignal): Promise<string> {
    try {
      const done = await cache.alone(async () => {
        const {token, leftMs} = known(undefined) ?? {token: old, leftMs: 0}
        return leftMs > FRESH_MS ? token.text : mint(signal)
      })
      return done?.result ?? old.text
    } catch (error) {
      if (!isFailure(error) || error.code === 'INTERRUPTED') throw error
      quietUntil = options.ticks() + 5_000
      return old.text
    }
  }

  function once(work: () => Promise<string>): Promise<string> {
    minting ??= work().finally(() => {
      minting = undefined
    })
    return minting
  }

  return {
    async get(signal) {
      const found = known(undefined)
      if (found === undefined) return once(() => mintForAll(undefined, signal))
      if (found.leftMs > FRESH_MS || options.ticks() < quietUntil) return found.token.text
      return once(() => renewEarly(found.token, signal))
    },
    async renew(stale, signal) {
      const text = known(stale)?.token.text ?? (await once(() => mintForAll(stale, signal)))
      // The flight joined may have been one that found no need to renew.
      return text === stale ? once(() => mintForAll(stale, signal)) : text
    },
    forget(invalid) {
      const found = known(undefined)?.token
      if (found?.text !== invalid || ageOf(found, clock()) < BRAND_NEW_MS) return
      held = undefined
      cache.write(JSON.stringify({v: 1} satisfies Cached))
    },
  }
}

function parse(text: string | undefined): Cached {
  const none: Cached = {v: 1}
  if (text === undefined) return none
  try {
    return record.safeParse(JSON.parse(text)).data ?? none
  } catch {
    return none
  }
}

/**
 * The larger age of two clocks: one stands still while the machine sleeps, the other can be set. Infinite if a
 * clock is before the mint, after a restart or a change.
 */
function ageOf(then: {wall: number; ticks: number}, now: {wall: number; ticks: number}): number {
  const ages = [now.wall - then.wall, now.ticks - then.ticks]
  return Math.min(...ages) < 0 ? Number.POSITIVE_INFINITY : Math.max(...ages)
}

/** Tells one credential from another, so that a corrected secret is tried at once. */
function fingerprint(body: Body<typeof mintToken>): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 12)
}

function failAgain(leftMs: number): void {
  if (!(leftMs > 0)) return
  const seconds = Math.ceil(leftMs / 1000)
  throw new Failure('UNAUTHORIZED_INVALID_CREDENTIALS', {
    httpStatus: 401,
    effect: 'none',
    message: `The service refused this credential a moment ago; it is not tried again for ${seconds} s.`,
  })
}
