import {randomUUID} from 'node:crypto'
import {Failure, isFailure} from '../../contract/failure.ts'
import {createOrder} from '../../contract/orders.ts'
import {backoffMs} from '../outage.ts'
import {judgeCreated, readExisting} from './existing.ts'
import {type Answer, next, type Open, type OrderOutcome, plan} from './machine.ts'
import type {OrderIntent, OrderTools, PriceLock} from './records.ts'
import {orderBody, patience} from './submit.ts'

/**
 * Asks the service whether an order stands, or is being made, under this reference, while the attempts in `open` are not
 * settled: before an order is called not charged that this run has sent no create for, since another run may have. It is
 * asked for with a lock that the service never gave, so nothing can be ordered (spec, Errors: lockId unknown). Returns
 * undefined if the service names no such order. not shown: whether it looks at the reference before the lock; one that
 * does not names none. Throws what an outage is waited out for.
 */
export async function askByReference(
  tools: OrderTools,
  intent: OrderIntent,
  open: Open,
): Promise<Exclude<OrderOutcome, {kind: 'relock'}> | undefined> {
  const lock: PriceLock = {lockId: randomUUID(), total: null, usableUntil: null}
  const began = tools.now()
  for (let tries = 1; ; tries++) {
    const answer = await ask(tools, intent, lock)
    if (answer.kind !== 'refused') {
      const asking = next(plan(open).state, {kind: 'locked', lockId: lock.lockId})
      const {state} = next(asking.state, answer)
      return state.at === 'OUTCOME' && state.outcome.kind !== 'relock' ? state.outcome : undefined
    }
    const {failure} = answer
    const means = failure.entry.order
    if (means === 'again' || failure.entry.scope !== 'row') throw failure
    if (means === 'for-a-person') return {kind: 'unknown', failure}
    if (means !== 'in-progress' && means !== 'race') return undefined
    // It may charge from now on, whatever becomes of this process: the records say so before it is waited for.
    const noted = means === 'race' || open.length > 0
    const {total, pause} = patience[means]
    const inMs = backoffMs(tries, pause, tools.random)
    if (!noted || tools.now() + inMs - began > total || tools.stop?.aborted) return asUnknown(failure)
    tools.tell({kind: 'asking-again', reference: intent.reference, code: failure.code, inMs})
    await tools.sleep(inMs, tools.stop ?? tools.signal)
  }
}

const asUnknown = (cause: Failure) => {
  const message = `Another run of this order may be making it: the service answers ${cause.code}.`
  const failure = new Failure('OUTCOME_UNKNOWN', {...cause.facts, message, effect: 'unknown'}, {cause})
  return {kind: 'unknown', failure} as const
}

async function ask(tools: OrderTools, intent: OrderIntent, lock: PriceLock): Promise<Answer> {
  try {
    return judgeCreated(
      intent,
      lock,
      await tools.client.call(createOrder, {body: orderBody(intent, lock.lockId)}),
    )
  } catch (error) {
    if (!isFailure(error)) throw error
    const {orderId} = (error.facts.details ?? {}) as {orderId?: unknown}
    if (error.entry.order !== 'exists' || typeof orderId !== 'string')
      return {kind: 'refused', failure: error}
    const answer = await readExisting(tools, intent, lock, {orderId, failure: error})
    // No lock was ever taken for it here: whatever stands was there before.
    return answer.kind === 'exists' && intent.since == null ? {...answer, older: true} : answer
  }
}
