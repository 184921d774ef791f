import {createHash} from 'node:crypto'
import {type Preview, previewCheckout} from '../../contract/checkout.ts'
import type {OrderAnswer} from '../../contract/errors.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {type CreatedOrder, createOrder, type OrderBody} from '../../contract/orders.ts'
import {asBefore, asUnknown, compareExisting, failed, isFailedOrder, placed} from './existing.ts'
import {
  note,
  noteOutcome,
  type OrderIntent,
  type OrderOutcome,
  type OrderTools,
  type PriceLock,
} from './intent.ts'

/** How long a kind of answer is asked again, and the longest pause between two, in milliseconds. */
const patience: Partial<Record<OrderAnswer, {total: number; pause: number}>> = {
  again: {total: 120_000, pause: 16_000},
  'in-progress': {total: 900_000, pause: 30_000},
  race: {total: 15_000, pause: 4_000},
  'cart-busy': {total: 120_000, pause: 16_000},
}

/**
 * Orders once: writes the submission down, sends it, and asks again with the same reference, lock and body until an
 * answer settles it or patience ends. `earlier` says that a submission of this reference with another lock may have
 * left before. The end is on disk when this returns. Fails with INTERRUPTED where the job was stopped before anything
 * was written down, and with FILE_FAILED where that can't be done.
 */
export async function submitOrder(
  tools: OrderTools,
  intent: OrderIntent,
  lock: PriceLock,
  earlier: boolean,
): Promise<OrderOutcome> {
  const asked = await askUntilSettled(tools, intent, lock, earlier)
  // An order that failed has used up its own lock, and says nothing of the earlier submission.
  const outcome = earlier && isFailedOrder(asked) ? asBefore(asked.failure, true) : asked
  await noteOutcome(tools, intent, outcome)
  return outcome
}

/** Asks until an answer settles it or patience ends. What came of it is not on disk yet. */
export async function askUntilSettled(
  tools: OrderTools,
  intent: OrderIntent,
  lock: PriceLock,
  earlier: boolean,
): Promise<OrderOutcome> {
  const body = orderBody(intent, lock.lockId)
  const started = tools.now()
  let open = earlier
  /** The last attempt that is on disk. */
  let noted = 0
  for (let attempt = 1; ; attempt++) {
    if (tools.signal?.aborted) return asBefore(new Failure('INTERRUPTED', {effect: 'none'}), open)
    // Only now: for the minute that its permit may take, the records say that nothing was sent.
    const leaving = async () => {
      if (!open) requireWanted(tools, lock)
      if (noted === attempt) return
      await noteSubmission(tools, body, attempt)
      noted = attempt
    }
    try {
      // Not cut short by an interrupt: the request has left, and its answer is what the user wants to know.
      const created = await tools.client.call(createOrder, {body}, {leaving})
      return checkCreated(intent, lock, created)
    } catch (error) {
      if (!isFailure(error) || error.code === 'FILE_FAILED') throw error
      if (error.code === 'INTERRUPTED' && noted === 0 && !open) throw error
      open ||= error.facts.effect === 'unknown'
      const answer = error.entry.order
      const waits = answer && patience[answer]
      if (waits === undefined) return settle(tools, intent, lock, error, open)
      const others = answer === 'cart-busy' && !(await pendingIsOurs(tools, intent))
      // An attempt of this reference runs: whatever it does counts as ours until an answer says otherwise.
      open ||= answer === 'in-progress' || (answer === 'cart-busy' && !others)
      const pause = Math.min(1000 * 2 ** (attempt - 1), waits.pause) * (0.5 + tools.random() / 2)
      if (tools.now() + pause - started > waits.total) return asBefore(error, open)
      tools.tell({kind: 'asking-again', reference: intent.reference, code: lostBy(error), inMs: pause})
      await tools.sleep(pause, others ? (tools.stop ?? tools.signal) : tools.signal)
      if (others && tools.stop?.aborted) return asBefore(notWaitedFor(), open)
    }
  }
}

