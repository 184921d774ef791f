import type {Client} from '../../client/client.ts'
import {addCartItem, clearCart} from '../../contract/cart.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import type {Operation} from '../../contract/operation.ts'
import type {Patience} from '../outage.ts'
import {setQuantity, takeLineOut} from './edit.ts'
import {type CartView, readLines} from './lines.ts'
import {type Held, heldIn, type ImportMode, type Step, stepsTo, type TargetLine, targetsOf} from './steps.ts'

/** How long a lost add or emptying may take to arrive, in milliseconds. Until then it is not sent again. */
export const LATE_MS = 60_000
/** How often a line is changed that somebody else changes back, and how often an add is sent whose answers get lost. */
const ROUNDS = 3
const ADDS = 2

/** not shown: the most lines of a cart. A record of a job has room for so many. */
const MOST_LINES = 2000

/** Stands for the emptying of a cart where a variant stands for its line. */
const WHOLE = ''

/** A change that must not arrive twice, and whose answer never came. */
interface Lost {
  /** When it was sent last, in monotonic milliseconds. */
  at: number
  sends: number
  /** Whether a line at its target proves that it arrived: not once anything else may have brought it there. */
  provable: boolean
}

/** What is known of a cart on its way to its target. It lives as long as the cart is worked on. */
export interface CartWork {
  customerRef: string
  mode: ImportMode
  wanted: readonly {variantId: string; sku: string | null; quantity: number}[]
  /** Undefined until the cart is read for the first time. */
  targets: readonly TargetLine[] | undefined
  lost: Map<string, Lost>
  /** How often a change of a line was answered. */
  tries: Map<string, number>
  /** Lines that can't be brought to their targets. The emptying among them is no loss: it can be done line by line. */
  failures: Map<string, Failure>
}

export interface CartTools extends Patience {
  client: Client
  /** Puts the targets on disk. Nothing may be changed before this has returned. */
  fixTargets(work: CartWork, targets: TargetLine[]): Promise<void>
  /** Puts on disk that a change leaves which must not arrive twice; no variant for the emptying. */
  noteSending(work: CartWork, variantId: string | null): Promise<void>
}

/**
 * `reached`: nothing is left to be sent. `later`: what is left may still be on its way. `look`: it looks reached, and a
 * change that was lost could still undo that. `stopped`: the user has.
 */
export type Reach = 'reached' | 'later' | 'look' | 'stopped'

/**
 * Brings a cart to its target as far as that goes now, each change decided by what the cart holds then. A line that is
 * there is set, which does no harm twice. An add merges: one whose answer is lost is not sent again before it has had
 * LATE_MS to arrive, and afterwards the cart is looked at once more. What remains is an add that arrives even later
 * than that look; the service offers nothing to tell it from another one.
 */
export async function bringToTarget(tools: CartTools, work: CartWork): Promise<Reach> {
  const began = tools.now()
  let sentOnce = false
  let view = await read(tools, work)
  work.targets ??= await targetsFor(tools, work, view)
  for (;;) {
    const held = heldIn(view)
    noteArrivals(work, work.targets, held)
    const left = stepsTo(work.mode, work.targets, held, new Set(work.failures.keys()))
    const step = isOnItsWay(tools, work, WHOLE)
      ? undefined
      : left.find((one) => one.do !== 'add' || !isOnItsWay(tools, work, one.variantId))
    if (step === undefined) {
      if (left.length > 0) return 'later'
      return work.lost.size === 0 || (!sentOnce && began >= sureAt(work)) ? 'reached' : 'look'
    }
    const hopeless = giveUp(work, step)
    if (hopeless !== undefined) {
      work.failures.set(keyOf(step), hopeless)
      continue
    }
    if (tools.stop.aborted) return 'stopped'
    sentOnce ||= mustArriveOnce(step)
    view = await take(tools, work, step, view)
  }
}

/** When all that was lost has had its time to arrive. */
export function sureAt({lost}: CartWork): number {
  return Math.max(0, ...[...lost.values()].map(({at}) => at + LATE_MS))
}

const keyOf = (step: Step) => ('variantId' in step ? step.variantId : WHOLE)
const mustArriveOnce = (step: Step) => step.do === 'add' || step.do === 'clear'

/** The cart of a customer: the file has no bare one, and none that is named like a route. */
const read = ({client}: CartTools, {customerRef}: CartWork): Promise<CartView> =>
  readLines(client, customerRef)

