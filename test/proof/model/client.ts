import {Failure} from '../../../src/contract/failure.ts'
import {
  type Answer,
  next,
  type OrderState,
  plan,
  recover,
  type Step,
} from '../../../src/flows/order/machine.ts'
import {type Client, has, type State, verdicts} from './state.ts'

/** The answers of the model. Each is one object, by which `hear` remembers what came of it. */
export const answers = {
  locked: Array.from({length: 3}, (_, lock): Answer => ({kind: 'locked', lockId: String(lock)})),
  leaving: {kind: 'leaving'},
  made: {kind: 'made', order: {} as never},
  lost: {kind: 'refused', failure: failureOf('OUTCOME_UNKNOWN', 'unknown')},
  waited: {kind: 'waited'},
  ended: {kind: 'ended', failure: failureOf('INTERRUPTED')},
  inFlight: [false, true].map((ours): Answer => ({kind: 'in-flight', ours, failure: failureOf('NO_ANSWER')})),
  looked: [false, true].map((idle): Answer => ({kind: 'looked', idle})),
  anotherRun: {kind: 'another-run'},
  failed: {kind: 'failed', failure: failureOf('ORDER_FAILED')},
  lockLost: {kind: 'lock-lost', failure: failureOf('CONFLICT_PRICE_LOCK_ALREADY_USED')},
  taken: {kind: 'reference-taken', failure: failureOf('ORDER_MISMATCH')},
  unread: {kind: 'unread', failure: failureOf('OUTCOME_UNKNOWN', 'unknown')},
  exists: [false, true].map((proven): Answer => {
    const failure = failureOf('CONFLICT_ORDER_DUPLICATE_REFERENCE')
    return {kind: 'exists', order: {} as never, older: false, proven, failure}
  }),
} as const satisfies Record<string, Answer | Answer[]>

const refusals = new Map<string, Answer>()

export function refusal(code: string): Answer {
  const known = refusals.get(code) ?? ({kind: 'refused', failure: failureOf(code)} as const)
  refusals.set(code, known)
  return known
}

function failureOf(code: string, effect: 'refused' | 'unknown' = 'refused'): Failure {
  return new Failure(code, {effect, details: {orderId: 'O'}})
}

const notCharged = () => next(plan([]).state, answers.ended)
const isRefusal = (code: string) => (answer: Answer) =>
  answer.kind === 'refused' && answer.failure.code === code
const isInvalid = isRefusal('VALIDATION_PRICE_LOCK_INVALID')

/** Answers that a client takes by mistake for the proof that nothing was charged. */
const believed: Partial<Record<Client, (answer: Answer) => boolean>> = {
  'EXPIRED believed without asking the other locks': isRefusal('VALIDATION_PRICE_LOCK_EXPIRED'),
  'a later refusal taken for not charged': isRefusal('FORBIDDEN'),
  'IN_PROGRESS taken for not charged': isRefusal('CONFLICT_ORDER_IN_PROGRESS'),
  'REQUIRES_INTERVENTION taken for not charged': isRefusal('CONFLICT_ORDER_REQUIRES_INTERVENTION'),
  'a failed order taken for the end of all attempts': ({kind}) => kind === 'failed',
}

/** The machine, or one with a mistake. Other mistakes are made on disk, or with references and carts (model.ts). */
function machine(c: Client, state: OrderState, answer: Answer): Step {
  if (believed[c]?.(answer)) return notCharged()
  if (c === 'INVALID taken for EXPIRED' && isInvalid(answer))
    return next(state, refusal('VALIDATION_PRICE_LOCK_EXPIRED'))
  const step = next(state, answer)
  if (c === 'EXPIRED believed without asking again' && step.action.kind === 'look') return notCharged()
  if (c === 'DUPLICATE_REFERENCE not read' && step.action.kind === 'read') return next(state, answers.made)
  return step
}

/** States of the machine in which the client acts, by their numbers: a state of the search holds such a number. */
const steps: Step[] = []
const numbers = new Map<string, number>()

/** The same number for states that differ in nothing by which the machine decides. */
function numberOf(step: Step): number {
  const {at, open, ...asked} = step.state
  const key = JSON.stringify([at === 'PLANNED', [...open].sort(), asked, step.action])
  const number = numbers.get(key) ?? steps.push(step) - 1
  numbers.set(key, number)
  return number
}

export const stepOf = ({step}: State): Step => steps[step] as Step

/** The lock with which the client asks. */
export function lockOf(s: State): number {
  const {state} = stepOf(s)
  return 'locks' in state ? Number(state.locks[state.turn]) : -1
}

interface Heard extends Step {
  /** Of the state; after a lock that is gone, of the one in which a new lock is taken. */
  number: number
}

/** What was heard and recovered is remembered: the search asks for the same few thousands of millions of times. */
const heard: {[client: string]: Map<Answer, Heard[]>} = {}
const resumed: {[client: string]: number[]} = {}

/** What the machine makes of an answer in the state of this number. */
export function hear(c: Client, number: number, answer: Answer): Heard {
  heard[c] ??= new Map()
  const known = heard[c].get(answer) ?? []
  if (known.length === 0) heard[c].set(answer, known)
  const before = known[number]
  if (before) return before
  const step = machine(c, (steps[number] as Step).state, answer)
  const {state} = step
  const relock = state.at === 'OUTCOME' && state.outcome.kind === 'relock'
  const found = {...step, number: numberOf(relock ? plan(state.open) : step)}
  known[number] = found
  return found
}

/** Where the records leave the order: the number of its state. */
export function recovered(c: Client, {pending, verdict}: State): number {
  const unknown = verdict === verdicts.unknown
  resumed[c] ??= []
  const found = resumed[c][pending * 2 + Number(unknown)] ?? recoveredFrom(c, pending, unknown)
  resumed[c][pending * 2 + Number(unknown)] = found
  return found
}

function recoveredFrom(c: Client, pending: number, unknown: boolean): number {
  const locks = [0, 1, 2].filter((lock) => has(pending, lock))
  const entry = {
    pending: locks.map((lock) => ({lockId: String(lock)})),
    outcome: {outcome: unknown ? 'unknown' : 'refused'},
  }
  const {state, action} = recover(entry)
  const forgets = c === 'a crash after SUBMITTING taken for nothing sent'
  return numberOf({state: forgets ? {...state, open: []} : state, action})
}

export const planned = numberOf(plan([]))
