import type {Client} from '../client/client.ts'
import {type CommissionPeriod, listCommissionPeriods, objectToCommission} from '../contract/commissions.ts'
import {isFailure} from '../contract/failure.ts'
import {reworded, settleBy} from './lost.ts'

/**
 * Objects to a period once. After a lost answer it looks in the list: an objection with this reason is this one. Fails
 * with OUTCOME_UNKNOWN if the list shows none. not shown: whether a period in the list shows its objection.
 */
export async function objectTo(client: Client, periodId: string, reason: string): Promise<CommissionPeriod> {
  try {
    return await client.call(objectToCommission, {params: {commissionPeriodId: periodId}, body: {reason}})
  } catch (error) {
    if (!isFailure(error, 'OUTCOME_UNKNOWN')) throw error
    const found = await settleBy(error, findObjection(client, periodId, reason))
    if (found) return found
    throw reworded(error, {
      message: 'The answer was lost, and the list of periods does not show the objection.',
      hint: 'Object again: a period takes one objection, so CONFLICT_COMMISSION_PERIOD_ALREADY_OBJECTED means that it is made.',
    })
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
