import type {Send} from '../contract/wire.ts'
import type {Answer} from './answer.ts'
import type {ClientEvent} from './events.ts'
import type {Pacer} from './pace.ts'
import type {TokenSource} from './token.ts'

/** How a single call is treated. */
export interface CallOptions {
  signal?: AbortSignal
  /** Ends only the waits of a call of which nothing may have taken effect, and not the request that is on its way. */
  stop?: AbortSignal | undefined
  /** Milliseconds for one attempt, the client's own by default. */
  timeoutMs?: number
  /** The answer is only shown, so it is handed on whatever its fields hold. What is decided by an answer is checked. */
  onlyShown?: boolean
  /** Hears each answer whole, with its headers, before its payload is judged. */
  heard?(answer: Answer): void
  /**
   * Awaited before each attempt, once nothing is left to wait for and right before it is sent. If it throws, nothing is
   * sent, and the call fails with just that.
   */
  leaving?(): Promise<void>
}

/** How all calls of a client are made. */
export interface ClientOptions {
  send: Send
  /** Host, without /api/v1. */
  baseUrl: string
  tokens: TokenSource
  pacer: Pacer
  /** What no answer may repeat: the secrets that this process knows. */
  secrets?: ReadonlySet<string>
  /** Takes in the secrets that nothing needed so far, before what the service says is read; `refused` if it said no. */
  learn?: (refused: boolean) => Promise<void>
  /** X-Partner-Currency. */
  currency?: string
  /** The longest a call waits in all before it repeats. */
  maxWaitMs: number
  /** For one attempt, from the send to the last byte. */
  timeoutMs: number
  /** Milliseconds of the wall clock. */
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  random(): number
  tell?(event: ClientEvent): void
  /** Ends every call, such as Ctrl-C. */
  signal?: AbortSignal
}
