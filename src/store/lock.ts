import * as fs from 'node:fs'
import {hostname} from 'node:os'
import {basename, dirname, join} from 'node:path'
import {Failure} from '../contract/failure.ts'
import {attempt, isSystem, ownFolder, writeBeside} from './files.ts'

/**
 * How long a lock counts as held where that can't be looked up: its holder sits on another machine (a shared home
 * folder), or the system tells a process from a later one of the same number by nothing.
 */
const STALE_MS = 30_000

interface Held {
  path: string
}

/**
 * Runs `work` while no other process, and no other caller of this one, holds the lock named `path`. A holder that
 * died is taken over at once. Fails with BUSY when a living one keeps it longer than `waitMs`, or until `stop`.
 *
 * The lock is the highest of the numbered files `path.1`, `path.2`, …: held while it names a living process, free
 * when it is empty. Taking it means making the next number, which only one can; the highest number is never removed,
 * so a process that acts on an old view of the folder sees afterwards that it lost.
 */
export async function withLock<T>(
  path: string,
  work: () => T | Promise<T>,
  {waitMs = 10_000, stop}: {waitMs?: number; stop?: AbortSignal | undefined} = {},
): Promise<T> {
  ownFolder(dirname(path))
  const end = performance.now() + waitMs
  let held = take(path)
  while (held === undefined) {
    if (performance.now() > end || stop?.aborted) {
      throw new Failure('BUSY', {message: `Another process of scent holds ${path}.`})
    }
    await new Promise((wake) => setTimeout(wake, 2 + Math.random() * 20))
    held = take(path)
  }
  try {
    return await work()
  } finally {
    release(held)
  }
}

/** One try, without waiting: what lets go of the lock, or undefined while somebody living holds it. */
export function tryLock(path: string): (() => void) | undefined {
  ownFolder(dirname(path))
  const held = attempt(path, 'locked', () => take(path))
  return held && (() => release(held))
}

/** Whether somebody living holds the lock. */
export function isLocked(path: string): boolean {
  if (!fs.existsSync(dirname(path))) return false
  const last = highest(path)
  return last > 0 && isHeld(`${path}.${last}`)
}

function take(path: string): Held | undefined {
  const last = highest(path)
  if (last > 0 && isHeld(`${path}.${last}`)) return undefined
  const mine = `${path}.${last + 1}`
  const temporary = writeBeside(path, processName(), {sync: false})
  try {
    fs.linkSync(temporary, mine)
  } catch (error) {
    if (isSystem(error, 'EEXIST')) return undefined
    throw error
  } finally {
    fs.rmSync(temporary, {force: true})
  }
  if (highest(path) !== last + 1) {
    fs.rmSync(mine, {force: true})
    return undefined
  }
  for (const number of numbers(path)) {
    if (number <= last) fs.rmSync(`${path}.${number}`, {force: true})
  }
  return {path: mine}
}

function release(held: Held): void {
  try {
    fs.truncateSync(held.path, 0)
  } catch (error) {
    if (!isSystem(error, 'ENOENT')) throw error
  }
}

function numbers(path: string): number[] {
  const prefix = `${basename(path)}.`
  return fs
    .readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
}

const highest = (path: string) => Math.max(0, ...numbers(path))

function isHeld(path: string): boolean {
  let text: string
  let age: number
  try {
    text = fs.readFileSync(path, 'utf8')
    age = Date.now() - fs.statSync(path).mtimeMs
  } catch (error) {
    // A newer number has replaced it since: look again.
    if (isSystem(error, 'ENOENT')) return true
    throw error
  }
  const holder = nameOf(text)
  if (holder === undefined) return false
  const [host, , started] = holder
  if (host === hostname() && started !== '') return isRunning(text)
  return age < STALE_MS && (host !== hostname() || isRunning(text))
}

/** Undefined for a free lock, and for one that a power cut left with no sense in it. */
function nameOf(text: string): [host: string, pid: number, started: string] | undefined {
  try {
    const name: unknown = JSON.parse(text)
    return Array.isArray(name) ? (name as [string, number, string]) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Names this process for ever: another one that gets its number has another name. */
export const processName = () => JSON.stringify([hostname(), process.pid, startOf(process.pid)])

/** Whether the process of that name runs on this machine. */
export function isRunning(name: string): boolean {
  const [host, pid = 0, started] = nameOf(name) ?? []
  return host === hostname() && isAlive(pid) && startOf(pid) === started
}

/** A process that has ended and that nobody has taken notice of yet is dead. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !['Z', 'X'].includes(statOf(pid)[0] ?? '')
  } catch (error) {
    return isSystem(error, 'EPERM')
  }
}

/** When a process started, where the system tells: a number that was given out again is another process. */
const startOf = (pid: number): string => statOf(pid)[19] ?? ''

/** The fields that Linux keeps of a process, from its state on; none elsewhere. */
function statOf(pid: number): string[] {
  if (process.platform !== 'linux') return []
  try {
    const stat = fs.readFileSync(join('/proc', String(pid), 'stat'), 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
