import {timingSafeEqual} from 'node:crypto'
import * as z from 'zod/mini'
import {isFailure} from '../../contract/failure.ts'
import {momentOf} from '../../contract/forms.ts'
import {openApi} from '../../contract/openapi/document.ts'
import {turned} from '../core/assumptions.ts'
import {checkWorld} from '../core/check.ts'
import {isSeed, seedWorld} from '../core/seed.ts'
import {restoreSnapshot, takeSnapshot} from '../core/snapshots.ts'
import type {Identity, State, TokenSpoil} from '../core/state.ts'
import {lifetimeSeconds} from '../door/auth.ts'
import {parseBody, readBody} from '../door/body.ts'
import {type Door, outgoingOf} from '../door/door.ts'
import {faultOrder} from '../door/faults.ts'
import {createMatcher, type Matcher} from '../door/match.ts'
import {invalid, notAllowed, type Reply, refusal, refusalOf, refuse, success} from '../door/reply.ts'
import type {Incoming} from '../door/visit.ts'
import {noticeOrder, raiseNotice} from '../rules/notices.ts'
import {deliverOrder, detailOrder, hideDetail, interveneIn, shipOrder} from '../rules/order-moves.ts'
import {allPartners, credentialsOf} from '../rules/partners.ts'
import {advanceReturn, rejection, rejectReturn, returnSteps} from '../rules/return-moves.ts'
import {iso} from '../time/clock.ts'
import {advanceTo, nextMoment} from '../time/jobs.ts'
import {eventOrder, sendEvent} from './events.ts'
import {changePartner, findPartner, partnerChange, partnerView} from './partners.ts'
import {stateView} from './state.ts'
import {changeVariant, readVariantTerms, variantChange} from './variants.ts'
import {duplicateLast, redeliver, rotateSecret} from './webhooks.ts'

interface AdminOptions {
  token: string
  /** Where snapshots are kept. */
  folder: string
}

const health = '/__sandbox/health'
const description = '/__sandbox/openapi.json'

/** The controls, below /__sandbox. Only health and the description of the API are open; the rest needs the admin token. */
export function createAdmin(state: State, options: AdminOptions): Door {
  const match = createMatcher([
    {method: 'GET', path: health, run: () => ({status: 'ok', pid: process.pid})},
    {method: 'GET', path: description, run: () => null},
    ...routesOf(state, options).map((one) => ({...one, path: `/__sandbox/v1${one.path}`})),
  ])
  return async (incoming) => {
    const outgoing = outgoingOf(state, await answered(state, match, options.token, incoming))
    // Other tools read it as it is, without the envelope.
    return incoming.target === description && outgoing.status === 200
      ? {...outgoing, body: JSON.stringify(openApi(incoming.origin))}
      : outgoing
  }
}

async function answered(
  state: State,
  match: Matcher<AdminRoute>,
  token: string,
  {method, target, header, body}: Incoming,
): Promise<Reply> {
  const [path = '', search] = target.split('?', 2)
  try {
    const sent = /^Bearer (\S+)$/.exec(header('authorization') ?? '')?.[1] ?? ''
    if (path !== health && path !== description && !sameToken(sent, token))
      refuse('UNAUTHORIZED_INVALID_TOKEN')
    const found = match(method, path)
    if (found === undefined) refuse('NOT_FOUND_ROUTE')
    if ('allow' in found) return notAllowed(found.allow)
    const {route, params} = found
    const text = route.body === undefined ? '' : await body()
    const query = new URLSearchParams(search)
    const json = route.body && readBody(route.body, parseBody(text?.trim() === '' ? '{}' : text), true)
    const payload = (await route.run({id: params.id ?? '', query, body: json})) ?? null
    state.ticker.wake()
    return success(payload)
  } catch (error) {
    if (isFailure(error)) return refusalOf(error)
    return refusal('SANDBOX_INTERNAL_ERROR', {message: error instanceof Error ? error.stack : String(error)})
  }
}

interface AdminRoute {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  body?: z.ZodMiniType
  run(input: {id: string; query: URLSearchParams; body: unknown}): unknown
}

