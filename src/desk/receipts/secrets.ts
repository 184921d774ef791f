import {text as readText} from 'node:stream/consumers'
import {Failure} from '../../contract/failure.ts'
import {readSecret, saveSecret} from '../../store/credentials.ts'
import {identityName} from '../../store/paths.ts'
import type {Desk} from '../desk.ts'
import {secretsOf} from '../signature/keys.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where the signing secret of a subscription is kept: where the profile keeps its own. */
function placeOf({identity, settings}: Desk, subscription: string) {
  if (settings === undefined || settings.secret.kind === 'environment') return undefined
  return {
    kind: settings.secret.kind,
    account: `webhook ${identityName(identity)} ${subscription.toLowerCase()}`,
  }
}

/** Keeps it, if there is a place. Fails with KEYCHAIN_UNAVAILABLE. */
export async function saveWebhookSecret(desk: Desk, subscription: string, secret: string): Promise<void> {
  const place = placeOf(desk, subscription)
  if (place) await saveSecret(desk.folders, place, secret)
}

/**
 * The secrets that may have signed, any of which counts: of stdin each line, else SCENT_WEBHOOK_SECRET, else the one that is
 * kept for the subscription. Fails with INVALID_INPUT if stdin is empty, and with KEYCHAIN_UNAVAILABLE.
 */
export async function webhookSecrets(
  desk: Desk,
  {stdin, subscription}: {stdin: boolean; subscription: string | undefined},
  env: Env = process.env,
): Promise<string[]> {
  if (stdin) {
    const lines = secretsOf(await readText(process.stdin))
    if (lines.length === 0)
      throw new Failure('INVALID_INPUT', {
        message: '--secret-stdin: stdin is empty.',
        hint: 'Pipe the signing secret in; after a rotation one a line.',
      })
    return lines
  }
  if (env.SCENT_WEBHOOK_SECRET) return [env.SCENT_WEBHOOK_SECRET]
  const kept = subscription === undefined ? undefined : await keptSecret(desk, subscription)
  return kept ? [kept] : []
}

/** The signing secret that is kept for a subscription. Fails with KEYCHAIN_UNAVAILABLE. */
export async function keptSecret(desk: Desk, subscription: string): Promise<string | undefined> {
  const place = placeOf(desk, subscription)
  return place && readSecret(desk.folders, place)
}
