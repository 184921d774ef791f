import * as fs from 'node:fs'
import {crc32} from 'node:zlib'
import * as z from 'zod/mini'
import {Failure, isFailure} from '../contract/failure.ts'
import {attempt, corrupt, createOwn, fileFailed, foreign, openOwn, writeOwn} from './files.ts'
import {tryLock, withLock} from './lock.ts'

const CHUNK = 64 * 1024
const LONGEST_LINE = 1024 * 1024
const LONGEST_HEADER = 4 * 1024
const NEWLINE = 0x0a
const SUM = /,"sum":"([0-9a-f]{8})"\}$/

/** What the first line of a journal says: its kind and version, and whose records it holds. */
export type Header = Readonly<Record<string, string | number | null>>

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
  /** Changes after one another, in the order in which they were asked for. */
  const change = (records: R[], step: (lines: Buffer) => void) => {
    const lines = linesOf(options, records)
    const mine = last.then(() => notBroken(() => withLock(`${options.path}.lock`, () => step(lines))))
    last = mine.catch(() => {})
    return mine
  }
  return {
    append(record, {sync = false} = {}) {
      const added = Array.isArray(record) ? record : [record]
      const writer = held
      if (writer) return notBroken(() => writer.write(linesOf(options, added), sync))
      return change(added, (lines) => write(options, lines, sync))
    },
    hold() {
      const release = tryLock(`${options.path}.lock`)
      if (release === undefined)
        throw new Failure('BUSY', {message: `Another process of scent holds ${options.path}.`})
      const writer = openHeld(options)
      held = writer
      return () => {
        held = undefined
        writer.close()
        release()
      }
    },
    replace: (records) => change(records, (lines) => rewrite(options, lines)),
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

/** What the first line of a journal says; undefined where there is no such file. Fails with CORRUPT_FILE. */
export function headerOf(path: string): unknown {
  const fd = openOwn(path, fs.constants.O_RDONLY)
  if (fd === undefined) return undefined
  try {
    return firstLine(path, fd)
  } finally {
    fs.closeSync(fd)
  }
}

function linesOf<R>({record: schema}: JournalOptions<R>, records: R[]): Buffer {
  const lines = records.map((record) => encode(z.parse(schema, record) as object))
  if (lines.some((line) => Buffer.byteLength(line) > LONGEST_LINE))
    throw new RangeError('a journal record is too long')
  return Buffer.from(lines.join(''))
}

async function* records<R>(options: JournalOptions<R>): AsyncGenerator<R> {
  for (const {record} of entries(options, 0, {torn: true})) yield record
}

function* entries<R>(
  {path, header, record}: JournalOptions<R>,
  from: number,
  {torn = false} = {},
): Generator<Entry<R>> {
  const fd = openOwn(path, fs.constants.O_RDONLY)
  if (fd === undefined) return
  try {
    for (const {value, place, next, name, ended} of lines(path, fd, from)) {
      if (place === 0) {
        requireHeader(path, header, value)
        continue
      }
      if (!ended && !torn) return
      const parsed = z.safeParse(record, value)
      if (!parsed.success) throw corrupt(path, `holds ${name} a record that this version does not know`)
      yield {record: parsed.data, place, next}
    }
  } finally {
    fs.closeSync(fd)
  }
}

function recordAt<R>(options: JournalOptions<R>, place: number): R {
  for (const {record} of entries(options, place, {torn: true})) return record
  throw corrupt(options.path, `ends before byte ${place}`)
}

function lastRecord<R>(options: JournalOptions<R>): R | undefined {
  const place = lastPlace(options.path)
  let last: R | undefined
  for (const {record} of entries(options, place)) last = record
  return last
}

/** A place that is not more than a few records before the end: the second line of the last part of the file. */
function lastPlace(path: string): number {
  const fd = openOwn(path, fs.constants.O_RDONLY)
  if (fd === undefined) return 0
  try {
    const {size} = fs.fstatSync(fd)
    const tail = Buffer.alloc(Math.min(size, CHUNK))
    if (size === tail.length) return 0
    fs.readSync(fd, tail, 0, tail.length, size - tail.length)
    const second = tail.indexOf(NEWLINE) + 1
    return second === 0 || second === tail.length ? 0 : size - tail.length + second
  } finally {
    fs.closeSync(fd)
  }
}

interface Line {
  value: unknown
  place: number
  next: number
  /** Where it stands, for people. */
  name: string
  /** False for a last line whose end is not there (yet). */
  ended: boolean
}

/** Checked lines from a byte on. A last line without its end is a record only if its checksum fits. */
function* lines(path: string, fd: number, from: number): Generator<Line> {
  // One record by its place needs few bytes, a whole journal many.
  let chunk = Buffer.alloc(from > 0 ? CHUNK / 32 : CHUNK)
  let rest = Buffer.alloc(0)
  let number = 0
  let place = from
  const name = () => (from === 0 ? `in line ${number}` : `at byte ${place}`)
  const line = (text: string, bytes: number, ended: boolean): Line | undefined => {
    number += 1
    const value = decode(text)
    return value === undefined ? undefined : {value, place, next: place + bytes, name: name(), ended}
  }
  for (let at = from; ; ) {
    if (at > from && chunk.length < CHUNK) chunk = Buffer.alloc(CHUNK)
    const read = attempt(path, 'read', () => fs.readSync(fd, chunk, 0, chunk.length, at))
    if (read === 0) break
    at += read
    rest = Buffer.concat([rest, chunk.subarray(0, read)])
    let start = 0
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
      const found = line(rest.toString('utf8', start, end), end + 1 - start, true)
      if (found === undefined) throw corrupt(path, `is damaged ${name()}`)
      yield found
      start = end + 1
      place = found.next
    }
    rest = rest.subarray(start)
    if (rest.length > LONGEST_LINE) throw corrupt(path, `is damaged in line ${number + 1}`)
  }
  const torn = line(rest.toString('utf8'), rest.length, false)
  if (torn !== undefined) yield torn
  else if (number === 1 && from === 0) throw corrupt(path, 'is empty or no journal of scent')
}

