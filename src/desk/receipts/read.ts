import {join} from 'node:path'
import {isFailure} from '../../contract/failure.ts'
import {namesIn, statOf} from '../../store/files.ts'
import {isLocked, isRenewed} from '../../store/lock.ts'
import type {Folders, Identity} from '../../store/paths.ts'
import {type Glance, glancesIn, type Note} from './glances.ts'
import type {Opened, ReceiptRecord, Received} from './records.ts'
import {receiptsFile, receiptsFolder} from './segment.ts'

/** A file of receipts: its path, when it was last written, and whether a listener holds it now, and can write. */
interface Segment {
  path: string
  touched: number
  held: boolean
  isWritten: boolean
}

/** The files of receipts that were written since `since` (milliseconds), the oldest first. Reading never locks. */
export function segmentsOf(folders: Folders, identity: Identity, since = 0): Segment[] {
  const folder = receiptsFolder(folders, identity)
  return namesIn(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => {
      const touched = statOf(path)?.mtimeMs
      if (touched === undefined) return []
      const held = isLocked(`${path}.lock`)
      return [{path, touched, held, isWritten: held && isRenewed(`${path}.lock`)}]
    })
    .filter(({touched, held}) => held || touched >= since)
}

/** The records of some files of receipts. A damaged file is told to `damaged`, and the others are read on. */
export const readSegments = (
  segments: readonly Segment[],
  identity: Identity,
  damaged?: (path: string) => void,
): Generator<{record: ReceiptRecord; segment: Segment}> =>
  readEach(segments, (path) => receiptsFile(path, identity).records(), damaged)

/** What each listener that runs now wrote down when it began. */
export const runningListeners = (folders: Folders, identity: Identity): Opened[] =>
  segmentsOf(folders, identity)
    .filter(({held}) => held)
    .flatMap((segment) => {
      const first = readSegments([segment], identity).next().value?.record
      return first?.kind === 'opened' ? [first] : []
    })

/** The records without headers and bodies, which takes far less time, unless bodies say which are wanted (glances.ts). */
export const readGlances = (
  segments: readonly Segment[],
  identity: Identity,
  {
    damaged,
    isWanted,
  }: {damaged?: (path: string) => void; isWanted?: ((record: Received) => boolean) | undefined} = {},
): Generator<{record: Glance | Note; segment: Segment}> =>
  readEach(segments, (path) => glancesIn(path, identity, isWanted), damaged)

function* readEach<R>(
  segments: readonly Segment[],
  recordsOf: (path: string) => Iterable<R>,
  damaged: (path: string) => void = () => {},
): Generator<{record: R; segment: Segment}> {
  for (const segment of segments) {
    try {
      for (const record of recordsOf(segment.path)) yield {record, segment}
    } catch (error) {
      if (!isFailure(error, 'CORRUPT_FILE', 'FOREIGN_FILE', 'FILE_FAILED')) throw error
      damaged(segment.path)
    }
  }
}
