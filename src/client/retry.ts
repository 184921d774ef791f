import type {Failure} from '../contract/failure.ts'
import {isSuccess} from './answer.ts'

/** What a failure proves: nothing ran; it ran and was refused; or neither. */
export type Ran = 'no' | 'refused' | 'maybe'

/** What to do about it, where the operation lets it be done again. */
type Cure = 'none' | 'backoff' | 'obey' | 'renew'

interface Trouble {
  ran: Ran
  cure: Cure
  /** Sends in all, the first one included. */
  sends?: number
}

/**
 * The codes whose meaning is not that of their HTTP class. A TLS trust error heals by no repeat; a token that is
 * missing or invalid by no new one; UPSTREAM_AUTH_FAILED is the server's own fault (spec, Authentication 7).
 */
const troubles: Record<string, Trouble> = {
  NO_CONNECTION: {ran: 'no', cure: 'backoff', sends: 3},
  TLS_UNTRUSTED: {ran: 'no', cure: 'none'},
  INSECURE_URL: {ran: 'no', cure: 'none'},
  NO_ANSWER: {ran: 'maybe', cure: 'backoff'},
  INTERRUPTED: {ran: 'maybe', cure: 'none'},
  RATE_LIMITED: {ran: 'no', cure: 'obey'},
  UNAUTHORIZED_TOKEN_EXPIRED: {ran: 'no', cure: 'renew'},
  UNAUTHORIZED_MISSING_TOKEN: {ran: 'no', cure: 'none'},
  UNAUTHORIZED_INVALID_TOKEN: {ran: 'no', cure: 'none'},
  UPSTREAM_AUTH_FAILED: {ran: 'maybe', cure: 'backoff'},
  NOT_FOUND_ROUTE: {ran: 'no', cure: 'none'},
  METHOD_NOT_ALLOWED: {ran: 'no', cure: 'none'},
  UNSUPPORTED_MEDIA_TYPE: {ran: 'no', cure: 'none'},
}

/** What a failure of one attempt means (spec, Errors). */
export function troubleOf(failure: Failure): Trouble {
  const {httpStatus = 0, effect} = failure.facts
  const trouble = Object.hasOwn(troubles, failure.code) ? troubles[failure.code] : undefined
  const found = trouble ?? byStatus(failure.code, httpStatus)
  return effect === 'none' ? {...found, ran: 'no'} : found
}

/** not shown: what a proxy answers when it stopped waiting. What it had passed on may have been done. */
const GAVE_UP = [408, 499]

function byStatus(code: string, httpStatus: number): Trouble {
  const silent = httpStatus >= 500 || GAVE_UP.includes(httpStatus)
  if (code === 'ODD_ANSWER') {
    return {ran: 'maybe', cure: isSuccess(httpStatus) || silent ? 'backoff' : 'none'}
  }
  if (silent) return {ran: 'maybe', cure: 'backoff'}
  if (httpStatus === 403) return {ran: 'no', cure: 'none'}
  return {ran: httpStatus >= 400 ? 'refused' : 'maybe', cure: 'none'}
}

/** What one call has been through. */
export interface Tries {
  sends: number
  waitedMs: number
  renewed: boolean
  /** An attempt may have taken effect. */
  ambiguous: boolean
}

export type Decision = {do: 'fail'} | {do: 'renew'} | {do: 'repeat'; afterMs: number}

export interface Bounds {
  repeat: 'freely' | 'by-key' | 'never'
  /** The longest a call may wait in all, in ms. */
  maxWaitMs: number
  budget: Budget
  random(): number
}

const SENDS = 5

/** Whether a failed attempt is sent again, and when. The one place where this is decided. */
export function decide(failure: Failure, tries: Tries, bounds: Bounds): Decision {
  const {ran, cure, sends = SENDS} = troubleOf(failure)
  if (ran === 'refused' || (ran === 'maybe' && bounds.repeat !== 'freely')) return {do: 'fail'}
  if (cure === 'none') return {do: 'fail'}
  if (cure === 'renew') return tries.renewed ? {do: 'fail'} : {do: 'renew'}
  const asked = (failure.facts.retryAfter ?? 0) * 1000
  const room = bounds.maxWaitMs - tries.waitedMs
  if (room <= 0 || asked > room) return {do: 'fail'}
  // Everybody refused at once is told the same moment: spread it, and only upwards.
  const spread = backoffMs(asked === 0 ? tries.sends : 1, bounds.random)
  const afterMs = Math.min(asked + spread, room)
  if (cure === 'obey') return {do: 'repeat', afterMs}
  return tries.sends < sends && bounds.budget.take() ? {do: 'repeat', afterMs} : {do: 'fail'}
}

const FIRST_MS = 250
const LONGEST_MS = 8_000

/** Full jitter: anything up to 250 ms, doubled with each send, at most 8 s. */
export function backoffMs(sends: number, random: () => number): number {
  return Math.floor(random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (sends - 1)))
}

/** Repeats that a process may still make; an outage must not eat the quota. */
export interface Budget {
  /** False when nothing is left. */
  take(): boolean
  /** A call that went well pays back a tenth of a repeat. */
  earn(): void
}

export function openBudget(size = 20): Budget {
  let left = size
  return {
    take() {
      if (left < 1) return false
      left -= 1
      return true
    },
    earn() {
      left = Math.min(size, left + 0.1)
    },
  }
}