/** Appends one line, in one write, with the lock held. */
function write<R>({path, header}: JournalOptions<R>, line: Buffer, sync: boolean): void {
  const fd = openOrMake(path, header)
  try {
    requireHeader(path, header, firstLine(path, fd))
    attempt(path, 'written', () => {
      const size = heal(fd)
      if (fs.writeSync(fd, line) !== line.length) {
        fs.ftruncateSync(fd, size)
        throw fileFailed(path, 'written', {code: 'disk full'})
      }
      if (sync) fs.fsyncSync(fd)
    })
  } finally {
    fs.closeSync(fd)
  }
}

interface Held {
  write(lines: Buffer, sync: boolean): void | Promise<void>
  close(): void
}

/** A journal that this process alone appends to, open until it is closed. */
function openHeld<R>({path, header}: JournalOptions<R>): Held {
  const fd = openOrMake(path, header)
  requireHeader(path, header, firstLine(path, fd))
  let size = attempt(path, 'written', () => {
    const healed = heal(fd)
    // What a killed process wrote may be in memory alone: its successor acts on it, and the power may fail later.
    fs.fsyncSync(fd)
    return healed
  })
  let waiting: {done: () => void; fail: (error: unknown) => void}[] = []
  let flushing = false

  function flush(): void {
    const these = waiting
    waiting = []
    flushing = these.length > 0
    if (!flushing) return
    fs.fsync(fd, (error) => {
      for (const {done, fail} of these) error ? fail(fileFailed(path, 'written', error)) : done()
      flush()
    })
  }

  return {
    write(lines, sync) {
      attempt(path, 'written', () => {
        if (fs.writeSync(fd, lines) !== lines.length) {
          fs.ftruncateSync(fd, size)
          throw fileFailed(path, 'written', {code: 'disk full'})
        }
        size += lines.length
      })
      if (!sync) return
      return new Promise((done, fail) => {
        waiting.push({done, fail})
        if (!flushing) flush()
      })
    },
    close: () => fs.closeSync(fd),
  }
}

/** Writes a file of these lines alone, with the lock held. What stands there must be a journal of the same owner. */
function rewrite<R>({path, header}: JournalOptions<R>, lines: Buffer): void {
  const fd = openOwn(path, fs.constants.O_RDONLY)
  try {
    if (fd !== undefined) requireHeader(path, header, firstLine(path, fd))
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
  writeOwn(path, encode(header) + lines.toString('utf8'))
}

/** The header is there from the file's first moment, so that a journal is never without. */
function openOrMake(path: string, header: Header): number {
  const flags = fs.constants.O_RDWR | fs.constants.O_APPEND
  const fd = openOwn(path, flags)
  if (fd !== undefined) return fd
  createOwn(path, encode(header))
  const made = openOwn(path, flags)
  if (made === undefined) throw fileFailed(path, 'opened', {code: 'ENOENT'})
  return made
}

function firstLine(path: string, fd: number): unknown {
  const start = Buffer.alloc(LONGEST_HEADER)
  const read = attempt(path, 'read', () => fs.readSync(fd, start, 0, start.length, 0))
  const end = start.subarray(0, read).indexOf(NEWLINE)
  const value = end < 0 ? undefined : decode(start.toString('utf8', 0, end))
  if (value === undefined) throw corrupt(path, 'is empty or no journal of scent')
  return value
}

/** Ends a torn last line: cut off, or completed where only its end was lost. Returns the size of the file. */
function heal(fd: number): number {
  const size = fs.fstatSync(fd).size
  const end = Buffer.alloc(1)
  fs.readSync(fd, end, 0, 1, size - 1)
  if (end[0] === NEWLINE) return size
  const tail = Buffer.alloc(Math.min(size, LONGEST_LINE))
  fs.readSync(fd, tail, 0, tail.length, size - tail.length)
  const start = tail.lastIndexOf(NEWLINE) + 1
  if (decode(tail.toString('utf8', start)) !== undefined) return size + fs.writeSync(fd, '\n')
  const whole = size - tail.length + start
  fs.ftruncateSync(fd, whole)
  return whole
}

function requireHeader(path: string, header: Header, found: unknown): void {
  for (const [name, value] of Object.entries(header)) {
    if ((found as Header)[name] === value) continue
    throw foreign(path, `holds the records of another ${name}`)
  }
}

const sumOf = (text: string) => crc32(text).toString(16).padStart(8, '0')

function encode(record: object): string {
  const text = JSON.stringify(record)
  return `${text.slice(0, -1)},"sum":"${sumOf(text)}"}\n`
}

/** The object of a line, or undefined where its checksum does not fit. */
function decode(line: string): unknown {
  const match = SUM.exec(line)
  if (match === null) return undefined
  const text = `${line.slice(0, match.index)}}`
  return sumOf(text) === match[1] ? JSON.parse(text) : undefined
}
