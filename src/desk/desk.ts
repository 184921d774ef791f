import {isFailure} from '../contract/failure.ts'
import {serviceOffset, serviceOffsets} from '../store/clock.ts'
import {type Folders, foldersOf, type Identity} from '../store/paths.ts'
import {readConfig} from '../store/profiles.ts'
import {identityOf, type Settings, settingsOf} from '../store/settings.ts'
import type {SessionFlags} from '../terminal/flags.ts'

/** Whose records a command of the desk reads and writes. */
export interface Desk {
  folders: Folders
  identity: Identity
  /** Undefined without a credential: the records go to the identity `local`. */
  settings: Settings | undefined
}

/** Who the records belong to of a listener that runs without a credential. */
export const withoutLogin: Identity = {origin: 'local', clientId: 'local', onBehalfOf: null}

/** Sends nothing, and needs no credential. Fails with INVALID_INPUT, CORRUPT_FILE and FOREIGN_FILE. */
export function openDesk(
  flags: Partial<SessionFlags>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Desk {
  const folders = foldersOf(env)
  try {
    const settings = settingsOf(flags, env, readConfig(folders))
    return {folders, identity: identityOf(settings), settings}
  } catch (error) {
    // What was named and can't be found is still an error: its records would go to the wrong place.
    const isNamed = flags.profile !== undefined || flags['base-url'] !== undefined || flags.as !== undefined
    if (isNamed || !isFailure(error, 'NO_CREDENTIALS')) throw error
    return {folders, identity: withoutLogin, settings: undefined}
  }
}

/**
 * Keeps where the clock of a service stands now, in milliseconds, for all whose records are of it: deadlines are told by that
 * clock, and need not wait for its next answer. `held`: when it last stood as was kept before.
 */
export function noteClock(origin: string, now: number, held?: number): void {
  const {folders, identity} = openDesk({})
  const own = identity.origin === origin ? [serviceOffset(folders, identity)] : []
  for (const clock of [...own, ...serviceOffsets(folders, origin)]) clock.hear(now - Date.now(), held)
}
