import {setTimeout as sleep} from 'node:timers/promises'
import {Failure} from '../../contract/failure.ts'
import type {Desk} from '../desk.ts'
import {REPLAY} from '../listener/door.ts'
import {forward} from '../listener/forward.ts'
import {isSameServer, receiverUrl} from '../listener/receiver.ts'
import {bytesOf, isSecretName} from '../receipts/body.ts'
import {readSegments, runningListeners, segmentsOf} from '../receipts/read.ts'
import {type Filter, findCopies, type RecordedEvent, recordedEvents} from '../receipts/recorded.ts'
import {isTaken, type Received} from '../receipts/records.ts'
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

/**
 * The copies to send again, the oldest first: of each event the one that counts. Without ids all that fit the filter, but
 * of those that were refused or too old none, unless it asks for them; and of problems those that the receiver did not take. Fails with INVALID_INPUT and NOTHING_MATCHED.
 */
export function copiesToSend(
  {folders, identity}: Desk,
  ids: readonly string[],
  filter: Filter,
): Iterable<Received> {
  if (ids.length > 0) {
    const named = ids.map((id) => copyOf(findCopies(folders, identity, id)[0]?.record, id))
    return new Map(named.map((copy) => [placeOf(copy), copy])).values()
  }
  const counts = new Set<string>()
  for (const event of recordedEvents(folders, identity, filter).items)
    if (isMeant(event, filter)) counts.add(placeOf(event))
  if (counts.size === 0)
    throw new Failure('NOTHING_MATCHED', {
      message: 'No event that was received here fits.',
      hint: 'Events that were refused are sent again only with --trust refused, or by their ids.',
    })
  return (function* () {
    for (const {record} of readSegments(segmentsOf(folders, identity, filter.since), identity))
      if (record.kind === 'received' && counts.delete(placeOf(record))) yield record
  })()
}

function isMeant({trust, forward}: RecordedEvent, filter: Filter): boolean {
  if (filter.problems && (!forward || isTaken(forward))) return false
  return filter.trust !== undefined || trust === 'verified' || trust === 'unchecked'
}

const placeOf = ({eventId, at, bytes}: Pick<Received, 'eventId' | 'at' | 'bytes'>) =>
  JSON.stringify([eventId, at, bytes])

function copyOf(record: Received | undefined, id: string): Received {
  if (record) return record
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
}

/** Sends stored bytes one after another, with the headers that they came with, until `stop` is aborted. */
export async function* replay(
  copies: Iterable<Received>,
  {to, rate, sign, stop}: Sending,
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
    const {status, ms, error} = await forward(to, {headers: known, body}, [[REPLAY, '1']])
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
