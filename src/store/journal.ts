import * as z from 'zod/mini'
import {Failure, isFailure} from '../contract/failure.ts'
import {corrupt} from './files.ts'
import {
  appendLines,
  encoded,
  type Header,
  type Held,
  linesFrom,
  nearEnd,
  openHeld,
  replaceLines,
  requireHeader,
} from './journal-file.ts'
import {tryLock, withLock} from './lock.ts'

/**
 * Local records, append-only: one JSON object a line, the last member of each its checksum (CRC-32 of the line
 * without it), so that `jq` reads them. Several processes may append. A kill at any byte loses at most the line being
 * written. Every call fails with CORRUPT_FILE, naming the line, where a line other than a torn last one is damaged,
 * and with FOREIGN_FILE where the header is not the expected one.
 */
export interface Journal<R> {
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
  /** The records from the first to the last, read as they are asked for. Nothing where there is no file yet. */
  records(): AsyncIterable<R>
  /** The records with their places, from a place on; a last line that is not ended yet is left out. */
  entries(from?: number): Generator<Entry<R>>
  /** The one record at a place. */
  at(place: number): R
  /** The last whole record; undefined where there is none. */
  last(): R | undefined
  all(): Promise<R[]>
}

/** A record with the byte at which it begins, and that of the one after it. */
export interface Entry<R> {
  record: R
  place: number
  next: number
}

export interface JournalOptions<R> {
  path: string
  header: Header
  record: z.ZodMiniType<R>
}

/** Opens nothing yet: the file is made by the first append. */
export function journal<R>(options: JournalOptions<R>): Journal<R> {
  const {path, header} = options
  let last: Promise<unknown> = Promise.resolve()
  let broken: unknown
  let held: Held | undefined
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
    encoded(records.map((record) => z.parse(options.record, record) as object))
  /** Changes after one another, in the order in which they were asked for. */
  const change = (records: R[], step: (lines: Buffer) => void) => {
    const lines = linesOf(records)
    const mine = last.then(() => notBroken(() => withLock(`${path}.lock`, () => step(lines))))
    last = mine.catch(() => {})
    return mine
  }
  return {
    append(record, {sync = false} = {}) {
      const added = Array.isArray(record) ? record : [record]
      const writer = held
      if (writer) return notBroken(() => writer.write(linesOf(added), sync))
      return change(added, (lines) => appendLines(path, header, lines, sync))
    },
    hold() {
      const release = tryLock(`${path}.lock`)
      if (release === undefined)
        throw new Failure('BUSY', {message: `Another process of scent holds ${path}.`})
      const writer = openHeld(path, header)
      held = writer
      return () => {
        held = undefined
        writer.close()
        release()
      }
    },
    replace: (records) => change(records, (lines) => replaceLines(path, header, lines)),
    records: () => records(options),
    entries: (from = 0) => entries(options, from),
    at: (place) => recordAt(options, place),
    last: () => lastRecord(options),
    async all() {
      const found: R[] = []
      for await (const record of records(options)) found.push(record)
      return found
    },
  }
}

async function* records<R>(options: JournalOptions<R>): AsyncGenerator<R> {
  for (const {record} of entries(options, 0, {torn: true})) yield record
}

function* entries<R>(
  {path, header, record}: JournalOptions<R>,
  from: number,
  {torn = false} = {},
): Generator<Entry<R>> {
  for (const {value, place, next, name, ended} of linesFrom(path, from)) {
    if (place === 0) {
      requireHeader(path, header, value)
      continue
    }
    if (!ended && !torn) return
    const parsed = z.safeParse(record, value)
    if (!parsed.success) throw corrupt(path, `holds ${name} a record that this version does not know`)
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
