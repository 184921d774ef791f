import {Failure} from '../../contract/failure.ts'
import {webhookRecords} from '../../store/webhooks.ts'
import type {Desk} from '../desk.ts'
import type {Captured} from '../signature/capture.ts'
import {type Arrived, secondsBetween, signatureIn, stampOf} from '../signature/judge.ts'
import type {Listened, Why} from '../signature/reasons.ts'
import {parseScheme, type Scheme} from '../signature/schemes.ts'
import {listenedBy} from '../signature/words.ts'
import {bytesOf} from './body.ts'
import {glancesIn} from './glances.ts'
import {readSegments, segmentsOf} from './read.ts'
import {findCopies} from './recorded.ts'
import type {Opened, Received} from './records.ts'

/** A copy that arrived here, and how its listener judged it. */
interface Stored {
  record: Received
  delivery: Captured
  /** Undefined if what is known of it was lost. */
  listener: Listened | undefined
  scheme: Scheme | undefined
}

/**
 * The copy of an event that is worth least, of several the last: the one that somebody asks about. Fails with INVALID_INPUT
 * if the beginning of the id is too short or fits several, and with NOTHING_MATCHED.
 */
export async function storedCopy({folders, identity}: Desk, start: string): Promise<Stored> {
  const copies = findCopies(folders, identity, start)
  const worst = copies.at(-1)
  if (worst === undefined)
    throw new Failure('NOTHING_MATCHED', {
      message: `No event whose id begins with "${start}" was received here.`,
      hint: '`scent webhooks events` shows those that were.',
    })
  const {record, segment, place} = worst
  const {headers, path, eventId} = record
  const delivery = {headers, path, body: bytesOf(record), id: eventId ?? undefined, at: Date.parse(record.at)}
  let opened: Opened | undefined
  let scheme: string | null = null
  for (const other of glancesIn(segment, identity)) {
    if (other.kind === 'opened') ({scheme} = opened = other)
    if (other.kind === 'pinned') scheme = other.scheme
    if (other.kind === 'received' && other.place === place) break
  }
  const subscriptions = await webhookRecords(folders, identity).all()
  return {
    ...{record, delivery},
    listener: opened && listenedBy(opened, subscriptions),
    scheme: scheme === null ? undefined : parseScheme(scheme),
  }
}

/** As many receipts that are off by the same time are no accident, and so near they are the same. */
const AGREE = {copies: 3, seconds: 30}

/** The same reason, and what the other receipts say about it: that the clock is wrong, or which secret fitted last, and whose. */
export function besideOthers({folders, identity}: Desk, why: Why, listener: Listened | undefined): Why {
  if (why.reason !== 'stale' && why.reason !== 'nothing') return why
  let secret: string | null = null
  let fitted: string | null = null
  let agreeing = 0
  for (const {record} of readSegments(segmentsOf(folders, identity), identity)) {
    if (record.kind === 'opened') secret = record.secret
    if (record.kind !== 'received') continue
    if (record.trust === 'verified') fitted = secret
    const age = record.trust === 'stale' ? ageOf(record, Date.parse(record.at)) : undefined
    if (age !== undefined && Math.abs(age - (why.ageSeconds ?? 0)) <= AGREE.seconds) agreeing += 1
  }
  if (why.reason === 'stale') return agreeing >= AGREE.copies ? {...why, change: 'clock'} : why
  return {...why, ...(fitted !== null && {fitted: fitted.split(' ')}), ...(listener && {listener})}
}

/** Seconds from the time that a receipt says it was signed at to its arrival. */
function ageOf({headers}: Pick<Arrived, 'headers'>, at: number): number | undefined {
  const seen = signatureIn({headers, body: Buffer.alloc(0)})
  if ('why' in seen) return undefined
  const inPairs = /^t=(\d+),/.exec(seen.signature)?.[1]
  const signed = stampOf(inPairs ?? seen.timestamp ?? '', 'seconds')
  return signed === undefined ? undefined : secondsBetween(signed, at)
}
