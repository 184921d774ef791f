import type {Code} from '../../contract/errors.ts'
import {Failure} from '../../contract/failure.ts'
import {millis} from '../../contract/forms.ts'
import type {Delivery} from '../../contract/webhooks.ts'
import {pretty, time} from '../../terminal/cells.ts'
import {localColumns} from '../../terminal/columns.ts'
import {commandText, flagWords} from '../../terminal/next.ts'
import {type Card, card} from '../../terminal/table.ts'
import type {Followed} from '../deliveries/follow.ts'
import {type RoundTrip, toldOf, type Verdict} from '../deliveries/round-trip.ts'
import {isAt, portOf} from '../deliveries/whose.ts'
import type {Run} from '../receipts/runs.ts'
import {becauseText, wordsOfRecord} from '../signature/words.ts'
import {hungText, notHereText, outcomeText, receiverAdvice, rehearsed} from './outcome.ts'

/** How it ended, as the service says. */
const outcomeOf = (trip: RoundTrip): string => outcomeText(toldOf(trip) ?? {})

/** The same, and whether that is on record. */
function recordText(trip: RoundTrip): string {
  if (toldOf(trip) === null) return 'no record'
  return trip.recorded ? outcomeOf(trip) : `${outcomeOf(trip)}, not recorded`
}

function cameText({received}: RoundTrip): string {
  if (received === null) return 'no'
  if (received.trust === 'refused' || received.trust === 'stale')
    return `refused: ${wordsOfRecord(received.why)}`
  return received.trust === 'verified' ? 'signed, fits' : 'not checked'
}

/** Whether all is well, as far as is known here: another receiver may have had the URL. */
const isGood = (trip: RoundTrip, tested: Tested) =>
  trip.verdict === 'delivered-elsewhere'
    ? trip.received === null && listenerOf(tested) === undefined
    : ['round-trip', 'here-not-recorded'].includes(trip.verdict)

export const roundTripCard = (trip: RoundTrip, tested: Tested): Card<RoundTrip> =>
  card(
    trip,
    localColumns<RoundTrip>(
      `verdict; fired.eventType Event; fired.eventId Event id; fired.sentAt Sent; recorded The service was told; received Here;
        received.at? Received`,
      {
        verdict: ({verdict}) => ({
          kind: 'badge',
          text: verdict,
          tone: isGood(trip, tested) ? 'good' : 'bad',
        }),
        'fired.sentAt': ({fired}) => time(fired.sentAt),
        recorded: recordText,
        received: cameText,
        'received.at': ({received}) => time(received?.at),
      },
    ),
  )

/** The subscription that was tested, as far as the local record knows it, and who listens for it. */
interface Tested extends Omit<Followed, 'trip'> {
  id: string
  url: string | null
  own: boolean
  /** False if it was switched off, as far as is known here. Our own is switched on again by its listener. */
  isActive: boolean
  /** Milliseconds of the service's clock. */
  now: number
}

/** The listener that had the URL when the test was sent. */
const listenerOf = ({url, listeners, sentAt}: Tested): Run | undefined =>
  listeners.find((run) => run.from <= sentAt && isAt(run, url))

/** What a verdict means, and what to type next. */
export function verdictWords(trip: RoundTrip, tested: Tested): {says: string; next: string} {
  const {id: webhookId, url, listeners, isActive} = tested
  const isHeard = trip.received || listeners.some((run) => url === null || isAt(run, url))
  const words = wordsOf(trip, tested)
  const {next} = words
  const on = commandText('webhooks', 'enable', webhookId)
  const isOff = !isActive && !tested.own
  const lacks = toldOf(trip) !== null && trip.recorded === null && trip.verdict !== 'here-not-recorded'
  const says = [
    words.says,
    ...(lacks
      ? ["So says the service's answer to the test: its list of deliveries has no record of it."]
      : []),
    ...(isOff ? [`The subscription is switched off: but for tests nothing is sent to it before ${on}.`] : []),
  ].join(' ')
  const told = toldOf(trip) ?? {}
  const hung = told.errorSummary === 'Timeout' ? listenerOf(tested) : undefined
  if (hung) return {says: `${says} ${hungText(hung)}`, next: watchCommand(webhookId)}
  if (isHeard) return {says, next}
  const advice = trip.verdict === 'delivered-elsewhere' ? undefined : receiverAdvice(told)
  // Where a receiver answers there is no room for a listener.
  if (advice) return {says: `${says} ${advice}`, next}
  const what = listeners.length === 0 ? 'Nothing listens on this machine' : 'No listener here has that URL'
  const listen = listenCommand(tested)
  return trip.verdict === 'no-answer'
    ? {says: `${says} ${what}: start one, and it receives what comes next.`, next: listen}
    : {says: `${says} ${what}: ${listen} receives what comes next.`, next}
}

