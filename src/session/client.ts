import type {ClientOptions} from '../client/call.ts'
import {type Client, createClient} from '../client/client.ts'
import {openPacer, type Pacer, type PacerOptions, quotas, unpaced} from '../client/pace.ts'
import {realTime} from '../client/time.ts'
import {noTokens, openTokens, type TokenSource} from '../client/token.ts'
import {mintToken} from '../contract/auth.ts'
import {isFailure} from '../contract/failure.ts'
import type {Send} from '../contract/wire.ts'
import type {Folders} from '../store/paths.ts'
import {isUnlimited} from '../store/sandbox.ts'
import {identityOf, type Settings} from '../store/settings.ts'
import {quotaFile, sharedFile, tokenFile} from '../store/shared.ts'
import type {SessionFlags} from '../terminal/flags.ts'

interface Wiring {
  folders: Folders
  settings: Settings
  flags: SessionFlags
  env: Readonly<Record<string, string | undefined>>
  send: Send
  tell: ClientOptions['tell']
  /** Takes in what must not be printed. */
  secrets: Set<string>
  /** Whether it is for a job of many requests, which waits for the quota as long as it takes. */
  job: boolean
}

/** A client under the quotas that all processes of this machine share, its tokens, and the pacer of its requests. */
export function openClient(wiring: Wiring): {client: Client; tokens: TokenSource; requests: Pacer} {
  const {folders, settings, flags, job} = wiring
  const identity = identityOf(settings)
  const options = {
    ...realTime,
    send: wiring.send,
    secrets: wiring.secrets,
    learn: learner(wiring),
    baseUrl: settings.baseUrl.value,
    ...(settings.currency === undefined ? {} : {currency: settings.currency.value}),
    maxWaitMs: flags['max-wait'] * 1000,
    timeoutMs: flags.timeout * 1000,
    ...(wiring.tell && {tell: wiring.tell}),
  }
  const unlimited = isUnlimited(folders, identity.origin)
  const pacerOf = (
    kind: 'requests' | 'mints',
    own: Pick<PacerOptions, 'limit' | 'lease' | 'why' | 'maxWaitMs'>,
  ) =>
    unlimited ? unpaced : openPacer({...options, ...own, log: sharedFile(quotaFile(folders, identity, kind))})
  const mints = pacerOf('mints', {...quotas.mint, maxWaitMs: options.maxWaitMs})
  const tokens = tokensOf({...options, pacer: mints}, wiring)
  const quota = quotas[job ? 'bulk' : 'interactive']
  const requests = pacerOf('requests', {
    ...quota,
    limit: Math.max(1, Math.floor(quota.limit * settings.rateShare)),
    maxWaitMs: job ? Number.POSITIVE_INFINITY : options.maxWaitMs,
  })
  return {client: createClient({...options, pacer: requests, tokens}), tokens, requests}
}

/**
 * Reads the client secret, if nothing has: with a token that is kept it would not be known, and what a refusal repeats of
 * it be shown and written down. A keychain is asked only then, or if every exchange is shown.
 */
function learner({folders, settings, flags, env, secrets}: Wiring): (refused: boolean) => Promise<void> {
  const {kind} = settings.secret
  let learnt: Promise<void> | undefined
  const read = async () => {
    try {
      const {secretOf} = await import('../store/credentials.ts')
      secrets.add(await secretOf(folders, settings, env))
    } catch (error) {
      if (!isFailure(error)) throw error
    }
  }
  return async (refused) => {
    if (!refused && !flags.debug && kind !== 'file') return
    learnt ??= read()
    await learnt
  }
}

/** The tokens of this identity, shared by all processes; the keychain is read only if one must be minted. */
function tokensOf(
  options: Omit<ClientOptions, 'tokens'> & Pick<PacerOptions, 'ticks' | 'later'>,
  {folders, settings, env, secrets}: Wiring,
): TokenSource {
  const identity = identityOf(settings)
  const door = createClient({...options, tokens: noTokens})
  const source = openTokens({
    ...options,
    cache: sharedFile(tokenFile(folders, identity)),
    async credential() {
      const {secretOf} = await import('../store/credentials.ts')
      const clientSecret = await secretOf(folders, settings, env)
      secrets.add(clientSecret)
      const {onBehalfOf} = identity
      return {clientId: identity.clientId, clientSecret, ...(onBehalfOf === null ? {} : {onBehalfOf})}
    },
    exchange: (body, signal) => door.call(mintToken, {body}, {...(signal && {signal})}),
  })
  const noted = async (token: Promise<string>) => {
    secrets.add(await token)
    return token
  }
  return {
    get: (signal) => noted(source.get(signal)),
    renew: (stale, signal) => noted(source.renew(stale, signal)),
    forget: source.forget,
  }
}
