import {Failure} from '../contract/failure.ts'
import {isUuid} from '../contract/forms.ts'
import type {Identity} from './paths.ts'
import {baseUrlOf, type Config, findProfile, type Profile, requireProfile, type Storage} from './profiles.ts'

/** The flags that every API command takes, as oclif hands them over: the environment is merged in already. */
interface Given {
  profile?: string | undefined
  'base-url'?: string | undefined
  as?: string | undefined
  currency?: string | undefined
}

/** A value, where it came from, and the values that it overrides. */
export interface Setting {
  value: string
  /** Such as `--base-url`, `SCENT_BASE_URL`, `profile rimal`. */
  source: string
  beat: {value: string; source: string}[]
}

/** The settings of a command: flag over environment over profile. */
export interface Settings {
  profile: Setting | undefined
  baseUrl: Setting
  clientId: Setting
  secret: {kind: 'environment'} | {kind: Storage; account: string}
  onBehalfOf: Setting | undefined
  currency: Setting | undefined
  rateShare: number
}

type Env = Readonly<Record<string, string | undefined>>
interface Chosen extends Profile {
  name: string
}

/**
 * Merges flags, environment and profile. Fails with NO_CREDENTIALS or MISSING_INPUT if something is missing, and with
 * INVALID_INPUT if a profile's credential would go to another host than its own, or a partner id or currency is invalid.
 */
export function settingsOf(flags: Given, env: Env, config: Config): Settings {
  const named = profileSetting(flags, env, config)
  const profile = profileOf(named, config)
  const clientId = clientIdOf(env, profile)
  const fromProfile = clientId.source !== 'SCENT_CLIENT_ID'
  const host = pick([
    ...given('--base-url', 'SCENT_BASE_URL', flags['base-url'], env),
    [sourceOf(profile), profile?.baseUrl],
  ])
  if (host === undefined) throw missingHost()
  const baseUrl = {...host, value: baseUrlOf(host.value)}
  if (fromProfile && profile !== undefined) requireOwnHost(profile, baseUrl)
  return {
    profile: named,
    baseUrl,
    clientId,
    secret: fromProfile && profile ? {kind: profile.storage, account: profile.name} : {kind: 'environment'},
    onBehalfOf: partnerOf(pick(given('--as', 'SCENT_ON_BEHALF_OF', flags.as, env)), config),
    currency: currencyOf(pick(given('--currency', 'SCENT_CURRENCY', flags.currency, env))),
    rateShare: (fromProfile ? profile?.rateShare : undefined) ?? 1,
  }
}

/** Returns it in capitals. not shown: which currencies are supported; the service ignores the others. */
function currencyOf(setting: Setting | undefined): Setting | undefined {
  if (setting === undefined) return undefined
  if (/^[A-Za-z]{3}$/.test(setting.value)) return {...setting, value: setting.value.toUpperCase()}
  throw new Failure('INVALID_INPUT', {
    message: `"${setting.value}" (${setting.source}) is not a valid currency code.`,
    hint: 'Give three letters, such as USD.',
  })
}

function partnerOf(setting: Setting | undefined, {aliases = {}}: Config): Setting | undefined {
  if (setting === undefined) return undefined
  const id = Object.hasOwn(aliases, setting.value) ? aliases[setting.value] : undefined
  if (id !== undefined) return {...setting, value: id}
  // In capitals or not, it is the same partner, with one token and one set of records.
  if (isUuid(setting.value)) return {...setting, value: setting.value.toLowerCase()}
  throw new Failure('INVALID_INPUT', {
    message: `"${setting.value}" (${setting.source}) is not a valid partner id.`,
    hint: 'Give the id of a descendant partner, a UUID, or a name for it: `scent config set alias.NAME UUID`.',
  })
}

/** Who the local records belong to under these settings. */
export function identityOf(settings: Settings): Identity {
  return {
    origin: new URL(settings.baseUrl.value).origin,
    clientId: settings.clientId.value,
    onBehalfOf: settings.onBehalfOf?.value ?? null,
  }
}

/** The profile that flags, environment and config.json choose, whether or not it exists. */
function profileSetting(flags: Given, env: Env, config: Config): Setting | undefined {
  return pick([...given('--profile', 'SCENT_PROFILE', flags.profile, env), ['auth use', config.current]])
}

type Candidate = [source: string, value: string | undefined]

/** oclif gives a flag the value of its variable: a value that differs from the variable was typed. */
function given(flag: string, variable: string, value: string | undefined, env: Env): Candidate[] {
  return [
    [flag, value === env[variable] ? undefined : value],
    [variable, env[variable]],
  ]
}

function pick(candidates: Candidate[]): Setting | undefined {
  const [first, ...others] = candidates.flatMap(([source, value]) => (value ? [{source, value}] : []))
  return first && {...first, beat: others}
}

const sourceOf = (profile: Chosen | undefined) => `profile ${profile?.name}`

function profileOf(named: Setting | undefined, config: Config): Chosen | undefined {
  if (named === undefined) return undefined
  // `auth use` chose it, and it was removed since. The environment may still have all that is needed.
  if (named.source === 'auth use' && findProfile(config, named.value) === undefined) return undefined
  return {...requireProfile(config, named.value), name: named.value}
}

function clientIdOf(env: Env, profile: Chosen | undefined): Setting {
  const {SCENT_CLIENT_ID: id, SCENT_CLIENT_SECRET: secret} = env
  if (Boolean(id) !== Boolean(secret)) {
    const [there, missing] = id
      ? ['SCENT_CLIENT_ID', 'SCENT_CLIENT_SECRET']
      : ['SCENT_CLIENT_SECRET', 'SCENT_CLIENT_ID']
    throw new Failure('NO_CREDENTIALS', {
      message: `${there} is set, and ${missing} is not.`,
      hint: `Set both, or unset ${there} to use a profile.`,
    })
  }
  const found = pick([
    ['SCENT_CLIENT_ID', id],
    [sourceOf(profile), profile?.clientId],
  ])
  if (found === undefined) throw new Failure('NO_CREDENTIALS')
  return found
}

function missingHost(): Failure {
  return new Failure('MISSING_INPUT', {
    message: 'There is no host to talk to.',
    hint: 'Give --base-url or SCENT_BASE_URL, or choose a profile with --profile.',
  })
}

/** A secret must not leave for a host that its owner did not log in to. */
function requireOwnHost(profile: Chosen, baseUrl: Setting): void {
  const own = new URL(profile.baseUrl).origin
  const asked = new URL(baseUrl.value).origin
  if (own === asked) return
  throw new Failure('INVALID_INPUT', {
    message: `The credential of profile "${profile.name}" belongs to ${own}; it is not sent to ${asked} (${baseUrl.source}).`,
    hint: `Log in there under another name: \`scent auth login --base-url ${asked} --name NAME\`.`,
  })
}
