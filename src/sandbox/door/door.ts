import {randomUUID} from 'node:crypto'
import {setTimeout as delay} from 'node:timers/promises'
import type * as z from 'zod/mini'
import {mintToken} from '../../contract/auth.ts'
import {isFailure} from '../../contract/failure.ts'
import {Afterwards, type Call, Created} from '../core/call.ts'
import type {Route, Served} from '../core/routes.ts'
import type {State} from '../core/state.ts'
import {currencies} from '../rules/money.ts'
import {startOrder} from '../rules/orders.ts'
import {type Partner, partnerById} from '../rules/partners.ts'
import {iso} from '../time/clock.ts'
import {identify, issueToken} from './auth.ts'
import {checkMediaType, faultsOfTexts, parseBody, readBody} from './body.ts'
import type {Fault} from './faults.ts'
import {readQuery} from './query.ts'
import {envelope, invalid, type Reply, refusal, refuse, refuseFaults, success} from './reply.ts'
import {fractured, insteadOf, spoiled} from './spoil.ts'

/** A request as it arrived. */
export interface Incoming {
  method: string
  /** Path and query exactly as sent. */
  target: string
  /** Scheme, host and port under which the caller reached us. */
  origin: string
  ip: string
  header(name: string): string | undefined
  /** null when it is over the limit of 1 MiB. */
  body(): Promise<string | null>
}

/** An answer, and how its way back is broken when a fault says so. */
export interface Outgoing {
  status: number
  headers: Record<string, string>
  body: string
  broken?: 'reset' | 'hang' | 'truncate'
}

/** What is learned about a request on its way through the door, for the journal. */
interface Trace {
  operation: string | null
  partnerId: string | null
  clientId: string | null
  requestBody: string | null
  fault: Fault | null
  bug: string | null
  ignored: string[]
}

/** Takes one request through the door and writes it into the journal. */
export async function answer(state: State, incoming: Incoming): Promise<Outgoing> {
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
  const reply = await settled(state, incoming, trace)
  state.ticker.wake()
  const requestId = randomUUID()
  const outgoing: Outgoing = {
    status: reply.status,
    // E06. E08: whatever the caller accepts, and never compressed.
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': requestId,
      'x-scent-sandbox': state.environment,
      'x-scent-assumptions': state.assumed,
      ...reply.headers,
    },
    body: envelope(reply),
  }
  const sent = trace.fault === null ? outgoing : fractured(outgoing, trace.fault)
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
    fault: trace.fault?.effect ?? null,
    bug: trace.bug,
    ignored: trace.ignored,
  })
  return sent
}

async function settled(state: State, incoming: Incoming, trace: Trace): Promise<Reply> {
  try {
    return await pass(state, incoming, trace)
  } catch (error) {
    if (isFailure(error))
      return {...refusal(error.code, error.facts.details ?? null), ...headersOf(error.facts)}
    // E16
    trace.bug = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return refusal('SANDBOX_INTERNAL_ERROR', {message: 'The sandbox failed; see its request journal.'})
  }
}

const headersOf = ({retryAfter}: {retryAfter?: number}): Partial<Reply> =>
  retryAfter === undefined ? {} : {headers: {'retry-after': String(retryAfter)}}

/**
 * The checks in their order (X01): route, 401, 403, 429, 415, query, body, and then the rule itself. Each refuses by
 * throwing. A 401, 404 or 405 takes no permit (X03).
 */
async function pass(state: State, incoming: Incoming, trace: Trace): Promise<Reply> {
  const {method, target} = incoming
  const cut = target.indexOf('?')
  const path = withoutDots(cut < 0 ? target : target.slice(0, cut))
  const search = cut < 0 ? '' : target.slice(cut + 1)
  const match = state.match(method, path)
  if (match === undefined) refuse('NOT_FOUND_ROUTE', {message: 'No route matches this path.'})
  if ('allow' in match) {
    const headers = {allow: match.allow.join(', ')}
    return {...refusal('METHOD_NOT_ALLOWED', {message: 'The path exists with other methods.'}), headers}
  }
  const {route, params} = match
  const [first] = route.served
  trace.operation = first.name
  if (first.operation.auth === 'none') return exchange(state, incoming, trace, path)
  const now = state.clock.now()
  const identity = await identify(state.tokens, incoming.header('authorization'), now, state.environment)
  trace.partnerId = identity.partnerId
  trace.clientId = identity.clientId
  const operations = route.served.map(({name}) => name)
  trace.fault = state.faults.forbid({operations, method, path, template: route.path}) ?? null
  if (trace.fault) refuse('FORBIDDEN', {message: 'The route is not available to this credential.'})
  // X05, X06: one bucket for each acting credential.
  limit(state, 'rest', identity.clientId)
  const meet = (name: string) => {
    trace.operation = name
    trace.fault = state.faults.strike({operations: [name], method, path, template: route.path}) ?? null
    return trace.fault
  }
  return serve({state, incoming, trace, route, params, search, partnerId: identity.partnerId, meet})
}

/** G06: as every URL parser on the way would: dot segments vanish, written as %2e as well. */
function withoutDots(path: string): string {
  const hasDots = path.startsWith('/') && /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path)
  return hasDots ? new URL(`http://sandbox${path}`).pathname : path
}

interface Admitted {
  state: State
  incoming: Incoming
  trace: Trace
  route: Route
  params: Record<string, string>
  search: string
  partnerId: string
  meet(operation: string): Fault | null
}

