import {createHash, type Hash} from 'node:crypto'
import {constants, createReadStream, openSync, type Stats, statSync} from 'node:fs'
import {type FileHandle, mkdtemp, open, rm} from 'node:fs/promises'
import {Socket} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {Readable} from 'node:stream'
import {Failure} from '../contract/failure.ts'
import {parseJson} from '../contract/money.ts'
import {decoded, inUtf8} from './encoding.ts'

const MIB = 1024 * 1024
/** Limit of a file that is read as a whole, in bytes. */
const LARGEST_TEXT = 16 * MIB
/** Limit of a file that is read line by line: a million orders fit, and an endless pipe does not fill the disk. */
const LARGEST_FILE = 2048 * MIB
export const LONGEST_LINE = MIB
const CHUNK = 64 * 1024
const NEWLINE = 0x0a

/**
 * Reads a file that the user names, or stdin for `-`, as text. Fails with INVALID_INPUT if it can't be read, is neither
 * UTF-8 nor UTF-16, or is over 16 MiB.
 */
export async function readInput(path: string): Promise<string> {
  return textIn(await readBytes(path), path)
}

/** The text of what was read of a file. Fails with INVALID_INPUT if it is neither UTF-8 nor UTF-16. */
export function textIn(bytes: Buffer, path: string): string {
  try {
    return decoded(bytes)
  } catch {
    throw unreadable(path, 'it is not UTF-8')
  }
}

/** The same as bytes, whatever they are. */
export async function readBytes(path: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    const source = path === '-' ? process.stdin : sourceOf(path, statSync(path))
    for await (const chunk of source) {
      chunks.push(Buffer.from(chunk))
      bytes += chunk.length
      if (bytes > LARGEST_TEXT) throw unreadable(path, 'it is over 16 MiB')
    }
    return Buffer.concat(chunks)
  } catch (error) {
    if (error instanceof Failure) throw error
    throw unreadable(path, reasonOf(error as NodeJS.ErrnoException))
  }
}

/** The same as JSON. Fails with INVALID_INPUT. */
export async function readJson(path: string): Promise<unknown> {
  const text = await readInput(path)
  try {
    return parseJson(text)
  } catch (error) {
    const message = `${nameOf(path)} is not valid JSON: ${(error as Error).message}.`
    throw new Failure('INVALID_INPUT', {message})
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'its permissions do not let you',
  EISDIR: 'it is a folder',
}

const reasonOf = ({code = '', message}: NodeJS.ErrnoException) => reasons[code] ?? message

/** A FIFO is opened without blocking: Ctrl-C could not end a thread that waits for its first writer. */
function sourceOf(path: string, stat: Stats): Readable {
  if (!stat.isFIFO()) return createReadStream(path)
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({fd, readable: true, writable: false})
}

/** A file of text lines, checked once from end to end, to be read as often as it takes. */
export interface Input {
  /** Its name in messages. */
  name: string
  /** SHA-256 of its bytes. */
  hash: string
  /** Its text from the start, in UTF-8. Fails with INVALID_INPUT if the file has changed since it was checked. */
  chunks(): AsyncGenerator<Buffer>
  close(): Promise<void>
}

/**
 * Opens a file that the user names, or stdin for `-`, and reads it once: it must hold text in UTF-8 or UTF-16 without
 * NUL, and no line over 1 MiB. Stdin and pipes, which can be read only once, are copied to a temporary file, whose name is gone when this returns.
 * Fails with INVALID_INPUT.
 */
export async function openInput(path: string, stdin: Readable): Promise<Input> {
  let file: FileHandle | undefined
  try {
    const once = readOnce(path, stdin)
    file = once ? await nameless() : await open(path, 'r')
    const opened = file
    let state = await stateOf(opened)
    const bytes = () => chunksOf(path, opened, state)
    const hash = await check(path, once ? copied(once, opened) : bytes())
    if (once) state = await stateOf(opened)
    return {name: nameOf(path), hash, chunks: () => inUtf8(bytes()), close: () => opened.close()}
  } catch (error) {
    await file?.close()
    if (error instanceof Failure) throw error
    throw unreadable(path, reasonOf(error as NodeJS.ErrnoException))
  }
}

/** The stream of a file that can be read only once; undefined for a plain file. */
function readOnce(path: string, stdin: Readable): Readable | undefined {
  if (path === '-' || path === '/dev/stdin') return stdin
  const stat = statSync(path)
  if (stat.isDirectory()) throw unreadable(path, 'it is a folder')
  return stat.isFile() ? undefined : sourceOf(path, stat)
}

/** A private file that vanishes with its handle: a crash leaves no addresses behind. */
async function nameless(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'scent-'))
  try {
    return await open(join(folder, 'input'), 'wx+', 0o600)
  } finally {
    await rm(folder, {recursive: true, force: true})
  }
}

/** Copies a stream into the file and yields its bytes. */
async function* copied(source: AsyncIterable<Buffer | string>, file: FileHandle): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk)
    await file.writeFile(bytes)
    yield bytes
  }
}

/** The bytes of an open file. Fails if it was written to since `state` was taken. */
async function* chunksOf(path: string, file: FileHandle, state: string): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const {bytesRead, buffer} = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, position)
    if ((await stateOf(file)) !== state) throw unreadable(path, 'it changed while it was read')
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

async function stateOf(file: FileHandle): Promise<string> {
  const {size, mtimeNs} = await file.stat({bigint: true})
  return `${size} ${mtimeNs}`
}

/** Reads all bytes, and refuses what later steps could not read. Returns their hash. */
async function check(path: string, chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  let line = 1
  let length = 0
  for await (const chunk of inUtf8(hashed(path, chunks, hash))) {
    const nul = chunk.indexOf(0)
    if (nul >= 0)
      throw unreadable(path, `it holds a NUL character (line ${line + newlines(chunk.subarray(0, nul))})`)
    line += newlines(chunk)
    const end = chunk.lastIndexOf(NEWLINE) + 1
    length = chunk.length - end + (end > 0 ? 0 : length)
    if (length > LONGEST_LINE) throw unreadable(path, `line ${line} is over 1 MiB`)
  }
  return hash.digest('hex')
}

/** How workbooks begin: a ZIP archive, such as .xlsx and .ods, or an .xls. */
const WORKBOOKS = [Buffer.from('PK\x03\x04'), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])]

/** Passes bytes on, up to the limit, and takes them into the hash. */
async function* hashed(path: string, chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of chunks) {
    if (bytes === 0 && WORKBOOKS.some((start) => chunk.subarray(0, 4).equals(start)))
      throw unreadable(path, 'it is a workbook; save it as CSV')
    hash.update(chunk)
    bytes += chunk.length
    if (bytes > LARGEST_FILE) throw unreadable(path, 'it is over 2 GiB')
    yield chunk
  }
}

function newlines(block: Buffer): number {
  let count = 0
  for (let at = block.indexOf(NEWLINE); at >= 0; at = block.indexOf(NEWLINE, at + 1)) count += 1
  return count
}

const nameOf = (path: string) => (path === '-' ? 'stdin' : JSON.stringify(path))

function unreadable(path: string, why: string): Failure {
  return new Failure('INVALID_INPUT', {message: `${nameOf(path)} can't be read: ${why}.`})
}
