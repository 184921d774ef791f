import {entryOf} from '../../../src/contract/errors.ts'
import {Failure} from '../../../src/contract/failure.ts'
import type {HttpRequest, HttpResponse, Send} from '../../../src/contract/wire.ts'
import type {Partner} from '../../../src/sandbox/core/schema.ts'
import {usableLock} from '../../../src/sandbox/rules/checkout.ts'
import {globalIdOf} from '../../../src/sandbox/rules/orders.ts'
import type {Sandbox} from '../../support/types.ts'
import type {SimulatedTime} from './time.ts'

/** The possible fates of a request, and how often each against the others. */
const fates = {
  /** No connection. */
  unreachable: 3,
  /** It never arrives. */
  vanished: 3,
  /** It is done, and its answer is lost or spoiled. */
  unheard: 6,
  /** It arrives when the client has given up. */
  late: 4,
  /** Refused before it runs: too many requests, a lost race. */
  limited: 2,
  race: 2,
  /** A gateway answers in the place of the service, which never saw it. */
  gateway: 3,
  /** An order that takes minutes: the client hears that it is in progress. */
  slowly: 4,
  /** A very late one: hours later. */
  straggler: 1,
  /** A token that the service takes no more. */
  shutOut: 0.3,
}
export type Fate = keyof typeof fates | 'fine'

/** How a service may be that the sandbox is not. */
export interface Habits {
  /**
   * Whether a create looks at its lock before its reference, so that a repeat hears of the lock alone. Where that is
   * odd, a used lock is called invalid.
   */
  lockFirst: 'no' | 'yes' | 'odd'
  /** Whether refusals name orders by their global ids. */
  globalIds: boolean
}

export interface Weather {
  /** The chance that something happens to a request. */
  trouble: number
  /** Until this moment nothing gets through. */
  outageUntil: number
}

/** A process as the network sees it. */
export interface Caller {
  name: string
  /** Where it may be cut off; while what it returns is pending, it waits. */
  at(boundary: 'send' | 'received'): void | Promise<void>
}

export interface Delivered {
  caller: string
  request: HttpRequest
  response: HttpResponse
  late: boolean
}

export interface NetworkOptions {
  time: SimulatedTime
  sandbox: Sandbox
  /** A token that is accepted whenever a late request arrives: the gateway had let it in in time. */
  gatewayToken: string
  random(): number
  weather: Weather
  habits: Habits
  /** The service's clock, in milliseconds since 1970. */
  serverNow(): number
  trace(line: string): void
  /** Called for every request that reached the service. */
  delivered(what: Delivered): void
}

const silent = () => new Failure('NO_ANSWER', {effect: 'unknown'})
const refusal = (status: number, state: string, details: unknown = null): HttpResponse => ({
  status,
  headers: status === 429 ? {'retry-after': '2'} : {},
  body: JSON.stringify({state, payload: null, details}),
})

const pathOf = (url: string) => url.slice(url.indexOf('/', 8)).replace(/\?.*/, '')

const isCreate = ({method, url}: HttpRequest) => method === 'POST' && url.endsWith('/scent/orders')

