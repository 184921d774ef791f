import {isFailure} from '../contract/failure.ts'
import type {Place} from '../store/credentials.ts'
import type {Config, Profile, Storage} from '../store/profiles.ts'

export interface Login {
  name: string
  baseUrl: string
  clientId: string
  clientSecret: string
  storage: Storage
}

export interface LoginParts {
  /** Has the service mint a token for the credential. Fails where it does not. */
  prove(): Promise<unknown>
  /** The profile that had the name before. */
  before: Profile | undefined
  saveSecret(place: Place, secret: string): Promise<void>
  removeSecret(place: Place): Promise<boolean>
  changeConfig(change: (config: Config) => void): Promise<void>
}

export interface LoggedIn {
  /** An older secret of this name that could not be removed from where it was. */
  leftBehind: Storage | undefined
}

/**
 * Proves a credential by a token, keeps its secret, then its profile, and makes that the one in use. Nothing is saved
 * of a credential that the service did not accept.
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
    // A keychain that stopped working is a reason to move away from it.
    if (isFailure(error, 'KEYCHAIN_UNAVAILABLE')) return {leftBehind: old}
    throw error
  }
}
