import {text as readText} from 'node:stream/consumers'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {login} from '../../flows/login.ts'
import type {Session} from '../../session.ts'
import {readSecret, removeSecret, saveSecret} from '../../store/credentials.ts'
import {removeOwn} from '../../store/files.ts'
import {credentialsFile, type Folders, foldersOf} from '../../store/paths.ts'
import {
  baseUrlOf,
  changeConfig,
  findProfile,
  type Profile,
  readConfig,
  requireName,
  storages,
} from '../../store/profiles.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {tokenFile} from '../../store/shared.ts'
import {apiFlags, outputFlags} from '../../terminal/flags.ts'
import {commandText, nextText} from '../../terminal/next.ts'
import {profileTable} from '../../terminal/views/auth.ts'

interface Found {
  baseUrl: string
  clientId: string
  clientSecret: string
}

export default class AuthLogin extends ScentCommand {
  static override summary = 'Store a credential, once the service has accepted it.'
  static override description =
    'Asks for what no flag gives. The secret comes from a hidden prompt, stdin or SCENT_CLIENT_SECRET, never from a flag. A token is minted with it first: what the service refuses is not stored. The secret is kept in the keychain, and the profile becomes the one in use.'
  static override examples = [
    '<%= config.bin %> auth login',
    '<%= config.bin %> auth login --sandbox',
    '<%= config.bin %> auth login --sandbox --client-id warda-boutique --name warda',
    'pass scent | <%= config.bin %> auth login --base-url https://api.example.com --client-id rimal-retail --client-secret-stdin --name rimal',
  ]
  static override flags = {
    ...outputFlags,
    'base-url': apiFlags['base-url'],
    'client-id': Flags.string({
      summary: 'Client id of the credential; with --sandbox rimal-retail by default.',
      helpValue: 'ID',
    }),
    'client-secret-stdin': Flags.boolean({summary: 'Read the client secret from stdin.'}),
    sandbox: Flags.boolean({summary: 'Log in to the sandbox that runs on this machine.'}),
    name: Flags.string({
      summary: 'Name of the profile; by default "default", or with --sandbox "sandbox".',
      helpValue: 'PROFILE',
    }),
    storage: Flags.option({options: storages})({
      summary:
        'Where to keep the secret; the keychain by default. A file is readable by everything that runs as you.',
    }),
    'max-wait': apiFlags['max-wait'],
    timeout: apiFlags.timeout,
  }

  async run() {
    const {flags} = await this.parse(AuthLogin)
    const folders = foldersOf()
    const config = readConfig(folders)
    const name = requireName(flags.name ?? (flags.sandbox ? 'sandbox' : 'default'))
    const before = findProfile(config, name)
    const storage = flags.storage ?? before?.storage ?? 'keychain'
    // Before anything is asked: a keychain that can't be used ends the login here.
    const fail = (error: unknown): never => {
      throw this.withLine(error)
    }
    if (storage === 'keychain') await readSecret(folders, {kind: storage, account: name}).catch(fail)
    const found = flags.sandbox ? sandboxCredential(folders, flags) : await this.credential(flags, before)
    if (before && flags.name === undefined && !flags.sandbox) requireSame(name, before, found)
    const session = await this.session({...flags, 'base-url': found.baseUrl}, {env: environmentOf(found)})
    const {leftBehind} = await login(
      {name, storage, ...found},
      {
        prove: () => mintAnew(session),
        before,
        saveSecret: (place, secret) => saveSecret(folders, place, secret).catch(fail),
        removeSecret: (place) => removeSecret(folders, place),
        changeConfig: (change) => changeConfig(folders, change),
      },
    )
    this.report(name, storage, folders, config.current)
    if (leftBehind) this.note(`The older secret is still in the ${leftBehind}: that can't be used now.`)
    const saved = {profile: name, current: true, baseUrl: found.baseUrl, clientId: found.clientId, storage}
    this.show(profileTable([saved]))
    this.aside(nextText('catalog', 'variants', '--include', 'pricing,availability'))
    return saved
  }

  /** The refusal of a keychain, with this very line for who goes on without one. */
  private withLine(error: unknown): unknown {
    if (!isFailure(error, 'KEYCHAIN_UNAVAILABLE')) return error
    const words = this.argv
      .join('\n')
      .replace(/^--storage(=|\n)keychain$/gm, '--storage\nfile')
      .split('\n')
    const line = commandText(
      'auth',
      'login',
      ...(words.includes('--storage') ? words : [...words, '--storage', 'file']),
    )
    const hint = `${line} keeps the secret in a file of mode 0600. Or start or unlock a keyring (on Linux a Secret Service, such as gnome-keyring), or set SCENT_CLIENT_ID and SCENT_CLIENT_SECRET.`
    return new Failure(error.code, {...error.facts, hint}, {cause: error.cause})
  }

