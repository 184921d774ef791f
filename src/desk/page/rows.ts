import {setImmediate as turn} from 'node:timers/promises'
import {isFailure} from '../../contract/failure.ts'
import {statOf} from '../../store/files.ts'
import type {Desk} from '../desk.ts'
import {orderIn} from '../receipts/body.ts'
import {openEvents} from '../receipts/events.ts'
import {segmentsOf} from '../receipts/read.ts'
import {type Handed, isTaken, type Received} from '../receipts/records.ts'
import {receiptsFile} from '../receipts/segment.ts'
import {handedOn} from '../screens/handed.ts'
import {signed} from '../screens/receipts.ts'
import {type Filter, fits, MOST_ROWS, type Row, type Rows, type Said} from './shapes.ts'

/** A row, and where its receipt stands. */
export interface Placed extends Row {
  path: string
  place: number
}

/** Files of receipts are read back until there are so many bytes. */
const MOST_BYTES = 96 * 1024 * 1024
/** As many rows are kept, and twice as many changes to them. */
const MOST = 50_000
/** The listener must not be held up by somebody who looks on. */
const SLICE_MS = 10

/** A receipt that was read and is no row yet. */
interface Fresh {
  record: Pick<Received, 'at' | 'eventId' | 'eventType' | 'notices' | 'trust' | 'why' | 'bytes' | 'sha256'>
  orderId: string | null
  path: string
  place: number
}

/** The copies in the records of an identity, in memory: each file is read once, and then only what was added to it. */
export type PageRows = ReturnType<typeof openRows>

export function openRows({folders, identity}: Pick<Desk, 'folders' | 'identity'>) {
  const rows: Placed[] = []
  /** Each row as often as it changed, in that order: `first` have been dropped. */
  const changes: Placed[] = []
  let first = 0
  let newest = 0
  const read = new Map<string, number>()
  const skipped = new Set<string>()
  const events = openEvents()
  /** Copies that no receiver is known to have taken, and whether they are problems all the same. */
  const open = new Map<string, {row: Placed; isProblem: boolean}>()

  const change = (row: Placed) => {
    changes.push(row)
    if (changes.length <= 2 * MOST + MOST_ROWS) return
    first += changes.length - MOST
    changes.splice(0, changes.length - MOST)
  }

  const addAll = (fresh: readonly Fresh[]) => {
    for (const one of [...fresh].sort((a, b) =>
      a.record.at < b.record.at ? -1 : a.record.at > b.record.at ? 1 : 0,
    )) {
      newest += 1
      const row = rowOf(newest, one, events.add(one.record))
      rows.push(row)
      open.set(keyOf(one.record.at, one.record.sha256), {row, isProblem: row.isProblem})
      change(row)
    }
    if (rows.length > MOST + MOST_ROWS) rows.splice(0, rows.length - MOST)
    for (const key of open.keys()) {
      if (open.size <= MOST) break
      open.delete(key)
    }
  }

  const hand = (record: Handed) => {
    const key = keyOf(record.receivedAt, record.sha256)
    const {row, isProblem} = open.get(key) ?? {}
    if (row === undefined || (row.forward && row.forward.to !== record.to)) return
    if (isTaken(record)) open.delete(key)
    const forward = saidOf(handedOn(record))
    Object.assign(row, {
      forward: {at: record.at, to: record.to, ...forward},
      isProblem: isProblem || forward.tone === 'bad',
    })
    change(row)
  }

  const readAll = async () => {
    const fresh: Fresh[] = []
    const handed: Handed[] = []
    let began = performance.now()
    for (const path of nextFiles(folders, identity, read, skipped)) {
      try {
        for (const {record, place, next} of receiptsFile(path, identity).entries(read.get(path) ?? 0)) {
          read.set(path, next)
          if (record.kind === 'received') fresh.push(freshOf(record, path, place))
          if (record.kind === 'forwarded') handed.push(record)
          if (performance.now() - began < SLICE_MS) continue
          await turn()
          began = performance.now()
        }
      } catch (error) {
        if (!isFailure(error, 'CORRUPT_FILE', 'FOREIGN_FILE', 'FILE_FAILED')) throw error
        // What is blind says so; the other files are read on.
        skipped.add(path)
      }
    }
    addAll(fresh)
    for (const record of handed) hand(record)
  }

  let reading = Promise.resolve()
  let queued: Promise<void> | undefined

  return {
    /** Reads what was added since the last time. */
    catchUp(): Promise<void> {
      queued ??= reading.then(() => {
        queued = undefined
        reading = readAll()
        return reading
      })
      return queued
    },
    page(filter: Filter, before: number, limit: number): Rows {
      const items: Row[] = []
      let more: number | null = null
      for (let at = rows.length - 1; at >= 0 && more === null; at -= 1) {
        const row = rows[at]
        if (row === undefined || row.no >= before || !fits(row, filter)) continue
        if (items.length < limit) items.push(bare(row))
        else more = items.at(-1)?.no ?? null
      }
      return {items, before: more, newest, after: first + changes.length, isWhole: skipped.size === 0}
    },
    /** Copies of one event, the oldest first; none if it is not here. */
    copies(id: string): Placed[] {
      if (!/^~\d+$/.test(id)) return rows.filter((row) => row.eventId === id)
      const row = rows.find(({no}) => no === Number(id.slice(1)))
      if (row === undefined || row.eventId === null) return row ? [row] : []
      return rows.filter(({eventId}) => eventId === row.eventId)
    },
    /** What changed after the first `after` changes; undefined if that is too long ago. */
    since(after: number): {rows: Row[]; after: number} | undefined {
      if (after < first || after > first + changes.length) return undefined
      const some = changes.slice(after - first, after - first + MOST_ROWS)
      return {rows: [...new Set(some)].map(bare), after: after + some.length}
    },
    /** How many changes there were. */
    length: () => first + changes.length,
  }
}