/** Why a create can't be made with its lock. */
function spentLock(
  {state, credentials}: Sandbox,
  {body = '{}'}: HttpRequest,
  now: number,
): Failure | undefined {
  const {lockId, customerRef} = JSON.parse(body)
  const partner = {id: credentials[0]?.partnerId} as Partner
  try {
    usableLock({world: state.world, partner, now}, lockId, customerRef)
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** The refusal of a lock that can't be used, by a service that looks at the lock first. */
function lockRefusal(sandbox: Sandbox, {lockFirst}: Habits, request: HttpRequest): HttpResponse | undefined {
  if (lockFirst === 'no') return undefined
  const spent = spentLock(sandbox, request, sandbox.state.clock.now())
  if (spent === undefined) return undefined
  const {code, facts} = spent
  const isUsed = code === 'CONFLICT_PRICE_LOCK_ALREADY_USED'
  if (isUsed && lockFirst === 'odd') return refusal(400, 'VALIDATION_PRICE_LOCK_INVALID')
  return refusal(entryOf(code).http ?? 400, code, facts.details)
}

function withGlobalIds({state}: Sandbox, {status, body}: HttpResponse): string {
  if (status !== 409) return body
  return body.replace(/(?<="orderId":")[^"]+/, (id) => {
    const n = state.world.get<{n: number}>('SELECT n FROM orders WHERE id = ?', id)?.n
    return n === undefined ? id : globalIdOf(n)
  })
}

/** Between client and sandbox: loses, spoils, delays and refuses requests, as its dice say. */
export function simulatedNetwork(options: NetworkOptions): {send(caller: Caller): Send} {
  const {time, random, weather, sandbox, trace} = options
  const {state} = sandbox

  /** A request arrives. The sandbox's clock is set only if it has moved: each move is written to its database. */
  async function deliver(caller: Caller, request: HttpRequest, late = false): Promise<HttpResponse> {
    const response = await time.work(() => {
      const now = options.serverNow()
      if (state.clock.now() < now) state.clock.moveTo(now)
      const authorization = `Bearer ${options.gatewayToken}`
      const instead = isCreate(request) ? lockRefusal(sandbox, options.habits, request) : undefined
      if (instead) return Promise.resolve(instead)
      return sandbox.send(late ? {...request, headers: {...request.headers, authorization}} : request)
    })
    if (options.habits.globalIds) response.body = withGlobalIds(sandbox, response)
    options.delivered({caller: caller.name, request, response, late})
    return response
  }

  /**
   * Runs an order as one that takes its time: until then its cart and its reference are taken. Its lock is judged when
   * it begins, and may have expired when it ends.
   */
  async function slowly(caller: Caller, request: HttpRequest): Promise<HttpResponse> {
    const {externalReference, customerRef = ''} = JSON.parse(request.body ?? '{}')
    const partnerId = sandbox.credentials[0]?.partnerId ?? ''
    const order = {partnerId, externalReference, customerRef}
    const taken = state.inFlight.some(
      (one) => one.externalReference === externalReference || one.customerRef === customerRef,
    )
    if (taken) return deliver(caller, request)
    const begins = options.serverNow()
    const isGood = spentLock(sandbox, request, begins) === undefined
    state.inFlight.push(order)
    await time.sleep(500 + random() * (random() < 0.6 ? 300_000 : 2_400_000))
    state.inFlight = state.inFlight.filter((one) => one !== order)
    // The service lost it half-way.
    if (random() < 0.3) return refusal(503, 'SERVICE_UNAVAILABLE')
    if (isGood) {
      const {lockId} = JSON.parse(request.body ?? '{}')
      const sql = 'UPDATE locks SET expires_at = max(expires_at, ?) WHERE id = ?'
      state.world.run(sql, options.serverNow() + 1000, lockId)
    }
    return deliver(caller, request, true)
  }

  function fateOf(request: HttpRequest): Fate {
    const {method, url} = request
    if (time.now() < weather.outageUntil) return random() < 0.5 ? 'unreachable' : 'gateway'
    const isOrder = isCreate(request)
    if (random() >= weather.trouble * (isOrder ? 2 : 1)) return 'fine'
    const fate = pick(fates, random)
    if (fate === 'slowly' && !isOrder) return 'unheard'
    if (fate === 'race' && !isOrder && !url.includes('lock=true')) return 'gateway'
    if ((fate === 'late' || fate === 'straggler') && method === 'GET') return 'vanished'
    return fate
  }

  /** An answer that does not show whether the request took effect. */
  async function lost(timeoutMs: number): Promise<HttpResponse> {
    const how = Math.floor(random() * 6)
    if (how === 0) await time.sleep(timeoutMs)
    if (how <= 1) throw silent()
    if (how === 2) return refusal(401, 'UPSTREAM_AUTH_FAILED')
    return {status: [502, 503, 504][how - 3] as number, headers: {}, body: ''}
  }

  /** A success that can't be read. */
  function spoiled(response: HttpResponse): HttpResponse {
    return {...response, body: random() < 0.5 ? response.body.slice(0, -2) : '<html>'}
  }

  async function through(caller: Caller, request: HttpRequest, fate: Fate): Promise<HttpResponse> {
    const {timeoutMs = 30_000} = request
    const wait = () => time.sleep(5 + random() * 200)
    switch (fate) {
      case 'unreachable':
        throw new Failure('NO_CONNECTION', {effect: 'none'})
      case 'vanished':
        return lost(timeoutMs)
      case 'gateway':
        return refusal(
          ...((random() < 0.7 ? [503, 'SERVICE_UNAVAILABLE'] : [502, 'BAD_GATEWAY']) as [number, string]),
        )
      case 'shutOut':
        return refusal(401, 'UNAUTHORIZED_INVALID_TOKEN')
      case 'limited':
        return refusal(429, 'RATE_LIMITED')
      case 'race':
        return refusal(
          409,
          request.method === 'GET' ? 'CONFLICT_PRICE_LOCK_CREATE_RACE' : 'CONFLICT_CART_CHECKOUT_RACE',
        )
      case 'late':
      case 'straggler': {
        const delay = fate === 'late' ? 1000 * 2 ** (random() * 11) : 100 * 3_600_000
        time.after(delay, () => void deliver(caller, request, true))
        return lost(timeoutMs)
      }
      case 'slowly': {
        const answer = slowly(caller, request)
        const first = await Promise.race([answer, time.sleep(timeoutMs)])
        return first ?? lost(0)
      }
      default: {
        await wait()
        const response = await deliver(caller, request)
        await wait()
        if (fate === 'fine') return response
        return response.status < 300 && random() < 0.5 ? spoiled(response) : lost(timeoutMs)
      }
    }
  }

  return {
    send: (caller) => async (request) => {
      await caller.at('send')
      const fate = fateOf(request)
      const name = `${caller.name} ${request.method} ${pathOf(request.url)} ${fate}`
      trace(name)
      try {
        const response = await through(caller, request, fate)
        trace(`${name}: ${response.status} ${/"state":"(\w+)"/.exec(response.body)?.[1] ?? ''}`)
        await caller.at('received')
        return response
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        trace(`${name}: ${error.code}`)
        await caller.at('received')
        throw error
      }
    },
  }
}

/** One of several, by their weights. */
export function pick<K extends string>(weights: Readonly<Record<K, number>>, random: () => number): K {
  const entries = Object.entries<number>(weights) as [K, number][]
  let left = random() * entries.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [name, weight] of entries) {
    left -= weight
    if (left < 0) return name
  }
  return (entries.at(-1) as [K, number])[0]
}
