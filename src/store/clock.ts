import {join} from 'node:path'
import {type Folders, type Identity, identityName} from './paths.ts'
import {sharedFile} from './shared.ts'

/** No clock is further off: what says so says nothing. */
export const FURTHEST_MS = 100 * 365 * 86_400_000
/** So many turns are remembered. */
const MOST = 30

/** From a moment of this machine's clock on, how far the service's was ahead of it. */
interface Turn {
  offsetMs: number
  from: number
}

/** How far the clock of a service is ahead of this machine's, in milliseconds, as its answers have told. */
export function serviceOffset(folders: Folders, identity: Identity) {
  const file = sharedFile(join(folders.state, 'clocks', `${identityName(identity)}.txt`))
  const turns = () => turnsIn(file.read() ?? '')
  return {
    /** 0 if nothing has been told yet. */
    read: () => turns().at(-1)?.offsetMs ?? 0,
    isTold: () => turns().length > 0,
    /** Keeps it for the next command. */
    keep(offsetMs: number): void {
      const before = turns()
      // What is told first held before as well.
      const now = {offsetMs, from: before.length === 0 ? 0 : Date.now()}
      file.write([...before, now].slice(-MOST).map(lineOf).join('\n'))
    },
    /** Tells the moment of this machine's clock at which the service's showed a time. */
    localTimes(): (serviceMs: number) => number {
      const all = turns()
      return (serviceMs) => localOf(all, serviceMs)
    },
  }
}

const lineOf = ({offsetMs, from}: Turn) => `${offsetMs} ${from}`

function turnsIn(text: string): Turn[] {
  return text.split('\n').flatMap((line) => {
    const [offsetMs = Number.NaN, from = 0] = line.split(' ').map(Number)
    return line !== '' && Math.abs(offsetMs) < FURTHEST_MS && from >= 0 ? [{offsetMs, from}] : []
  })
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
