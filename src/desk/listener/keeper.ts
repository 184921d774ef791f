import {isFailure} from '../../contract/failure.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import type {Opened, Received} from '../receipts/records.ts'
import {openReceipts, type Receipts} from '../receipts/segment.ts'
import type {Health} from './health.ts'

/** What was refused is kept within these bounds of one day; beyond them it is counted. */
const QUARANTINE = {bytes: 64 * 1024 * 1024, copies: 5_000}

export type Kept = Omit<Received, 'kind' | 'n'>

interface KeeperOptions {
  folders: Folders
  identity: Identity
  health: Health
  opened(): Omit<Opened, 'kind'>
}

/** Writes receipts down. A disk that refuses is told, and tried again with a new file. */
export type Keeper = ReturnType<typeof openKeeper>

export function openKeeper({folders, identity, health, opened}: KeeperOptions) {
  const open = () => openReceipts(folders, identity, opened)
  const refused = {day: '', copies: 0, bytes: 0, dropped: 0}
  let receipts: Receipts | undefined
  let letGo = () => {}
  /** What a failed flush has lost can't be known: the next receipts go to a new file. */
  const failed = (store: Receipts, error: unknown) => {
    if (!isFailure(error)) throw error
    if (receipts !== store) return
    letGo = store.fail()
    receipts = undefined
    health.fail('store', true)
  }
  const keep = async (record: Kept, {sync}: {sync: boolean}): Promise<boolean> => {
    const store = receipts
    if (store === undefined) return false
    try {
      await store.keep(record, {sync})
      return true
    } catch (error) {
      failed(store, error)
      return false
    }
  }
  return {
    /** Fails with FILE_FAILED. */
    async start() {
      receipts = await open()
    },
    /** Writes a receipt; false if the disk refuses. */
    keep: (record: Kept) => keep(record, {sync: true}),
    /** Writes what was refused, while there is room for it; it is not waited for. */
    async quarantine(record: Kept): Promise<boolean> {
      const day = record.at.slice(0, 10)
      if (day !== refused.day) Object.assign(refused, {day, copies: 0, bytes: 0})
      const isFull = refused.copies >= QUARANTINE.copies || refused.bytes + record.bytes > QUARANTINE.bytes
      if (isFull) {
        refused.dropped += 1
        return false
      }
      refused.copies += 1
      refused.bytes += record.bytes
      return keep(record, {sync: false})
    },
    /** What is lost with it says only what the listener did. */
    note(record: Parameters<Receipts['note']>[0]) {
      const store = receipts
      store?.note(record).catch((error: unknown) => failed(store, error))
    },
    /** How many were refused and not kept. */
    dropped: () => refused.dropped,
    async retry() {
      if (receipts !== undefined) return
      receipts = await open().catch(() => undefined)
      if (receipts === undefined) return
      letGo()
      health.fail('store', false)
    },
    async close(at: string) {
      const {dropped} = refused
      if (dropped > 0) await receipts?.note({kind: 'alive', at, dropped}).catch(() => {})
      await receipts?.close().catch(() => {})
    },
  }
}
