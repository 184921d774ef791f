import {createHash} from 'node:crypto'
import {type Preview, previewCheckout} from '../../contract/checkout.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {createOrder, type OrderBody} from '../../contract/orders.ts'
import type {OrderEntry} from '../../store/orders.ts'
import type {CartRef} from '../cart/lines.ts'
import {backoffMs} from '../outage.ts'
import {judgeCreated, readExisting} from './existing.ts'
import {
  type Action,
  type Answer,
  next,
  type Open,
  type OrderOutcome,
  type Patience,
  type PlacedOrder,
  plan,
  type Step,
} from './machine.ts'
import {note, noteOutcome, type OrderIntent, type OrderTools, type PriceLock} from './records.ts'

/** How long a kind of answer is asked again, and the longest pause between two, in milliseconds. */
export const patience: Record<Patience, {total: number; pause: number}> = {
  again: {total: 120_000, pause: 16_000},
  'in-progress': {total: 900_000, pause: 30_000},
  race: {total: 15_000, pause: 4_000},
  'cart-busy': {total: 120_000, pause: 16_000},
}

/** One order on its way, from its lock to its outcome. */
interface Run {
  tools: OrderTools
  intent: OrderIntent
  locks: readonly PriceLock[]
  step: Step
  /** How often the lock of this step was asked with, and since when (monotonic milliseconds). */
  attempts: number
  since: number
}

/**
 * Orders once: does what the machine says, from a step that asks with one of `locks`, until the order is at its outcome.
 * Each create is on disk before it is sent, and the outcome when this returns. Fails with INTERRUPTED if the user
 * stopped before anything was written down, and with FILE_FAILED if that can't be done.
 */
export async function submit(
  tools: OrderTools,
  intent: OrderIntent,
  locks: readonly PriceLock[],
  step: Step,
): Promise<OrderOutcome> {
  const run: Run = {tools, intent, locks, step, attempts: 0, since: tools.now()}
  for (;;) {
    const {state, action} = run.step
    if (state.at === 'OUTCOME') {
      const {outcome} = state
      await noteOutcome(tools, intent, outcome).catch((error: unknown) => {
        throw isFailure(error) && 'order' in outcome ? unwritten(intent, outcome.order, error) : error
      })
      return outcome
    }
    hear(run, await perform(run, action))
  }
}

/** The order stands, and this machine can't keep that. */
function unwritten({reference}: OrderIntent, {orderId}: PlacedOrder, error: Failure): Failure {
  return new Failure(error.code, {
    ...error.facts,
    message: `The order ${reference} stands (id ${orderId}), but this could not be written down: ${error.message}`,
    hint: 'Check the disk, and run the same again: it finds the order, and orders nothing twice.',
  })
}

/** Orders with a lock that is on disk, while the attempts in `open` are not settled. */
export function submitLock(
  tools: OrderTools,
  intent: OrderIntent,
  lock: PriceLock,
  open: Open = [],
): Promise<OrderOutcome> {
  return submit(tools, intent, [lock], next(plan(open).state, {kind: 'locked', lockId: lock.lockId}))
}

function hear(run: Run, answer: Answer): void {
  const {tools, intent, step} = run
  run.step = next(step.state, answer)
  const {kind} = run.step.action
  if (kind === 'submit' && answer.kind !== 'waited') Object.assign(run, {attempts: 0, since: tools.now()})
  if (answer.kind !== 'refused' || kind === 'pause' || kind === 'see-whose') return
  const {code, entry, facts} = answer.failure
  const open = step.state.open.length > 0 || facts.effect === 'unknown'
  // Not charged, and nothing open: a lock that is gone, like a plain no, leaves nothing to settle.
  if (entry.order && (open || entry.order !== 'lock-gone'))
    tools.tell({kind: 'settling', reference: intent.reference, code})
}

async function perform(run: Run, action: Action): Promise<Answer> {
  const {tools, intent, locks} = run
  const lockOf = (id: string) => locks.find(({lockId}) => lockId === id) as PriceLock
  switch (action.kind) {
    case 'submit':
      return create(run, lockOf(action.lockId))
    case 'pause':
      return pause(run, action)
    case 'see-whose': {
      const reference = (await previewOf(tools, intent))?.pendingOrderReference
      const ours = reference === intent.reference
      const isOfFile = !ours && tools.isOfFile?.(intent.customerRef, reference)
      return {kind: 'in-flight', ours, failure: isOfFile ? asAnotherRun(action.failure) : action.failure}
    }
    case 'look': {
      const preview = await previewOf(tools, intent)
      const busy = preview?.cartIssue === 'CART_HAS_PENDING_ORDER' || preview?.pendingOrderReference
      return {kind: 'looked', idle: preview !== undefined && !busy}
    }
    case 'read':
      return readExisting(tools, intent, lockOf(action.lockId), action)
    default:
      throw new Error(`an order is not submitted by the step ${action.kind}`)
  }
}

