import {Failure} from '../../contract/failure.ts'
import type {Cell} from '../../terminal/cells.ts'
import {commandText} from '../../terminal/next.ts'
import {counted} from '../../terminal/text.ts'
import {type Handed, isTaken} from '../receipts/records.ts'

// How a receiver of our own answered what was sent on to it.

type Answer = Pick<Handed, 'status' | 'ms' | 'error'>

interface Silence {
  /** In two words. */
  short: string
  says: string
  next: string
}

const START = 'Start the receiver there.'
const CHECK = 'Check the host of that URL.'
const CERTIFICATE: Silence = {
  short: 'certificate',
  says: 'its certificate is not one that this machine trusts',
  next: 'Give the certificate to this machine: NODE_EXTRA_CA_CERTS=FILE.',
}
const LATE: Silence = {
  short: 'no answer',
  says: 'it gave no answer in time',
  next: 'Let the receiver answer first, and do its work afterwards.',
}

const NO_TLS: Silence = {
  short: 'no TLS',
  says: 'it does not speak https',
  next: 'Give the URL with http:// if it speaks that.',
}
const NO_HTTP: Silence = {
  short: 'no HTTP',
  says: 'what it answered is not HTTP',
  next: 'Check the port of that URL.',
}

/** Why no answer came, by the code of the system. */
const silences: {[error: string]: Silence} = {
  ECONNREFUSED: {short: 'no receiver', says: 'nothing listens there', next: START},
  ECONNRESET: {short: 'broken off', says: 'it broke the connection off', next: 'Its log says why.'},
  EPIPE: {short: 'broken off', says: 'it broke the connection off', next: 'Its log says why.'},
  ENOTFOUND: {short: 'no such host', says: 'its host does not resolve', next: CHECK},
  EAI_AGAIN: {short: 'no such host', says: 'its host does not resolve', next: CHECK},
  EHOSTUNREACH: {short: 'no way there', says: 'its host can not be reached from here', next: CHECK},
  ENETUNREACH: {short: 'no way there', says: 'its host can not be reached from here', next: CHECK},
  EPROTO: NO_TLS,
  ETIMEDOUT: LATE,
  'no answer within 30 s': LATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  CERT_HAS_EXPIRED: CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: CERTIFICATE,
}

function silenceOf(error: string | null): Silence {
  const known = silences[error ?? '']
  if (known) return known
  if (/^ERR_SSL_/.test(error ?? '')) return NO_TLS
  if (/^HPE_/.test(error ?? '')) return NO_HTTP
  const why = error === null ? '' : ` (${error})`
  return {short: error ?? 'no answer', says: `no answer came${why}`, next: 'Its log may say why.'}
}

/** How it answered, or why it did not, in two words. */
export function handedOn(forward: Answer | null | undefined): Cell {
  if (!forward) return null
  const {status, ms, error} = forward
  const {short} = silenceOf(error)
  return {
    kind: 'badge',
    text: status === null ? short : `${status}  ${ms} ms`,
    tone: isTaken(forward) ? 'good' : 'bad',
  }
}

/** Why a receiver did not take something, and what to do; `isOld`: its signature is that of an earlier time. */
function refusalOf(
  {status, error}: Pick<Answer, 'status' | 'error'>,
  isOld: boolean,
): {says: string; next: string} {
  if (status === null) return silenceOf(error)
  const says = `it answered ${status}`
  if (status >= 500) return {says, next: 'The receiver fails: its log says why.'}
  if (isOld && (status === 401 || status === 403))
    return {says, next: 'If it finds the signature too old, --resign signs each event now.'}
  if (status >= 400) return {says, next: 'The receiver refuses it: its log says why.'}
  if (status >= 300)
    return {says: `${says}, and redirects are not followed`, next: 'Give the URL that it leads to.'}
  return {says, next: 'The receiver has to answer 200 to 299.'}
}

/** The same without what is to be done; null if it was taken. */
export const reasonOf = (answer: Pick<Answer, 'status' | 'error'>): string | null =>
  isTaken(answer) ? null : refusalOf(answer, false).says

/** The same in two sentences. */
export function refusalText(answer: Pick<Answer, 'status' | 'error'>): string {
  const {says, next} = refusalOf(answer, false)
  return `Not taken: ${says}. ${next}`
}

/** What a script is told by its exit code if not all was taken; undefined if all was. */
export function replayFailure(
  items: readonly Pick<Answer, 'status' | 'error'>[],
  {to, isOld}: {to: URL; isOld: boolean},
): Failure | undefined {
  const reasons = new Map<string, {next: string; count: number}>()
  for (const one of items) {
    if (isTaken(one)) continue
    const {says, next} = refusalOf(one, isOld)
    reasons.set(says, {next, count: (reasons.get(says)?.count ?? 0) + 1})
  }
  const all = [...reasons].sort(([, a], [, b]) => b.count - a.count)
  const [first] = all
  if (first === undefined) return undefined
  const why = all.map(([says, {count}]) => (all.length === 1 ? says : `${says} (${counted(count, 'event')})`))
  const ok = items.filter(isTaken).length
  return new Failure('REPLAY_REFUSED', {
    message: `The receiver at ${to.href} took ${ok} of ${counted(items.length, 'event')}: ${why.slice(0, 3).join('; ')}.`,
    hint: `${first[1].next} Then send these again: each of them is still kept.`,
  })
}

/** Below a list of events: how many of them a receiver did not take, why not, and how they are sent to it again. */
export function missedLines(events: readonly {forward: (Answer & {to: string}) | null}[]): string[] {
  const missed = events.flatMap(({forward}) => (forward && !isTaken(forward) ? [forward] : []))
  const [last] = missed
  if (last === undefined) return []
  const count = missed.filter(({to}) => to === last.to).length
  const {says, next} = refusalOf(last, false)
  return [
    `${counted(count, 'event')} ${count === 1 ? 'was' : 'were'} not taken by the receiver at ${last.to}: ${says}. ${next} What it missed is sent to it again by:`,
    `  ${commandText('webhooks', 'replay', '--problems', '--to', last.to)}`,
  ]
}
