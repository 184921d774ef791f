import {rmSync} from 'node:fs'
import {noticeWindowMs} from '../contract/limits.ts'
import {digestPath} from '../store/digest.ts'
import {attempt, statOf} from '../store/files.ts'
import {lockFiles} from '../store/lock.ts'
import type {Desk} from './desk.ts'
import {readEvidence} from './notices/evidence.ts'
import {type InboxItem, inbox, isOpen, serviceClock} from './notices/inbox.ts'
import {readGlances, segmentsOf} from './receipts/read.ts'

/** What old files of receipts come to. */
export interface Prunable {
  paths: string[]
  events: number
  bytes: number
  /** Old files that are kept, since a notice in them is not closed for so long, or they are damaged. */
  kept: number
}

/**
 * The files of receipts that were last written before `before` (milliseconds), hold no notice whose deadline was later, and
 * whose removal opens no notice anew: it may be that one of them says that a notice is closed.
 */
export function prunable({folders, identity}: Desk, before: number): Prunable {
  const old = segmentsOf(folders, identity).filter(({touched, held}) => !held && touched < before)
  const all = readEvidence(folders, identity, 0)
  const clock = serviceClock(all.told, Date.now(), all.offsetMs)
  const known = new Map(inbox(all, clock).map((item) => [item.id, item]))
  const intact = old.filter(({path}) => !all.damaged.includes(path))
  const going = new Map(intact.map(({path}) => [path, {events: 0, notices: new Set<string>()}]))
  for (const {record, segment} of readGlances(intact, identity)) {
    const about = going.get(segment.path)
    if (record.kind !== 'received' || !about) continue
    about.events += 1
    for (const id of record.notices) about.notices.add(id)
  }
  const keep = (wanted: (id: string) => boolean) => {
    for (const [path, {notices}] of going) if ([...notices].some(wanted)) going.delete(path)
  }
  keep((id) => !isLongClosed(known.get(id), before))
  for (;;) {
    const size = going.size
    const left = inbox(readEvidence(folders, identity, 0, new Set(going.keys())), clock)
    const opened = new Set(
      left.filter((item) => isOpen(item) && !isStillOpen(known.get(item.id))).map(({id}) => id),
    )
    keep((id) => opened.has(id))
    if (going.size === size) break
  }
  const paths = [...going.keys()]
  return {
    paths,
    events: [...going.values()].reduce((sum, {events}) => sum + events, 0),
    bytes: paths.reduce((sum, path) => sum + (statOf(path)?.size ?? 0), 0),
    kept: old.length - paths.length,
  }
}

const isStillOpen = (item: InboxItem | undefined) => item !== undefined && isOpen(item)

/** Whether it is closed, and its deadline was before that time. What is not known is not in the way. */
function isLongClosed(item: InboxItem | undefined, before: number): boolean {
  if (item === undefined) return true
  const told = Date.parse(String(item.responseDeadlineAt))
  const deadline = Number.isNaN(told) ? Date.parse(item.desk.seenAt) + noticeWindowMs : told
  return !isOpen(item) && deadline < before
}

export function prune({paths}: Prunable): void {
  for (const path of paths)
    for (const file of [path, digestPath(path), ...lockFiles(`${path}.lock`)])
      attempt(file, 'removed', () => rmSync(file, {force: true}))
}
