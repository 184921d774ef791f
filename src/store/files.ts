import * as fs from 'node:fs'
import {basename, dirname, join} from 'node:path'
import {Failure} from '../contract/failure.ts'

const {constants} = fs
/** O_NONBLOCK: a FIFO in the place of a file must not hang the program. 0 if the platform lacks a flag. */
const NO_FOLLOW = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const LARGEST = 4 * 1024 * 1024

/** Makes a folder and its parents, with mode 0700 whatever the umask. Fails with FOREIGN_FILE or FILE_FAILED. */
export function ownFolder(path: string): void {
  attempt(path, 'made', () => {
    // One parent at a time: with a recursive call, an odd umask could lock us out of the folder just made.
    if (!fs.existsSync(path)) {
      if (!fs.existsSync(dirname(path))) ownFolder(dirname(path))
      makeFolder(path)
    }
    const stat = fs.statSync(path)
    if (!stat.isDirectory()) throw foreign(path, 'is not a folder')
    if (isForeign(stat)) throw foreign(path, 'belongs to another user')
    if (process.platform !== 'win32' && (stat.mode & 0o777) !== 0o700) fs.chmodSync(path, 0o700)
  })
}

/** Never recursive: Node's recursive mkdir tries for ever below /proc, where nothing can be made. */
function makeFolder(path: string): void {
  try {
    fs.mkdirSync(path, {mode: 0o700})
  } catch (error) {
    // Another process was faster.
    if (!isSystem(error, 'EEXIST')) throw error
  }
}

/** Files that others could read or change when they were opened, with their modes then. Whoever tells it takes them out. */
export const tightened: {path: string; mode: string}[] = []

/**
 * Opens a file of ours: no link is followed, and it must be a plain file of this user. It gets mode 0600, also if it had
 * another one. Returns undefined if there is no file and `flags` do not create one. Fails with FOREIGN_FILE or FILE_FAILED.
 */
export function openOwn(path: string, flags: number): number | undefined {
  const fd = attempt(path, 'opened', () => {
    try {
      return fs.openSync(path, flags | NO_FOLLOW, 0o600)
    } catch (error) {
      if (isSystem(error, 'ENOENT')) return undefined
      if (isSystem(error, 'ELOOP', 'EMLINK')) throw foreign(path, 'is a symbolic link')
      if (isSystem(error, 'EISDIR', 'ENXIO')) throw foreign(path, 'is not a plain file')
      throw error
    }
  })
  if (fd === undefined) return undefined
  try {
    const stat = attempt(path, 'opened', () => fs.fstatSync(fd))
    requireOwn(path, stat)
    attempt(path, 'opened', () => tighten(path, fd, stat.mode & 0o777))
    return fd
  } catch (error) {
    fs.closeSync(fd)
    throw error
  }
}

function tighten(path: string, fd: number, mode: number): void {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  try {
    fs.fchmodSync(fd, 0o600)
  } catch {
    return // a disk that knows no modes
  }
  if ((fs.fstatSync(fd).mode & 0o077) === 0) tightened.push({path, mode: mode.toString(8).padStart(4, '0')})
}

/**
 * Reads a small file of ours as text; undefined if there is none. Fails with FOREIGN_FILE, with CORRUPT_FILE if it is
 * larger than `limit` bytes or not UTF-8, with FILE_FAILED if it can't be read.
 */
export function readOwn(path: string, limit = LARGEST): string | undefined {
  const fd = openOwn(path, constants.O_RDONLY)
  if (fd === undefined) return undefined
  try {
    const bytes = attempt(path, 'read', () => {
      if (fs.fstatSync(fd).size > limit) throw corrupt(path, `is larger than ${limit} bytes`)
      return fs.readFileSync(fd)
    })
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) throw corrupt(path, 'is not UTF-8 text')
    throw error
  } finally {
    fs.closeSync(fd)
  }
}

/**
 * Replaces a file by `text`, whole or not at all, with mode 0600, on disk when it returns. Only a file of ours is
 * replaced, never a link or another user's file. Fails with FOREIGN_FILE or FILE_FAILED.
 */
export function writeOwn(path: string, text: string): void {
  ownFolder(dirname(path))
  const before = statOf(path)
  if (before !== undefined) requireOwn(path, before)
  const temporary = writeBeside(path, text, {sync: true})
  attempt(path, 'written', () => {
    try {
      fs.renameSync(temporary, path)
    } catch (error) {
      attempted(() => fs.rmSync(temporary, {force: true}))
      throw error
    }
    syncFolder(dirname(path))
  })
}

