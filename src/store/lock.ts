import * as fs from 'node:fs'
import {hostname} from 'node:os'
import {basename, dirname, join} from 'node:path'
import {Failure} from '../contract/failure.ts'
import {attempt, attempted, isSystem, ownFolder, writeBeside} from './files.ts'

/**
 * How long a lock counts as held, in milliseconds, after its holder has last renewed it, if the holder can't be looked
 * up: it runs on another machine (a shared home folder), the name of this machine was changed since, or the system does
 * not tell a process from a later one with the same number.
 */
const STALE_MS = 30_000
const RENEWED_EVERY_MS = 5_000

/** The numbered files that this process holds, by their locks. */
const held = new Map<string, string>()
/** Locks that this process holds, and does not renew. */
const stalled = new Set<string>()
/** Numbered files that this process let go of, and could not empty: others wait for its end, it does not. */
const leftOver = new Set<string>()
let renewing: NodeJS.Timeout | undefined

/**
 * Runs `work` while no other process, and no other caller in this one, holds the lock named `path`. The lock of a
 * holder that died is taken at once. Fails with BUSY if a living holder keeps it for `waitMs`, or if `stop` is aborted.
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
  // By a clock that nobody sets; `performance` would take long to load.
  const end = process.uptime() + waitMs / 1_000
  while (!attempt(path, 'locked', () => take(path))) {
    if (process.uptime() > end || stop?.aborted) throw busy(path)
    await new Promise((wake) => setTimeout(wake, 2 + Math.random() * 20))
  }
  try {
    return await work()
  } finally {
    release(path)
  }
}

/** One try, without waiting. Returns a function that releases the lock, or undefined if a living process holds it. */
export function tryLock(path: string): (() => void) | undefined {
  ownFolder(dirname(path))
  return attempt(path, 'locked', () => take(path)) ? () => release(path) : undefined
}

/**
 * Fails with BUSY if another process has taken over the lock that this one took: it could not renew it in time, such as
 * on a machine that slept.
 */
export function requireHeld(path: string): void {
  const mine = held.get(path)
  if (mine === undefined || !fs.existsSync(mine)) throw busy(path)
}

export const busy = (path: string) =>
  new Failure('BUSY', {message: `Another process of scent holds ${path}.`})

/** Whether a living process holds the lock. */
export function isLocked(path: string): boolean {
  if (!fs.existsSync(dirname(path))) return false
  return attempt(path, 'read', () => {
    const last = highest(path)
    return last > 0 && isHeld(`${path}.${last}`)
  })
}

/** Whether the holder of a lock has renewed it lately. A living one that does not was stopped, or can't write. */
export function isRenewed(path: string): boolean {
  const stat = () => fs.statSync(`${path}.${highest(path)}`, {throwIfNoEntry: false})
  const touched = attempt(path, 'read', stat)?.mtimeMs ?? 0
  return Date.now() - touched < 2 * STALE_MS
}

/** Keeps a lock, and renews it no more: it looks as if that had ended long ago. */
export function stall(path: string): void {
  stalled.add(path)
  const mine = held.get(path)
  if (mine !== undefined) attempted(() => fs.utimesSync(mine, 0, 0))
}

/** Returns whether this caller holds it now. */
function take(path: string): boolean {
  const last = highest(path)
  if (last > 0 && !leftOver.has(`${path}.${last}`) && isHeld(`${path}.${last}`)) return false
  const mine = `${path}.${last + 1}`
  const temporary = writeBeside(path, processName(), {sync: false})
  try {
    fs.linkSync(temporary, mine)
  } catch (error) {
    if (isSystem(error, 'EEXIST')) return false
    throw error
  } finally {
    attempted(() => fs.rmSync(temporary, {force: true}))
  }
  let all: number[]
  try {
    all = numbers(path)
  } catch (error) {
    // Nobody knows who has it: it is given back.
    attempted(() => fs.truncateSync(mine, 0))
    throw error
  }
  if (Math.max(...all) !== last + 1) {
    attempted(() => fs.rmSync(mine, {force: true}))
    return false
  }
  for (const number of all) {
    if (number <= last) attempted(() => fs.rmSync(`${path}.${number}`, {force: true}))
  }
  held.set(path, mine)
  renewing ??= setInterval(renew, RENEWED_EVERY_MS).unref()
  return true
}

function release(path: string): void {
  const mine = held.get(path)
  if (mine === undefined) return
  held.delete(path)
  stalled.delete(path)
  if (held.size === 0) {
    clearInterval(renewing)
    renewing = undefined
  }
  try {
    fs.truncateSync(mine, 0)
  } catch (error) {
    // What was done under it is done, whatever the disk says now. If it is gone, another process has taken it over.
    if (!isSystem(error, 'ENOENT')) leftOver.add(mine)
  }
}

/** Shows others that the holder lives. */
function renew(): void {
  const now = new Date()
  for (const [path, mine] of held) if (!stalled.has(path)) attempted(() => fs.utimesSync(mine, now, now))
}

function numbers(path: string): number[] {
  const prefix = `${basename(path)}.`
  return fs
    .readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
}

/** The files of a lock that nobody will take again. */
export const lockFiles = (path: string): string[] =>
  attempt(path, 'read', () => numbers(path)).map((number) => `${path}.${number}`)

const highest = (path: string) => Math.max(0, ...numbers(path))

function isHeld(path: string): boolean {
  let text: string
  let age: number
  try {
    text = fs.readFileSync(path, 'utf8')
    age = Date.now() - fs.statSync(path).mtimeMs
  } catch (error) {
    // A newer number has replaced it since: the caller looks again.
    if (isSystem(error, 'ENOENT')) return true
    throw error
  }
  const holder = nameOf(text)
  if (holder === undefined) return false
  const [host, pid, started] = holder
  if (host === hostname()) {
    if (!isAlive(pid)) return false
    const now = startOf(pid)
    if (started !== '' && now !== '') return started === now
  }
  return age < STALE_MS
}

/** Returns undefined if the lock is free or its file is unreadable (after a power cut). */
function nameOf(text: string): [host: string, pid: number, started: string] | undefined {
  try {
    const name: unknown = JSON.parse(text)
    return Array.isArray(name) ? (name as [string, number, string]) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Unique even when the pid is reused: host, pid and start time. */
export const processName = () => JSON.stringify([hostname(), process.pid, startOf(process.pid)])

/** Whether the process with this name runs on this machine. */
export function isRunning(name: string): boolean {
  const [host, pid = 0, started] = nameOf(name) ?? []
  return host === hostname() && isAlive(pid) && startOf(pid) === started
}

/** A zombie (ended, but not yet waited for by its parent) counts as dead. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !['Z', 'X'].includes(statOf(pid)[0] ?? '')
  } catch (error) {
    return isSystem(error, 'EPERM')
  }
}

/** When a process started; "" if the system does not tell. A later process with the same number has another start. */
const startOf = (pid: number): string => statOf(pid)[19] ?? ''

/** The fields of /proc/PID/stat from the state on. Empty on systems other than Linux. */
function statOf(pid: number): string[] {
  if (process.platform !== 'linux') return []
  try {
    const stat = fs.readFileSync(join('/proc', String(pid), 'stat'), 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
