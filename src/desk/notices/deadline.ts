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
  const certain = firstTime(trusted, 'responseDeadlineAt')
  if (certain !== undefined) return {at: certain, latest: certain, kind: 'told'}
  const since = firstTime(trusted, 'notifiedAt')
  if (since !== undefined) return {at: since + noticeWindowMs, latest: since + noticeWindowMs, kind: 'raised'}
  const among = (list: number[], kind: Deadline['kind'], [most]: number[] = []): Deadline => {
    const all = [...list, ...(most === undefined ? [] : [most])]
    const at = Math.min(...all)
    return {at, latest: most ?? Math.max(...all), kind: at === most ? 'at most' : kind}
  }
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

type Field = 'responseDeadlineAt' | 'notifiedAt'

const times = (list: readonly Telling[], field: Field) =>
  list.flatMap(({fields}) => (fields[field] ? [millis(fields[field])] : []))

const firstTime = (list: readonly Telling[], field: Field) => {
  const at = list.find(({fields}) => fields[field])?.fields[field]
  return at ? millis(at) : undefined
}
