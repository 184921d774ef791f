import type {Faults} from '../door/faults.ts'
import type {Limiter} from '../door/limits.ts'
import type {Requests} from '../door/requests.ts'
import type {Clock} from '../time/clock.ts'
import type {Assumptions} from './assumptions.ts'
import type {Attempt, Partner} from './schema.ts'
import type {World} from './world.ts'

/** Everything a running sandbox knows. What must survive a crash is in `world`; the rest is of this process. */
export interface State {
  /** The base of ids: every sandbox has the same ones. */
  seed: string
  /** The base of this installation's client secrets and token signatures. */
  secret: string
  world: World
  clock: Clock
  tokens: Tokens
  environment: Environment
  assumptions: Assumptions
  /** The turned assumptions in one line, for the header of every answer. */
  assumed: string
  limits: {enabled: boolean; token: Limiter; rest: Limiter}
  faults: Faults
  requests: Requests
  /** Orders that are being made right now; gone with the process, as if never asked for (O28). */
  inFlight: InFlight[]
  /** Whether webhooks may go to the open internet by https only, as at the service. */
  strict: boolean
  deliverer: Deliverer
  ticker: Ticker
  /** Aborted when the sandbox closes: whoever waits stops waiting. */
  closing: AbortSignal
}

export interface InFlight {
  partnerId: string
  externalReference: string
  customerRef: string
}

export type Environment = Partner['environment']

/** Who a request speaks for, from its token (T10). */
export interface Identity {
  /** The partner whose data is read and written: the descendant under delegation. */
  partnerId: string
  /** The credential that acts; limits are kept by it. */
  clientId: string
  /** The parent that acts for a descendant. */
  actorId: string | null
  environment: Environment
  /** Seconds since 1970 UTC. */
  expiresAt: number
}

/** Makes a token that must be refused. */
export type TokenSpoil = 'wrong-audience' | 'foreign-key'

export interface Tokens {
  mint(identity: Identity, path: string, spoil?: TokenSpoil): Promise<string>
  /** The identity of a genuine partner token, however old; undefined for anything else. */
  read(token: string): Promise<Identity | undefined>
}

/** Makes things happen by themselves while the clock runs. */
export interface Ticker {
  /** Call after every change: looks soon for what is due, and sends what is in the outbox. */
  wake(): void
  /** Lets what is due by now happen first. */
  catchUp(): void
}

/**
 * Sends what is in the outbox. A subscription has one attempt under way at a time, the oldest due first (H25); one
 * that fails waits for its next turn and lets the others pass. An attempt that is not recorded as made is made again
 * after a restart (H28), so a receiver may see an event twice, with the same eventId.
 */
export interface Deliverer {
  /** Starts on all that is due now. */
  start(): void
  /** Resolves when nothing is due any more and nothing is under way. */
  settled(): Promise<void>
  /** Makes the next attempt of one delivery out of turn, and returns its record. */
  fire(delivery: number): Promise<Attempt>
  /** Forgets what is under way: the database was replaced. */
  forget(): void
}