/** Files to look into, the oldest first. What is beyond the bound at the first look is never looked into. */
function nextFiles(
  folders: Desk['folders'],
  identity: Desk['identity'],
  read: ReadonlyMap<string, number>,
  skipped: Set<string>,
): string[] {
  let bytes = 0
  const wanted: string[] = []
  for (const {path} of segmentsOf(folders, identity).reverse()) {
    if (skipped.has(path)) continue
    const size = statOf(path)?.size ?? 0
    const from = read.get(path)
    if (from === size) continue
    bytes += size - (from ?? 0)
    if (from === undefined && bytes > MOST_BYTES && wanted.length > 0) skipped.add(path)
    else wanted.unshift(path)
  }
  return wanted
}

const keyOf = (at: string, sha256: string) => `${at} ${sha256.slice(0, 12)}`

function freshOf(record: Received, path: string, place: number): Fresh {
  const {at, eventId, eventType, notices, trust, why, bytes, sha256} = record
  const kept = {at, eventId, eventType, notices: notices.slice(0, 3), trust, why, bytes, sha256}
  return {record: kept, orderId: orderIn(record), path, place}
}

function rowOf(
  no: number,
  {record, orderId, path, place}: Fresh,
  {copy, differs}: {copy: number; differs: boolean},
): Placed {
  const {at, eventId, eventType, notices, trust, why, bytes} = record
  const worth = saidOf(signed({trust, why, copy, differs}))
  return {
    ...{no, id: addressOf(no, eventId), at, eventId, eventType, orderId, notices, trust, bytes, path, place},
    ...{signed: worth, forward: null, isProblem: worth.tone === 'bad' || copy > 1},
  }
}

/** An event's id as it is, if an address can hold it: whoever sent it chose it. */
const addressOf = (no: number, eventId: string | null) =>
  eventId !== null && /^\w[\w.-]*$/.test(eventId) ? eventId : `~${no}`

const bare = ({path: _, place: __, ...row}: Placed): Row => row

function saidOf(cell: ReturnType<typeof signed>): Said {
  if (typeof cell !== 'object' || cell === null || !('tone' in cell))
    return {text: String(cell ?? ''), tone: 'plain'}
  return {text: cell.text, tone: cell.tone === 'good' || cell.tone === 'bad' ? cell.tone : 'plain'}
}
