import type {OrderAnswer} from '../../contract/errors.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import type {Digits} from '../../contract/money.ts'
import type {CreatedOrder} from '../../contract/orders.ts'

/*
 * How one order is made, as a machine: from where the order stands and what was answered to where it stands then and
 * what to do next. Nothing in here sends, writes, waits, or looks at a clock. The rows are those of docs/ordering.md.
 * Every state is a recovery point of the records: a process that dies takes the order up by `recover`.
 */

/**
 * The locks with which creates were sent that no answer has settled. Each of these attempts may have made the order, or
 * may make it yet. As long as there is one, nothing but the order's own answer says "not charged".
 */
export type Open = readonly string[]

/** The lock of an attempt that another run makes, and that is not known here. */
const ELSEWHERE = 'elsewhere'

export type OrderState =
  /** The intent is on disk. A lock is needed. */
  {at: 'PLANNED'; open: Open} | Asking | {at: 'OUTCOME'; open: Open; outcome: OrderOutcome}

/** With which locks the order is asked for, in turn, and what they have said. */
interface Asking {
  /** LOCKED until a create of this run is on disk, SUBMITTING from then on. */
  at: 'LOCKED' | 'SUBMITTING'
  open: Open
  locks: readonly string[]
  turn: number
  /** All are asked twice: 2 once all have expired, and the cart shows no order in flight. */
  round: 1 | 2
  /** The service's word that a lock has expired. */
  expired?: Failure | undefined
  /** The word that a lock was used by an order that failed. */
  failed?: Failure | undefined
}

export interface PlacedOrder {
  orderId: string
  total: Digits | null
  currency: string | null
  status: string | null
  /** The order in the shape of a create's answer. If that was lost, it holds what the read of the order tells. */
  document: CreatedOrder
  /** Whether the create's own answer was received. */
  answered: boolean
  /** Set if what was charged is not what the lock said. */
  differs?: {locked: Digits | string; charged: Digits}
}

/**
 * How a submission ended. `placed`: charged once, by this intent. `already-placed`: this very order existed before.
 * `refused`: not charged. `unknown`: it may have been charged. `relock`: its locks are gone, and only a new lock under
 * the same reference goes on; not charged if nothing is `open`, and unknown otherwise.
 */
export type OrderOutcome =
  | {kind: 'placed' | 'already-placed'; order: PlacedOrder}
  | {kind: 'refused' | 'unknown'; failure: Failure}
  | {kind: 'relock'; failure: Failure; open: Open}

export type Answer =
  /** A lock on the intended lines is on disk. */
  | {kind: 'locked'; lockId: string}
  /** The record of a create is on disk, and the create leaves. */
  | {kind: 'leaving'}
  /** The create made our order. */
  | {kind: 'made'; order: PlacedOrder}
  /** The create was refused, or its answer was lost: the effect of the failure tells. */
  | {kind: 'refused'; failure: Failure}
  /** A pause is over. */
  | {kind: 'waited'}
  /** No other answer is to come: patience is over, or the user stops, or the cart can't be ordered. */
  | {kind: 'ended'; failure: Failure}
  /** Whether the order in flight in the cart has our reference. */
  | {kind: 'in-flight'; ours: boolean; failure: Failure}
  /** Whether the cart shows no order in flight. */
  | {kind: 'looked'; idle: boolean}
  /** Another run of the same order was seen at work. */
  | {kind: 'another-run'}
  /** The order was made, and failed. */
  | {kind: 'failed'; failure: Failure}
  /** The order that a refusal names has another reference: it used our lock. */
  | {kind: 'lock-lost'; failure: Failure}
  /** It has our reference and other content. */
  | {kind: 'reference-taken'; failure: Failure}
  /** Whose it is can't be told. */
  | {kind: 'unread'; failure: Failure}
  /** It is ours: `older` than our first lock, and `proven` to be this very order, as far as both sides tell. */
  | {kind: 'exists'; order: PlacedOrder; older: boolean; proven: boolean; failure: Failure}

/** What is asked again after a pause, as long as patience lasts. */
export type Patience = Extract<OrderAnswer, 'again' | 'in-progress' | 'race' | 'cart-busy'>

