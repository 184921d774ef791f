import type {Client} from '../../client/client.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import type {Notice, NoticeChoice} from '../../contract/notices.ts'
import {endOf} from './ending.ts'
import type {Outcome} from './records.ts'
import {type AnswerTools, answerNotice, isOfNotice, outcomeOf} from './respond.ts'
import type {Wanted} from './wanted.ts'

/** One answer of several. */
export interface Answered {
  id: string
  choice: NoticeChoice
  outcome: Outcome
  /** Whether it was answered from here before, so that nothing was sent now. */
  earlier: boolean
  /** As the service answered it. */
  notice: Partial<Notice> | null
  error: {code: string; message: string; hint: string} | null
}

/** After so many in a row of which no usable answer came, the others would fare no better. */
const MOST_IN_VAIN = 3

/**
 * Answers notices one after another, and goes on if one is refused. Yields each as it ends; what was answered from here
 * before is not sent again. Ends after the one under way if `stop` is aborted. Fails, after it has yielded the last one,
 * with what concerns all of them, such as a credential that is not accepted.
 */
export async function* answerNotices(
  tools: AnswerTools,
  wanted: readonly Wanted[],
  stop: AbortSignal,
): AsyncGenerator<Answered> {
  const call: Client['call'] = (operation, input, options = {}) =>
    tools.client.call(operation, input, {stop, ...options})
  const leavable = {...tools, client: {...tools.client, call}}
  let inVain = 0
  for (const one of wanted) {
    if (stop.aborted) return
    const {id, choice} = one
    const before = answeredBefore(one)
    if (before) {
      yield before
      continue
    }
    try {
      const notice = await answerNotice(leavable, one)
      yield {id, choice, outcome: 'answered', earlier: false, notice, error: null}
      inVain = 0
    } catch (error) {
      if (!isFailure(error) || error.code === 'INTERRUPTED') throw error
      yield {...{id, choice, earlier: false, notice: null}, ...factsOf(error)}
      inVain = isOfNotice(error) ? 0 : inVain + 1
      const isForAll = error.entry.scope === 'job' || error.code === 'FILE_FAILED'
      if (inVain === MOST_IN_VAIN || (inVain > 0 && isForAll)) throw error
    }
  }
}

const factsOf = (failure: Failure): Pick<Answered, 'outcome' | 'error'> => {
  const {code, message, hint} = failure
  return {outcome: outcomeOf(failure), error: {code, message, hint}}
}

/** The answer that the service has given already to this machine; undefined if there is something to send. */
export function answeredBefore({id, choice, item}: Wanted): Answered | undefined {
  if (item?.desk.state !== 'answered') return undefined
  const {desk, ...notice} = item
  if ((item.responseChoice ?? desk.answer?.choice) === choice)
    return {id, choice, outcome: 'answered', earlier: true, notice, error: null}
  const message = endOf(item)
  const refusal = new Failure('BUSINESS_NOTICE_NOT_AWAITING_RESPONSE', {...(message && {message})})
  return {...{id, choice, earlier: true, notice}, ...factsOf(refusal), outcome: 'closed'}
}
