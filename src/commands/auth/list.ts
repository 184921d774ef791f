import {ScentCommand} from '../../command.ts'
import {foldersOf} from '../../store/paths.ts'
import {profileRow, readConfig} from '../../store/profiles.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {type ProfileRow, profileTable} from '../../terminal/views/auth.ts'

export default class AuthList extends ScentCommand {
  static override summary = 'List the stored credentials.'
  static override description = 'Each profile is one client id and the one host that it belongs to.'
  static override examples = ['<%= config.bin %> auth list', '<%= config.bin %> auth list --json']
  static override flags = {...outputFlags}

  async run(): Promise<{items: ProfileRow[]}> {
    await this.parse(AuthList)
    const config = readConfig(foldersOf())
    const items = Object.keys(config.profiles).map((name) => profileRow(name, config))
    this.show(profileTable(items))
    return {items}
  }
}
