import {randomBytes} from 'node:crypto'
import type {ClientOptions} from './client/call.ts'
import {type Client, createClient} from './client/client.ts'
import {type ClientEvent, redact} from './client/events.ts'
import {openPacer, type Pacer, type PacerOptions, quotas, unpaced} from './client/pace.ts'
import {realTime} from './client/time.ts'
import {noTokens, openTokens, type TokenSource} from './client/token.ts'
import {openTransport} from './client/transport.ts'
import {mintToken} from './contract/auth.ts'
import type {CatalogTools} from './flows/catalog.ts'
import type {OrderEvent, OrderTools} from './flows/order/intent.ts'
import type {WalkTools} from './flows/order/walk.ts'
import type {OrderRecords} from './store/orders.ts'
import {cartLock, type Folders, foldersOf, type Identity} from './store/paths.ts'
import {readConfig} from './store/profiles.ts'
import {isUnlimited} from './store/sandbox.ts'
import {identityOf, type Settings, settingsOf} from './store/settings.ts'
import {quotaFile, sharedFile, tokenFile} from './store/shared.ts'
import type {WebhookRecords} from './store/webhooks.ts'
import {drawEvents} from './terminal/exchange.ts'
import type {SessionFlags} from './terminal/flags.ts'
import {openProgress, type Progress, showWaits} from './terminal/progress.ts'
import {watch} from './terminal/traffic.ts'

/** Everything one invocation works with. The only place where the rooms are wired together. */
export interface Session {
  client: Client
  tokens: TokenSource
  settings: Settings
  identity: Identity
  folders: Folders
  progress: Progress
  /** From here on what goes on is shown on a board. */
  showOn(board: Progress): void
  /** Time and chance, for flows. */
  time: typeof realTime
  /** What flows work with. */
  tools: Pick<OrderTools, 'client' | 'now' | 'clock' | 'sleep' | 'random'>
  /** The local record of orders made under this identity. */
  orders(): Promise<OrderRecords>
  /** What the flows of orders work with. `tell` hears of every step; `signal` ends their pauses. */
  orderTools(tell?: (event: OrderEvent) => void, signal?: AbortSignal): Promise<WalkTools>
  /**
   * Runs `work` while no other process orders from the same cart: what another is just ordering must not be taken for
   * an order that was cut off. Waits for the other; fails with BUSY when that takes minutes, or at `stop`.
   */
  alone<T>(customerRef: string | null, work: () => Promise<T>, waiting?: Waiting): Promise<T>
  /** The local record of subscriptions made or touched under this identity. */
  webhooks(): Promise<WebhookRecords>
  /** What the local copy of this identity's catalog is read and brought up to date with. */
  catalogTools(): Promise<CatalogTools>
  /** Keeps what an answer told of a subscription. */
  sawWebhook(subscription: {id: string; [field: string]: unknown}): Promise<void>
  /** What the client waits for, and for how many milliseconds more, where a board shows it. */
  waiting(): {why: string; ms: number} | null
  /** How full the quota of requests is, and how long so many more take at least; null where the service has none. */
  quota: Pacer['level']
  /** What an interrupt has to say at this moment. */
  story(): string
  /** The last request that changed something and was answered. */
  changed(): string | undefined
  /** Text without the secrets that this process knows. */
  clean(text: string): string
  close(): void
}

/** How a cart is waited for: who says so, and what ends it. */
interface Waiting {
  say?: (text: string) => void
  stop?: AbortSignal
}

