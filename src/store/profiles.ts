import {join} from 'node:path'
import * as z from 'zod/mini'
import {Failure} from '../contract/failure.ts'
import {corrupt, readOwn, writeOwn} from './files.ts'
import {withLock} from './lock.ts'
import {configFile, type Folders} from './paths.ts'

/** Where the secret of a profile is kept. */
export const storages = ['keychain', 'file'] as const
export type Storage = (typeof storages)[number]

const share = z.number().check(z.gt(0), z.lte(1))

/** A credential and the one host that it may be sent to. Fields of later versions are kept. */
const profile = z.looseObject({
  baseUrl: z.string().check(z.minLength(1)),
  clientId: z.string().check(z.minLength(1)),
  storage: z.enum(storages),
  /** The part of the quota that this machine takes; 1 if it is the only one. */
  rateShare: z.optional(share),
})
export type Profile = z.output<typeof profile>

const config = z.looseObject({
  version: z.literal(1),
  /** The profile that is used if none is named. */
  current: z.optional(z.string()),
  profiles: z.record(z.string(), profile),
  /** What a flag is if it is left out, by its name, or `columns.` and a command. */
  defaults: z.optional(z.record(z.string(), z.string())),
  /** Names of partners to act for. */
  aliases: z.optional(z.record(z.string(), z.string())),
})
export type Config = z.output<typeof config>

/** The settings of this user; empty if there is no file. Fails with CORRUPT_FILE or FOREIGN_FILE. */
export function readConfig(folders: Folders): Config {
  const path = configFile(folders)
  const text = readOwn(path)
  if (text === undefined) return {version: 1, profiles: {}}
  return parseFile(path, text, config)
}

/**
 * Changes the settings as they are now, with whatever another process has saved since. Fails with CORRUPT_FILE,
 * FOREIGN_FILE or FILE_FAILED; then nothing was changed.
 */
export async function changeConfig(folders: Folders, change: (config: Config) => void): Promise<void> {
  await withLock(join(folders.config, '.config.lock'), () => {
    const changed = readConfig(folders)
    change(changed)
    writeOwn(configFile(folders), `${JSON.stringify(z.parse(config, changed), null, 2)}\n`)
  })
}

export function findProfile(config: Config, name: string): Profile | undefined {
  return Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined
}

/** Finds a profile by its name. Fails with NO_CREDENTIALS. */
export function requireProfile(config: Config, name: string): Profile {
  const found = findProfile(config, name)
  if (found !== undefined) return found
  throw new Failure('NO_CREDENTIALS', {
    message: `There is no profile "${name}".`,
    hint: 'See `scent auth list`, or log in: `scent auth login`.',
  })
}

/** A profile as people and scripts are shown it. */
export function profileRow(name: string, config: Config) {
  const {baseUrl, clientId, storage} = requireProfile(config, name)
  return {profile: name, current: name === config.current, baseUrl, clientId, storage}
}

/** Reads a JSON file by its schema. Fails with CORRUPT_FILE, naming the file and the first wrong field. */
export function parseFile<S extends z.ZodMiniType>(path: string, text: string, schema: S): z.output<S> {
  if (text.trim() === '') throw corrupt(path, 'is empty')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw corrupt(path, 'is not JSON')
    throw error
  }
  const parsed = z.safeParse(schema, value)
  if (parsed.success) return parsed.data
  const where = parsed.error.issues[0]?.path.join('.')
  throw corrupt(path, where ? `has a wrong value in ${where}` : 'is not a file of scent')
}

/** A profile's name goes into files, the keychain and messages: letters, digits, `.`, `_`, `-`. */
export function requireName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name
  throw new Failure('INVALID_INPUT', {
    message: `"${name}" is not a valid name for a profile.`,
    hint: 'Use up to 64 letters, digits, dots, dashes and underscores, a letter or digit first.',
  })
}

/**
 * The base URL as it is kept: without `/api/v1`, without a slash at the end. Fails with INVALID_INPUT, and with
 * INSECURE_URL if it is neither https nor this machine.
 */
export function baseUrlOf(text: string): string {
  const wrong = (why: string) =>
    new Failure('INVALID_INPUT', {
      message: `The base URL ${why}.`,
      hint: 'Give a URL such as https://api.example.com.',
    })
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw wrong(`"${text}" is not a valid http(s) URL`)
  // Not quoted in the message: it may hold a secret.
  if (url.username || url.password) throw wrong('must not hold a user name or password')
  if (url.search || url.hash) throw wrong(`"${text}" must end with its path`)
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new Failure('INSECURE_URL', {message: `${url.origin} is plain http to another machine.`})
  }
  return url.origin + url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