const watchCommand = (webhookId: string) => commandText('webhooks', 'timeline', webhookId, '--watch')

/** The command that receives here what a subscription is sent. */
function listenCommand({id, url, own}: Tested): string {
  const port = portOf(url)
  if (own) return commandText('webhooks', 'listen', '--subscribe')
  const where = port === undefined ? flagWords('--public-url', url) : ['--port', `${port}`]
  return commandText('webhooks', 'listen', '--subscription', id, ...where)
}

/** The command that tells later what became of a test. */
export const followCommand = (webhookId: string, {eventId}: Delivery): string =>
  commandText('webhooks', 'timeline', webhookId, '--id', startOf(eventId))

const startOf = (eventId: unknown) => String(eventId ?? '').slice(0, 12)

function wordsOf(trip: RoundTrip, tested: Tested): {says: string; next: string} {
  const {id: webhookId, keeper, now, sentAt} = tested
  const {verdict, fired, received} = trip
  const id = startOf(fired.eventId)
  const verify = commandText('webhooks', 'verify', '--stored', id)
  const timeline = followCommand(webhookId, fired)
  const list = commandText('webhooks', 'list')
  const isRefused = received?.trust === 'refused' || received?.trust === 'stale'
  const told = outcomeOf(trip)
  const said = toldOf(trip)
  const asked = rehearsed(keeper, said ?? {})
  const words: {[V in Verdict]: {says: string; next: string}} = {
    'round-trip': {
      says: 'It was sent, came here, and the service knows that it arrived.',
      next: commandText('webhooks', 'events', id, '--copies'),
    },
    // The same words as below the timeline.
    'delivered-elsewhere': {
      says: notHereText(told, sentAt, {listener: listenerOf(tested), refused: received}),
      next: isRefused ? verify : list,
    },
    'here-not-recorded': {
      says: said
        ? `It is here, and the service's answer to the test said ${told}; but its list of deliveries has no record of it. The timeline shows it as here only.`
        : 'It is here, and the service has no record yet of how it ended.',
      next: timeline,
    },
    refused: isRefused
      ? {says: `It was refused here: ${becauseText(received?.why ?? null)}.`, next: verify}
      : {
          says: asked ?? `Whatever answers at the URL of this subscription refused it with ${told}.`,
          next: list,
        },
    'no-answer': received
      ? {
          says: `It is here, and the service had no answer (${told}): the answer was lost on its way back.`,
          next: timeline,
        }
      : {
          says: `The service had no answer from the URL of this subscription: ${told}.${said?.nextAttemptAt ? ` ${againText(said.nextAttemptAt, now)}` : ''}`,
          next: watchCommand(webhookId),
        },
    retrying: {
      says: `${asked ?? `The receiver failed with ${told}.`} ${againText(said?.nextAttemptAt, now)}`,
      next: watchCommand(webhookId),
    },
    nothing: {
      says: 'It was fired, and neither the service nor this machine has a record of it yet.',
      next: timeline,
    },
  }
  return words[verdict]
}

/** When the service sends it again; that try may be over, and not recorded. */
function againText(at: string | null | undefined, now: number): string {
  const when = at ? ` at ${pretty(time(at))}` : ''
  return millis(at ?? '') <= now
    ? `The service was to try again${when}, and has no record of that yet.`
    : `The service tries again${when}.`
}

const codes: {[V in Verdict]?: Code} = {
  refused: 'TEST_REFUSED',
  'no-answer': 'TEST_NOT_DELIVERED',
  retrying: 'TEST_NOT_DELIVERED',
  nothing: 'TEST_UNSEEN',
}

/** What a script is told by its exit code; undefined if it arrived. */
export function failureOf(trip: RoundTrip, tested: Tested): Failure | undefined {
  const code = codes[trip.verdict]
  if (code === undefined) return undefined
  const {says, next} = verdictWords(trip, tested)
  return new Failure(code, {message: says, hint: `${next}.`})
}