async function targetsFor(tools: CartTools, work: CartWork, view: CartView): Promise<TargetLine[]> {
  const targets = targetsOf(work.mode, work.wanted, heldIn(view))
  if (targets.length > MOST_LINES)
    throw new Failure('INVALID_INPUT', {
      message: `The cart of ${work.customerRef} holds too many lines to be replaced one by one, more than ${MOST_LINES}.`,
      hint: 'Empty it first: `scent cart clear`.',
    })
  await tools.fixTargets(work, targets)
  return targets
}

function isOnItsWay({now}: CartTools, {lost}: CartWork, key: string): boolean {
  const sent = lost.get(key)
  return sent !== undefined && now() < sent.at + LATE_MS
}

/** What a look at the cart says of the changes that were lost, and of those that were refused. */
function noteArrivals(work: CartWork, targets: readonly TargetLine[], held: Held): void {
  const goal = new Map(targets.map(({variantId, target}) => [variantId, target]))
  const quantityOf = (key: string) => held.get(key)?.quantity ?? 0
  for (const [key, sent] of work.lost) {
    const isThere = key === WHOLE ? held.size === 0 : quantityOf(key) === goal.get(key)
    if (isThere && sent.provable) work.lost.delete(key)
    else if (quantityOf(key) > 0) sent.provable = false
  }
  for (const key of work.failures.keys())
    if (key !== WHOLE && quantityOf(key) === (goal.get(key) ?? 0)) work.failures.delete(key)
}

function giveUp(work: CartWork, step: Step): Failure | undefined {
  const key = keyOf(step)
  const sends = mustArriveOnce(step) ? (work.lost.get(key)?.sends ?? 0) : 0
  if (sends >= (step.do === 'clear' ? 1 : ADDS)) {
    return new Failure('OUTCOME_UNKNOWN', {
      message: `The answers of ${sends} adds were lost, and the cart does not hold the line.`,
      hint: 'Look at the cart with `scent cart show`.',
    })
  }
  if ((work.tries.get(key) ?? 0) < ROUNDS) return undefined
  return new Failure('CHANGED_MEANWHILE', {message: 'Somebody else changes this line again and again.'})
}

/** Sends one change. Answers what the cart holds then; throws what ends the cart, or the whole job. */
async function take(tools: CartTools, work: CartWork, step: Step, view: CartView): Promise<CartView> {
  const key = keyOf(step)
  const answered = () => work.tries.set(key, (work.tries.get(key) ?? 0) + 1)
  try {
    const after = await send(tools, work, step)
    answered()
    return after
  } catch (error) {
    if (!isFailure(error)) throw error
    const isUnknown = error.facts.effect === 'unknown'
    const isLost = mustArriveOnce(step) && isUnknown
    if (!isLost && error.entry.scope !== 'row') throw error
    // Somebody else took the line away: the next look decides.
    const isGone = error.code === 'NOT_FOUND_CART_ITEM'
    // A refusal after a lost try may stand beside what that try has done.
    const now = isGone || isUnknown ? await read(tools, work) : view
    if (isGone) answered()
    else if (!isLost) work.failures.set(key, error)
    return now
  }
}

function send(tools: CartTools, work: CartWork, step: Step): Promise<CartView> {
  const {client} = tools
  const {customerRef} = work
  switch (step.do) {
    case 'set':
      return setQuantity(client, customerRef, step)
    case 'remove':
      return takeLineOut(client, customerRef, step.variantId)
    case 'clear':
      return sendOnce(tools, work, WHOLE, () => client.call(clearOnce, {params: {customerRef}}))
    case 'add': {
      const {variantId, quantity} = step
      const add = () => client.call(addCartItem, {query: {customerRef}, body: {variantId, quantity}})
      return sendOnce(tools, work, variantId, add)
    }
  }
}

/** Adds come after it: an emptying that is sent again could take them away. */
const clearOnce = {...clearCart, repeat: 'never'} as const satisfies Operation

/** Sends what must not arrive twice, written down before. Fails with OUTCOME_UNKNOWN where its answer is lost. */
async function sendOnce(
  tools: CartTools,
  work: CartWork,
  key: string,
  call: () => Promise<CartView>,
): Promise<CartView> {
  await tools.noteSending(work, key === WHOLE ? null : key)
  const earlier = work.lost.get(key)
  if (earlier) earlier.provable = false
  try {
    const view = await call()
    if (key === WHOLE || heldIn(view).has(key)) return view
    const message = `The service added ${key}, and its cart does not hold it.`
    throw new Failure('OUTCOME_UNKNOWN', {message, effect: 'unknown'})
  } catch (error) {
    if (isFailure(error) && error.facts.effect === 'unknown')
      work.lost.set(key, {at: tools.now(), sends: (earlier?.sends ?? 0) + 1, provable: earlier === undefined})
    throw error
  }
}
