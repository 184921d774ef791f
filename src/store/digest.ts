import * as fs from 'node:fs'
import {basename, dirname, join} from 'node:path'
import {crc32} from 'node:zlib'
import {writeBeside} from './files.ts'
import {type Header, reading} from './journal-file.ts'
import {encodingOf, NEWLINE} from './journal-lines.ts'

// What was read out of the beginning of a journal, kept beside it, so that it need not be read again. It is a cache: it may
// be deleted, and it counts only for a journal that still begins with the very bytes that it was made of.

interface Digest {
  text: string
  /** How many bytes of the journal it was made of. */
  covered: number
}

const CHUNK = 1024 * 1024
/** With less free disk there is no room for what only saves time. */
const LEAST_FREE = 256 * 1024 * 1024
/** Others may be writing one at this moment. */
const LEFT_OVER_MS = 60_000

const SETTLED_MS = 1_000

export const digestPath = (path: string) => `${path}.digest`

/** The digest of the journal at this path; undefined if there is none that was made, under this header, of what is there now. */
export function readDigest(path: string, header: Header): Digest | undefined {
  try {
    const bytes = reading(digestPath(path), (fd) => fs.readFileSync(fd))
    if (bytes === undefined) return undefined
    const end = bytes.indexOf(NEWLINE)
    const {sum, ...facts} = JSON.parse(bytes.toString('utf8', 0, end))
    const body = bytes.subarray(end + 1)
    if (crc32(body, crc32(JSON.stringify(facts))) !== sum) return undefined
    const {covered, source, stamp, ...found} = facts
    if (JSON.stringify(found) !== JSON.stringify(header)) return undefined
    if ((stamp === null || stamp !== stampOf(path)) && sumOf(path, covered) !== source) return undefined
    return {text: body.toString(encodingOf(body)), covered}
  } catch {
    // Whatever is wrong with it, or in its place, the journal itself says the same.
    return undefined
  }
}

/** Keeps a digest, if the file system lets it. Readers see the one before or this one, never a part. */
export function writeDigest(path: string, header: Header, {text, covered}: Digest): void {
  const target = digestPath(path)
  try {
    const {bavail, bsize} = fs.statfsSync(dirname(target))
    if (bavail * bsize < LEAST_FREE) return
    removeLeftOvers(target)
    const stamp = stampOf(path)
    const facts = {...header, covered, source: sumOf(path, covered), stamp}
    const sum = crc32(text, crc32(JSON.stringify(facts)))
    // Not flushed: one that a power cut has torn does not fit its sum.
    const temporary = writeBeside(target, `${JSON.stringify({...facts, sum})}\n${text}`, {sync: false})
    try {
      fs.renameSync(temporary, target)
    } catch {
      fs.rmSync(temporary, {force: true})
    }
  } catch {
    // It only saves time.
  }
}

/** What killed writers have left. */
function removeLeftOvers(target: string): void {
  const folder = dirname(target)
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith(`.${basename(target)}.`)) continue
    const path = join(folder, name)
    if (fs.statSync(path).mtimeMs < Date.now() - LEFT_OVER_MS) fs.rmSync(path, {force: true})
  }
}

/**
 * A file with the same stamp has the same bytes, since no program can set when it changed last. So short after a change there
 * is none: another change could have the same time.
 */
function stampOf(path: string): string | null {
  const {dev, ino, size, ctimeMs} = fs.statSync(path)
  return Date.now() - ctimeMs > SETTLED_MS ? `${dev} ${ino} ${size} ${ctimeMs}` : null
}

/** The checksum of the first bytes of a file. Throws if it has fewer. */
function sumOf(path: string, size: number): number | undefined {
  return reading(path, (fd) => {
    const chunk = Buffer.allocUnsafe(CHUNK)
    let sum = 0
    for (let at = 0; at < size; ) {
      const read = fs.readSync(fd, chunk, 0, Math.min(CHUNK, size - at), at)
      if (read === 0) throw new RangeError('the file is shorter')
      sum = crc32(chunk.subarray(0, read), sum)
      at += read
    }
    return sum
  })
}
