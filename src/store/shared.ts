import * as fs from 'node:fs'
import {dirname, join} from 'node:path'
import {isFailure} from '../contract/failure.ts'
import {attempt, ownFolder, readOwn, writeBeside, writeOwn} from './files.ts'
import {isRunning, processName, tryLock} from './lock.ts'
import {type Folders, type Identity, identityName} from './paths.ts'

/** How long a change of a shared text waits for others; a change takes less than a millisecond. */
const PATIENCE_MS = 2_000

/**
 * A small text that the processes of this user share: a token, the log of a quota. It only saves requests, so
 * nothing of it ever stops an order: what is unreadable counts as empty, what can't be shared is left alone. A link
 * or another user's file in its place is still a FOREIGN_FILE.
 */
export function sharedFile(path: string) {
  const read = () => unless('CORRUPT_FILE', () => readOwn(path))
  const me = processName()
  return {
    me,
    isAlive: (name: string) => name === me || isRunning(name),
    read,

    /** On disk when it returns; false where the file system refuses. */
    write(text: string): boolean {
      return succeeds(() => writeOwn(path, text))
    },

    /** Changes the text while no other process does; undefined where that is not to be had. */
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
     * Runs work alone among all processes; undefined, at once, where another one runs such work. A process that
     * died in it does not count. Where the file system knows no lock the work just runs.
     */
    async alone<T>(work: () => Promise<T>): Promise<{result: T} | undefined> {
      const release = unless('FILE_FAILED', () => tryLock(`${path}.busy`) ?? 'busy') ?? (() => {})
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

/** The log of a quota, which belongs to a client id, whomever it acts for. */
export function quotaFile(folders: Folders, identity: Identity, quota: 'requests' | 'mints'): string {
  return join(folders.state, 'quotas', `${identityName({...identity, onBehalfOf: null})}.${quota}.json`)
}

async function lockSoon(path: string): Promise<(() => void) | undefined> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const release = unless('FILE_FAILED', () => tryLock(path) ?? 'busy')
    if (release !== 'busy' || performance.now() > end) return release === 'busy' ? undefined : release
    await new Promise((wake) => setTimeout(wake, 1 + Math.random() * 10))
  }
}

/** Whole or not at all, but not flushed: after a power cut the window is over anyway. */
function replace(path: string, text: string): void {
  ownFolder(dirname(path))
  const temporary = writeBeside(path, text, {sync: false})
  attempt(path, 'written', () => fs.renameSync(temporary, path))
}

/** False where the file system refuses. */
function succeeds(step: () => void): boolean {
  return (
    unless('FILE_FAILED', () => {
      step()
      return true
    }) === true
  )
}

/** The outcome of a step, or undefined where it fails with this one code. */
function unless<T>(code: 'CORRUPT_FILE' | 'FILE_FAILED', step: () => T): T | undefined {
  try {
    return step()
  } catch (error) {
    if (isFailure(error, code)) return undefined
    throw error
  }
}
