import {setTimeout as sleep} from 'node:timers/promises'
import {Failure} from '../../contract/failure.ts'
import {findSandbox} from '../../store/sandbox.ts'
import type {Desk} from '../desk.ts'
import {forward, receiverUrl} from '../listener/forward.ts'
import {bytesOf, isSecretName} from '../receipts/body.ts'
import {readSegments, segmentsOf} from '../receipts/read.ts'
import {type Filter, findCopies, recordedEvents} from '../receipts/recorded.ts'
import type {Received} from '../receipts/records.ts'
import {parseScheme, type Scheme} from '../signature/schemes.ts'
import {signedAnew} from '../signature/sign.ts'

/** Stored deliveries are sent with it, so that a receiver can tell them from those of the service. */
const REPLAY = 'X-Scent-Replay'

/** What became of an event that was sent again. */
export interface Replayed {
  eventId: string | null
  eventType: string | null
  /** When it came, in the form of its record. */
  at: string
  status: number | null
  ms: number | null
  error: string | null
}

export const isTaken = ({status}: Replayed) => status !== null && status >= 200 && status < 300

/**
 * Where stored deliveries may be sent to: not to the service itself, and like deliveries that are forwarded. Fails with
 * INVALID_INPUT.
 */
export function replayUrl({folders, settings}: Desk, text: string, allowRemote: boolean): URL {
  const url = receiverUrl('--to', text, allowRemote)
  const services = [settings?.baseUrl.value, findSandbox(folders)?.baseUrl]
  if (services.some((service) => service && new URL(service).origin === url.origin))
    throw new Failure('INVALID_INPUT', {
      message: `--to "${text}" is the service that sent the events.`,
      hint: 'Give the address of a receiver of yours.',
    })
  return url
}

/**
 * The copies to send again, the oldest first: of each event the one that counts. Without ids all that fit the filter, but
 * of those that were refused or too old none, unless it asks for them. Fails with INVALID_INPUT and NOTHING_MATCHED.
 */
export function copiesToSend(
  {folders, identity}: Desk,
  ids: readonly string[],
  filter: Filter,
): Iterable<Received> {
  if (ids.length > 0) return ids.map((id) => copyOf(findCopies(folders, identity, id)[0]?.record, id))
  const counts = new Set<string>()
  for (const event of recordedEvents(folders, identity, filter).items)
    if (filter.trust !== undefined || event.trust === 'verified' || event.trust === 'unchecked')
      counts.add(placeOf(event))
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
export const planned = ({eventId, eventType, at}: Received): Replayed => ({
  ...{eventId, eventType, at},
  ...{status: null, ms: null, error: null},
})

/** Names of headers whose values the record lacks. */
export const lackedBy = ({headers}: Received): string[] => headers.map(([name]) => name).filter(isSecretName)
