import type {Client} from '../client/client.ts'
import {isFailure} from '../contract/failure.ts'
import {type Notice, type NoticeChoice, respondToNotice} from '../contract/notices.ts'
import {reworded} from './lost.ts'

const CLOSED = ['BUSINESS_NOTICE_NOT_AWAITING_RESPONSE', 'CONFLICT_NOTICE_ALREADY_RESOLVED']

/** What helps after an answer that was lost: no route shows what became of a notice. */
export const repeatText = (noticeId: string, choice: NoticeChoice | undefined): string =>
  `The same choice can be sent again, and only that: \`scent notices respond ${noticeId} --choice ${choice}\`.`

/**
 * Responds to a notice; the client sends the same choice again after a lost answer. If the notice is closed by then, the
 * first request may have closed it, or another answer, or the deadline. No route shows which, so this fails with
 * OUTCOME_UNKNOWN, as it does if no answer comes at all. `orderId`: the order that it is about, if that is known.
 */
export async function respond(
  client: Client,
  noticeId: string,
  choice: NoticeChoice,
  orderId?: string | null,
): Promise<Notice> {
  try {
    return await client.call(respondToNotice, {params: {noticeId}, body: {choice}})
  } catch (error) {
    if (isFailure(error, 'OUTCOME_UNKNOWN')) throw reworded(error, {hint: repeatText(noticeId, choice)})
    if (!isFailure(error, ...CLOSED) || error.facts.effect !== 'unknown') throw error
    const words = {
      message: `The notice is closed. This ${choice} may have closed it: its first answer was lost, and the service does not say what closed the notice.`,
      hint: orderId
        ? `The order and the ledger show what was cancelled: \`scent orders get ${orderId}\`, \`scent wallet transactions --type Refund\`.`
        : 'The ledger shows what was refunded: `scent wallet transactions --type Refund`.',
    }
    throw reworded(error, words, 'OUTCOME_UNKNOWN')
  }
}
