import type {Client} from '../client/client.ts'
import {type CommissionPeriod, listCommissionPeriods, objectToCommission} from '../contract/commissions.ts'
import {Failure, isFailure} from '../contract/failure.ts'
import {settleBy} from './lost.ts'

/**
 * Objects to a period, once: after a lost answer it is looked for in the list, and an objection with this reason is
 * this one. Fails with OUTCOME_UNKNOWN where the list shows none. not shown: whether a period tells its objection.
 */
export async function objectTo(client: Client, periodId: string, reason: string): Promise<CommissionPeriod> {
  try {
    return await client.call(objectToCommission, {params: {commissionPeriodId: periodId}, body: {reason}})
  } catch (error) {
    if (!isFailure(error, 'OUTCOME_UNKNOWN')) throw error
    const found = await settleBy(error, findObjection(client, periodId, reason))
    if (found) return found
    const message = 'The answer was lost, and the list of periods does not show the objection.'
    const hint =
      'Object again: a period takes one objection, so CONFLICT_COMMISSION_PERIOD_ALREADY_OBJECTED means that it is made.'
    throw new Failure('OUTCOME_UNKNOWN', {...error.facts, message, hint}, {cause: error.cause})
  }
}

async function findObjection(
  client: Client,
  periodId: string,
  reason: string,
): Promise<CommissionPeriod | undefined> {
  for await (const one of client.pages(listCommissionPeriods, {query: {pageSize: 100}})) {
    if (one?.id?.toLowerCase() === periodId.toLowerCase() && one.objection?.reason === reason) return one
  }
  return undefined
}
