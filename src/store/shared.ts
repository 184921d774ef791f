import * as fs from 'node:fs'
import {dirname, join} from 'node:path'
import {isFailure} from '../contract/failure.ts'
import {attempt, ownFolder, readOwn, writeBeside, writeOwn} from './files.ts'
import {isRunning, processName, tryLock} from './lock.ts'
import {type Folders, type Identity, identityName} from './paths.ts'

/** How long a change of a shared text waits for others; a change takes less than a millisecond. */
const PATIENCE_MS = 2_000

/**
 * A small text that the processes of this user share: a token, the log of a quota. It only saves requests, so its
 * failures never stop an order: an unreadable file counts as empty, and a text that can't be written is not shared. A
 * link or another user's file in its place is still a FOREIGN_FILE.
 */
export function sharedFile(path: string) {
  const read = () => unless(['CORRUPT_FILE', 'FILE_FAILED'], () => readOwn(path))
  const me = processName()
  return {
    me,
    isAlive: (name: string) => name === me || isRunning(name),
    read,

    /** On disk when it returns. Returns false if the file system refuses. */
    write: (text: string) => succeeds(() => writeOwn(path, text)),

    /** Changes the text while no other process does. Returns undefined if the file system or other processes prevent it. */
    async update<T>(change: (text: string | undefined) => {text: string; result: T}) {
      const release = await lockSoon(`${path}.lock`)
      if (release === undefined) return undefined
      try {
        const {text, result} = change(read())
        return succeeds(() => replace(path, text)) ? {result} : undefined
      } finally {
        release()
      }
    },

    /**
     * Runs work that only one process may do at a time. Returns undefined, at once, if another living process is doing
     * it. On a file system that can't lock, the work just runs.
     */
    async alone<T>(work: () => Promise<T>): Promise<{result: T} | undefined> {
      const release = unless(['FILE_FAILED'], () => tryLock(`${path}.busy`) ?? 'busy') ?? (() => {})
      if (release === 'busy') return undefined
      try {
        return {result: await work()}
      } finally {
        release()
      }
    },
  }
}

/** The token of one identity. */
export function tokenFile(folders: Folders, identity: Identity): string {
  return join(folders.state, 'tokens', `${identityName(identity)}.json`)
}

/** The log of a quota. It belongs to a client id, whichever partner that acts for. */
export function quotaFile(folders: Folders, identity: Identity, quota: 'requests' | 'mints'): string {
  return join(folders.state, 'quotas', `${identityName({...identity, onBehalfOf: null})}.${quota}.json`)
}

async function lockSoon(path: string): Promise<(() => void) | undefined> {
  const end = process.uptime() + PATIENCE_MS / 1_000
  for (;;) {
    const release = unless(['FILE_FAILED'], () => tryLock(path) ?? 'busy')
    if (release !== 'busy' || process.uptime() > end) return release === 'busy' ? undefined : release
    await new Promise((wake) => setTimeout(wake, 1 + Math.random() * 10))
  }
}

/** Replaces the file whole or not at all. Not flushed: after a power cut the quota's window is over anyway. */
function replace(path: string, text: string): void {
  ownFolder(dirname(path))
  const temporary = writeBeside(path, text, {sync: false})
  attempt(path, 'written', () => fs.renameSync(temporary, path))
}

/** Returns false if the file system refuses. */
function succeeds(step: () => void): boolean {
  const done = () => {
    step()
    return true
  }
  return unless(['FILE_FAILED'], done) === true
}

/** Returns what the step returns, or undefined if it fails with one of these codes. */
function unless<T>(codes: ('CORRUPT_FILE' | 'FILE_FAILED')[], step: () => T): T | undefined {
  try {
    return step()
  } catch (error) {
    if (isFailure(error, ...codes)) return undefined
    throw error
  }
}
