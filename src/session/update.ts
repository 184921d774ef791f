import {spawn} from 'node:child_process'
import {readUpdate, writeUpdate} from '../store/update.ts'

const DAY_MS = 86_400_000

/**
 * A line that tells of a newer version, at most once a day. What is newer was asked earlier: where a day has passed, this
 * starts a process that asks, and waits for nothing. Whatever fails is left for another day, without a word.
 */
export function updateHint(name: string, version: string): string | undefined {
  try {
    return hint(name, version)
  } catch {
    return undefined
  }
}

function hint(name: string, version: string): string | undefined {
  const now = Date.now()
  // A clock that was set back would else be waited for.
  const isDue = (then: number) => Math.abs(now - then) >= DAY_MS
  const update = readUpdate()
  const tells = isNewer(update.latest, version) && isDue(update.toldAt)
  const asks = isDue(update.askedAt)
  if (!tells && !asks) return undefined
  // Written first: without a place for it, each command would ask, and tell.
  writeUpdate({...update, ...(tells && {toldAt: now}), ...(asks && {askedAt: now})})
  if (asks) ask()
  return tells ? `scent ${update.latest} is there (this is ${version}): ${wayTo(name)}` : undefined
}

function ask(): void {
  const argv = [...process.execArgv, process.argv[1] ?? '', 'update-check']
  const child = spawn(process.execPath, argv, {detached: true, stdio: 'ignore', windowsHide: true})
  child.on('error', () => {})
  child.unref()
}

/** Ours may be one such as 1.2.0-rc.1, which comes before the release of the same numbers. */
function isNewer(latest: string, version: string): boolean {
  const numbers = (text: string) => text.split(/[-+]/, 1).join().split('.').map(Number)
  if (latest === '') return false
  const [theirs, ours] = [numbers(latest), numbers(version)]
  const at = theirs.findIndex((number, place) => number !== ours[place])
  return at < 0 ? version.includes('-') : (theirs[at] ?? 0) > (ours[at] ?? 0)
}

/** One executable is not a package: npm would put another scent beside it. */
const wayTo = (name: string) =>
  process.getBuiltinModule('node:sea').isSea()
    ? `put its executable in the place of ${process.execPath}`
    : `npm install -g ${name}`
