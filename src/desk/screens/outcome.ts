import type {Delivery} from '../../contract/webhooks.ts'
import {bare, pretty} from '../../terminal/cells.ts'
import type {Run} from '../receipts/runs.ts'

type Attempt = Partial<Pick<Delivery, 'httpStatus' | 'errorSummary' | 'succeeded'>>

/** How an attempt ended, in a word. */
export function outcomeText({httpStatus, errorSummary, succeeded}: Attempt): string {
  return pretty(bare(httpStatus ?? errorSummary ?? (succeeded === true ? 'delivered' : 'no answer')))
}

/** What is to be done about a receiver that was there and did not take it; undefined if nothing says that it was there. */
export function receiverAdvice({httpStatus, errorSummary}: Attempt): string | undefined {
  const status = Number(httpStatus ?? Number.NaN)
  if (status >= 500) return 'The receiver there fails: its log says why.'
  if (status >= 400) return 'The receiver there refuses it: its log says why.'
  if (status >= 300)
    return 'The receiver there redirects, and redirects are not followed: give the subscription the URL that it leads to.'
  if (errorSummary === 'Timeout')
    return 'The receiver there takes too long: let it answer first, and do its work afterwards.'
  return undefined
}

/** Says that a listener of ours answered so because it was told to; undefined if it was not. */
export const rehearsed = (listener: Run | null, {httpStatus}: Attempt): string | undefined =>
  listener !== null && listener.answer !== null && listener.answer === Number(httpStatus)
    ? `It is stored here, and the listener answered ${httpStatus} because it was started with --answer ${httpStatus}: without that it answers 200.`
    : undefined
