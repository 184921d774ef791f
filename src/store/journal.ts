import {join} from 'node:path'
import * as z from 'zod/mini'
import {isFailure} from '../contract/failure.ts'
import {corrupt} from './files.ts'
import {
  appendLines,
  type Header,
  type Held,
  nearEnd,
  openHeld,
  replaceLines,
  requireHeader,
} from './journal-file.ts'
import {encoded, linesFrom, whereIs} from './journal-lines.ts'
import {busy, requireHeld, tryLock, withLock} from './lock.ts'
import {type Folders, type Identity, recordsFolder} from './paths.ts'

/**
 * Local records, append-only: one JSON object a line, so that `jq` reads them. The last member of each object is its
 * checksum, the CRC-32 of the line without it. Several processes may append. A kill at any byte loses at most the line
 * being written. Every call fails with CORRUPT_FILE, naming the line, if a line other than a torn last one is damaged,
 * and with FOREIGN_FILE if the header is not the expected one.
 */
export interface Journal<R> {
  path: string
  /**
   * Writes a record, or several in one write; with `sync` they are on disk when this returns. Fails with FILE_FAILED
   * when the disk refuses, and from then on always: what a failed fsync has lost can't be known.
   */
  append(record: R | R[], options?: {sync?: boolean}): Promise<void>
  /**
   * Keeps every other process from appending until the returned function is called. Appending costs far less
   * meanwhile, and records that are to be on disk at the same time share one flush. Fails with BUSY.
   */
  hold(): () => void
  /** Puts these records in the place of all others, whole or not at all; they are on disk when this returns. */
  replace(records: R[]): Promise<void>
  /** The records from the first to the last, a torn last one too if it is whole. None if there is no file yet. */
  records(): Generator<R>
  /** The records with their places, from a place on; a last line without its end is left out, unless `torn` ones are wanted. */
  entries(from?: number, options?: {torn?: boolean}): Generator<Entry<R>>
  /** The one record at a place. */
  at(place: number): R
  /** The last record whose line is ended. */
  last(): R | undefined
}

/** A record with the bytes at which it and the next one begin. */
export interface Entry<R> {
  record: R
  place: number
  next: number
}

interface JournalOptions<R> {
  path: string
  header: Header
  record: z.ZodMiniType<R>
  /** Whether the schema would take a record as it is: a faster way to say so of the most frequent ones. */
  isSure?: (value: unknown) => value is R
}

/** The journal `name` of one identity. A file that holds the records of another identity is refused (FOREIGN_FILE). */
export function recordsJournal<R>(
  folders: Folders,
  identity: Identity,
  name: string,
  record: z.ZodMiniType<R>,
): Journal<R> {
  const path = join(recordsFolder(folders, identity), `${name}.ndjson`)
  return journal({path, header: ownHeader(name, identity), record})
}

/** The first line of a journal: its kind, and whose records it holds. */
export function ownHeader(name: string, {origin, clientId, onBehalfOf}: Identity): Header {
  return {journal: name, version: 1, origin, clientId, onBehalfOf}
}

/** Opens nothing yet: the file is made by the first append. */
export function journal<R>(options: JournalOptions<R>): Journal<R> {
  const {path, header} = options
  let last: Promise<unknown> = Promise.resolve()
  let broken: unknown
  let held: Held | undefined
  /** A disk that has failed once stays failed: what it has lost can't be known. */
  const notBroken = async <T>(work: () => T | Promise<T>): Promise<T> => {
    if (broken !== undefined) throw broken
    try {
      return await work()
    } catch (error) {
      if (isFailure(error, 'FILE_FAILED')) broken = error
      throw error
    }
  }
  const linesOf = (records: R[]) =>
    encoded(records.map((one) => (options.isSure?.(one) ? one : z.parse(options.record, one)) as object))
  /** Runs changes one after the other, in the order of the calls. */
  const change = (records: R[], step: (lines: Buffer) => void) => {
    const lines = linesOf(records)
    const mine = last.then(() => notBroken(() => withLock(`${path}.lock`, () => step(lines))))
    last = mine.catch(() => {})
    return mine
  }
  return {
    path,
    append(record, {sync = false} = {}) {
      const added = Array.isArray(record) ? record : [record]
      const writer = held
      if (writer)
        return notBroken(() => {
          requireHeld(`${path}.lock`)
          return writer.write(linesOf(added), sync)
        })
      return change(added, (lines) => appendLines(path, header, lines, sync))
    },
    hold() {
      const release = tryLock(`${path}.lock`)
      if (release === undefined) throw busy(path)
      let writer: Held
      try {
        writer = openHeld(path, header)
      } catch (error) {
        release()
        throw error
      }
      held = writer
      return () => {
        held = undefined
        writer.close()
        release()
      }
    },
    replace: (records) => change(records, (lines) => replaceLines(path, header, lines)),
    records: () => records(options),
    entries: (from = 0, wanted = {}) => entries(options, from, wanted),
    at: (place) => recordAt(options, place),
    last: () => lastRecord(options),
  }
}

function* records<R>(options: JournalOptions<R>): Generator<R> {
  for (const {record} of entries(options, 0, {torn: true})) yield record
}

function* entries<R>(
  {path, header, record, isSure}: JournalOptions<R>,
  from: number,
  {torn = false} = {},
): Generator<Entry<R>> {
  for (const line of linesFrom(path, from)) {
    const {value, place, next, ended} = line
    if (place === 0) {
      requireHeader(path, header, value)
      continue
    }
    if (!ended && !torn) return
    if (isSure?.(value)) {
      yield {record: value, place, next}
      continue
    }
    const parsed = z.safeParse(record, value)
    if (!parsed.success)
      throw corrupt(path, `holds ${whereIs(line, from)} a record that this version does not know`)
    yield {record: parsed.data, place, next}
  }
}

function recordAt<R>(options: JournalOptions<R>, place: number): R {
  for (const {record} of entries(options, place, {torn: true})) return record
  throw corrupt(options.path, `ends before byte ${place}`)
}

function lastRecord<R>(options: JournalOptions<R>): R | undefined {
  const place = nearEnd(options.path)
  let last: R | undefined
  for (const {record} of entries(options, place)) last = record
  return last
}
