import {homedir} from 'node:os'
import {isAbsolute, join, resolve} from 'node:path'

export interface Folders {
  /** Settings and profiles: config.json, and credentials.json if a login chose `--storage file`. */
  config: string
  /** Records, tokens, the sandbox's locator. */
  state: string
}

/** Who the records belong to: they never mix between hosts, credentials or partners acted for. */
export interface Identity {
  /** Scheme, host and port, such as https://api.example.com. */
  origin: string
  clientId: string
  /** The partner acted for; null for the own account. */
  onBehalfOf: string | null
}

/** The folders of this user on this platform; SCENT_CONFIG_DIR and SCENT_STATE_DIR win. Nothing is created. */
export function foldersOf(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): Folders {
  const home = env.HOME || homedir()
  const places = {
    win32: {
      config: join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'scent'),
      state: join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'scent'),
    },
    darwin: {
      config: join(home, 'Library', 'Application Support', 'scent'),
      state: join(home, 'Library', 'Application Support', 'scent', 'state'),
    },
  }
  const usual = places[platform as 'win32' | 'darwin'] ?? {
    config: join(xdg(env.XDG_CONFIG_HOME) ?? join(home, '.config'), 'scent'),
    state: join(xdg(env.XDG_STATE_HOME) ?? join(home, '.local', 'state'), 'scent'),
  }
  return {
    config: env.SCENT_CONFIG_DIR ? resolve(env.SCENT_CONFIG_DIR) : usual.config,
    state: env.SCENT_STATE_DIR ? resolve(env.SCENT_STATE_DIR) : usual.state,
  }
}

/** Where compiled code is kept, which costs time if it is lost, and nothing else; bin/kept.js has the same rule. */
export function cacheFolder(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'scent')
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'scent', 'cache')
  return join(homedir(), platform === 'darwin' ? 'Library/Caches/scent' : '.cache/scent')
}

/** The XDG specification says to ignore relative paths. */
function xdg(path: string | undefined): string | undefined {
  return path && isAbsolute(path) ? path : undefined
}

export const configFile = (folders: Folders) => join(folders.config, 'config.json')
export const credentialsFile = (folders: Folders) => join(folders.config, 'credentials.json')
export const sandboxSecretFile = (folders: Folders) => join(folders.state, 'sandbox.secret')
export const sandboxFile = (folders: Folders) => join(folders.state, 'sandbox.json')

/** Loaded where it is used: many commands need no more than the folders. */
const sha256 = () => process.getBuiltinModule('node:crypto').createHash('sha256')

/** A name for the files of one identity: a readable host, and a hash that no two identities share. */
export function identityName(identity: Identity): string {
  const hash = sha256()
    .update(JSON.stringify([identity.origin, identity.clientId, identity.onBehalfOf]))
    .digest('hex')
    .slice(0, 16)
  return `${hostName(identity.origin)}-${hash}`
}

const hostName = (origin: string) =>
  origin
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[^A-Za-z0-9.-]/g, '_')
    .slice(0, 60)

/** Whether this is the name for the files of an identity at that host. */
export const isNameAt = (origin: string, name: string) => name.slice(0, -17) === hostName(origin)

/**
 * The lock of the one process that orders from a cart. Carts share 4,096 locks, so that a job of many customers does
 * not leave a file for each of them.
 */
export function cartLock(folders: Folders, identity: Identity, customerRef: string | null): string {
  const cart = sha256().update(JSON.stringify(customerRef)).digest('hex').slice(0, 3)
  return join(folders.state, 'carts', `${identityName(identity)}-${cart}`)
}

export const recordsRoot = (folders: Folders) => join(folders.state, 'records')

/** Where the local records of one identity live. */
export function recordsFolder(folders: Folders, identity: Identity): string {
  return join(recordsRoot(folders), identityName(identity))
}
