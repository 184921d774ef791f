import {join} from 'node:path'
import * as z from 'zod/mini'
import {Failure} from '../contract/failure.ts'
import {foreign, readOwn, statOf, writeOwn} from './files.ts'
import {readKeychain, removeKeychain, saveKeychain} from './keychain.ts'
import {withLock} from './lock.ts'
import {credentialsFile, type Folders, type Identity, identityName} from './paths.ts'
import {parseFile, type Storage} from './profiles.ts'
import type {Settings} from './settings.ts'

/** Where one secret is kept. The account is the profile's name. */
export interface Place {
  kind: Storage
  account: string
}

const secrets = z.looseObject({version: z.literal(1), secrets: z.record(z.string(), z.string())})

/**
 * The client secret of these settings. Read only when a token must be minted. Fails with KEYCHAIN_UNAVAILABLE,
 * NO_CREDENTIALS, CORRUPT_FILE or FOREIGN_FILE.
 */
export async function secretOf(
  folders: Folders,
  settings: Settings,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string> {
  const place = settings.secret
  const secret = place.kind === 'environment' ? env.SCENT_CLIENT_SECRET : await readSecret(folders, place)
  if (secret) return secret
  const where = place.kind === 'keychain' ? 'The keychain' : credentialsFile(folders)
  const account = place.kind === 'environment' ? '' : ` for profile "${place.account}"`
  throw new Failure('NO_CREDENTIALS', {message: `${where} has no secret${account}.`})
}

/** Returns undefined if there is none. */
export async function readSecret(folders: Folders, place: Place): Promise<string | undefined> {
  if (place.kind === 'keychain') return readKeychain(place.account)
  const all = readFile(folders).secrets
  return Object.hasOwn(all, place.account) ? all[place.account] : undefined
}

/** Returns once the secret has been read back. */
export async function saveSecret(folders: Folders, place: Place, secret: string): Promise<void> {
  if (place.kind === 'keychain') return saveKeychain(place.account, secret)
  await changeFile(folders, (all) => {
    all[place.account] = secret
  })
}

/** Returns false if there was none. */
export async function removeSecret(folders: Folders, place: Place): Promise<boolean> {
  if (place.kind === 'keychain') return removeKeychain(place.account)
  if (!Object.hasOwn(readFile(folders).secrets, place.account)) return false
  await changeFile(folders, (all) => {
    delete all[place.account]
  })
  return true
}

/**
 * Where the signing secret of a subscription is kept: where the profile keeps its own. Undefined if the credential comes
 * from the environment.
 */
export function webhookPlace(
  {secret: {kind}}: Settings,
  identity: Identity,
  name: string,
): Place | undefined {
  // No profile can have such a name.
  const account = `webhook ${identityName(identity)} ${name.toLowerCase()}`
  return kind === 'environment' ? undefined : {kind, account}
}

/**
 * Returns what keeps the signing secret of a subscription where the profile keeps its own. That place is tried first:
 * the service tells such a secret once. Fails with INVALID_INPUT if the credential comes from the environment, and with
 * KEYCHAIN_UNAVAILABLE.
 */
export async function openWebhookSecrets(
  folders: Folders,
  settings: Settings,
  identity: Identity,
): Promise<(webhookId: string, secret: string) => Promise<void>> {
  const probe = webhookPlace(settings, identity, 'probe')
  if (probe === undefined)
    throw new Failure('INVALID_INPUT', {
      message:
        'The credential comes from the environment, and only a profile has a place to keep a signing secret.',
      hint: 'Choose a profile with --profile, or create one with `scent auth login`.',
      effect: 'none',
    })
  await saveSecret(folders, probe, 'probe')
  await removeSecret(folders, probe)
  return (webhookId, secret) =>
    saveSecret(folders, webhookPlace(settings, identity, webhookId) ?? probe, secret)
}

function readFile(folders: Folders): z.output<typeof secrets> {
  const path = credentialsFile(folders)
  // Before it is opened, which would tighten it: others may have read the secrets.
  const stat = statOf(path)
  const mode = stat?.isFile() ? stat.mode : 0
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw foreign(
      path,
      `can be read by other users (mode 0${(mode & 0o777).toString(8)})`,
      `\`chmod 600 '${path}'\`. If somebody may have read it, have the secrets in it renewed.`,
    )
  const text = readOwn(path)
  return text === undefined ? {version: 1, secrets: {}} : parseFile(path, text, secrets)
}

async function changeFile(folders: Folders, change: (all: Record<string, string>) => void): Promise<void> {
  await withLock(join(folders.config, '.credentials.lock'), () => {
    const file = readFile(folders)
    change(file.secrets)
    writeOwn(credentialsFile(folders), `${JSON.stringify(file, null, 2)}\n`)
  })
}
