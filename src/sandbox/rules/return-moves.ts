import * as z from 'zod/mini'
import type {Return} from '../core/schema.ts'
import type {State} from '../core/state.ts'
import type {World} from '../core/world.ts'
import {refuse} from '../door/reply.ts'
import {orderById} from './order-moves.ts'
import {landRefund, lineRefund, linesOf} from './refunds.ts'
import {returnLinesOf, returnNumberOf, returnPayload, tellOfReturn} from './returns.ts'

/** The operator's steps in their order. not shown: who takes them, and when. (R09) */
export const returnSteps = ['accept', 'dispatch', 'receive', 'refund'] as const
type ReturnStep = (typeof returnSteps)[number]

interface RefundTerms {
  /** An accepted defect gives the shipping fee back; sound goods that are accepted don't. */
  defect: boolean
}

/**
 * Takes a return request to a step, and through those before it that were not taken yet. Refused if it is past
 * that step or closed.
 */
export function advanceReturn(state: State, key: string, step: ReturnStep, terms: RefundTerms): object {
  const row = findReturn(state.world, key)
  const from = returnSteps.indexOf(nextStepOf(row))
  const to = returnSteps.indexOf(step)
  if (from > to) refuse('CONFLICT_RETURN_STEP_TAKEN', {errors: {return: [`is ${row.status} already`]}})
  for (const one of returnSteps.slice(from, to + 1)) take(state, row.id, one, terms)
  return returnPayload(state, findReturn(state.world, row.id))
}

function nextStepOf(row: Return): ReturnStep {
  if (row.status === 'Requested') return 'accept'
  if (row.status === 'Accepted') return row.dispatched_at === null ? 'dispatch' : 'receive'
  if (row.status === 'Processing') return 'refund'
  refuse('CONFLICT_RETURN_CLOSED', {errors: {return: [`is ${row.status} already`]}})
}

function take(state: State, id: string, step: ReturnStep, terms: RefundTerms): void {
  const {world, clock} = state
  const now = clock.now()
  if (step === 'accept') {
    world.run("UPDATE returns SET status = 'Accepted', decided_at = ? WHERE id = ?", now, id)
    tellOfReturn(world, findReturn(world, id), 'return.accepted', now)
  }
  if (step === 'dispatch') world.run('UPDATE returns SET dispatched_at = ? WHERE id = ?', now, id)
  if (step === 'receive')
    world.run("UPDATE returns SET status = 'Processing', received_at = ? WHERE id = ?", now, id)
  if (step === 'refund') refund(state, findReturn(world, id), terms, now)
}

function refund(state: State, row: Return, {defect}: RefundTerms, now: number): void {
  const {world} = state
  const lines = linesOf(world, row.order_id)
  const refunds = returnLinesOf(world, row.id).map(({line_id, quantity}) => {
    const line = lines.find(({id}) => id === line_id)
    if (line === undefined) throw new Error(`return ${row.id} names no line of its order`)
    return lineRefund(line, quantity)
  })
  world.run("UPDATE returns SET status = 'Refunded', inspected_at = ? WHERE id = ?", now, row.id)
  landRefund(state, {
    kind: 'Return',
    subjectId: row.id,
    referenceId: returnNumberOf(row),
    order: orderById(world, row.order_id),
    lines: refunds,
    withShipping: defect,
    at: now,
  })
  tellOfReturn(world, findReturn(world, row.id), 'return.refunded', now)
}

export const rejection = z.strictObject({
  reason: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
})

/** Declines a request, or the goods at their inspection. */
export function rejectReturn(
  state: State,
  key: string,
  {reason = 'Declined by the operator.'}: z.output<typeof rejection>,
): object {
  const {world, clock} = state
  const row = findReturn(world, key)
  const step = nextStepOf(row)
  if (step !== 'accept' && step !== 'refund')
    refuse('CONFLICT_RETURN_STEP_TAKEN', {errors: {return: [`is ${row.status} already`]}})
  const now = clock.now()
  const moment = step === 'accept' ? 'decided_at' : 'inspected_at'
  const sql = `UPDATE returns SET status = 'Rejected', decline_reason = ?, ${moment} = ? WHERE id = ?`
  world.run(sql, reason, now, row.id)
  const rejected = findReturn(world, row.id)
  tellOfReturn(world, rejected, 'return.rejected', now)
  return returnPayload(state, rejected)
}

/** A return request by its id or its number, whoever it belongs to. */
function findReturn(world: World, key: string): Return {
  const n = Number(/^RMA-(\d{6,})$/i.exec(key)?.[1] ?? -1)
  const row = world.get<Return>('SELECT * FROM returns WHERE id = ? OR n = ?', key.toLowerCase(), n)
  return row ?? refuse('NOT_FOUND_RETURN_REQUEST')
}
