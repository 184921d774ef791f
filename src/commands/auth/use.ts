import * as Args from '@oclif/core/args'
import {outputFlags, ScentCommand} from '../../command.ts'
import {foldersOf} from '../../store/paths.ts'
import {changeConfig, requireProfile} from '../../store/profiles.ts'

export default class AuthUse extends ScentCommand {
  static override summary = 'Choose the stored credential that commands use.'
  static override description =
    '--profile and SCENT_PROFILE choose another one for a single command or shell.'
  static override examples = ['<%= config.bin %> auth use staging']
  static override args = {profile: Args.string({description: 'Name of a profile.', required: true})}
  static override flags = {...outputFlags}

  async run(): Promise<{profile: string}> {
    const {args} = await this.parse(AuthUse)
    await changeConfig(foldersOf(), (config) => {
      requireProfile(config, args.profile)
      config.current = args.profile
    })
    this.note(`Profile "${args.profile}" is in use.`)
    if (process.env.SCENT_PROFILE)
      this.note(`SCENT_PROFILE is set to "${process.env.SCENT_PROFILE}", and wins.`)
    return {profile: args.profile}
  }
}
