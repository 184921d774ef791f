import {serviceOffset} from '../../store/clock.ts'
import type {Desk} from '../desk.ts'
import {importedFacts} from '../notices/evidence.ts'
import {inboxJournal} from '../notices/records.ts'
import {readGlances, segmentsOf} from '../receipts/read.ts'
import {type Handed, isTaken, type Received} from '../receipts/records.ts'
import {openRuns, type Run} from '../receipts/runs.ts'

/** A copy of an event that arrived here, without its body. */
export interface Arrived extends Pick<Received, 'sha256' | 'trust' | 'why' | 'eventType'> {
  at: number
  /** Who received it. */
  run: Run
  /** Which receiver it was handed on to: the first that took it, else the last. */
  handed?: Pick<Handed, 'to' | 'status'> | undefined
}

/** What this machine knows of events: its side of a timeline. */
export interface Here {
  /** Of each event, the oldest copy first. */
  copies: ReadonlyMap<string, readonly Arrived[]>
  imported: ReadonlySet<string>
  /** When somebody listened; without those whose files are damaged, since what they received is not known. */
  runs: readonly Run[]
  /** The moment of this machine's clock at which the service's showed a time. */
  localOf(serviceMs: number): number
}

/** More than any clock is set by. */
const SLACK_MS = 3_600_000

const placeOf = ({at, sha256}: Pick<Arrived, 'at' | 'sha256'>) => `${at} ${sha256}`

/** Reads what came of these events since a moment of the service's clock. Fails with CORRUPT_FILE if the record of imports is damaged. */
export function readHere(
  {folders, identity}: Pick<Desk, 'folders' | 'identity'>,
  since: number,
  isWanted: (eventId: string, eventType?: string | null) => boolean,
): Here {
  const copies = new Map<string, Arrived[]>()
  const handed = new Map<string, Arrived['handed']>()
  const damaged = new Set<string>()
  const runs = openRuns()
  const localOf = serviceOffset(folders, identity).localTimes()
  const segments = segmentsOf(folders, identity, localOf(since) - SLACK_MS)
  for (const {record, segment} of readGlances(segments, identity, {damaged: (path) => damaged.add(path)})) {
    const run = runs.take(segment.path, record)
    if (record.kind === 'forwarded') {
      const {to, status, sha256} = record
      const key = placeOf({at: Date.parse(record.receivedAt), sha256})
      const before = handed.get(key)
      if (!before || !isTaken(before)) handed.set(key, {to, status})
    }
    if (record.kind !== 'received' || !run || record.eventId === null) continue
    const {eventId, eventType, time, sha256, trust, why} = record
    if (!isWanted(eventId, eventType)) continue
    const copy = {at: time, eventType, sha256, trust, why, run}
    const all = copies.get(eventId)
    if (all) all.push(copy)
    else copies.set(eventId, [copy])
  }
  for (const all of copies.values()) {
    all.sort((a, b) => a.at - b.at)
    if (handed.size > 0) for (const copy of all) copy.handed = handed.get(placeOf(copy))
  }
  const imported = new Set<string>()
  for (const record of inboxJournal(folders, identity).records()) {
    const {eventId, trust} = record.kind === 'imported' ? importedFacts(record.raw) : {}
    if (eventId && trust === 'imported' && isWanted(eventId)) imported.add(eventId)
  }
  const whole = segments.filter(({path}) => !damaged.has(path))
  return {copies, imported, runs: runs.all(whole), localOf}
}
