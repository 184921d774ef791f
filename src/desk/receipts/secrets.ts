import {Failure} from '../../contract/failure.ts'
import {webhookRecords} from '../../store/webhooks.ts'
import type {Ask} from '../../terminal/ask.ts'
import type {Desk} from '../desk.ts'
import {secretsOf} from '../signature/keys.ts'
import {readGlances, segmentsOf} from './read.ts'

/** Loaded only if a secret is kept or read: most are given. */
async function openPlace({folders, identity, settings}: Desk, subscription: string) {
  const {readSecret, saveSecret, webhookPlace} = await import('../../store/credentials.ts')
  const place = settings && webhookPlace(settings, identity, subscription)
  return (
    place && {
      read: () => readSecret(folders, place),
      save: (secret: string) => saveSecret(folders, place, secret),
    }
  )
}

/** Keeps it, if there is a place. Fails with KEYCHAIN_UNAVAILABLE. */
export async function saveWebhookSecret(desk: Desk, subscription: string, secret: string): Promise<void> {
  await (await openPlace(desk, subscription))?.save(secret)
}

/**
 * Keeps the one secret that was given. Fails with INVALID_INPUT if there are none or several, or the profile has no place
 * for it, and with KEYCHAIN_UNAVAILABLE.
 */
export async function keepSecret(desk: Desk, subscription: string, secrets: string[]): Promise<void> {
  const {folders, identity, settings} = desk
  const [secret, ...others] = secrets
  if (secret === undefined || others.length > 0)
    throw new Failure('INVALID_INPUT', {
      message: `--save-secret keeps one secret, and ${secrets.length} were given.`,
      hint: 'Pipe just the one that is in force into --secret-stdin.',
    })
  if (settings === undefined) throw new Failure('NO_CREDENTIALS')
  const {openWebhookSecrets} = await import('../../store/credentials.ts')
  await (await openWebhookSecrets(folders, settings, identity))(subscription, secret)
}

/**
 * The secrets that may have signed, any of which counts: of stdin each line, else SCENT_WEBHOOK_SECRET, else the one that is
 * kept for the subscription. A person at a terminal is asked for what stdin should bring, without echo. Fails with
 * INVALID_INPUT if stdin is empty, and with KEYCHAIN_UNAVAILABLE.
 */
export async function webhookSecrets(
  desk: Desk | undefined,
  {stdin, subscription, ask}: {stdin: boolean; subscription: string | undefined; ask?: () => Promise<Ask>},
): Promise<string[]> {
  if (stdin) {
    const lines = secretsOf(await readGiven(ask))
    if (lines.length > 0) return lines
    throw new Failure('INVALID_INPUT', {
      message: '--secret-stdin: stdin is empty.',
      hint: 'Pipe the signing secret in; after a rotation one a line.',
    })
  }
  const given = secretsOf(process.env.SCENT_WEBHOOK_SECRET ?? '')
  if (given.length > 0) return given
  const kept = desk && subscription !== undefined ? await keptSecret(desk, subscription) : undefined
  return kept ? [kept] : []
}

async function readGiven(ask: (() => Promise<Ask>) | undefined): Promise<string> {
  if (process.stdin.isTTY && ask)
    return (await ask()).secret({message: 'Signing secret', flag: 'it through a pipe'})
  const {readInput} = await import('../../store/input.ts')
  return readInput('-')
}

/**
 * Every secret that may have signed what was received here: those of SCENT_WEBHOOK_SECRET, and each that is kept for a
 * subscription that was seen here or listened for. Fails with KEYCHAIN_UNAVAILABLE.
 */
export async function everySecret(desk: Desk): Promise<string[]> {
  const {folders, identity} = desk
  const seen = await webhookRecords(folders, identity).all()
  const ids = new Set(seen.map(({id}) => id.toLowerCase()))
  for (const {record} of readGlances(segmentsOf(folders, identity), identity))
    if (record.kind === 'opened' && record.subscription !== null) ids.add(record.subscription.toLowerCase())
  const secrets = new Set(secretsOf(process.env.SCENT_WEBHOOK_SECRET ?? ''))
  for (const id of ids) {
    const kept = await keptSecret(desk, id)
    if (kept) secrets.add(kept)
  }
  return [...secrets]
}

/** The signing secret that is kept for a subscription. Fails with KEYCHAIN_UNAVAILABLE. */
export async function keptSecret(desk: Desk, subscription: string): Promise<string | undefined> {
  return (await openPlace(desk, subscription))?.read()
}