/** Sends the create once. It is not cut short by an interrupt: its answer is what the user wants to know. */
async function create(run: Run, lock: PriceLock): Promise<Answer> {
  const {tools, intent} = run
  if (tools.signal?.aborted) return {kind: 'ended', failure: new Failure('INTERRUPTED', {effect: 'none'})}
  const body = orderBody(intent, lock.lockId)
  const attempt = ++run.attempts
  let written = false
  // Only now: for the minute that its permit may take, the records say that nothing was sent.
  const leaving = async () => {
    if (run.step.state.open.length === 0) requireWanted(tools, lock)
    if (written) return
    await noteSubmission(tools, body, attempt)
    written = true
    run.step = next(run.step.state, {kind: 'leaving'})
  }
  try {
    return judgeCreated(intent, lock, await tools.client.call(createOrder, {body}, {leaving}))
  } catch (error) {
    const {at, open} = run.step.state
    if (!isFailure(error) || error.code === 'FILE_FAILED') throw error
    if (error.code === 'INTERRUPTED' && at === 'LOCKED' && open.length === 0) throw error
    return {kind: 'refused', failure: error}
  }
}

/**
 * Fails with INTERRUPTED if the job was stopped meanwhile, and as the service would if the lock has become too old. Not
 * for an order that is open: only its own answer settles it.
 */
function requireWanted({stop, now}: OrderTools, {usableUntil}: PriceLock): void {
  if (stop?.aborted) throw new Failure('INTERRUPTED', {effect: 'none'})
  if (usableUntil === null || now() < usableUntil) return
  throw new Failure('VALIDATION_PRICE_LOCK_EXPIRED', {
    message: 'The price lock became too old while the order waited for its turn.',
    effect: 'none',
  })
}

/** Waits before the same create is sent again, as long as patience lasts. */
async function pause(run: Run, action: Extract<Action, {kind: 'pause'}>): Promise<Answer> {
  const {tools, intent, attempts, since} = run
  const {failure, others} = action
  const {total, pause: longest} = patience[action.patience]
  const inMs = backoffMs(attempts, longest, tools.random)
  if (tools.now() + inMs - since > total) {
    // Who else works on the cart of an order of a file may be another run of it, with this very order.
    const isElsewhere = action.patience === 'race' && tools.isOfFile !== undefined
    return {kind: 'ended', failure: isElsewhere ? asAnotherRun(failure) : failure}
  }
  // What the last attempt met, such as a timeout: that its outcome is unknown says less.
  const code =
    failure.code === 'OUTCOME_UNKNOWN' && isFailure(failure.cause) ? failure.cause.code : failure.code
  tools.tell({kind: 'asking-again', reference: intent.reference, code, inMs})
  // Only its own answer settles an order that is open: that is waited for even if the user stops.
  const idle = others || run.step.state.open.length === 0
  await tools.sleep(inMs, idle ? (tools.stop ?? tools.signal) : tools.signal)
  if (!idle || !tools.stop?.aborted) return {kind: 'waited'}
  const message = others ? 'Another order is under way in its cart.' : 'It was refused for the moment.'
  return {kind: 'ended', failure: new Failure('INTERRUPTED', {message, effect: 'none'})}
}

/** A failure that shows another run of the file at work, which may charge the order yet. */
export function asAnotherRun(cause: Failure): Failure {
  const message = `${cause.message} Another run of this file may be under way, or was cut off.`
  return new Failure('OUTCOME_UNKNOWN', {message, effect: 'unknown'}, {cause})
}

/** The cart of an order as it is now; undefined if it can't be seen. */
export async function previewOf(
  {client}: Pick<OrderTools, 'client'>,
  {customerRef}: Pick<OrderIntent, 'customerRef'>,
): Promise<Preview | undefined> {
  try {
    return await client.call(previewCheckout, {query: cartQuery(customerRef)})
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}

export const cartQuery = (customerRef: CartRef) => (customerRef === null ? {} : {customerRef})

/** The request's body. The same intent and lock give the same body, so that a repeat is a repeat. */
export function orderBody(
  {reference, customerRef, discountCode, address}: OrderIntent,
  lockId: string,
): OrderBody {
  return {
    externalReference: reference,
    ...cartQuery(customerRef),
    lockId,
    ...(discountCode === undefined ? {} : {discountCode}),
    shippingAddress: address,
  }
}

/** The same for bodies that say the same, in whatever order their fields stand. */
function hashOf(body: OrderBody): string {
  const sorted = (_: string, value: unknown) =>
    typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).sort()) : value
  return createHash('sha256').update(JSON.stringify(body, sorted)).digest('hex')
}

async function noteSubmission(tools: OrderTools, body: OrderBody, attempt: number): Promise<void> {
  const {externalReference: reference, lockId} = body
  await note(tools, {step: 'SUBMITTING', reference, attempt, lockId, bodyHash: hashOf(body)})
  tools.tell({kind: 'submitting', reference, attempt})
}

/**
 * Fails with INVALID_INPUT if a create of this reference has no answer yet that was sent with another body: another
 * body would be another order, and only the same one may be asked for again.
 */
export function requireSameBody({pending}: Pick<OrderEntry, 'pending'>, intent: OrderIntent): void {
  if (pending.every(({lockId, bodyHash}) => hashOf(orderBody(intent, lockId)) === bodyHash)) return
  throw new Failure('INVALID_INPUT', {
    message: `An order for another cart, address or discount code was sent as ${intent.reference}, and has no answer yet.`,
    hint: 'Repeat it with the values it had, or give a new order a reference of its own.',
    effect: 'none',
  })
}
