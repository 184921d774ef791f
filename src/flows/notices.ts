import type {Client} from '../client/client.ts'
import {isFailure} from '../contract/failure.ts'
import {type Notice, type NoticeChoice, respondToNotice} from '../contract/notices.ts'
import {reworded} from './lost.ts'

const CLOSED = ['BUSINESS_NOTICE_NOT_AWAITING_RESPONSE', 'CONFLICT_NOTICE_ALREADY_RESOLVED']

/**
 * Responds to a notice; the client sends the same choice again after a lost answer. If the notice is closed by then,
 * either the first request or the deadline has closed it. No route shows which, so this fails with OUTCOME_UNKNOWN.
 */
export async function respond(client: Client, noticeId: string, choice: NoticeChoice): Promise<Notice> {
  try {
    return await client.call(respondToNotice, {params: {noticeId}, body: {choice}})
  } catch (error) {
    if (!isFailure(error, ...CLOSED) || error.facts.effect !== 'unknown') throw error
    const words = {
      message: `The notice is closed, either by this ${choice}, whose first answer was lost, or by its deadline. The service does not say which.`,
      hint: 'The ledger and the order show what was cancelled: `scent wallet transactions --type Refund`, `scent orders get`.',
    }
    throw reworded(error, words, 'OUTCOME_UNKNOWN')
  }
}