export interface SessionOptions {
  job?: boolean
  /** Waits are not told one by one: who draws a board asks for them. */
  board?: boolean
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * Resolves flags, environment and profile, and opens a client on them. Nothing is sent, and the keychain is not read,
 * before the first call needs a token. A `job` of many requests waits for the quota as long as it takes, and leaves a
 * part of it to the commands that a person types meanwhile. Fails with NO_CREDENTIALS, MISSING_INPUT, INVALID_INPUT, CORRUPT_FILE and
 * FOREIGN_FILE.
 */
export function openSession(
  flags: SessionFlags,
  env: Env = process.env,
  {job = false, board = false}: SessionOptions = {},
): Session {
  const folders = foldersOf(env)
  const settings = settingsOf(flags, env, readConfig(folders))
  const identity = identityOf(settings)
  const line = openProgress(process.stderr)
  let shown: Progress = line
  const progress: Progress = {say: (text) => shown.say(text), clear: () => shown.clear()}
  const traffic = watch(openTransport(env, {many: job}))
  const secrets = new Set(env.SCENT_CLIENT_SECRET ? [env.SCENT_CLIENT_SECRET] : [])
  const clean = (text: string) => redact(text, [...secrets])
  let wait: {why: string; until: number} | undefined
  const draw = drawEvents((text) => process.stderr.write(clean(text)), progress, flags.debug)
  const options = {
    ...realTime,
    send: board ? traffic.send : showWaits(traffic.send, line),
    baseUrl: settings.baseUrl.value,
    ...(settings.currency === undefined ? {} : {currency: settings.currency.value}),
    maxWaitMs: flags['max-wait'] * 1000,
    timeoutMs: flags.timeout * 1000,
    tell: (event: ClientEvent) => {
      if (event.kind === 'waiting' && board) wait = {why: event.why, until: realTime.ticks() + event.ms}
      // A board would be taken away and drawn again for every exchange.
      else if (event.kind !== 'exchange' || flags.debug || !board) draw(event)
    },
  }
  const unlimited = isUnlimited(folders, identity.origin)
  const pacerOf = (
    kind: 'requests' | 'mints',
    own: Pick<PacerOptions, 'limit' | 'lease' | 'why' | 'maxWaitMs'>,
  ) =>
    unlimited ? unpaced : openPacer({...options, ...own, log: sharedFile(quotaFile(folders, identity, kind))})
  const mints = pacerOf('mints', {...quotas.mint, maxWaitMs: options.maxWaitMs})
  const tokens = tokensOf({...options, pacer: mints}, folders, settings, env, secrets)
  const quota = quotas[job ? 'bulk' : 'interactive']
  const requests = pacerOf('requests', {
    ...quota,
    limit: Math.max(1, Math.floor(quota.limit * settings.rateShare)),
    maxWaitMs: job ? Number.POSITIVE_INFINITY : options.maxWaitMs,
  })
  const client = createClient({...options, pacer: requests, tokens})
  const tools = {
    client,
    now: realTime.ticks,
    clock: () => new Date().toISOString(),
    sleep: realTime.sleep,
    random: realTime.random,
  }
  const orders = async () => (await import('./store/orders.ts')).orderRecords(folders, identity)
  const webhooks = async () => (await import('./store/webhooks.ts')).webhookRecords(folders, identity)
  return {
    client,
    tokens,
    settings,
    identity,
    folders,
    progress,
    showOn: (other) => {
      shown = other
    },
    time: realTime,
    tools,
    orders,
    async orderTools(tell = () => {}, signal) {
      const {savedAddresses} = await import('./store/addresses.ts')
      const records = await orders()
      return {
        ...tools,
        records,
        tell,
        signal,
        savedAddresses: () => savedAddresses(records),
        newReference,
      }
    },
    async alone(customerRef, work, {say = progress.say, stop} = {}) {
      const {tryLock, withLock} = await import('./store/lock.ts')
      const path = cartLock(folders, identity, customerRef)
      const free = tryLock(path)
      if (free) return work().finally(free)
      // Carts share locks now and then, and an order of a second is no news.
      const text = 'Another checkout of this cart runs on this machine; waiting for it.'
      const telling = setTimeout(say, 1_000, text)
      const soon = () => {
        clearTimeout(telling)
        progress.clear()
        return work()
      }
      return withLock(path, soon, {waitMs: 180_000, stop}).finally(() => clearTimeout(telling))
    },
    webhooks,
    async catalogTools() {
      const {catalogCache} = await import('./store/catalog.ts')
      return {client, cache: catalogCache(folders, identity), now: realTime.now}
    },
    sawWebhook: async (subscription) => (await webhooks()).note(subscription, new Date().toISOString()),
    waiting: () =>
      wait && wait.until > realTime.ticks() ? {why: wait.why, ms: wait.until - realTime.ticks()} : null,
    quota: requests.level,
    story: traffic.story,
    changed: traffic.changed,
    clean,
    close: () => progress.clear(),
  }
}

/** A reference that nobody else makes up, and that a person can read out: the day, and 60 random bits. */
function newReference(): string {
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  const bits = BigInt(`0x${randomBytes(8).toString('hex')}`) >> 4n
  return `scent-${day}-${bits.toString(32).padStart(12, '0')}`
}

/** The tokens of this identity, shared by all processes; the keychain is read only where one must be minted. */
function tokensOf(
  options: Omit<ClientOptions, 'tokens'> & Pick<PacerOptions, 'ticks' | 'later'>,
  folders: Folders,
  settings: Settings,
  env: Env,
  secrets: Set<string>,
): TokenSource {
  const identity = identityOf(settings)
  const door = createClient({...options, tokens: noTokens})
  const source = openTokens({
    ...options,
    cache: sharedFile(tokenFile(folders, identity)),
    async credential() {
      const {secretOf} = await import('./store/credentials.ts')
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
