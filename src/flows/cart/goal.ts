import type {Client} from '../../client/client.ts'
import {addCartItem, clearCart} from '../../contract/cart.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import type {Operation} from '../../contract/operation.ts'
import type {Patience} from '../outage.ts'
import {setQuantity, takeLineOut} from './edit.ts'
import {type CartView, readLines} from './lines.ts'
import {type Held, heldIn, type ImportMode, type Step, stepsTo, type TargetLine, targetsOf} from './steps.ts'

/** How long a lost add or emptying may take to arrive, in milliseconds, if it is waited for. */
const LATE_MS = 60_000
/** How often a line is changed that somebody else changes back. */
const ROUNDS = 3
/** How often an add is sent whose answers get lost. */
const ADDS = {wait: 2, again: 3}

/** not shown: the most lines of a cart. A record of a job has room for so many. */
const MOST_LINES = 2000

/** Stands for the emptying of a cart, as a variant stands for its line. */
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

export interface CartTools extends Pick<Patience, 'now'> {
  client: Client
  stop?: AbortSignal
  /**
   * An add whose answer was lost, and that the cart does not show: `wait` until it has had LATE_MS to arrive, and look
   * once more afterwards; or send it `again` at once, as nothing is ordered from a cart that does not equal its lock.
   * With `again` a refused line ends the work, and what the cart holds besides is taken out line by line.
   */
  lostAdds: 'wait' | 'again'
  /** Puts the targets on disk. Nothing may be changed before this has returned. */
  fixTargets?(work: CartWork, targets: TargetLine[]): Promise<void>
  /** Puts on disk that a change leaves which must not arrive twice; no variant for the emptying. */
  noteSending?(work: CartWork, variantId: string | null): Promise<void>
  /** Hears what the cart held after a step, and whether the answer of that was lost. */
  seen?(view: CartView, step: Step, isLost: boolean): Promise<void>
}

/**
 * `reached`: nothing is left to be sent. `later`: what is left may still be on its way. `look`: it looks reached, and a
 * change that was lost could still undo that. `stopped`: the user has.
 */
type Reach = 'reached' | 'later' | 'look' | 'stopped'

/**
 * Brings a cart to its target as far as that goes now, each change decided by what the cart holds then: `known`, or what
 * a read of it shows. A line that is there is set, which does no harm twice. An add merges: see `lostAdds`. What remains
 * is an add that arrives even later than the last look; the service offers nothing to tell it from another one.
 */
export async function bringToTarget(
  tools: CartTools,
  work: CartWork,
  known?: CartView,
): Promise<{reach: Reach; view: CartView}> {
  const began = tools.now()
  let sentOnce = false
  let view = known ?? (await readLines(tools.client, work.customerRef))
  const targets = work.targets ?? (await fixTargets(tools, work, view))
  for (;;) {
    const held = heldIn(view)
    noteArrivals(work, targets, held)
    const {left, step} = nextOf(tools, work, targets, held)
    if (step === undefined) {
      const isSure = work.lost.size === 0 || (!sentOnce && began >= sureAt(work))
      return {reach: left > 0 ? 'later' : isSure ? 'reached' : 'look', view}
    }
    const hopeless = giveUp(tools, work, step)
    if (hopeless !== undefined) {
      fail(tools, work, step, hopeless)
      continue
    }
    if (tools.stop?.aborted) return {reach: 'stopped', view}
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

async function fixTargets(tools: CartTools, work: CartWork, view: CartView): Promise<TargetLine[]> {
  const targets = targetsOf(work.mode, work.wanted, heldIn(view))
  if (targets.length > MOST_LINES)
    throw new Failure('INVALID_INPUT', {
      message: `The cart of ${work.customerRef} holds too many lines to be replaced one by one, more than ${MOST_LINES}.`,
      hint: 'Empty it first: `scent cart clear`.',
    })
  await tools.fixTargets?.(work, targets)
  work.targets = targets
  return targets
}

/** How many changes are left, and the first that may be sent now. */
function nextOf(tools: CartTools, work: CartWork, targets: readonly TargetLine[], held: Held) {
  const failed = new Set(work.failures.keys())
  const steps = stepsTo(work.mode, targets, held, failed, tools.lostAdds === 'wait')
  const step = isOnItsWay(tools, work, WHOLE)
    ? undefined
    : steps.find((one) => one.do !== 'add' || !isOnItsWay(tools, work, one.variantId))
  return {left: steps.length, step}
}

function isOnItsWay({now, lostAdds}: CartTools, {lost}: CartWork, key: string): boolean {
  const sent = lost.get(key)
  return lostAdds === 'wait' && sent !== undefined && now() < sent.at + LATE_MS
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

function giveUp({lostAdds}: CartTools, work: CartWork, step: Step): Failure | undefined {
  const key = keyOf(step)
  const sends = mustArriveOnce(step) ? (work.lost.get(key)?.sends ?? 0) : 0
  if (sends >= (step.do === 'clear' ? 1 : ADDS[lostAdds])) {
    return new Failure('OUTCOME_UNKNOWN', {
      message: `The answers of ${sends} adds were lost, and the cart does not hold the line.`,
      hint: 'Look at the cart with `scent cart show`.',
    })
  }
  if ((work.tries.get(key) ?? 0) < ROUNDS) return undefined
  return new Failure('CHANGED_MEANWHILE', {message: 'Somebody else changes this line again and again.'})
}

function fail({lostAdds}: CartTools, work: CartWork, step: Step, failure: Failure): void {
  if (lostAdds === 'again') throw failure
  work.failures.set(keyOf(step), failure)
}

/** Sends one change. Returns what the cart holds then; throws what ends the cart, or the whole job. */
async function take(tools: CartTools, work: CartWork, step: Step, before: CartView): Promise<CartView> {
  const answered = () => work.tries.set(keyOf(step), (work.tries.get(keyOf(step)) ?? 0) + 1)
  let view: CartView | undefined
  try {
    view = await send(tools, work, step)
    answered()
  } catch (error) {
    if (!isFailure(error)) throw error
    const isUnknown = error.facts.effect === 'unknown'
    const isLost = mustArriveOnce(step) && isUnknown
    if (!isLost && error.entry.scope !== 'row') throw error
    // Somebody else took the line away: the next look decides.
    const isGone = error.code === 'NOT_FOUND_CART_ITEM'
    if (isGone) answered()
    else if (!isLost) fail(tools, work, step, error)
    // A refusal after a lost try may stand beside what that try has done.
    if (!isGone && !isUnknown) return before
  }
  const after = view ?? (await readLines(tools.client, work.customerRef))
  await tools.seen?.(after, step, view === undefined)
  return after
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

/** Sends what must not arrive twice, written down before. Fails with OUTCOME_UNKNOWN if its answer is lost. */
async function sendOnce(
  tools: CartTools,
  work: CartWork,
  key: string,
  call: () => Promise<CartView>,
): Promise<CartView> {
  await tools.noteSending?.(work, key === WHOLE ? null : key)
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
