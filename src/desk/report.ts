import {Failure} from '../contract/failure.ts'
import {localTime} from '../terminal/cells.ts'
import {counted} from '../terminal/text.ts'
import type {Desk} from './desk.ts'
import {isOpen} from './notices/inbox.ts'
import {knownNotices, lookAt} from './notices/known.ts'
import {failingText} from './notices/listening.ts'
import {freeBytes, LARGE, LEAST_FREE, largeText, PRUNE, receiptsSize} from './receipts/room.ts'

/** What a check found, and what to do about it if anything is to be done. */
interface Found {
  detail: string
  next: string | null
  /** True by default. */
  isWell?: boolean
}

const MIB = 1024 ** 2

/**
 * Who listens, and whether what arrives can be kept. Fails with CORRUPT_FILE if a file of receipts is damaged, and with
 * FILE_FAILED if the disk is nearly full. `free`: bytes of the disk.
 */
export function reportReceipts(desk: Desk, free = freeBytes(desk.folders.state)): Found {
  const {evidence} = knownNotices(desk.folders, desk.identity)
  const [damaged, ...others] = evidence.damaged
  if (damaged !== undefined)
    throw new Failure('CORRUPT_FILE', {
      message: `${damaged} is damaged${others.length > 0 ? `, and so ${others.length === 1 ? 'is' : 'are'} ${others.length} more` : ''}. What stands behind the damage is not seen; other files are.`,
      hint: 'Ask the service what may be missing: `scent notices inbox --check`. Then move the file to another folder.',
    })
  if (free !== undefined && free < LEAST_FREE)
    throw new Failure('FILE_FAILED', {
      message: `${Math.floor(free / MIB)} MiB are free in ${desk.folders.state}. Below 200 MiB a listener may soon have to refuse deliveries.`,
      hint: 'Free some space on this disk.',
    })
  const failing = failingText(evidence.listening)
  if (failing)
    throw new Failure('FILE_FAILED', {
      message: failing,
      hint: 'See whether this disk can be written to, and whether the listener was suspended. It tries again each 5 s, and the service sends again what was not taken.',
    })
  const {files, bytes} = receiptsSize(desk.folders, desk.identity)
  const running = evidence.listening.filter(({to}) => to === Number.POSITIVE_INFINITY)
  const who = running.map(({port, from}) => `port ${port} since ${localTime(new Date(from).toISOString())}`)
  const said = who.length > 0 ? `Listening: ${who.join(', ')}.` : 'Nothing listens.'
  const next = bytes < LARGE ? null : PRUNE
  return {detail: `${said} ${counted(files, 'file')} of receipts. ${largeText(bytes)}`.trim(), next}
}

/** What waits for an answer, and whether others may. */
export async function reportInbox(desk: Desk): Promise<Found> {
  const {every, blind} = await lookAt(desk, {})
  const open = every.filter(isOpen)
  const unsettled = open.filter(({desk: {state}}) => state === 'unsettled')
  const lost =
    unsettled.length === 0
      ? ''
      : ` Of ${counted(unsettled.length, 'answer')} it is not known whether ${unsettled.length === 1 ? 'it' : 'they'} arrived.`
  const [first, ...others] = blind
  const more = others.length > 0 ? ` And ${counted(others.length, 'more reason')}.` : ''
  const unseen = first ? ` Others may not be here: ${first.says}${more}` : ''
  return {
    isWell: unsettled.length === 0 && blind.length === 0,
    detail: `${counted(open.length, 'notice')} to answer.${lost}${unseen}`,
    next: unsettled[0]
      ? `\`scent notices respond ${unsettled[0].id}\``
      : first
        ? first.code === 'without-login'
          ? `\`${first.next}\``
          : '`scent notices inbox` says it all'
        : null,
  }
}
