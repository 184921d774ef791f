import {ScentCommand} from '../../command.ts'
import {changeOf, type SettingRow, settingRow} from '../../session/config.ts'
import {foldersOf} from '../../store/paths.ts'
import {changeConfig, readConfig} from '../../store/profiles.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {keptSettings} from '../../terminal/views/config.ts'
import {settingArg} from './get.ts'

export default class ConfigUnset extends ScentCommand {
  static override summary = 'Take a setting back to its default.'
  static override description =
    'What was kept for it goes, and its default is in force again. Nothing else changes.'
  static override examples = [
    '<%= config.bin %> config unset customer',
    '<%= config.bin %> config unset alias.warda',
  ]
  static override args = {setting: settingArg}
  static override flags = {...outputFlags}

  async run(): Promise<SettingRow> {
    const {args} = await this.parse(ConfigUnset)
    const folders = foldersOf()
    await changeConfig(folders, await changeOf(args.setting, undefined, readConfig(folders)))
    const row = settingRow(args.setting, readConfig(folders), process.env)
    this.show(keptSettings([row]))
    return row
  }
}
