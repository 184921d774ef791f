import {isAscii} from 'node:buffer'
import * as fs from 'node:fs'
import {crc32} from 'node:zlib'
import {attempt, corrupt, openOwn} from './files.ts'

// The lines of a journal: each is a JSON object, whose last member is its checksum.

const CHUNK = 64 * 1024
/** A delivery of 1 MiB in base64 is one line. */
export const LONGEST_LINE = 2 * 1024 * 1024
/** Of a text in a record that is longer than a line may be. */
const LONGEST_TEXT = 4 * 1024
export const NEWLINE = 0x0a

interface Line {
  /** Undefined if it is damaged. */
  value: unknown
  place: number
  next: number
  number: number
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
  let room = Buffer.allocUnsafe(from > 0 ? CHUNK / 32 : CHUNK)
  let filled = 0
  let number = 0
  let place = from
  const line = (bytes: Buffer, ended: boolean, encoding: BufferEncoding): Line => {
    number += 1
    const value = decode(bytes, encoding)
    return {value, place, next: place + bytes.length + Number(ended), number, ended}
  }
  for (;;) {
    const read = attempt(path, 'read', () =>
      fs.readSync(fd, room, filled, room.length - filled, place + filled),
    )
    if (read === 0) break
    filled += read
    const bytes = room.subarray(0, filled)
    const encoding = encodingOf(bytes)
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      const found = line(bytes.subarray(start, end), true, encoding)
      if (found.value === undefined) throw corrupt(path, `is damaged ${whereIs(found, from)}`)
      start = end + 1
      yield found
      place = found.next
    }
    room.copyWithin(0, start, filled)
    filled -= start
    if (filled > LONGEST_LINE) throw corrupt(path, `is damaged in line ${number + 1}`)
    if (room.length < CHUNK || filled > room.length / 2) {
      const larger = Buffer.allocUnsafe(Math.max(CHUNK, 2 * room.length))
      room.copy(larger, 0, 0, filled)
      room = larger
    }
  }
  const bytes = room.subarray(0, filled)
  const torn = line(bytes, false, encodingOf(bytes))
  if (torn.value !== undefined) yield torn
  else if (number === 1 && from === 0) throw corrupt(path, 'is empty, or not a journal of scent')
}

/** Text without other letters is read much faster. */
export const encodingOf = (bytes: Buffer): BufferEncoding => (isAscii(bytes) ? 'latin1' : 'utf8')

/** Where a line stands, in words; `from`: where the reading began. */
export const whereIs = ({number, place}: Pick<Line, 'number' | 'place'>, from: number) =>
  from === 0 ? `in line ${number}` : `at byte ${place}`

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

/** The end of a line whose text has this checksum. */
const endOf = (sum: number) => `,"sum":"${sum.toString(16).padStart(8, '0')}"}`
const END = endOf(0).length

export function encode(record: object, replacer?: (key: string, value: unknown) => unknown): string {
  const text = JSON.stringify(record, replacer)
  return `${text.slice(0, -1)}${endOf(crc32(text))}\n`
}

/** Returns the object of a line; undefined if its checksum does not fit. */
export function decode(line: Buffer, encoding: BufferEncoding = 'utf8'): unknown {
  const size = Math.max(0, line.length - END)
  const sum = crc32('}', crc32(line.subarray(0, size)))
  if (line.toString('latin1', size) !== endOf(sum)) return undefined
  try {
    return JSON.parse(`${line.toString(encoding, 0, size)}}`)
  } catch {
    return undefined
  }
}