export type Action =
  /** Take a lock on the intended lines: `locked`. */
  | {kind: 'lock'}
  /** Write the submission down and send the create: `leaving`, then what it was answered. */
  | {kind: 'submit'; lockId: string}
  /** Wait, and ask again: `waited`, or `ended` with the failure. `others`: for an order that is not ours. */
  | {kind: 'pause'; patience: Patience; failure: Failure; others: boolean}
  /** Ask the preview whose order is in flight: `in-flight`. */
  | {kind: 'see-whose'; failure: Failure}
  /** Ask the preview whether any order is in flight: `looked`. */
  | {kind: 'look'}
  /** Read the order that a refusal names: `failed` to `exists`. */
  | {kind: 'read'; orderId: string; lockId: string; failure: Failure}
  | {kind: 'end'}

/** A state, and what to do in it. */
export interface Step {
  state: OrderState
  action: Action
}

/** What the records say of an order (store/orders.ts). */
interface Recorded {
  pending: readonly {lockId: string}[]
  outcome: {outcome: string} | undefined
}

/** Where the records of an order leave it. */
export function recover({pending, outcome}: Recorded): Step {
  if (pending.length > 0) return takeUp(pending.map(({lockId}) => lockId))
  return plan(outcome?.outcome === 'unknown' ? [ELSEWHERE] : [])
}

/** An order that needs a lock, while the attempts in `open` are not settled. */
export function plan(open: Open): Step {
  return {state: {at: 'PLANNED', open}, action: {kind: 'lock'}}
}

/** Asks with every lock that may have made the order, newest first; before them with the lock that the user names. */
export function takeUp(open: Open, named?: string): Step {
  const locks = [...new Set([...open, ...(named === undefined ? [] : [named])].reverse())]
  return ask({at: open.length > 0 ? 'SUBMITTING' : 'LOCKED', open, locks, turn: 0, round: 1})
}

/** Where an order stands after an answer, and what to do: the one place where that is decided. */
export function next(state: OrderState, answer: Answer): Step {
  if (state.at === 'OUTCOME') throw new Error(`an order at its outcome takes no ${answer.kind}`)
  const {open} = state
  if (answer.kind === 'ended') return endAsBefore(answer.failure, open)
  if (state.at === 'PLANNED') {
    if (answer.kind === 'another-run') return plan(opened(open, ELSEWHERE))
    if (answer.kind !== 'locked') throw new Error(`a planned order takes no ${answer.kind}`)
    return ask({at: 'LOCKED', open, locks: [answer.lockId], turn: 0, round: 1})
  }
  switch (answer.kind) {
    case 'leaving':
      return ask({...state, at: 'SUBMITTING'})
    case 'waited':
      return ask(state)
    case 'made':
      return end({kind: 'placed', order: answer.order})
    case 'refused':
      return refused(state, answer.failure)
    case 'in-flight':
      return pause(answer.ours ? opening(state) : state, 'cart-busy', answer.failure, !answer.ours)
    case 'looked':
      // What has ended meanwhile shows by the second word of each lock.
      if (answer.idle) return ask({...state, turn: 0, round: 2, failed: undefined})
      return relock(state.expired as Failure, open)
    case 'failed':
      // It has used up its own lock, and says nothing of an attempt with another one.
      if (isOpenElsewhere(state)) return endAsBefore(answer.failure, open)
      return spent({...state, failed: answer.failure})
    case 'lock-lost':
      return relock(answer.failure, open)
    case 'reference-taken':
      return end({kind: 'refused', failure: answer.failure})
    case 'unread':
      return end({kind: 'unknown', failure: answer.failure})
    case 'exists':
      return exists(open, answer)
    default:
      throw new Error(`an order that is submitted takes no ${answer.kind}`)
  }
}

