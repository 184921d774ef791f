import type {Notice} from '../../contract/notices.ts'
import type {SaidEnd} from './facts.ts'
import type {Trust} from './trust.ts'

// How a notice ended, out of all that tells of it.

interface Telling {
  trust: Trust
  fields: Partial<Notice>
  saysEnd: SaidEnd | null
}

export interface Doubt {
  code: string
  says: string
}

/** Whether a notice with this status waits for an answer; what a status that is not known means can't be told. */
export const isAwaiting = (status: string) => status === 'AwaitingPartnerResponse'

/** How a copy says that it ended: by the status, or else by the type of its event. */
export function endIn({fields: {status}, saysEnd}: Telling): SaidEnd | null {
  if (status === 'Resolved') return 'resolved'
  return status?.startsWith('Expired') ? 'expired' : saysEnd
}

/** Whether a copy has a status that is none of the spec's (Value sets): what it means for an answer can't be known. */
export const isOdd = (one: Telling) =>
  one.fields.status !== undefined && !isAwaiting(one.fields.status) && endIn(one) === null

/** The end as those tell it that may: how, and with which status and choice, if these are told. */
export interface Ending {
  kind: SaidEnd
  trust: Trust
  status: Notice['status'] | undefined
  choice: Notice['responseChoice'] | undefined
  /** Whether others tell another one. */
  isDisputed: boolean
}

/** The end that the highest trust tells: how it ended counts for more than that it did. */
export function endingOf(trusted: readonly Telling[]): Ending | undefined {
  const telling = trusted.filter((one) => endIn(one) !== null)
  if (telling.length === 0) return undefined
  const endings = telling.flatMap((one) => {
    const kind = endIn(one)
    return kind === null ? [] : [{kind, trust: one.trust, fields: one.fields}]
  })
  const first = endings.find(({kind}) => kind !== 'closed') ?? endings[0]
  if (first === undefined) return undefined
  const {kind, trust} = first
  const whole = endings.find((one) => one.kind === kind && one.fields.status !== undefined)
  const {status, responseChoice: choice} = whole?.fields ?? {}
  const isOther = (one: (typeof endings)[number]) =>
    one.kind !== 'closed' &&
    (one.kind !== kind || (one.fields.status !== undefined && one.fields.status !== status))
  return {kind, trust, status, choice, isDisputed: endings.some(isOther)}
}

/** What was told before the end is not so any more. */
export function endedFields(fields: Partial<Notice>, {status, choice}: Ending): Partial<Notice> {
  const {status: _, ...others} = fields
  return {...(status ? {...fields, status} : others), ...(choice && {responseChoice: choice})}
}

/** Why what is known may not be so. `best`: all that was told; `ending`: what those tell of it that may. */
export function doubtsOf(best: readonly Telling[], ending: Ending | undefined): Doubt[] {
  const doubts: Doubt[] = []
  if (ending?.isDisputed) doubts.push({code: 'endings-differ', says: 'It is told to have ended in two ways.'})
  if (ending === undefined && best.some((one) => endIn(one) !== null))
    doubts.push({code: 'untrusted-end', says: 'A copy that proves nothing says that it is closed.'})
  if (best.length > 0 && best.every(({trust}) => trust === 'stale'))
    doubts.push({code: 'stale', says: 'Only copies that came too late to be checked tell of it.'})
  const odd = ending === undefined ? best.find(isOdd) : undefined
  if (odd)
    doubts.push({
      code: 'unknown-status',
      says: `It has the status "${odd.fields.status}", which is not known here.`,
    })
  return doubts
}
