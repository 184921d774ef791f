import * as fs from 'node:fs'
import {crc32} from 'node:zlib'
import {attempt, corrupt, createOwn, fileFailed, foreign, openOwn, writeOwn} from './files.ts'

// A journal on disk: a header and lines, each with its checksum. journal.ts knows what the lines record.

const CHUNK = 64 * 1024
/** A delivery of 1 MiB in base64 is one line. */
const LONGEST_LINE = 2 * 1024 * 1024
/** Of a text in a record that is longer than a line may be. */
const LONGEST_TEXT = 4 * 1024
const LONGEST_HEADER = 4 * 1024
const NEWLINE = 0x0a
const SUM = /,"sum":"([0-9a-f]{8})"\}$/

/** The first line of a journal: its kind and version, and whose records it holds. */
export type Header = Readonly<Record<string, string | number | null>>

/** The header of a journal; undefined if there is no such file. Fails with CORRUPT_FILE. */
export function headerOf(path: string): unknown {
  return reading(path, (fd) => firstLine(path, fd))
}

/** Runs `read` on an open file; undefined if there is no such file. */
function reading<T>(path: string, read: (fd: number) => T): T | undefined {
  const fd = openOwn(path, fs.constants.O_RDONLY)
  if (fd === undefined) return undefined
  try {
    return read(fd)
  } finally {
    fs.closeSync(fd)
  }
}

interface Line {
  value: unknown
  place: number
  next: number
  /** Where it stands, in words. */
  name: string
  /** False for a last line whose end is missing (yet). */
  ended: boolean
}

/**
 * Reads checked lines from a byte on; none if there is no file. A last line without its end counts only if its checksum
 * fits.
 */
export function* linesFrom(path: string, from: number): Generator<Line> {
  const fd = openOwn(path, fs.constants.O_RDONLY)
  if (fd === undefined) return
  try {
    yield* lines(path, fd, from)
  } finally {
    fs.closeSync(fd)
  }
}

function* lines(path: string, fd: number, from: number): Generator<Line> {
  // One record takes few bytes to read, a whole journal many.
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
  else if (number === 1 && from === 0) throw corrupt(path, 'is empty, or not a journal of scent')
}

/** Returns where a line begins that is not more than a few records before the end of the file. */
export function nearEnd(path: string): number {
  const place = reading(path, (fd) => {
    const {size} = fs.fstatSync(fd)
    const tail = Buffer.alloc(Math.min(size, CHUNK))
    if (size === tail.length) return 0
    fs.readSync(fd, tail, 0, tail.length, size - tail.length)
    const second = tail.indexOf(NEWLINE) + 1
    return second === 0 || second === tail.length ? 0 : size - tail.length + second
  })
  return place ?? 0
}

/** Appends in one write. The caller holds the lock. */
export function appendLines(path: string, header: Header, lines: Buffer, sync: boolean): void {
  const fd = openOrMake(path, header)
  try {
    requireHeader(path, header, firstLine(path, fd))
    attempt(path, 'written', () => {
      writeWhole(path, fd, lines, heal(fd))
      if (sync) fs.fsyncSync(fd)
    })
  } finally {
    fs.closeSync(fd)
  }
}

/** Writes all of it at the end of a file of this size, or leaves the file as it was. */
function writeWhole(path: string, fd: number, lines: Buffer, size: number): void {
  if (fs.writeSync(fd, lines) === lines.length) return
  fs.ftruncateSync(fd, size)
  throw fileFailed(path, 'written', {code: 'disk full'})
}

export interface Held {
  write(lines: Buffer, sync: boolean): void | Promise<void>
  close(): void
}

/** Opens a journal that this process alone appends to. */
export function openHeld(path: string, header: Header): Held {
  const fd = openOrMake(path, header)
  requireHeader(path, header, firstLine(path, fd))
  let size = attempt(path, 'written', () => {
    const healed = heal(fd)
    // A killed process may have left records in memory only: we act on them, and the power may fail later.
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
        writeWhole(path, fd, lines, size)
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

/** Replaces the file, which must be a journal of the same owner, by these lines. The caller holds the lock. */
export function replaceLines(path: string, header: Header, lines: Buffer): void {
  const found = headerOf(path)
  if (found !== undefined) requireHeader(path, header, found)
  writeOwn(path, encode(header) + lines.toString('utf8'))
}

/** A new file has its header from its first moment. */
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
  if (value === undefined) throw corrupt(path, 'is empty, or not a journal of scent')
  return value
}

/** Cuts a torn last line off, or ends it if only its line end was lost. Returns the size of the file. */
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

export function requireHeader(path: string, header: Header, found: unknown): void {
  for (const [name, value] of Object.entries(header)) {
    if ((found as Header)[name] === value) continue
    throw foreign(path, `holds the records of another ${name}`)
  }
}

/** Encodes records as lines. */
export function encoded(records: object[]): Buffer {
  return Buffer.from(records.map(encodeShort).join(''))
}

/** A text of a service may have any length, and what it answered must be written down all the same. */
function encodeShort(record: object): string {
  const isLong = (line: string) => Buffer.byteLength(line) > LONGEST_LINE
  const line = encode(record)
  if (!isLong(line)) return line
  const cut = (_: string, value: unknown) =>
    typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : value
  const shorter = encode(record, cut)
  if (isLong(shorter)) throw new RangeError('a journal record is too long')
  return shorter
}

const sumOf = (text: string) => crc32(text).toString(16).padStart(8, '0')

function encode(record: object, replacer?: (key: string, value: unknown) => unknown): string {
  const text = JSON.stringify(record, replacer)
  return `${text.slice(0, -1)},"sum":"${sumOf(text)}"}\n`
}

/** Returns the object of a line; undefined if its checksum does not fit. */
function decode(line: string): unknown {
  const match = SUM.exec(line)
  if (match === null) return undefined
  const text = `${line.slice(0, match.index)}}`
  return sumOf(text) === match[1] ? JSON.parse(text) : undefined
}
