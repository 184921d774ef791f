import {serviceOffset} from '../../store/clock.ts'
import {statOf} from '../../store/files.ts'
import type {Desk} from '../desk.ts'
import {segmentsOf} from '../receipts/read.ts'
import {type Look, lookAt, RECENT_MS} from './known.ts'
import {inboxJournal} from './records.ts'

interface Watching {
  all: boolean
  withinMs: number | undefined
  /** Ends early when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  signal: AbortSignal
}

const MINUTE = 60_000
/** The files are looked at this often: what they say is read again only if one of them has changed. */
const EVERY_MS = 1_000

/** Looks into the inbox at once, then once a minute and whenever the records have changed, until the signal is aborted. */
export async function* watchInbox(
  desk: Desk,
  {all, withinMs, sleep, signal}: Watching,
): AsyncGenerator<Look> {
  while (!signal.aborted) {
    const [stamp, began] = [stampOf(desk), Date.now()]
    yield await lookAt(desk, {all, withinMs})
    // A large record is not read all the time.
    const least = Math.max(EVERY_MS, 5 * (Date.now() - began))
    do await sleep(least, signal)
    while (!signal.aborted && Date.now() - began < MINUTE && stampOf(desk) === stamp)
  }
}

/** Differs as soon as anything was written, a listener came or went, or the clock of the service was moved. */
export function stampOf({folders, identity}: Pick<Desk, 'folders' | 'identity'>): string {
  const files = segmentsOf(folders, identity, Date.now() - RECENT_MS).map(
    ({path, touched, held, isWritten}) => `${path} ${touched} ${held} ${isWritten}`,
  )
  const others = [inboxJournal(folders, identity).path, serviceOffset(folders, identity).path]
  const stats = others.map(statOf)
  return [...files, ...stats.map((one) => `${one?.mtimeMs} ${one?.size}`)].join('\n')
}
