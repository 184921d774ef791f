import {randomUUID} from 'node:crypto'
import {isFailure} from '../../contract/failure.ts'
import type {Route} from '../core/call.ts'
import {createRoutes} from '../core/routes.ts'
import type {State} from '../core/state.ts'
import {iso} from '../time/clock.ts'
import {identify} from './auth.ts'
import {exchange} from './exchange.ts'
import type {Matcher} from './match.ts'
import {envelope, notAllowed, type Outgoing, type Reply, refusal, refusalOf, refuse} from './reply.ts'
import {serve} from './serve.ts'
import {fractured} from './spoil.ts'
import {type Incoming, limit, type Trace} from './visit.ts'

/** Takes one request through the door, writes it into the journal and returns its answer. */
export type Door = (incoming: Incoming) => Promise<Outgoing>

export function createDoor(state: State): Door {
  const match = createRoutes(state.assumptions)
  return async (incoming) => {
    const started = performance.now()
    const trace: Trace = {
      operation: null,
      partnerId: null,
      clientId: null,
      requestBody: null,
      fault: null,
      bug: null,
      ignored: [],
    }
    const reply = await settled(state, match, incoming, trace)
    state.ticker.wake()
    const requestId = randomUUID()
    const outgoing = outgoingOf(state, reply, requestId)
    state.requests.add({
      at: iso(state.clock.now()),
      method: incoming.method,
      target: incoming.target,
      operation: trace.operation,
      partnerId: trace.partnerId,
      clientId: trace.clientId,
      status: reply.status,
      state: reply.state,
      durationMs: Math.round((performance.now() - started) * 100) / 100,
      requestId,
      requestBody: trace.requestBody,
      responseBody: outgoing.body,
      ignored: trace.ignored,
      fault: trace.fault?.effect ?? null,
      bug: trace.bug,
    })
    return trace.fault === null ? outgoing : fractured(outgoing, trace.fault)
  }
}

/** The bytes and the headers of every answer. */
export function outgoingOf(state: State, reply: Reply, requestId: string = randomUUID()): Outgoing {
  // E06. E08: whatever the caller accepts, and never compressed.
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    'x-scent-sandbox': state.environment,
    'x-scent-assumptions': state.assumed,
    // H29: a client that counts down to a deadline follows this clock.
    date: new Date(state.clock.now()).toUTCString(),
    ...reply.headers,
  }
  return {status: reply.status, headers, body: envelope(reply)}
}

type Pass = (state: State, match: Matcher<Route>, incoming: Incoming, trace: Trace) => Promise<Reply>

const settled: Pass = async (state, match, incoming, trace) => {
  try {
    return await pass(state, match, incoming, trace)
  } catch (error) {
    if (isFailure(error)) return refusalOf(error)
    // E16
    trace.bug = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return refusal('SANDBOX_INTERNAL_ERROR', {message: 'The sandbox failed; see its request journal.'})
  }
}

/**
 * The checks in their order (X01): route, 401, 403, 429, 415, query, body, and then the rule itself. Each refuses by
 * throwing. A 401, 404 or 405 takes no permit (X03).
 */
const pass: Pass = async (state, match, incoming, trace) => {
  const {method, target} = incoming
  const cut = target.indexOf('?')
  const path = withoutDots(cut < 0 ? target : target.slice(0, cut))
  const search = cut < 0 ? '' : target.slice(cut + 1)
  const found = match(method, path)
  if (found === undefined) refuse('NOT_FOUND_ROUTE', {message: 'No route matches this path.'})
  if ('allow' in found) return notAllowed(found.allow)
  const visit = {state, incoming, trace, path}
  const {route, params} = found
  const [first] = route.served
  trace.operation = first.name
  if (first.operation.auth === 'none') return exchange(visit)
  const now = state.clock.now()
  const {partnerId, clientId} = await identify(
    state.tokens,
    incoming.header('authorization'),
    now,
    state.environment,
  )
  trace.partnerId = partnerId
  trace.clientId = clientId
  const operations = route.served.map(({name}) => name)
  trace.fault = state.faults.forbid({operations, method, path, template: route.path}) ?? null
  if (trace.fault) refuse('FORBIDDEN', {message: 'The route is not available to this credential.'})
  // X05, X06: one bucket for each acting credential.
  limit(visit, 'rest', clientId)
  return serve({state, incoming, trace, path, route, params, search, partnerId})
}

/** G06: as every URL parser on the way would: dot segments vanish, written as %2e as well. */
function withoutDots(path: string): string {
  const hasDots = path.startsWith('/') && /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path)
  return hasDots ? new URL(`http://sandbox${path}`).pathname : path
}
