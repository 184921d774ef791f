import * as fs from 'node:fs'
import {attempt, corrupt, createOwn, fileFailed, foreign, openOwn, writeOwn} from './files.ts'
import {decode, encode, LONGEST_LINE, NEWLINE} from './journal-lines.ts'

// A journal on disk: a header and lines (journal-lines.ts). journal.ts knows what the lines record.

const TAIL = 64 * 1024
const LONGEST_HEADER = 4 * 1024

/** The first line of a journal: its kind and version, and whose records it holds. */
export type Header = Readonly<Record<string, string | number | null>>

/** The header of a journal; undefined if there is no such file. Fails with CORRUPT_FILE. */
export function headerOf(path: string): unknown {
  return reading(path, (fd) => firstLine(path, fd))
}

/** Runs `read` on an open file; undefined if there is no such file. */
export function reading<T>(path: string, read: (fd: number) => T): T | undefined {
  const fd = openOwn(path, fs.constants.O_RDONLY)
  if (fd === undefined) return undefined
  try {
    return attempt(path, 'read', () => read(fd))
  } finally {
    fs.closeSync(fd)
  }
}

/** Returns where a line begins that is not more than a few records before the end of the file. */
export function nearEnd(path: string): number {
  const place = reading(path, (fd) => {
    const {size} = fs.fstatSync(fd)
    const tail = Buffer.alloc(Math.min(size, TAIL))
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
  const value = end < 0 ? undefined : decode(start.subarray(0, end))
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
  if (decode(tail.subarray(start)) !== undefined) return size + fs.writeSync(fd, '\n')
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