async function serve(admitted: Admitted): Promise<Reply> {
  const {state, incoming, trace, route, params} = admitted
  const arrived = state.clock.now()
  const takesBody = route.served[0].operation.body !== undefined
  const text = takesBody ? await incoming.body() : ''
  trace.requestBody = takesBody ? text : null
  const fault = admitted.meet(nameOf(route, text ?? ''))
  const early = fault && insteadOf(fault)
  if (early) return early
  if (takesBody) checkMediaType(incoming.header)
  const query = readQuery(route.served[0].operation, admitted.search)
  const json = takesBody ? parseBody(text) : undefined
  const {name, operation, handler, check} = chosen(route, json)
  const body =
    operation.body && readBody(operation.body, json, state.assumptions.E09 === 'reject', trace.ignored)
  if (handler === undefined) throw new Error(`${name} has no rule`)
  // G16: an unknown code, a lowercase one and SAR itself leave the display fields null.
  const code = incoming.header('x-partner-currency')
  const currency = currencies.find((one) => one.code === code) ?? null
  // The partner is read when the work starts: while a body was awaited, another order may have emptied its wallet.
  const call = () =>
    ({
      state,
      world: state.world,
      partner: callerOf(state, admitted.partnerId),
      params,
      query,
      body,
      sent: json,
      currency,
      now: state.clock.now(),
      arrived,
    }) as Call
  if (fault?.effect === 'slow' && fault.when === 'before') await linger(state, call(), name, fault)
  await check?.(call())
  state.ticker.catchUp()
  const done = state.world.transaction(() => handler(call()))
  const result = done instanceof Afterwards ? await done.payload() : done
  const reply = result instanceof Created ? created(state, result, incoming.origin, name) : success(result)
  return fault === null ? reply : spoiled(state, reply, fault)
}

function callerOf({world}: State, partnerId: string): Partner {
  const partner = partnerById(world, partnerId)
  return partner ?? refuse('UNAUTHORIZED_INVALID_TOKEN', {message: 'The token is not valid here.'})
}

/** The name of the operation that a shared route's body will turn out to mean, as far as that can be told. */
function nameOf(route: Route, text: string): string {
  const [first, ...others] = route.served
  return (
    others.find(({operation}) => fieldsOf(operation).some((field) => text.includes(`"${field}"`)))?.name ??
    first.name
  )
}

/** Of operations that share a route, the one whose fields the body has: exactly one of them. */
function chosen(route: Route, json: Record<string, unknown> | undefined): Served {
  const [first, ...others] = route.served
  if (others.length === 0) return first
  const named = route.served.filter(({operation}) =>
    fieldsOf(operation).some((field) => field in (json ?? {})),
  )
  const [only] = named
  if (named.length === 1 && only !== undefined) return only
  const fields = route.served.flatMap(({operation}) => fieldsOf(operation))
  invalid(Object.fromEntries(fields.map((field) => [field, [`send exactly one of ${fields.join(', ')}`]])))
}

function fieldsOf({body}: Served['operation']): string[] {
  return Object.keys((body as z.ZodMiniObject | undefined)?.shape ?? {})
}

/** Keeps a request waiting before its work; an order then counts as being made. */
async function linger(state: State, call: Call, operation: string, fault: Fault): Promise<void> {
  const order = operation === 'createOrder' ? startOrder(call as Parameters<typeof startOrder>[0]) : undefined
  try {
    await delay(fault.delayMs ?? 1_000, undefined, {signal: state.closing})
  } finally {
    state.inFlight = state.inFlight.filter((one) => one !== order)
  }
}

function created(state: State, {payload, path}: Created, origin: string, operation: string): Reply {
  const headers = {location: `${origin}${path}`}
  if (operation === 'createOrder' && state.assumptions.O01 === 'success')
    return {...success(payload), headers}
  return {...success(payload), status: 201, state: 'CREATED', headers}
}

/**
 * The token route: 415, 429, body (T02), credentials. The media type comes first here, unlike X01: the key of the limit
 * is in the body. It is the client id that the body names, else the caller (X04); failed logins count too (X11).
 */
async function exchange(state: State, incoming: Incoming, trace: Trace, path: string): Promise<Reply> {
  checkMediaType(incoming.header)
  const text = await incoming.body()
  trace.requestBody = text
  trace.clientId = clientIdIn(text)
  limit(state, 'token', trace.clientId === null ? `ip ${incoming.ip}` : `id ${trace.clientId}`)
  trace.fault =
    state.faults.strike({operations: ['mintToken'], method: 'POST', path, template: mintToken.path}) ?? null
  const early = trace.fault && insteadOf(trace.fault)
  if (early) return early
  const body = readBody(mintToken.body, parseBody(text), state.assumptions.E09 === 'reject', trace.ignored)
  const {clientId, clientSecret} = body as z.output<typeof mintToken.body>
  refuseFaults(faultsOfTexts({clientId, clientSecret}))
  const call = {
    state,
    world: state.world,
    params: {},
    query: {},
    body,
    currency: null,
    now: state.clock.now(),
  }
  const reply = success(await issueToken(call as Parameters<typeof issueToken>[0]))
  return trace.fault === null ? reply : spoiled(state, reply, trace.fault)
}

function clientIdIn(text: string | null): string | null {
  try {
    const {clientId} = (JSON.parse(text ?? '') ?? {}) as {clientId?: unknown}
    return typeof clientId === 'string' && clientId !== '' ? clientId : null
  } catch {
    return null // not JSON: the caller's address is the key
  }
}

function limit(state: State, which: 'token' | 'rest', key: string): void {
  if (!state.limits.enabled) return
  const now = state.assumptions.X09 === 'virtual' ? state.clock.now() : performance.now()
  const retryAfter = state.limits[which].take(key, now)
  if (retryAfter !== undefined) refuse('RATE_LIMITED', {message: 'Too many requests.'}, {retryAfter})
}
