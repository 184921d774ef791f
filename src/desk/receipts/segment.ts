import {randomBytes} from 'node:crypto'
import {join} from 'node:path'
import {type Failure, isFailure} from '../../contract/failure.ts'
import {type Journal, journal, ownHeader} from '../../store/journal.ts'
import {stall} from '../../store/lock.ts'
import {type Folders, type Identity, recordsFolder} from '../../store/paths.ts'
import {
  type Handed,
  isReceived,
  type Opened,
  type ReceiptRecord,
  type Received,
  receiptRecord,
} from './records.ts'

/** A file of receipts ends when it has this many bytes of bodies; the listener goes on in another one. */
const LARGEST = 32 * 1024 * 1024

export const receiptsFolder = (folders: Folders, identity: Identity) =>
  join(recordsFolder(folders, identity), 'receipts')

/** A file of receipts, held by one listener, which alone writes it; or by who sends receipts on again. */
export function receiptsFile(path: string, identity: Identity): Journal<ReceiptRecord> {
  return journal({path, header: ownHeader('receipts', identity), record: receiptRecord, isSure: isReceived})
}

function newFile(folders: Folders, identity: Identity) {
  const name = `${Date.now()}-${process.pid}-${randomBytes(3).toString('hex')}.ndjson`
  const file = receiptsFile(join(receiptsFolder(folders, identity), name), identity)
  return {file, release: file.hold()}
}

/**
 * Writes down that receipts were sent on again: in a file of its own, which the first makes, since those that they stand in
 * are their listeners'.
 */
export function openReplays({folders, identity}: {folders: Folders; identity: Identity}) {
  let part: ReturnType<typeof newFile> | undefined
  let lost: Failure | undefined
  return {
    /** Never fails: what is lost with it would at most be sent once more. */
    async note(record: Handed): Promise<void> {
      try {
        part ??= newFile(folders, identity)
        await part.file.append(record)
      } catch (error) {
        if (!isFailure(error)) throw error
        lost = error
      }
    },
    /** Why something could not be written. */
    lost: () => lost,
    close: () => part?.release(),
  }
}

export interface Receipts {
  /** Writes a receipt; with `sync` it is on disk when this returns. Requests that wait share one flush. */
  keep(receipt: Omit<Received, 'kind' | 'n'>, options: {sync: boolean}): Promise<Received>
  note(record: Exclude<ReceiptRecord, Received | Opened>): Promise<void>
  /** Shows that nothing more is written, though its listener runs. Returns how to let go of it. */
  fail(): () => void
  close(): Promise<void>
}

/**
 * Opens a new file of receipts for one listener. Fails with FILE_FAILED if the disk refuses; after that the listener opens
 * receipts anew, since what a failed flush has lost can't be known.
 */
export async function openReceipts(
  folders: Folders,
  identity: Identity,
  opened: () => Omit<Opened, 'kind'>,
): Promise<Receipts> {
  const begin = async () => {
    const {file, release} = newFile(folders, identity)
    await file.append({kind: 'opened', ...opened()}, {sync: true})
    return {file, release, bytes: 0, count: 0}
  }
  let part = await begin()
  /** Several requests may find the file full at once: one of them begins the next. */
  let turning: Promise<void> | undefined
  const turn = async () => {
    const full = part
    part = await begin()
    // Writes that are under way end in the full file before it is let go.
    await full.file.append({kind: 'closed', at: new Date().toISOString()}, {sync: true})
    full.release()
  }
  return {
    async keep(receipt, {sync}) {
      if (part.bytes >= LARGEST) turning ??= turn().finally(() => (turning = undefined))
      await turning
      part.count += 1
      part.bytes += receipt.body.length
      const record: Received = {kind: 'received', n: part.count, ...receipt}
      await part.file.append(record, {sync})
      return record
    },
    note: (record) => part.file.append(record),
    fail() {
      stall(`${part.file.path}.lock`)
      return part.release
    },
    async close() {
      await turning
      await part.file.append({kind: 'closed', at: new Date().toISOString()}, {sync: true})
      part.release()
    },
  }
}
