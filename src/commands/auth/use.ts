import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {foldersOf} from '../../store/paths.ts'
import {changeConfig, profileRow, readConfig, requireProfile} from '../../store/profiles.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {type ProfileRow, profileTable} from '../../terminal/views/auth.ts'

export default class AuthUse extends ScentCommand {
  static override summary = 'Choose the stored credential that commands use.'
  static override description =
    '--profile and SCENT_PROFILE choose another one for a single command or shell.'
  static override examples = ['<%= config.bin %> auth use staging']
  static override args = {profile: Args.string({description: 'Name of a profile.', required: true})}
  static override flags = {...outputFlags}

  async run(): Promise<ProfileRow> {
    const {args} = await this.parse(AuthUse)
    const folders = foldersOf()
    await changeConfig(folders, (config) => {
      requireProfile(config, args.profile)
      config.current = args.profile
    })
    const row = profileRow(args.profile, readConfig(folders))
    this.show(profileTable([row]))
    this.note(`Profile "${args.profile}" is in use.`)
    if (process.env.SCENT_PROFILE)
      this.note(`SCENT_PROFILE is set to "${process.env.SCENT_PROFILE}", and wins.`)
    return row
  }
}
