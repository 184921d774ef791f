import type {Environment, Tokens} from '../door/auth.ts'
import type {Faults} from '../door/faults.ts'
import type {Limiter} from '../door/limits.ts'
import type {Requests} from '../door/requests.ts'
import type {Deliverer} from '../rules/deliveries.ts'
import type {Clock} from '../time/clock.ts'
import type {Ticker} from '../time/jobs.ts'
import type {Assumptions} from './assumptions.ts'
import type {World} from './world.ts'

/** Everything a running sandbox knows. What must survive a crash is in `world`; the rest is of this process. */
export interface State {
  seed: string
  world: World
  clock: Clock
  tokens: Tokens
  environment: Environment
  assumptions: Assumptions
  /** The turned ones in one line, for the header of every answer. */
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
