import {Failure, isFailure} from '../../contract/failure.ts'
import type {OrderEntry} from '../../store/orders.ts'
import {asUnknown, isFailedOrder} from './existing.ts'
import {
  newLockHint,
  noteOutcome,
  type OrderIntent,
  type OrderOutcome,
  type OrderTools,
  type PlacedOrder,
  type PriceLock,
  plan,
} from './intent.ts'
import {askUntilSettled, previewOf} from './submit.ts'

/**
 * Submits with each lock that an order was sent with, until an answer settles it. Where all of them are spent, none was
 * used for an order that stands and none can be any more, so nothing was charged: `relock`, or `refused` where an order
 * failed. The end is on disk when this returns.
 */
export async function submitToEach(
  tools: OrderTools,
  intent: OrderIntent,
  locks: PriceLock[],
  earlier: boolean,
): Promise<OrderOutcome> {
  const outcome = await askEach(tools, intent, locks, earlier)
  await noteOutcome(tools, intent, outcome)
  return outcome
}

/**
 * A used lock answers CONFLICT_PRICE_LOCK_ALREADY_USED, not that it has expired (spec, States: Price lock). not shown:
 * whether the lock of an attempt that is under way counts as used already. Such an attempt may have begun while its
 * lock was good, so after an answer was lost the word that every lock has expired proves only that none can begin any
 * more. Once the cart shows no order in flight, each lock is asked again: what has ended meanwhile shows by then.
 */
async function askEach(
  tools: OrderTools,
  intent: OrderIntent,
  locks: PriceLock[],
  earlier: boolean,
): Promise<OrderOutcome> {
  const first = await askInTurn(tools, intent, locks, earlier)
  const {expired, failed, open} = first
  if (first.settled) return first.settled
  if (expired === undefined) return failed as OrderOutcome
  if (!open) return {kind: 'relock', failure: expired}
  const preview = await previewOf(tools, intent)
  const idle = preview && preview.cartIssue !== 'CART_HAS_PENDING_ORDER' && !preview.pendingOrderReference
  if (!idle) return {kind: 'unknown', failure: asUnknown(expired), relock: true}
  const second = await askInTurn(tools, intent, locks, true)
  return second.settled ?? second.failed ?? {kind: 'relock', failure: expired}
}

interface Asked {
  /** An answer that says more than that its lock is spent. */
  settled?: OrderOutcome
  /** What the last lock that expired was answered. */
  expired?: Failure
  /** An order that used up its lock, and failed. */
  failed?: OrderOutcome
  /** An attempt may have taken effect, whatever the answers were. */
  open: boolean
}

async function askInTurn(
  tools: OrderTools,
  intent: OrderIntent,
  locks: PriceLock[],
  earlier: boolean,
): Promise<Asked> {
  const asked: Asked = {open: earlier}
  for (const lock of locks) {
    const outcome = await askUntilSettled(tools, intent, lock, asked.open)
    const expired = wordOfExpiry(outcome)
    asked.open ||= outcome.kind === 'unknown'
    if (expired) asked.expired = expired
    else if (isFailedOrder(outcome)) asked.failed = outcome
    else return {...asked, settled: outcome}
  }
  return asked
}

/** The service's word that a lock has expired, when that is how a submission ended. */
function wordOfExpiry(outcome: OrderOutcome): Failure | undefined {
  if (outcome.kind !== 'relock' && !(outcome.kind === 'unknown' && outcome.relock)) return undefined
  const said = outcome.kind === 'unknown' ? outcome.failure.cause : outcome.failure
  return isFailure(said, 'VALIDATION_PRICE_LOCK_EXPIRED') ? said : undefined
}

/**
 * Orders from a lock that the user names, taking up an earlier run of the same reference whose answer was lost.
 * Fails with the refusal, with OUTCOME_UNKNOWN where it can't be settled, or with INVALID_INPUT, and nothing sent,
 * where the earlier run under this reference wanted another order.
 */
export async function orderByLock(
  tools: OrderTools,
  intent: OrderIntent,
  lockId: string,
): Promise<PlacedOrder> {
  const earlier = await tools.records.find(intent.reference)
  const open = (earlier?.pending.length ?? 0) > 0
  if (earlier && open && !sameIntent(earlier, intent)) {
    throw new Failure('INVALID_INPUT', {
      message: `An order for another cart, address or discount code was sent as ${intent.reference}, and has no answer yet.`,
      hint: 'Repeat it with the values it had, or give a new order a reference of its own.',
    })
  }
  await plan(tools, intent)
  const before = open ? (earlier?.pending ?? []).map((sent) => sent.lockId) : []
  const locks = [...new Set([lockId, ...before])].map((id) => ({lockId: id, total: null, usableUntil: null}))
  const outcome = await submitToEach(tools, intent, locks, open)
  if ('order' in outcome) return outcome.order
  const {failure} = outcome
  if (failure.code !== 'OUTCOME_UNKNOWN') throw failure
  throw new Failure(
    'OUTCOME_UNKNOWN',
    {
      ...failure.facts,
      details: {externalReference: intent.reference, lockId},
      hint:
        outcome.kind === 'unknown' && outcome.relock
          ? newLockHint(intent.reference)
          : 'Run the same command again: the same reference never orders twice.',
    },
    {cause: failure.cause},
  )
}

function sameIntent(entry: OrderEntry, {customerRef, address, discountCode}: OrderIntent): boolean {
  const text = (value: object) => JSON.stringify(Object.entries(value).sort())
  return (
    entry.customerRef === customerRef &&
    entry.discountCode === discountCode &&
    text(entry.address) === text(address)
  )
}
