import {join} from 'node:path'
import {type Folders, type Identity, identityName} from './paths.ts'
import {sharedFile} from './shared.ts'

/** No clock is further off: what says so says nothing. */
export const FURTHEST_MS = 100 * 365 * 86_400_000

/** How far the clock of a service is ahead of this machine's, in milliseconds, as its answers have told. */
export function serviceOffset(folders: Folders, identity: Identity) {
  const file = sharedFile(join(folders.state, 'clocks', `${identityName(identity)}.txt`))
  return {
    /** 0 if nothing has been told yet. */
    read() {
      const ms = Number(file.read() ?? 0)
      return Math.abs(ms) < FURTHEST_MS ? ms : 0
    },
    /** Keeps it for the next command. */
    keep: (ms: number): void => void file.write(String(ms)),
  }
}