/**
 * Fails with INTERRUPTED where the job was stopped meanwhile, and as the service would where the lock has become too
 * old. Not for an order that is open: only its own answer settles it.
 */
function requireWanted({stop, now}: OrderTools, {usableUntil}: PriceLock): void {
  if (stop?.aborted) throw new Failure('INTERRUPTED', {effect: 'none'})
  if (usableUntil === null || now() < usableUntil) return
  throw new Failure('VALIDATION_PRICE_LOCK_EXPIRED', {
    message: 'The price lock became too old while the order waited for its turn.',
    effect: 'none',
  })
}

async function noteSubmission(tools: OrderTools, body: OrderBody, attempt: number): Promise<void> {
  const {externalReference: reference, lockId} = body
  const bodyHash = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  await note(tools, {step: 'SUBMITTING', reference, attempt, lockId, bodyHash})
  tools.tell({kind: 'submitting', reference, attempt})
}

const notWaitedFor = () =>
  new Failure('INTERRUPTED', {message: 'Another order is under way in its cart.', effect: 'none'})

/** The request's body. The same intent and lock give the same body, so that a repeat is a repeat. */
export function orderBody(intent: OrderIntent, lockId: string): OrderBody {
  return {
    externalReference: intent.reference,
    ...(intent.customerRef === null ? {} : {customerRef: intent.customerRef}),
    lockId,
    ...(intent.discountCode === undefined ? {} : {discountCode: intent.discountCode}),
    shippingAddress: intent.address,
  }
}

/** What the last attempt met, such as a timeout: that its outcome is unknown says less. */
function lostBy({code, cause}: Failure): string {
  return code === 'OUTCOME_UNKNOWN' && isFailure(cause) ? cause.code : code
}

/** An answer that repeats can't change. */
async function settle(
  tools: OrderTools,
  intent: OrderIntent,
  lock: PriceLock,
  failure: Failure,
  open: boolean,
): Promise<OrderOutcome> {
  const answer = failure.entry.order
  // Not charged, and nothing open: a lock that is gone, like a plain no, leaves nothing to settle.
  const settles = answer !== undefined && (open || answer !== 'lock-gone')
  if (settles) tools.tell({kind: 'settling', reference: intent.reference, code: failure.code})
  switch (answer) {
    case 'exists':
    case 'lock-used':
      return compareExisting(tools, intent, lock, failure, open)
    case 'lock-gone':
      return open ? {kind: 'unknown', failure: asUnknown(failure), relock: true} : {kind: 'relock', failure}
    case 'for-a-person':
      return {kind: 'unknown', failure, relock: false}
    default:
      return asBefore(failure, open)
  }
}

async function pendingIsOurs(tools: OrderTools, intent: OrderIntent): Promise<boolean> {
  return (await previewOf(tools, intent))?.pendingOrderReference === intent.reference
}

/** The cart of an order as it is now; undefined where it can't be seen. */
export async function previewOf(
  {client}: OrderTools,
  {customerRef}: OrderIntent,
): Promise<Preview | undefined> {
  try {
    return await client.call(previewCheckout, {query: customerRef === null ? {} : {customerRef}})
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}

function checkCreated(intent: OrderIntent, lock: PriceLock, created: CreatedOrder): OrderOutcome {
  if (created.externalReference !== intent.reference) {
    const message = `The service answered with the order of another reference: ${created.externalReference}.`
    const cause = new Failure('ORDER_MISMATCH', {message, details: {orderId: created.id}})
    const failure = new Failure('OUTCOME_UNKNOWN', {...cause.facts, effect: 'unknown'}, {cause})
    return {kind: 'unknown', failure, relock: false}
  }
  if (created.status === 'Failed') return failed(created.id, created.failureReason ?? null)
  const order = placed(lock, {
    orderId: created.id,
    total: created.pricing.total,
    currency: created.pricing.currency ?? null,
    status: created.status,
    document: created,
    answered: true,
  })
  return {kind: 'placed', order}
}