function refused(before: Asking, failure: Failure): Step {
  const state = failure.facts.effect === 'unknown' ? opening(before) : before
  const means = failure.entry.order
  switch (means) {
    case 'again':
    case 'race':
      return pause(state, means, failure)
    case 'in-progress':
      // An attempt of this reference runs: whatever it does counts as ours until an answer says otherwise.
      return pause(opening(state), means, failure)
    case 'cart-busy':
      return {state, action: {kind: 'see-whose', failure}}
    case 'exists':
    case 'lock-used': {
      const orderId = (failure.facts.details as {orderId?: unknown} | null | undefined)?.orderId
      if (typeof orderId !== 'string') return endAsBefore(failure, state.open)
      return {state, action: {kind: 'read', orderId, lockId: lockOf(state), failure}}
    }
    case 'lock-gone':
      // Of a lock that is invalid nothing is certain: it may have been used.
      if (!isFailure(failure, 'VALIDATION_PRICE_LOCK_EXPIRED') || isOpenElsewhere(state))
        return relock(failure, state.open)
      return spent({...state, expired: failure})
    case 'for-a-person':
      return end({kind: 'unknown', failure})
    default:
      return endAsBefore(failure, state.open)
  }
}

/**
 * A lock that has expired, or was used by an order that failed, can't make an order any more. A used lock answers
 * CONFLICT_PRICE_LOCK_ALREADY_USED, not that it has expired (spec, States: Price lock). not shown: whether the lock of
 * an attempt that is under way counts as used already. Such an attempt may have begun while its lock was good, so after
 * a lost answer the word that every lock has expired proves only that no other attempt can begin.
 */
function spent(state: Asking): Step {
  const {locks, turn, round, expired, failed, open} = state
  if (turn + 1 < locks.length) return ask({...state, turn: turn + 1})
  if (round === 1 && expired && open.length > 0) return {state, action: {kind: 'look'}}
  if (failed && (round === 2 || !expired)) return end({kind: 'refused', failure: failed})
  return relock(expired as Failure, [])
}

function exists(open: Open, {order, older, proven, failure}: Extract<Answer, {kind: 'exists'}>): Step {
  if (open.length > 0) return end({kind: older ? 'already-placed' : 'placed', order})
  return end(proven ? {kind: 'already-placed', order} : {kind: 'refused', failure})
}

const opened = (open: Open, lockId: string): Open => (open.includes(lockId) ? open : [...open, lockId])

const lockOf = ({locks, turn}: Asking) => locks[turn] as string

/** The attempt with the lock that is asked now may have taken effect. */
const opening = (state: Asking): Asking => ({...state, open: opened(state.open, lockOf(state))})

/** Whether an attempt is open with a lock that is not asked here: what these locks answer proves nothing about it. */
const isOpenElsewhere = ({open, locks}: Asking) => open.some((lockId) => !locks.includes(lockId))

const ask = (state: Asking): Step => ({state, action: {kind: 'submit', lockId: lockOf(state)}})

const pause = (state: Asking, patience: Patience, failure: Failure, others = false): Step => {
  return {state, action: {kind: 'pause', patience, failure, others}}
}

function end(outcome: OrderOutcome): Step {
  const open = outcome.kind === 'relock' ? outcome.open : []
  return {state: {at: 'OUTCOME', open, outcome}, action: {kind: 'end'}}
}

const endAsBefore = (failure: Failure, open: Open) => end(refusedOrUnknown(failure, open))

function relock(failure: Failure, open: Open): Step {
  return end({kind: 'relock', failure: open.length > 0 ? asUnknown(failure) : failure, open})
}

/** Whether another run of the order was seen at work, as far as the records tell. */
export const isElsewhere = (open: Open): boolean => open.includes(ELSEWHERE)

/** Whether an order may have been charged for all that is known. */
export function isUnknown(outcome: OrderOutcome): boolean {
  return outcome.kind === 'unknown' || (outcome.kind === 'relock' && outcome.open.length > 0)
}

/** Refused, or unknown if an earlier attempt may still charge, or another run that was seen at work. */
export function refusedOrUnknown(
  failure: Failure,
  open: Open,
): {kind: 'refused' | 'unknown'; failure: Failure} {
  const isOpen = open.length > 0 || failure.facts.effect === 'unknown'
  return isOpen ? {kind: 'unknown', failure: asUnknown(failure)} : {kind: 'refused', failure}
}

/** A failure of an order that may exist already: the money may have moved, whatever this one says. */
function asUnknown(failure: Failure): Failure {
  if (failure.code === 'OUTCOME_UNKNOWN') return failure
  return new Failure(
    'OUTCOME_UNKNOWN',
    {
      ...failure.facts,
      effect: 'unknown',
      message: `The order may exist: no answer has settled it yet, and the last one (${failure.code}) does not either.`,
    },
    {cause: failure},
  )
}
