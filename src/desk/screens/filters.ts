import * as Flags from '@oclif/core/flags'
import {momentOf} from '../../contract/forms.ts'
import {momentIn, timeFlag} from '../../terminal/times.ts'
import type {Filter} from '../receipts/recorded.ts'
import {trusts} from '../receipts/records.ts'

/** Which of the events that were received here. */
export const eventFilters = {
  event: Flags.string({
    summary: 'Only this type of event; repeatable.',
    helpValue: 'TYPE',
    multiple: true,
    multipleNonGreedy: true,
  }),
  order: Flags.string({summary: 'Only what speaks of this order.', helpValue: 'ID'}),
  notice: Flags.string({summary: 'Only what tells of this notice.', helpValue: 'ID'}),
  since: timeFlag({summary: 'Only what came at this time or later.'}),
  until: timeFlag({summary: 'Only what came before this time.'}),
  trust: Flags.option({options: trusts})({summary: 'Only copies that are worth this.'}),
  differs: Flags.boolean({summary: 'Only events whose copies differ.'}),
  problems: Flags.boolean({
    summary:
      'Only what was refused, came too late, differs, or was not taken by the receiver of --forward-to, nor when it was sent again.',
  }),
}

type Given = Omit<Filter, 'types' | 'since' | 'until'> & {
  event?: string[] | undefined
  since?: string | undefined
  until?: string | undefined
}

/** The filter that the flags name; times as spans are back from now. */
export function filterOf({
  event,
  order,
  notice,
  trust,
  differs = false,
  problems = false,
  since,
  until,
}: Given): Filter {
  const now = Date.now()
  return {
    types: event,
    ...{order, notice, trust, differs, problems},
    since: momentOf(momentIn(since, now) ?? '') ?? 0,
    until: momentOf(momentIn(until, now) ?? '') ?? Number.POSITIVE_INFINITY,
  }
}

/** Whether the flags name any filter. */
export const isFiltered = ({event, order, notice, trust, differs, problems, since, until}: Given) =>
  differs === true ||
  problems === true ||
  [event, order, notice, trust, since, until].some((value) => value !== undefined)
