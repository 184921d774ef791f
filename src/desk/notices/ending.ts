import {localTime} from '../../terminal/cells.ts'
import type {InboxItem} from './inbox.ts'

/** How a notice ended, in a sentence; undefined if nothing here tells. */
export function endOf(item: InboxItem): string | undefined {
  const end = ended(item)
  return end && `Notice ${item.id} was ${end}.`
}

function ended({
  status,
  responseChoice,
  respondedAt,
  responseDeadlineAt,
  desk,
}: InboxItem): string | undefined {
  const at = (time: string | null | undefined) => (time ? ` at ${localTime(time)}` : '')
  if (desk.state === 'answered')
    return `answered from here${at(desk.answer?.at)}: ${responseChoice ?? desk.answer?.choice}`
  if (desk.state === 'answered-elsewhere')
    return `answered, not by this machine${respondedAt ? `,${at(respondedAt)}` : ''}: ${responseChoice ?? 'the choice is not told'}`
  if (desk.state === 'expired')
    return `closed by its deadline${at(responseDeadlineAt)}: ${status ?? 'what applies is not told'}`
  return undefined
}

/** What is known of the end of a notice, which need not be who closed it; undefined if it is not closed. */
export function endText(item: InboxItem): string | undefined {
  const {state, answer} = item.desk
  const end = ended(item)
  if (end) return `${end.slice(0, 1).toUpperCase()}${end.slice(1)}.`
  if (state === 'not-ours')
    return 'The service does not know it: it may be of another partner, or of another environment.'
  if (state !== 'closed') return undefined
  const at = answer ? localTime(answer.at) : ''
  if (answer?.outcome === 'lost-race')
    return `Closed at ${at}, while an answer from here came: most likely by its deadline.`
  if (answer?.outcome === 'closed')
    return `Closed before ${at}, when an answer from here was refused; by whom nothing here tells.`
  if (answer && (answer.outcome === null || answer.outcome === 'unknown'))
    return `By the ${answer.choice} that was sent from here at ${at}, whose answer was lost, or by its deadline, or by somebody else.`
  return 'Closed, as an event says; by whom nothing here tells.'
}