/** One admin route, its body typed by its schema. */
function route<S extends z.ZodMiniType>(
  method: AdminRoute['method'],
  path: string,
  body: S,
  run: (input: {id: string; body: z.output<S>}) => unknown,
): AdminRoute {
  return {method, path, body, run: (input) => run(input as {id: string; body: z.output<S>})}
}

const plain = (method: AdminRoute['method'], path: string, run: AdminRoute['run']): AdminRoute => ({
  method,
  path,
  run,
})

function routesOf(state: State, {folder}: AdminOptions): AdminRoute[] {
  const {world} = state
  /** A change, inside one transaction. */
  const change = (method: AdminRoute['method'], path: string, run: (id: string) => unknown): AdminRoute =>
    plain(method, path, ({id}) => world.transaction(() => run(id)))
  return [
    plain('GET', '/info', () => infoOf(state)),
    plain('GET', '/state', () => stateView(state)),
    // Not part of the state, so that nobody who prints it prints secrets.
    plain('GET', '/credentials', () => ({items: credentialsOf(state)})),
    plain('GET', '/check', () => ({violations: checkWorld(world)})),
    route('POST', '/reset', resetOrder, ({body}) => resetWorld(state, body.seed)),
    plain('POST', '/snapshots/{id}', ({id}) => takeSnapshot(world, folder, id)),
    plain('POST', '/snapshots/{id}/restore', ({id}) => {
      restoreSnapshot(world, folder, id)
      forgetProcess(state)
      return clockOf(state)
    }),
    plain('GET', '/clock', () => clockOf(state)),
    route('POST', '/clock', clockMove, ({body}) => moveClock(state, body)),
    ...bodyChanges(state),
    plain('GET', '/variants/{id}', ({id}) => readVariantTerms(world, id)),
    change('POST', '/orders/{id}/deliver', (id) => deliverOrder(state, id)),
    change('POST', '/orders/{id}/ship', (id) => shipOrder(state, id)),
    change('POST', '/orders/{id}/intervene', (id) => interveneIn(state, id)),
    plain('POST', '/deliveries/{id}/redeliver', ({id}) => redeliver(state, id)),
    plain('POST', '/webhooks/{id}/duplicate', ({id}) => duplicateLast(state, id)),
    change('POST', '/webhooks/{id}/rotate-secret', (id) => rotateSecret(world, id)),
    route('POST', '/faults', faultOrder, ({body}) => state.faults.add(body)),
    plain('GET', '/faults', () => ({items: state.faults.list()})),
    plain('DELETE', '/faults', () => state.faults.clear()),
    plain('DELETE', '/faults/{id}', ({id}) => state.faults.clear(Number(id))),
    plain('GET', '/requests', ({query}) => ({items: state.requests.list(Number(query.get('since') ?? 0))})),
    plain('DELETE', '/requests', () => state.requests.clear()),
    plain('GET', '/limits', () => limitsOf(state)),
    route('POST', '/limits', limitsChange, ({body}) => changeLimits(state, body)),
    route('POST', '/tokens', tokenOrder, ({body}) => mintFor(state, body)),
  ]
}

/** Changes that a body describes, each inside one transaction. */
function bodyChanges(state: State): AdminRoute[] {
  const change = <S extends z.ZodMiniType>(
    method: AdminRoute['method'],
    path: string,
    body: S,
    run: (state: State, id: string, body: z.output<S>) => unknown,
  ) => route(method, path, body, (input) => state.world.transaction(() => run(state, input.id, input.body)))
  return [
    change('PATCH', '/partners/{id}', partnerChange, changePartner),
    change('PATCH', '/variants/{id}', variantChange, changeVariant),
    change('POST', '/orders/{id}/detail', detailOrder, hideDetail),
    change('POST', '/events', eventOrder, sendEvent),
    change('POST', '/orders/{id}/notices', noticeOrder, raiseNotice),
    change('POST', '/returns/{id}/reject', rejection, rejectReturn),
    ...returnSteps.map((step) =>
      change('POST', `/returns/{id}/${step}`, inspection, (_, id, {defect = true}) =>
        advanceReturn(state, id, step, {defect}),
      ),
    ),
  ]
}

