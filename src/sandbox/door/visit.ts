import type {State} from '../core/state.ts'
import type {Fault} from './faults.ts'
import {refuse} from './reply.ts'
import type {Exchange} from './requests.ts'

/** A request as it arrived. */
export interface Incoming {
  method: string
  /** Path and query exactly as sent. */
  target: string
  /** Scheme, host and port under which the caller reached us. */
  origin: string
  ip: string
  header(name: string): string | undefined
  /** null if it is over the limit of 1 MiB. */
  body(): Promise<string | null>
}

/** Facts about a request that the door collects on its way, for the journal. */
export type Trace = Pick<
  Exchange,
  'operation' | 'partnerId' | 'clientId' | 'requestBody' | 'bug' | 'ignored'
> & {fault: Fault | null}

/** A request on its way through the door. */
export interface Visit {
  state: State
  incoming: Incoming
  trace: Trace
  /** Without its query and its dot segments. */
  path: string
}

/** Refuses if the key has used up its permits. */
export function limit({state}: Visit, which: 'token' | 'rest', key: string): void {
  if (!state.limits.enabled) return
  const now = state.assumptions.X09 === 'virtual' ? state.clock.now() : performance.now()
  const retryAfter = state.limits[which].take(key, now)
  if (retryAfter !== undefined) refuse('RATE_LIMITED', {message: 'Too many requests.'}, {retryAfter})
}

/** Returns the fault that meets this request, if any, now that it is known which operation is asked for. */
export function meet(
  {state, incoming, trace, path}: Visit,
  operation: string,
  template: string,
): Fault | null {
  trace.operation = operation
  trace.fault =
    state.faults.strike({operations: [operation], method: incoming.method, path, template}) ?? null
  return trace.fault
}