/**
 * Makes a file that must not exist yet, whole from its first moment, and on disk when it returns. Returns false if
 * another process was faster. Fails with FILE_FAILED or FOREIGN_FILE.
 */
export function createOwn(path: string, text: string): boolean {
  ownFolder(dirname(path))
  const temporary = writeBeside(path, text, {sync: true})
  return attempt(path, 'made', () => {
    try {
      fs.linkSync(temporary, path)
    } catch (error) {
      if (isSystem(error, 'EEXIST')) return false
      throw error
    } finally {
      attempted(() => fs.rmSync(temporary, {force: true}))
    }
    syncFolder(dirname(path))
    return true
  })
}

/** Removes a file of ours. Returns false if there was none. */
export function removeOwn(path: string): boolean {
  const stat = statOf(path)
  if (stat === undefined) return false
  requireOwn(path, stat)
  attempt(path, 'removed', () => fs.rmSync(path, {force: true}))
  return true
}

/** Loaded where it is used: a command that only reads its settings does not wait for it. */
const random = () => process.getBuiltinModule('node:crypto').randomBytes(6).toString('hex')

/** Writes a temporary file beside `path`, flushed if `sync`. Returns its name, which is unique among all processes. */
export function writeBeside(path: string, text: string, {sync}: {sync: boolean}): string {
  const name = `.${basename(path)}.${process.pid}-${random()}.tmp`
  const temporary = join(dirname(path), name)
  return attempt(path, 'written', () => {
    const fd = fs.openSync(
      temporary,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW,
      0o600,
    )
    try {
      if (process.platform !== 'win32') fs.fchmodSync(fd, 0o600)
      fs.writeFileSync(fd, text)
      if (sync) fs.fsyncSync(fd)
    } catch (error) {
      attempted(() => fs.rmSync(temporary, {force: true}))
      throw error
    } finally {
      fs.closeSync(fd)
    }
    return temporary
  })
}

/** Makes a new name in the folder survive a power cut. Windows has no such call. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const fd = fs.openSync(path, constants.O_RDONLY)
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Runs a step on a file. An error of the system becomes FILE_FAILED, which names the file and the reason. */
export function attempt<T>(path: string, done: string, step: () => T): T {
  try {
    return step()
  } catch (error) {
    if (error instanceof Failure) throw error
    throw fileFailed(path, done, error)
  }
}

export function fileFailed(path: string, done: string, cause: unknown): Failure {
  const reason = (cause as NodeJS.ErrnoException | null)?.code ?? 'unknown reason'
  return new Failure('FILE_FAILED', {message: `${path} could not be ${done} (${reason}).`}, {cause})
}

export function corrupt(path: string, why: string): Failure {
  return new Failure('CORRUPT_FILE', {message: `${path} ${why}. It was left as it is.`})
}

export function foreign(path: string, why: string, hint?: string): Failure {
  const message = `${path} ${why}. It was left as it is.`
  return new Failure('FOREIGN_FILE', {message, ...(hint !== undefined && {hint})})
}

/** What stands at a path, also if it is a link; undefined if nothing does. Fails with FILE_FAILED. */
export const statOf = (path: string) =>
  attempt(path, 'read', () => fs.lstatSync(path, {throwIfNoEntry: false}))

/** The names in a folder; none if there is no such folder. Fails with FILE_FAILED. */
export const namesIn = (folder: string): string[] =>
  fs.existsSync(folder) ? attempt(folder, 'read', () => fs.readdirSync(folder)) : []

/** Tries a step that is not needed: a disk that refuses it refuses other things too, and those are told. */
export function attempted(step: () => void): void {
  try {
    step()
  } catch {}
}

/** Whether this is an error of the system with one of these codes. */
export function isSystem(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

function requireOwn(path: string, stat: fs.Stats): void {
  if (stat.isSymbolicLink()) throw foreign(path, 'is a symbolic link')
  if (!stat.isFile()) throw foreign(path, 'is not a plain file')
  if (isForeign(stat)) throw foreign(path, 'belongs to another user')
}

/** Windows has no numeric owners: there the profile folder's own rights decide. */
function isForeign(stat: fs.Stats): boolean {
  return process.getuid !== undefined && stat.uid !== process.getuid()
}
