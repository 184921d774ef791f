import type {Delivery} from '../../contract/webhooks.ts'
import {bare, pretty} from '../../terminal/cells.ts'
import type {Arrived} from '../deliveries/here.ts'
import type {Run} from '../receipts/runs.ts'
import {wordsOfRecord} from '../signature/words.ts'
import {timeOfDay} from './receipts.ts'

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

/** The time of today, else with the day, by this machine's clock. */
export function clock(at: number): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return 'a time that is not known'
  const day = date.toDateString()
  return `${day === new Date().toDateString() ? '' : `${day.slice(4, 10)} `}${timeOfDay({at: date.toISOString()})}`
}

export const ELSEWHERE =
  'Another receiver took it: no listener of this machine is known to have had that URL at that time.'

/** The service was told that it arrived, and the listener that had the URL, if there was one, has not taken it. */
export function notHereText(
  told: string,
  at: number,
  {listener, refused}: {listener: Run | undefined; refused: Pick<Arrived, 'trust' | 'why'> | null},
): string {
  const start = `The service was told ${told} at ${clock(at)}`
  if (refused) {
    const cause =
      refused.trust === 'stale'
        ? 'something in between answers by itself, and delays what it passes on.'
        : 'something in between may change it and answer by itself, or somebody else sent what came here.'
    return `${start}, though what came here was refused (${wordsOfRecord(refused.why)}): ${cause}`
  }
  if (listener === undefined) return ELSEWHERE
  return `${start}, and nothing was received here, though 127.0.0.1:${listener.port} listened from ${clock(listener.from)} on: look for another process at that URL, or a proxy that answers by itself.`
}

/** A listener of ours that runs, at an address that gave the service no answer in time. */
export const hungText = ({port, pid}: Run): string =>
  `The listener at 127.0.0.1:${port} (process ${pid}) is there and gave no answer: it was stopped, as by Ctrl-Z, or its disk hangs. \`kill -CONT ${pid}\` lets one that was stopped go on.`
