import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {type SettingRow, settingRow} from '../../session/config.ts'
import {foldersOf} from '../../store/paths.ts'
import {readConfig} from '../../store/profiles.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {keptSettings} from '../../terminal/views/config.ts'

export const settingArg = Args.string({
  description:
    'profile, rate-share, output, customer, max-total, address, accessible, columns.TOPIC.COMMAND or alias.NAME.',
  required: true,
})

export default class ConfigGet extends ScentCommand {
  static override summary = 'Show one setting, and where it comes from.'
  static override description =
    'Prints the value that is in force, and where it comes from: a flag, the environment, the settings or the default.'
  static override examples = [
    '<%= config.bin %> config get output',
    '<%= config.bin %> config get alias.warda --json',
  ]
  static override args = {setting: settingArg}
  static override flags = {...outputFlags}

  async run(): Promise<SettingRow> {
    const {args} = await this.parse(ConfigGet)
    const row = settingRow(args.setting, readConfig(foldersOf()), process.env)
    this.show(keptSettings([row]))
    return row
  }
}
