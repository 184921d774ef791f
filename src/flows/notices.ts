import type {Client} from '../client/client.ts'
import {Failure, isFailure} from '../contract/failure.ts'
import {type Notice, type NoticeChoice, respondToNotice} from '../contract/notices.ts'

const CLOSED = ['BUSINESS_NOTICE_NOT_AWAITING_RESPONSE', 'CONFLICT_NOTICE_ALREADY_RESOLVED']

/**
 * Answers a notice; the same choice is sent again after a lost answer. A notice that is closed by then may have been
 * closed by the lost answer or by its deadline: no route tells which, so this fails with OUTCOME_UNKNOWN and says so.
 */
export async function respond(client: Client, noticeId: string, choice: NoticeChoice): Promise<Notice> {
  try {
    return await client.call(respondToNotice, {params: {noticeId}, body: {choice}})
  } catch (error) {
    if (!isFailure(error, ...CLOSED) || error.facts.effect !== 'unknown') throw error
    throw new Failure(
      'OUTCOME_UNKNOWN',
      {
        ...error.facts,
        message: `The notice is closed. Whether by this ${choice}, whose first answer was lost, or by its deadline, the service does not tell.`,
        hint: 'The ledger and the order show what was cancelled: `scent wallet transactions --type Refund`, `scent orders get`.',
      },
      {cause: error},
    )
  }
}
