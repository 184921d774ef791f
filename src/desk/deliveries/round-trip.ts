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

const tells = (one: Partial<Delivery> | null) => typeof one?.succeeded === 'boolean'

/** What the service says of how it ended: its record, else its answer to the test. */
export const toldOf = ({recorded, fired}: Pick<RoundTrip, 'recorded' | 'fired'>): Delivery | null =>
  tells(recorded) ? recorded : tells(fired) ? fired : null

/** What both sides say at a moment. The answer to the test is no record: it may tell what the list of deliveries lacks. */
export function verdictOf(
  {recorded, fired}: Pick<RoundTrip, 'recorded' | 'fired'>,
  copies: readonly Pick<Arrived, 'trust'>[],
): Verdict {
  const isHere = copies.some(({trust}) => trust === 'verified' || trust === 'unchecked')
  const told = toldOf({recorded, fired})
  if (told === null) return isHere ? 'here-not-recorded' : copies.length > 0 ? 'refused' : 'nothing'
  if (told.succeeded === true && !isHere) return 'delivered-elsewhere'
  if (told.succeeded === true) return told === recorded ? 'round-trip' : 'here-not-recorded'
  const status = Number(told.httpStatus ?? Number.NaN)
  if (!(status > 0)) return 'no-answer'
  // A receiver that failed is tried again, and so is one that refused; but the same would be refused again.
  return status >= 500 && typeof told.nextAttemptAt === 'string' ? 'retrying' : 'refused'
}
