import {Failure} from '../../contract/failure.ts'
import {isUuid} from '../../contract/forms.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import {webhookRecords} from '../../store/webhooks.ts'
import type {Desk} from '../desk.ts'
import {onlyOne, requireLong} from '../receipts/recorded.ts'
import {apart} from './apart.ts'
import type {Blindness} from './blindness.ts'
import {checkOf, keepCheck, lastCheck} from './check.ts'
import {blindness} from './coverage.ts'
import {type Evidence, readEvidence} from './evidence.ts'
import {type InboxItem, inbox, isOpen, serviceClock} from './inbox.ts'
import type {Sent} from './sent.ts'

/** Receipts that are older tell of no notice that can still be answered. */
export const RECENT_MS = 14 * 24 * 3_600_000

/** What is known at this moment. */
interface Inbox {
  /** Notices that can still be answered, or all of them; the soonest deadline first. */
  items: InboxItem[]
  /** Those whose deadline has passed without a word, among others. */
  every: InboxItem[]
  evidence: Evidence
  /** Milliseconds by the service's clock. */
  now: number
}

/** Reads the records of an identity. Fails with CORRUPT_FILE if the record of our own answers is damaged. */
export function knownNotices(folders: Folders, identity: Identity, {all = false} = {}): Inbox {
  const local = Date.now()
  const evidence = readEvidence(folders, identity, all ? 0 : local - RECENT_MS)
  const clock = serviceClock(evidence.told, local, evidence.offsetMs)
  const every = inbox(evidence, clock)
  return {items: all ? every : every.filter(isOpen), every, evidence, now: clock.now}
}

/**
 * The id of a notice, in small letters, that it or its beginning names. One that nothing here tells of must be whole. Fails
 * with INVALID_INPUT if the beginning is too short, or fits none or several.
 */
export function noticeNamed({folders, identity}: Pick<Desk, 'folders' | 'identity'>, name: string): string {
  const id = name.toLowerCase()
  if (isUuid(id)) return id
  const start = /^[\da-f-]+$/.test(id) ? id : undefined
  const {every} = start ? knownNotices(folders, identity, {all: true}) : {every: []}
  const ids = every.map((item) => item.id).filter((one) => start && one.startsWith(start))
  if (start && ids.length > 0) requireLong(start)
  const only = start && onlyOne(ids, start, 'notice')
  if (only) return only
  throw new Failure('INVALID_INPUT', {
    message: `ID "${name}" is not a valid notice id, nor the beginning of one that is known here.`,
    hint: 'Give the UUID of the notice, or at least 6 characters of its beginning: `scent notices inbox --all`.',
  })
}

interface Wanted {
  all?: boolean
  /** Only what is due within this time. */
  withinMs?: number | undefined
  /** What the service says that it sent, if it was asked. */
  sent?: Sent | undefined
}

/** What the inbox says at a moment: the notices that are wanted, all that are known, and why others may not be here. */
export interface Look {
  items: InboxItem[]
  every: InboxItem[]
  blind: Blindness[]
  /** Milliseconds by the service's clock. */
  now: number
}

/** Looks into the records, and keeps what the service was asked. Fails with CORRUPT_FILE if the record of our own answers is damaged. */
export async function lookAt(
  {folders, identity}: Pick<Desk, 'folders' | 'identity'>,
  {all = false, withinMs, sent}: Wanted,
): Promise<Look> {
  const {items, every, evidence, now} = knownNotices(folders, identity, {all})
  const isDue = ({desk: {leftMs}}: InboxItem) => leftMs !== null && leftMs < (withinMs ?? Number.NaN)
  const records = webhookRecords(folders, identity)
  const since = records.activeSince()
  const subscriptions = (await records.all()).map((one) => ({
    ...one,
    activeSince: since.get(one.id.toLowerCase()),
  }))
  const check = sent ? checkOf(sent, evidence, now) : lastCheck(evidence, subscriptions, now)
  if (sent && check) await keepCheck({folders, identity}, check, evidence.check)
  const blind = [
    ...apart({folders, identity}, every, Date.now() - RECENT_MS),
    ...blindness(evidence, every, subscriptions, Date.now(), {check, sent}),
  ]
  return {items: withinMs === undefined ? items : items.filter(isDue), every, blind, now}
}
