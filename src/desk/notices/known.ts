import type {Folders, Identity} from '../../store/paths.ts'
import {webhookRecords} from '../../store/webhooks.ts'
import type {Blindness} from './blindness.ts'
import {blindness} from './coverage.ts'
import {type Evidence, readEvidence} from './evidence.ts'
import {type InboxItem, inbox, isOpen, serviceNow} from './inbox.ts'
import type {Sent} from './sent.ts'

/** Receipts that are older tell of no notice that can still be answered. */
const RECENT_MS = 14 * 24 * 3_600_000

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
  const now = serviceNow(evidence.told, local, evidence.offsetMs)
  const every = inbox(evidence, now)
  return {items: all ? every : every.filter(isOpen), every, evidence, now}
}

/** Why there may be notices that are not here. */
export async function blindnessOf(
  folders: Folders,
  identity: Identity,
  evidence: Evidence,
  sent?: Sent,
): Promise<Blindness[]> {
  return blindness(evidence, await webhookRecords(folders, identity).all(), Date.now(), sent)
}
