import type {Delivery} from '../../contract/webhooks.ts'
import type {Arrived} from './here.ts'

/** What became of a test, from where it was sent to where it was to arrive. */
export interface RoundTrip {
  verdict: Verdict
  fired: Delivery
  received: (Pick<Arrived, 'trust' | 'why'> & {at: string; copies: number}) | null
  /** The attempt that says most. */
  recorded: Delivery | null
}

export type Verdict =
  | 'round-trip'
  | 'delivered-elsewhere'
  | 'here-not-recorded'
  | 'refused'
  | 'no-answer'
  | 'retrying'
  | 'nothing'

/** What both sides say at a moment. */
export function verdictOf(recorded: Delivery | null, copies: readonly Pick<Arrived, 'trust'>[]): Verdict {
  const isHere = copies.some(({trust}) => trust === 'verified' || trust === 'unchecked')
  if (recorded?.succeeded === true) return isHere ? 'round-trip' : 'delivered-elsewhere'
  if (recorded?.succeeded !== false)
    return isHere ? 'here-not-recorded' : copies.length > 0 ? 'refused' : 'nothing'
  const status = Number(recorded.httpStatus ?? Number.NaN)
  if (!(status > 0)) return 'no-answer'
  // A receiver that failed is tried again, and so is one that refused; but the same would be refused again.
  return status >= 500 && typeof recorded.nextAttemptAt === 'string' ? 'retrying' : 'refused'
}
