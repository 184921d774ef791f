import type {Client} from './client/client.ts'
import {type ClientEvent, redact} from './client/events.ts'
import type {Pacer} from './client/pace.ts'
import {realTime} from './client/time.ts'
import type {TokenSource} from './client/token.ts'
import {openTransport} from './client/transport.ts'
import {isUuid} from './contract/forms.ts'
import type {CatalogTools} from './flows/catalog.ts'
import type {OrderEvent, OrderTools} from './flows/order/records.ts'
import type {WalkTools} from './flows/order/walker.ts'
import {openClient} from './session/client.ts'
import {openServiceClock} from './session/clock.ts'
import type {Waiting} from './session/orders.ts'
import type {OrderRecords} from './store/orders.ts'
import {cartLock, type Folders, foldersOf, type Identity} from './store/paths.ts'
import {readConfig} from './store/profiles.ts'
import {identityOf, type Settings, settingsOf} from './store/settings.ts'
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
  /** The time by the service's clock, as its answers to this command tell; before the first one by this machine's. */
  serviceNow(): number
  /** The same, before the first answer as earlier commands were told: what spans such as 7d are counted from. */
  lastNow(): number
  /** What flows work with. */
  tools: Pick<OrderTools, 'client' | 'now' | 'clock' | 'sleep' | 'random'>
  /** The local record of orders made under this identity. */
  orders(): Promise<OrderRecords>
  /** What the flows of orders work with. `tell` hears of every step; `signal` ends their pauses. */
  orderTools(tell?: (event: OrderEvent) => void, signal?: AbortSignal): Promise<Omit<WalkTools, 'fees'>>
  /**
   * Runs `work` while no other process orders from the same cart: what another is just ordering must not be taken for
   * an order that was cut off. Waits for the other; fails with BUSY if that takes minutes, or at `stop`.
   */
  alone<T>(customerRef: string | null, work: () => Promise<T>, waiting?: Waiting): Promise<T>
  /** The local record of subscriptions made or touched under this identity. */
  webhooks(): Promise<WebhookRecords>
  /** What the local copy of this identity's catalog is read and brought up to date with. */
  catalogTools(): Promise<CatalogTools>
  /** The ids of variants that a person has named by id or SKU; see resolveVariants(). */
  variants(typed: readonly string[]): Promise<string[]>
  /** The same of one. */
  variant(typed: string): Promise<string>
  /** Keeps what an answer told of a subscription. */
  sawWebhook(subscription: {id: string; [field: string]: unknown}): Promise<void>
  /** What the client waits for, and for how many milliseconds more, if a board shows it. */
  waiting(): {why: string; ms: number} | null
  /** How full the quota of requests is, and how long that many more take at least; null if the service has none. */
  quota: Pacer['level']
  /** What an interrupt has to say at this moment. */
  story(): string
  /** The last request that changed something and was answered. */
  changed(): string | undefined
  /** A request for a change that left and has no final answer. */
  open(): string | undefined
  /** Text without the secrets that this process knows. */
  clean(text: string): string
  close(): void
}

export interface SessionOptions {
  /** Many requests follow. */
  job?: boolean
  /** Waits are not told one by one: who draws a board asks for them. */
  board?: boolean
  /** Tells a person what was taken for what they have typed. */
  note?: (text: string) => void
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * Resolves flags, environment and profile, and opens a client on them. Nothing is sent, and the keychain is not read,
 * before the first call needs a token. A `job` of many requests waits for the quota as long as it takes, and leaves a
 * part of it to the commands that a person types meanwhile. Fails with NO_CREDENTIALS, MISSING_INPUT, INVALID_INPUT,
 * CORRUPT_FILE and FOREIGN_FILE.
 */
export function openSession(
  flags: SessionFlags,
  env: Env = process.env,
  {job = false, board = false, note = () => {}}: SessionOptions = {},
): Session {
  const folders = foldersOf(env)
  const settings = settingsOf(flags, env, readConfig(folders))
  const identity = identityOf(settings)
  const line = openProgress(process.stderr)
  let shown: Progress = line
  const progress: Progress = {say: (text) => shown.say(text), clear: () => shown.clear()}
  const service = openServiceClock(folders, identity, openTransport(env, {many: job}))
  const traffic = watch(service.send)
  const secrets = new Set(env.SCENT_CLIENT_SECRET ? [env.SCENT_CLIENT_SECRET] : [])
  const clean = (text: string) => redact(text, [...secrets])
  let wait: {why: string; until: number} | undefined
  const draw = drawEvents((text) => process.stderr.write(clean(text)), progress, flags.debug)
  const tell = (event: ClientEvent) => {
    if (event.kind === 'waiting' && board) wait = {why: event.why, until: realTime.ticks() + event.ms}
    // A board would be taken away and drawn again for every exchange.
    else if (event.kind !== 'exchange' || flags.debug || !board) draw(event)
  }
  const send = board ? traffic.send : showWaits(traffic.send, line)
  const {client, tokens, requests} = openClient({folders, settings, flags, env, send, tell, secrets, job})
  const {ticks, sleep, random} = realTime
  const tools = {client, now: ticks, clock: () => new Date().toISOString(), sleep, random}
  const orders = async () => (await import('./store/orders.ts')).orderRecords(folders, identity)
  const webhooks = async () => (await import('./store/webhooks.ts')).webhookRecords(folders, identity)
  const catalogTools = async () => {
    const {catalogCache} = await import('./store/catalog.ts')
    return {client, cache: catalogCache(folders, identity), now: realTime.now}
  }
  const variants = async (typed: readonly string[]) => {
    if (typed.every(isUuid)) return [...typed]
    const {resolveVariants} = await import('./flows/names.ts')
    return resolveVariants(await catalogTools(), typed, note)
  }
  const alone: Session['alone'] = async (customerRef, work, waiting = {}) => {
    const {whileAlone} = await import('./session/orders.ts')
    return whileAlone(cartLock(folders, identity, customerRef), work, progress, waiting)
  }
  return {
    ...{client, tokens, settings, identity, folders, progress, tools, orders, webhooks, clean},
    time: realTime,
    serviceNow: service.now,
    lastNow: service.last,
    showOn: (other) => {
      shown = other
    },
    async orderTools(hear = () => {}, signal) {
      const {orderTools} = await import('./session/orders.ts')
      return orderTools({...tools, alone, tell: hear, signal}, await orders())
    },
    alone,
    catalogTools,
    variants,
    variant: async (typed) => (await variants([typed]))[0] ?? '',
    sawWebhook: async (subscription) => (await webhooks()).note(subscription, new Date().toISOString()),
    waiting: () => (wait && wait.until > ticks() ? {why: wait.why, ms: wait.until - ticks()} : null),
    quota: requests.level,
    story: traffic.story,
    changed: traffic.changed,
    open: traffic.open,
    close: () => progress.clear(),
  }
}