const resetOrder = z.strictObject({
  seed: z.optional(z.string().check(z.refine(isSeed, 'is not a seed of the sandbox'))),
})
const inspection = z.strictObject({defect: z.optional(z.boolean())})

function sameToken(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function infoOf(state: State): object {
  return {
    pid: process.pid,
    environment: state.environment,
    seed: state.world.meta('seed'),
    assumptions: turned(state.assumptions),
    clock: clockOf(state),
    limits: state.limits.enabled,
    partners: allPartners(state.world).map(partnerView),
  }
}

/** Forgets what is kept in this process only: faults, journal, limits, orders that are being made. */
function resetWorld(state: State, seed = state.world.meta('seed') ?? 'demo'): object {
  state.clock.reset()
  seedWorld(state, seed)
  forgetProcess(state)
  return infoOf(state)
}

function forgetProcess(state: State): void {
  state.clock.load()
  state.faults.clear()
  state.requests.clear()
  state.limits.token.reset()
  state.limits.rest.reset()
  state.deliverer.forget()
  state.inFlight = []
}

const clockOf = ({clock}: State) => ({now: iso(clock.now()), frozen: clock.isFrozen()})

const clockMove = z.strictObject({
  advanceSeconds: z.optional(z.number().check(z.gte(0), z.lte(3_200_000_000))),
  to: z.optional(z.string()),
  next: z.optional(z.literal(true)),
  freeze: z.optional(z.boolean()),
})

async function moveClock(state: State, move: z.output<typeof clockMove>): Promise<object> {
  const {clock} = state
  if (move.freeze === true) clock.freeze()
  if (move.freeze === false) clock.thaw()
  const target = targetOf(state, move)
  if (target !== undefined && target < clock.now()) invalid({to: ['lies in the past of this sandbox']})
  const fired = target === undefined ? [] : await advanceTo(state, target)
  return {...clockOf(state), fired}
}

function targetOf(state: State, {advanceSeconds, to, next}: z.output<typeof clockMove>): number | undefined {
  if (advanceSeconds !== undefined) return state.clock.now() + Math.round(advanceSeconds * 1000)
  if (to !== undefined) return momentOf(to) ?? invalid({to: ['must be an ISO 8601 date or date-time']})
  if (next === undefined) return undefined
  return nextMoment(state) ?? invalid({next: ['nothing is due']})
}

function limitsOf({limits, assumptions, clock}: State): object {
  const now = assumptions.X09 === 'virtual' ? clock.now() : performance.now()
  return {enabled: limits.enabled, token: limits.token.inUse(now), rest: limits.rest.inUse(now)}
}

const limitsChange = z.strictObject({enabled: z.optional(z.boolean()), reset: z.optional(z.literal(true))})

function changeLimits(state: State, {enabled, reset}: z.output<typeof limitsChange>): object {
  if (enabled !== undefined) state.limits.enabled = enabled
  if (reset) {
    state.limits.token.reset()
    state.limits.rest.reset()
  }
  return limitsOf(state)
}

const tokenOrder = z.strictObject({
  /** Partner id, client id or name. */
  partner: z.string(),
  kind: z.optional(z.enum(['valid', 'expired', 'wrong-audience', 'wrong-environment', 'foreign-key'])),
})

async function mintFor(
  state: State,
  {partner: key, kind = 'valid'}: z.output<typeof tokenOrder>,
): Promise<object> {
  const partner = findPartner(state.world, key) ?? refuse('NOT_FOUND_PARTNER')
  const expiresAt = Math.floor(state.clock.now() / 1000) + (kind === 'expired' ? -3_600 : lifetimeSeconds)
  const other = state.environment === 'staging' ? 'production' : 'staging'
  const identity: Identity = {
    partnerId: partner.id,
    clientId: partner.client_id,
    actorId: null,
    environment: kind === 'wrong-environment' ? other : state.environment,
    expiresAt,
  }
  const spoil: TokenSpoil | undefined = kind === 'wrong-audience' || kind === 'foreign-key' ? kind : undefined
  return {accessToken: await state.tokens.mint(identity, partner.path, spoil)}
}
