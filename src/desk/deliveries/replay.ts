import {setTimeout as sleep} from 'node:timers/promises'
import {Failure} from '../../contract/failure.ts'
import {localTime} from '../../terminal/cells.ts'
import {counted} from '../../terminal/text.ts'
import type {Desk} from '../desk.ts'
import {REPLAY} from '../listener/door.ts'
import {forward} from '../listener/forward.ts'
import {isSameServer, receiverUrl} from '../listener/receiver.ts'
import {bytesOf, isSecretName} from '../receipts/body.ts'
import {runningListeners} from '../receipts/read.ts'
import {type Copy, countingCopies, type Filter, findCopies} from '../receipts/recorded.ts'
import {type Handed, isTaken, type Received} from '../receipts/records.ts'
import {referenceOf} from '../receipts/reference.ts'
import {parseScheme, type Scheme} from '../signature/schemes.ts'
import {signedAnew} from '../signature/sign.ts'

/** What became of an event that was sent again. */
export interface Replayed {
  receipt: string
  eventId: string | null
  eventType: string | null
  /** When it came, in the form of its record. */
  at: string
  status: number | null
  ms: number | null
  error: string | null
}

/**
 * Where stored deliveries may be sent to: where those may that are forwarded, and not to a listener of this record, which
 * would take them for deliveries of the service. Fails with INVALID_INPUT.
 */
export function replayUrl(desk: Desk, text: string, allowRemote: boolean): URL {
  const url = receiverUrl(desk, '--to', text, allowRemote)
  const own = runningListeners(desk.folders, desk.identity).flatMap(({port, uiPort, public: publicUrl}) => [
    ...[port, uiPort].map((one) => `http://127.0.0.1:${one}`),
    ...(publicUrl === null ? [] : [publicUrl]),
  ])
  if (own.some((one) => isSameServer(url, one)))
    throw new Failure('INVALID_INPUT', {
      message: `--to "${text}" is a listener of this record.`,
      hint: 'Give the address of a receiver of yours.',
    })
  return url
}

/** Which copies are to be sent, and what is to be said of those that the receiver took before. */
interface ToSend {
  copies: Iterable<Received>
  /** They are left out. */
  leftOut?: string
  /** They are sent once more. */
  onceMore?: string
}

/**
 * The copies to send again, the oldest first: of each event the one that counts. Without ids all that fit the filter, but
 * of those that were refused or too old none, unless it asks for them; of problems those that the receiver did not take, and
 * with `untaken` whatever it did not: what it took when it was sent again is left out then. Fails with INVALID_INPUT and
 * NOTHING_MATCHED.
 */
export function copiesToSend(
  {folders, identity}: Desk,
  ids: readonly string[],
  {problems = false, untaken = false, ...filter}: Filter & {untaken?: boolean},
): ToSend {
  if (ids.length > 0) {
    // Two of the names may mean the same copy.
    const named = ids.map((id) => foundBy(findCopies(folders, identity, id)[0], id))
    const once = new Map(named.map((copy) => [`${copy.place} ${copy.segment}`, copy.record]))
    return {copies: once.values()}
  }
  const meant = countingCopies(folders, identity, filter).filter(
    ({event: {trust}}) => filter.trust !== undefined || trust === 'verified' || trust === 'unchecked',
  )
  const sent = meant.filter(
    ({event: {forward}, takenAt}) =>
      (!problems || (forward && !isTaken(forward))) && (!untaken || takenAt === undefined),
  )
  const taken = takenText(meant, problems && !untaken)
  if (sent.length === 0)
    throw new Failure('NOTHING_MATCHED', {
      message: (problems || untaken ? taken : undefined) ?? 'No event that was received here fits.',
      hint: taken
        ? 'An event is sent once more by its id.'
        : 'Events that were refused are sent again only with --trust refused, or by their ids.',
    })
  const copies = (function* () {
    for (const {read} of sent) {
      const copy = read()
      if (copy) yield copy
    }
  })()
  return {copies, ...(taken && {[problems || untaken ? 'leftOut' : 'onceMore']: taken})}
}

/** How many of the events the receiver took before, and when; `isMissed`: that it had not taken as they came. */
function takenText(meant: ReturnType<typeof countingCopies>, isMissed: boolean): string | undefined {
  const times = meant.flatMap(({event: {forward}, takenAt}) => {
    if (!isMissed) return takenAt ?? []
    return forward?.replayedAt && isTaken(forward) ? forward.replayedAt : []
  })
  const last = times.sort().at(-1)
  if (last === undefined) return undefined
  const [were, when] = times.length === 1 ? ['was', ''] : ['were', 'last ']
  const at = `${when}at ${localTime(last)}`
  return `${counted(times.length, 'event')} ${were} ${isMissed ? `sent again before, ${at}, and taken` : `taken by this receiver before, ${at}`}.`
}

function foundBy(copy: Copy | undefined, id: string): Copy {
  if (copy) return copy
  throw new Failure('NOTHING_MATCHED', {
    message: `No event whose id begins with "${id}" was received here.`,
    hint: '`scent webhooks events` shows those that were.',
  })
}

interface Sending {
  to: URL
  /** Events a second at most. */
  rate: number | undefined
  /** Signs each anew; undefined to leave the signature that it came with. */
  sign: {secret: string; scheme: Scheme | undefined} | undefined
  stop: AbortSignal
  /** Writes down what became of each. */
  note(record: Handed): Promise<void>
}

/** Sends stored bytes one after another, with the headers that they came with, until `stop` is aborted. */
export async function* replay(
  copies: Iterable<Received>,
  {to, rate, sign, stop, note}: Sending,
): AsyncGenerator<Replayed> {
  const began = performance.now()
  let sent = 0
  for (const copy of copies) {
    const wait = rate === undefined ? 0 : began + (sent * 1000) / rate - performance.now()
    if (wait > 0) await sleep(wait, undefined, {signal: stop}).catch(() => {})
    if (stop.aborted) return
    const body = bytesOf(copy)
    const arrived = {headers: copy.headers, body, id: copy.eventId ?? undefined, path: copy.path}
    const scheme = sign && (sign.scheme ?? parseScheme(copy.scheme ?? 'default'))
    const headers = sign && scheme ? signedAnew(arrived, {...sign, scheme, now: Date.now()}) : copy.headers
    const known = headers.filter(([name]) => !isSecretName(name))
    const {body: _, ...done} = await forward(to, {headers: known, body}, [[REPLAY, '1']])
    const {at: receivedAt, sha256} = copy
    await note({kind: 'forwarded', at: new Date().toISOString(), receivedAt, sha256, ...done, again: true})
    const {status, ms, error} = done
    yield {...planned(copy), status, ms, error}
    sent += 1
  }
}

/** An event before it is sent. */
export const planned = (copy: Received): Replayed => ({
  receipt: referenceOf(copy),
  ...{eventId: copy.eventId, eventType: copy.eventType, at: copy.at},
  ...{status: null, ms: null, error: null},
})

/** Names of headers whose values the record lacks. */
export const lackedBy = ({headers}: Received): string[] => headers.map(([name]) => name).filter(isSecretName)
