import {resolve} from 'node:path'
import {checkAddress} from '../contract/address.ts'
import {Failure} from '../contract/failure.ts'
import {isUuid} from '../contract/forms.ts'
import {customerRef, pathRule} from '../contract/wire.ts'
import {readJson} from '../store/input.ts'
import type {Folders} from '../store/paths.ts'
import {type Config, findProfile, requireName, requireProfile} from '../store/profiles.ts'
import {amountFlag} from '../terminal/amounts.ts'
import {modes} from '../terminal/output.ts'
import {oneOf} from '../terminal/parsing.ts'

type Env = Readonly<Record<string, string | undefined>>

/** A setting that is kept on this machine. */
interface Kept {
  read(config: Config): string | undefined
  /** Takes it away if there is no value. */
  write(config: Config, value: string | undefined): void
  /** The value as it is kept. Fails with INVALID_INPUT. */
  check(value: string, config: Config): string | Promise<string>
  /** The variable that wins over it. */
  env?: string
  /** What holds if nothing sets it. */
  otherwise?: string
}

/** The names that are always listed, in this order. */
const LISTED = ['profile', 'rate-share', 'output', 'customer', 'max-total', 'address', 'accessible'] as const

/** What stands in `config list` beside the fixed names: one for each that is set. */
const FAMILIES = ['columns.TOPIC.COMMAND', 'alias.NAME']

const invalid = (name: string, value: string, rule: string, hint?: string) =>
  new Failure('INVALID_INPUT', {message: `${name} "${value}" ${rule}.`, ...(hint !== undefined && {hint})})

/** A value of a group in config.json, such as a default. */
function keptIn(group: 'defaults' | 'aliases', key: string): Pick<Kept, 'read' | 'write'> {
  return {
    read: (config) => (Object.hasOwn(config[group] ?? {}, key) ? config[group]?.[key] : undefined),
    write(config, value) {
      const {[key]: _, ...others} = config[group] ?? {}
      config[group] = value === undefined ? others : {...others, [key]: value}
    },
  }
}

const fixed: Record<(typeof LISTED)[number], Kept> = {
  profile: {
    read: ({current}) => current,
    write(config, value) {
      if (value === undefined) delete config.current
      else config.current = value
    },
    check(value, config) {
      requireProfile(config, value)
      return value
    },
    env: 'SCENT_PROFILE',
  },
  'rate-share': {
    read: (config) => inUse(config)?.rateShare?.toString(),
    write(config, value) {
      const profile = inUse(config)
      if (profile === undefined) throw new Failure('NO_CREDENTIALS', {message: 'No profile is in use.'})
      if (value === undefined) delete profile.rateShare
      else profile.rateShare = Number(value)
    },
    check(value) {
      if (/^\d*\.?\d+$/.test(value) && Number(value) > 0 && Number(value) <= 1) return value
      throw invalid(
        'rate-share',
        value,
        'is not a valid share of the quota',
        'Give a number above 0, up to 1, such as 0.5.',
      )
    },
    otherwise: '1',
  },
  output: {
    ...keptIn('defaults', 'output'),
    check: (value) => oneOf('output', value, modes),
    env: 'SCENT_OUTPUT',
    otherwise: 'table',
  },
  customer: {
    ...keptIn('defaults', 'customer'),
    check(value) {
      const rule =
        pathRule(value) ??
        (customerRef.safeParse(value).success ? undefined : 'must have at most 128 characters')
      if (rule !== undefined) throw invalid('customer', value, rule)
      return value
    },
  },
  'max-total': {...keptIn('defaults', 'max-total'), check: (value) => amountFlag('max-total', value) ?? ''},
  address: {
    ...keptIn('defaults', 'address'),
    async check(value) {
      checkAddress(await readJson(value))
      return resolve(value)
    },
  },
  accessible: {
    ...keptIn('defaults', 'accessible'),
    check: (value) => oneOf('accessible', value, ['on', 'off']),
    env: 'ACCESSIBLE',
    otherwise: 'off',
  },
}

/** The profile in use, which the rate share belongs to. */
const inUse = (config: Config) =>
  config.current === undefined ? undefined : findProfile(config, config.current)

function keptAs(name: string): Kept {
  if (Object.hasOwn(fixed, name)) return fixed[name as keyof typeof fixed]
  const [family, key = ''] = [name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)]
  if (family === 'columns' && /^[a-z]+(\.[a-z]+)?$/.test(key))
    return {
      ...keptIn('defaults', name),
      check(value) {
        if (/^[\w$.[\]-]+(,[\w$.[\]-]+)*$/.test(value)) return value
        throw invalid(
          name,
          value,
          'is not a list of columns',
          'Give paths of fields by comma, such as sku,pricing.unitPrice.',
        )
      },
    }
  if (family === 'alias')
    return {
      ...keptIn('aliases', requireName(key)),
      check(value) {
        if (isUuid(value)) return value.toLowerCase()
        throw invalid(
          name,
          value,
          'is not a valid partner id',
          'Give the id of a descendant partner, a UUID.',
        )
      },
    }
  const message = `There is no setting "${name}".`
  throw new Failure('INVALID_INPUT', {message, hint: `There are ${[...LISTED, ...FAMILIES].join(', ')}.`})
}

/** The value to keep, and how it goes into the settings. Fails with INVALID_INPUT, NO_CREDENTIALS or FILE_FAILED. */
export async function changeOf(
  name: string,
  value: string | undefined,
  config: Config,
): Promise<(config: Config) => void> {
  const kept = keptAs(name)
  const checked = value === undefined ? undefined : await kept.check(value, config)
  return (latest) => kept.write(latest, checked)
}

export interface SettingRow {
  setting: string
  value: string | null
  source: string
}

/** A setting as it holds now, and where that comes from. Fails with INVALID_INPUT. */
export function settingRow(name: string, config: Config, env: Env): SettingRow {
  const {read, env: variable, otherwise = null} = keptAs(name)
  const typed = variable === undefined ? undefined : env[variable]
  if (typed) return {setting: name, value: typed, source: variable ?? ''}
  const value = read(config)
  if (value === undefined) return {setting: name, value: otherwise, source: 'default'}
  return {setting: name, value, source: name === 'rate-share' ? `profile ${config.current}` : 'config'}
}

/** Every setting, and the folders that they and the local records lie in. */
export function settingRows(config: Config, folders: Folders, env: Env): SettingRow[] {
  const more = [
    ...Object.keys(config.defaults ?? {}).filter((key) => key.startsWith('columns.')),
    ...Object.keys(config.aliases ?? {}).map((key) => `alias.${key}`),
  ]
  const folder = (setting: string, value: string, variable: string) => {
    return {setting, value, source: env[variable] ? variable : 'default'}
  }
  return [
    ...[...LISTED, ...more].map((name) => settingRow(name, config, env)),
    folder('config-dir', folders.config, 'SCENT_CONFIG_DIR'),
    folder('state-dir', folders.state, 'SCENT_STATE_DIR'),
  ]
}
