import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {removeSecret} from '../../store/credentials.ts'
import {removeOwn} from '../../store/files.ts'
import {listKeychain, removeKeychain} from '../../store/keychain.ts'
import {type Folders, foldersOf} from '../../store/paths.ts'
import {type Config, changeConfig, readConfig, requireProfile} from '../../store/profiles.ts'
import {tokenFile} from '../../store/shared.ts'
import {apiFlags, outputFlags} from '../../terminal/flags.ts'
import {counted} from '../../terminal/text.ts'
import {type LoggedOut, loggedOutTable} from '../../terminal/views/auth.ts'

export default class AuthLogout extends ScentCommand {
  static override summary = 'Remove a stored credential from this machine.'
  static override description =
    'Removes the secret from where it is kept, then the profile. Local records stay. The credential itself stays valid: only the service can revoke it. --all removes every profile, and all that the keychain keeps of this program, such as secrets of subscriptions; it asks once, and --yes answers.'
  static override examples = [
    '<%= config.bin %> auth logout',
    '<%= config.bin %> auth logout staging',
    '<%= config.bin %> auth logout --all',
  ]
  static override args = {
    profile: Args.string({description: 'Name of a profile; the one in use by default.'}),
  }
  static override flags = {
    ...outputFlags,
    profile: apiFlags.profile,
    all: Flags.boolean({summary: 'Every profile and secret of this machine.', exclusive: ['profile']}),
  }

  async run(): Promise<LoggedOut | {items: LoggedOut[]}> {
    const {args, flags} = await this.parse(AuthLogout)
    const folders = foldersOf()
    const config = readConfig(folders)
    if (flags.all && args.profile !== undefined)
      throw new Failure('INVALID_INPUT', {
        message: 'A profile does not go with --all.',
        hint: 'Give one of the two.',
      })
    const items = flags.all ? await this.everything(folders, config) : []
    const name = args.profile ?? flags.profile ?? config.current
    if (!flags.all) {
      if (name === undefined) throw new Failure('NO_CREDENTIALS', {message: 'No profile is in use.'})
      items.push(await forget(folders, config, name))
      this.note(`Profile "${name}" and its secret are removed.`)
    }
    if (process.env.SCENT_CLIENT_ID) this.note('SCENT_CLIENT_ID is set: commands go on with that credential.')
    this.show(loggedOutTable(items))
    return items[0] && !flags.all ? items[0] : {items}
  }

  private async everything(folders: Folders, config: Config): Promise<LoggedOut[]> {
    const names = Object.keys(config.profiles)
    const accounts = await this.accounts(config)
    const others = accounts.filter((account) => !names.includes(account))
    await this.confirm(
      `Remove ${counted(names.length, 'profile')} with ${names.length === 1 ? 'its secret' : 'their secrets'}, and ${counted(others.length, 'other secret')} that the keychain keeps of scent?`,
    )
    const items: LoggedOut[] = []
    for (const name of names) items.push(await forget(folders, config, name))
    // Also those of a profile that is now kept in a file, and of other folders of settings.
    for (const account of accounts) {
      const secretRemoved = await removeKeychain(account)
      if (others.includes(account)) items.push({profile: account, secretRemoved})
    }
    return items
  }

  /** What the keychain has. One that is not there, and that no profile needs, has nothing. */
  private async accounts({profiles}: Config): Promise<string[]> {
    try {
      return await listKeychain()
    } catch (error) {
      if (!isFailure(error) || Object.values(profiles).some(({storage}) => storage === 'keychain'))
        throw error
      this.note(`The keychain was not looked at: ${error.message}`)
      return []
    }
  }
}

async function forget(folders: Folders, config: Config, name: string): Promise<LoggedOut> {
  const {storage, baseUrl, clientId} = requireProfile(config, name)
  const secretRemoved = await removeSecret(folders, {kind: storage, account: name})
  removeOwn(tokenFile(folders, {origin: new URL(baseUrl).origin, clientId, onBehalfOf: null}))
  await changeConfig(folders, (latest) => {
    delete latest.profiles[name]
    if (latest.current === name) delete latest.current
  })
  return {profile: name, secretRemoved}
}
