import {millis} from '../../contract/forms.ts'
import {noticeWindowMs} from '../../contract/limits.ts'
import type {Notice} from '../../contract/notices.ts'

/** What shows that a notice had been raised by a time of the service's clock. */
interface Dated {
  by: number
}

interface Telling extends Dated {
  fields: Partial<Notice>
}

export interface Deadline {
  /** The earliest that it may be, and the latest. */
  at: number
  latest: number
  kind: 'told' | 'raised' | 'at most'
}

/**
 * When the service decides. What proves nothing can neither put it off nor, against a copy that proves more, bring it
 * forward; of such copies alone the earliest counts.
 */
export function deadlineOf(
  best: readonly Telling[],
  trusted: readonly Telling[],
  answers: readonly Dated[],
  now: number,
): Deadline {
  const times = (list: readonly Telling[], field: 'responseDeadlineAt' | 'notifiedAt') =>
    list.flatMap(({fields}) => (fields[field] ? [millis(fields[field])] : []))
  const among = (list: number[], kind: Deadline['kind'], [most]: number[] = []): Deadline => {
    const all = [...list, ...(most === undefined ? [] : [most])]
    const at = Math.min(...all)
    return {at, latest: most ?? Math.max(...all), kind: at === most ? 'at most' : kind}
  }
  const [certain] = times(trusted, 'responseDeadlineAt')
  if (certain !== undefined) return {at: certain, latest: certain, kind: 'told'}
  const [raised] = times(trusted, 'notifiedAt').map((at) => at + noticeWindowMs)
  if (raised !== undefined) return {at: raised, latest: raised, kind: 'raised'}
  // What is known now was raised before.
  const mostOf = ({by}: Dated) => Math.min(by, now) + noticeWindowMs
  // What is certain was there before: its deadline is at most 72 hours later, whatever others say.
  const open = [...trusted, ...answers].map(mostOf).sort((a, b) => a - b)
  const told = times(best, 'responseDeadlineAt')
  if (told.length > 0) return among(told, 'told', open)
  const others = times(best, 'notifiedAt').map((at) => at + noticeWindowMs)
  if (others.length > 0) return among(others, 'raised', open)
  const seen = [...best, ...answers].map(mostOf)
  return {at: Math.min(...seen), latest: open[0] ?? Math.max(...seen), kind: 'at most'}
}
