import {join} from 'node:path'
import {recordsAt} from './aside.ts'
import {type Folders, type Identity, identityName} from './paths.ts'
import {sharedFile} from './shared.ts'

/** No clock is further off: what says so says nothing. */
export const FURTHEST_MS = 100 * 365 * 86_400_000
/** A clock that is less off counts as right, and one that went less astray as not moved. */
const NOTICED_MS = 5_000
/** So many turns are remembered. */
const MOST = 200

/** How far the service's clock was ahead of this machine's, from a moment of this machine's clock on. */
interface Turn {
  offsetMs: number
  from: number
  /** It may have been so since then already: what was told before was known to hold until then. */
  after: number
}

/** How far the clock of a service is ahead of this machine's, in milliseconds, as its answers have told. */
export function serviceOffset(folders: Folders, identity: Identity) {
  return offsetIn(join(clocksFolder(folders), `${identityName(identity)}.txt`))
}

/** The same for all whose records are of the service at this origin: it has one clock. */
export const serviceOffsets = (folders: Folders, origin: string) =>
  recordsAt(folders, origin).map((name) => offsetIn(join(clocksFolder(folders), `${name}.txt`)))

const clocksFolder = (folders: Folders) => join(folders.state, 'clocks')

function offsetIn(path: string) {
  const file = sharedFile(path)
  const turns = () => turnsIn(file.read() ?? '')
  return {
    path,
    /** 0 if nothing has been told yet. */
    read: () => turns().at(-1)?.offsetMs ?? 0,
    /** Keeps for the next command what was told just now; `held`: when it last was as told before, if that is known. */
    hear(ahead: number, held?: number): void {
      if (!(Math.abs(ahead) < FURTHEST_MS)) return
      const offsetMs = noticed(ahead)
      const all = turns()
      const last = all.at(-1)
      if (last && Math.abs(last.offsetMs - offsetMs) < NOTICED_MS) return
      // What is told first held before as well.
      const from = last ? Date.now() : 0
      const turn = {offsetMs, from, after: Math.min(held ?? last?.from ?? 0, from)}
      file.write([...all, turn].slice(-MOST).map(lineOf).join('\n'))
    },
    /** Tells the moment of this machine's clock at which the service's showed a time. */
    localTimes(): (serviceMs: number) => number {
      const all = turns()
      return (serviceMs) => localOf(all, serviceMs)
    },
    /** All at once: how far it is ahead, and the time that it showed at a moment of this machine's clock; the latest that it may be. */
    told(): {offsetMs: number; timeAt: (localMs: number) => number} {
      const all = turns()
      return {offsetMs: all.at(-1)?.offsetMs ?? 0, timeAt: (localMs) => localMs + latestOf(all, localMs)}
    },
  }
}

/** What is less counts as nothing. */
export const noticed = (ahead: number) => (Math.abs(ahead) < NOTICED_MS ? 0 : ahead)

const lineOf = ({offsetMs, from, after}: Turn) => `${offsetMs} ${from} ${after}`

function turnsIn(text: string): Turn[] {
  const turns: Turn[] = []
  for (const line of text.split('\n')) {
    const [offsetMs = Number.NaN, from = 0, after = turns.at(-1)?.from ?? 0] = line.split(' ').map(Number)
    if (line !== '' && Math.abs(offsetMs) < FURTHEST_MS && from >= 0 && after >= 0)
      turns.push({offsetMs, from, after})
  }
  return turns
}

/** The most that it may have been ahead at that moment: anything, if that was before all that is remembered. */
function latestOf(turns: readonly Turn[], localMs: number): number {
  let latest = Number.NEGATIVE_INFINITY
  for (const [index, {offsetMs, after}] of turns.entries()) {
    const until = turns[index + 1]?.from ?? Number.POSITIVE_INFINITY
    if (after <= localMs && localMs < until) latest = Math.max(latest, offsetMs)
  }
  if (turns.length === 0) return 0
  return Number.isFinite(latest) ? latest : Number.POSITIVE_INFINITY
}

/** By the turn that fits best; what its clock never showed was at its beginning or at its end. */
function localOf(turns: readonly Turn[], serviceMs: number): number {
  let best = {at: serviceMs, away: Number.POSITIVE_INFINITY}
  for (const [index, {offsetMs, from}] of turns.entries()) {
    const plain = serviceMs - offsetMs
    const at = Math.min(Math.max(plain, from), turns[index + 1]?.from ?? Number.POSITIVE_INFINITY)
    const away = Math.abs(plain - at)
    if (away <= best.away) best = {at, away}
  }
  return best.at
}
