import {isFailure} from '../contract/failure.ts'
import type {Place} from '../store/credentials.ts'
import type {Config, Profile, Storage} from '../store/profiles.ts'

interface Login {
  name: string
  baseUrl: string
  clientId: string
  clientSecret: string
  storage: Storage
}

interface LoginParts {
  /** Mints a token with the credential. Fails if the service refuses. */
  prove(): Promise<unknown>
  /** The profile that already has this name. */
  before: Profile | undefined
  saveSecret(place: Place, secret: string): Promise<void>
  removeSecret(place: Place): Promise<boolean>
  changeConfig(change: (config: Config) => void): Promise<void>
}

interface LoggedIn {
  /** Where an older secret of this name is left that could not be removed. */
  leftBehind: Storage | undefined
}

/**
 * Proves a credential by minting a token, saves its secret, then its profile, and makes that the profile in use. If the
 * service does not accept the credential, nothing is saved.
 */
export async function login(wanted: Login, parts: LoginParts): Promise<LoggedIn> {
  const {name, baseUrl, clientId, clientSecret, storage} = wanted
  await parts.prove()
  await parts.saveSecret({kind: storage, account: name}, clientSecret)
  await parts.changeConfig((config) => {
    config.profiles[name] = {...config.profiles[name], baseUrl, clientId, storage}
    config.current = name
  })
  const old = parts.before?.storage
  if (old === undefined || old === storage) return {leftBehind: undefined}
  try {
    await parts.removeSecret({kind: old, account: name})
    return {leftBehind: undefined}
  } catch (error) {
    // A keychain that stopped working may be why the user moves away from it.
    if (isFailure(error, 'KEYCHAIN_UNAVAILABLE')) return {leftBehind: old}
    throw error
  }
}
