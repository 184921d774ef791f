import * as Args from '@oclif/core/args'
import {ScentCommand} from '../command.ts'
import {Failure} from '../contract/failure.ts'
import {type Folders, foldersOf} from '../store/paths.ts'
import {changeConfig, readConfig, requireProfile, type Config as Settings} from '../store/profiles.ts'
import {apiFlags, outputFlags} from '../terminal/flags.ts'
import {settingTable} from '../terminal/views/auth.ts'

type Values = Record<string, string | number | null>

export default class Config extends ScentCommand {
  static override summary = 'Show or change the settings of this machine.'
  static override description =
    'Without arguments it shows all of them. `profile` is the stored credential in use; `rate-share` is the part of the quota (above 0, up to 1) that this machine takes, for a profile that several machines share. The folders are set by SCENT_CONFIG_DIR and SCENT_STATE_DIR.'
  static override examples = [
    '<%= config.bin %> config',
    '<%= config.bin %> config rate-share 0.5',
    '<%= config.bin %> config profile staging',
  ]
  static override args = {
    setting: Args.string({description: 'What to show or change.', options: ['profile', 'rate-share']}),
    value: Args.string({description: 'Its new value.'}),
  }
  static override flags = {...outputFlags, profile: apiFlags.profile}

  async run(): Promise<Values> {
    const {args, flags} = await this.parse(Config)
    const folders = foldersOf()
    const {setting, value} = args
    if (setting !== undefined && value !== undefined) {
      await changeConfig(folders, (config) => changeSetting(config, setting, value, flags.profile))
    }
    const values = valuesOf(folders, readConfig(folders), flags.profile)
    const shown = setting === undefined ? values : {[setting]: values[setting] ?? null}
    this.show(
      settingTable(
        Object.entries(shown).map(([name, found]) => ({
          setting: name,
          value: found === null ? undefined : String(found),
          source: undefined,
          beat: [],
        })),
      ),
    )
    return shown
  }
}

function valuesOf(folders: Folders, config: Settings, named: string | undefined): Values {
  const profile = named ?? config.current
  const rateShare = profile === undefined ? null : (requireProfile(config, profile).rateShare ?? 1)
  return {
    profile: profile ?? null,
    'rate-share': rateShare,
    'config-dir': folders.config,
    'state-dir': folders.state,
  }
}

function changeSetting(config: Settings, setting: string, value: string, named: string | undefined): void {
  if (setting === 'profile') {
    requireProfile(config, value)
    config.current = value
    return
  }
  const name = named ?? config.current
  if (name === undefined) throw new Failure('NO_CREDENTIALS', {message: 'No profile is in use.'})
  const share = Number(value)
  if (!(share > 0 && share <= 1)) {
    throw new Failure('INVALID_INPUT', {
      message: `"${value}" is not a valid share of the quota.`,
      hint: 'Give a number above 0, up to 1, such as 0.5.',
    })
  }
  requireProfile(config, name).rateShare = share
}
