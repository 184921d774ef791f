import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {removeSecret} from '../../store/credentials.ts'
import {removeOwn} from '../../store/files.ts'
import {foldersOf} from '../../store/paths.ts'
import {changeConfig, readConfig, requireProfile} from '../../store/profiles.ts'
import {tokenFile} from '../../store/shared.ts'
import {apiFlags, outputFlags} from '../../terminal/flags.ts'
import {loggedOutTable} from '../../terminal/views/auth.ts'

export default class AuthLogout extends ScentCommand {
  static override summary = 'Remove a stored credential from this machine.'
  static override description =
    'Removes the secret from where it is kept, then the profile. Local records stay. The credential itself stays valid: only the service can revoke it.'
  static override examples = ['<%= config.bin %> auth logout', '<%= config.bin %> auth logout staging']
  static override args = {
    profile: Args.string({description: 'Name of a profile; the one in use by default.'}),
  }
  static override flags = {...outputFlags, profile: apiFlags.profile}

  async run(): Promise<{profile: string; secretRemoved: boolean}> {
    const {args, flags} = await this.parse(AuthLogout)
    const folders = foldersOf()
    const config = readConfig(folders)
    const name = args.profile ?? flags.profile ?? config.current
    if (name === undefined) throw new Failure('NO_CREDENTIALS', {message: 'No profile is in use.'})
    const {storage, baseUrl, clientId} = requireProfile(config, name)
    const secretRemoved = await removeSecret(folders, {kind: storage, account: name})
    removeOwn(tokenFile(folders, {origin: new URL(baseUrl).origin, clientId, onBehalfOf: null}))
    await changeConfig(folders, (latest) => {
      delete latest.profiles[name]
      if (latest.current === name) delete latest.current
    })
    this.note(`Profile "${name}" and its secret are removed.`)
    if (process.env.SCENT_CLIENT_ID) this.note('SCENT_CLIENT_ID is set: commands go on with that credential.')
    this.show(loggedOutTable({profile: name, secretRemoved}))
    return {profile: name, secretRemoved}
  }
}
