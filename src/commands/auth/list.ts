import {outputFlags, ScentCommand} from '../../command.ts'
import {foldersOf} from '../../store/paths.ts'
import {readConfig} from '../../store/profiles.ts'
import {type ProfileRow, profileTable} from '../../terminal/auth.ts'

export default class AuthList extends ScentCommand {
  static override summary = 'List the stored credentials.'
  static override description = 'Each profile is one client id and the one host that it belongs to.'
  static override examples = ['<%= config.bin %> auth list', '<%= config.bin %> auth list --json']
  static override flags = {...outputFlags}

  async run(): Promise<{items: ProfileRow[]}> {
    await this.parse(AuthList)
    const {current, profiles} = readConfig(foldersOf())
    const items = Object.entries(profiles).map(([profile, {baseUrl, clientId, storage}]) => ({
      profile,
      current: profile === current,
      baseUrl,
      clientId,
      storage,
    }))
    this.show(profileTable(items))
    return {items}
  }
}