  /** Flag, then environment, then the profile of before, then a question. */
  private async credential(
    flags: {
      'base-url'?: string | undefined
      'client-id'?: string | undefined
      'client-secret-stdin': boolean
    },
    before: Profile | undefined,
  ): Promise<Found> {
    const {SCENT_CLIENT_ID, SCENT_CLIENT_SECRET} = process.env
    const ask = await this.ask()
    const host =
      (flags['base-url'] || before?.baseUrl) ??
      (await ask.text({message: 'Host of the service', flag: '--base-url URL', check: wrongUrl}))
    const baseUrl = baseUrlOf(host)
    const clientId =
      flags['client-id'] ||
      SCENT_CLIENT_ID ||
      before?.clientId ||
      (await ask.text({
        message: 'Client id',
        flag: '--client-id ID',
        check: (id) => (id ? undefined : 'Needed.'),
      }))
    // A secret in the environment is that of the client id beside it.
    const fits = SCENT_CLIENT_ID === undefined || SCENT_CLIENT_ID === clientId
    const flag = '--client-secret-stdin, or set SCENT_CLIENT_SECRET'
    const clientSecret = flags['client-secret-stdin']
      ? (await readText(process.stdin)).replace(/\r?\n$/, '')
      : (fits && SCENT_CLIENT_SECRET) || (await ask.secret({message: 'Client secret', flag}))
    if (clientSecret === '') throw emptySecret()
    return {baseUrl, clientId, clientSecret}
  }

  private report(name: string, storage: string, folders: Folders, previous: string | undefined): void {
    const where = storage === 'keychain' ? 'the keychain' : credentialsFile(folders)
    this.note(`Logged in. The secret is saved in ${where}, and profile "${name}" is in use.`)
    if (storage === 'file') this.note('Warning: everything that runs as you can read that file.')
    if (previous !== undefined && previous !== name) {
      this.note(`Before it was "${previous}": \`scent auth use ${previous}\` goes back.`)
    }
    for (const variable of ['SCENT_CLIENT_ID', 'SCENT_PROFILE', 'SCENT_BASE_URL']) {
      if (process.env[variable]) this.note(`${variable} is set, and wins over the profile.`)
    }
  }
}

/** The usual hint names a flag, and a secret has none. */
function emptySecret(): Failure {
  return new Failure('MISSING_INPUT', {
    message: 'The client secret is empty.',
    hint: 'Pipe it into --client-secret-stdin, set SCENT_CLIENT_SECRET, or leave both out and type it when asked.',
  })
}

/** A token at hand proves nothing of the secret. The new one serves the next commands. */
async function mintAnew({folders, identity, tokens}: Session): Promise<void> {
  removeOwn(tokenFile(folders, identity))
  await tokens.get()
}

function sandboxCredential(folders: Folders, flags: {'client-id'?: string | undefined}): Found {
  const {baseUrl, credentials} = requireSandbox(folders)
  const wanted = flags['client-id']
  const found = credentials.find(({clientId}) => wanted === undefined || clientId === wanted)
  if (found !== undefined) return {baseUrl, clientId: found.clientId, clientSecret: found.clientSecret}
  throw new Failure('INVALID_INPUT', {
    message: `The sandbox has no client id "${wanted}".`,
    hint: `It has: ${credentials.map(({clientId, name}) => `${clientId} (${name})`).join(', ')}.`,
  })
}

/** The default name is never taken from another credential by accident. */
function requireSame(name: string, before: Profile, found: Found): void {
  if (before.clientId === found.clientId && before.baseUrl === found.baseUrl) return
  throw new Failure('INVALID_INPUT', {
    message: `Profile "${name}" is ${before.clientId} at ${before.baseUrl}.`,
    hint: 'Give this one another name: --name NAME; or the same, to replace it.',
  })
}

/** The environment of a login: the new credential, whatever profile is in use. */
function environmentOf({clientId, clientSecret}: Found): NodeJS.ProcessEnv {
  const {SCENT_PROFILE: _, SCENT_ON_BEHALF_OF: __, ...rest} = process.env
  return {...rest, SCENT_CLIENT_ID: clientId, SCENT_CLIENT_SECRET: clientSecret}
}

function wrongUrl(text: string): string | undefined {
  try {
    baseUrlOf(text)
    return undefined
  } catch (error) {
    if (isFailure(error)) return error.message
    throw error
  }
}
