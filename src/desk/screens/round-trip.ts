import type {Code} from '../../contract/errors.ts'
import {Failure} from '../../contract/failure.ts'
import {bare, pretty, time} from '../../terminal/cells.ts'
import {localColumns} from '../../terminal/columns.ts'
import {commandText} from '../../terminal/next.ts'
import {type Card, card} from '../../terminal/table.ts'
import type {RoundTrip, Verdict} from '../deliveries/round-trip.ts'
import {wordsOfRecord} from '../signature/words.ts'

/** How the service's record of it ended. */
function outcomeOf({recorded}: RoundTrip): string {
  if (recorded === null) return 'no record'
  const {httpStatus, errorSummary, succeeded} = recorded
  return pretty(bare(httpStatus ?? errorSummary ?? (succeeded === true ? 'delivered' : 'no answer')))
}

function cameText({received}: RoundTrip): string {
  if (received === null) return 'no'
  if (received.trust === 'refused' || received.trust === 'stale')
    return `refused: ${wordsOfRecord(received.why)}`
  return received.trust === 'verified' ? 'signed, fits' : 'not checked'
}

const goodOnes: readonly Verdict[] = ['round-trip', 'delivered-elsewhere', 'here-not-recorded']

export const roundTripCard = (trip: RoundTrip): Card<RoundTrip> =>
  card(
    trip,
    localColumns<RoundTrip>(
      `verdict; fired.eventType Event; fired.eventId Event id; fired.sentAt Sent; recorded The service was told; received Here;
        received.at? Received`,
      {
        verdict: ({verdict}) => ({
          kind: 'badge',
          text: verdict,
          tone: goodOnes.includes(verdict) ? 'good' : 'bad',
        }),
        'fired.sentAt': ({fired}) => time(fired.sentAt),
        recorded: outcomeOf,
        received: cameText,
        'received.at': ({received}) => time(received?.at),
      },
    ),
  )

/** What a verdict means, and what to type next. */
export function verdictWords(trip: RoundTrip, webhookId: string): {says: string; next: string} {
  const {verdict, fired, received, recorded} = trip
  const id = String(fired.eventId ?? '').slice(0, 12)
  const verify = commandText('webhooks', 'verify', '--stored', id)
  const timeline = commandText('webhooks', 'timeline', webhookId, '--id', id)
  const list = commandText('webhooks', 'list')
  const isRefused = received?.trust === 'refused' || received?.trust === 'stale'
  const why = wordsOfRecord(received?.why ?? null)
  const told = outcomeOf(trip)
  const words: {[V in Verdict]: {says: string; next: string}} = {
    'round-trip': {
      says: 'It was sent, came here, and the service knows that it arrived.',
      next: commandText('webhooks', 'events', id, '--copies'),
    },
    'delivered-elsewhere': isRefused
      ? {
          says: `The service was told ${told}, and what came here was refused (${why}): something in between answers by itself.`,
          next: verify,
        }
      : {
          says: `The service was told ${told}, and nothing came here: another receiver has the URL of this subscription, or something in between answers by itself.`,
          next: list,
        },
    'here-not-recorded': {
      says: 'It is here, and the service has no record yet of how it ended.',
      next: timeline,
    },
    refused: isRefused
      ? {says: `It was refused here: ${why}.`, next: verify}
      : {says: `Whatever answers at the URL of this subscription refused it with ${told}.`, next: list},
    'no-answer': received
      ? {
          says: `It is here, and the service had no answer (${told}): the answer was lost on its way back.`,
          next: timeline,
        }
      : {says: `The service had no answer from the URL of this subscription: ${told}.`, next: list},
    retrying: {
      says: `The receiver failed with ${told}; the service tries again${recorded?.nextAttemptAt ? ` at ${pretty(time(recorded.nextAttemptAt))}` : ''}.`,
      next: commandText('webhooks', 'timeline', webhookId, '--watch'),
    },
    nothing: {
      says: 'It was fired, and neither the service nor this machine has a record of it yet.',
      next: timeline,
    },
  }
  return words[verdict]
}

const codes: {[V in Verdict]?: Code} = {
  refused: 'TEST_REFUSED',
  'no-answer': 'TEST_NOT_DELIVERED',
  retrying: 'TEST_NOT_DELIVERED',
  nothing: 'TEST_UNSEEN',
}

/** What a script is told by its exit code; undefined if it arrived. */
export function failureOf(trip: RoundTrip, webhookId: string): Failure | undefined {
  const code = codes[trip.verdict]
  if (code === undefined) return undefined
  const {says, next} = verdictWords(trip, webhookId)
  return new Failure(code, {message: says, hint: `${next}.`})
}
