import {ScentCommand} from '../../command.ts'
import {type SettingRow, settingRows} from '../../session/config.ts'
import {foldersOf} from '../../store/paths.ts'
import {readConfig} from '../../store/profiles.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {keptSettings} from '../../terminal/views/config.ts'

export default class ConfigList extends ScentCommand {
  static override summary = 'List the settings of this machine, and where each comes from.'
  static override description =
    'A flag wins over a variable of the environment, that over what is kept here. `scent auth status` lists what a profile holds. The folders are set by SCENT_CONFIG_DIR and SCENT_STATE_DIR.'
  static override examples = ['<%= config.bin %> config list', '<%= config.bin %> config list --json']
  static override flags = {...outputFlags}

  async run(): Promise<{items: SettingRow[]}> {
    await this.parse(ConfigList)
    const folders = foldersOf()
    const items = settingRows(readConfig(folders), folders, process.env)
    this.show(keptSettings(items))
    return {items}
  }
}
