import {randomUUID} from 'node:crypto'
import type {ServerResponse} from 'node:http'
import {digits, printJson} from '../../src/contract/money.ts'
import {type Seen, serve, type TestServer} from '../support/server.ts'

/** An answer before it is written. `raw` takes the place of the envelope; `lost` cuts the connection instead. */
export interface Reply {
  status?: number
  state?: string
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
  payload?: any
  details?: unknown
  headers?: Record<string, string>
  raw?: string
  lost?: true
}

/** Changes the usual answer of a route; `nth` counts the requests to it from 1. */
export type Habit = (usual: () => Reply, request: Seen, nth: number) => Reply

/** The routes of a partner service, by method and path below /api/v1; `*` stands for one segment. */
export type Habits = Record<string, Habit>

export interface OtherService extends TestServer {
  seen: Seen[]
  orders: Order[]
  routes(): string[]
}

interface Order {
  id: string
  globalId: string
  reference: string
  customerRef: string | null
  lockId: string
  lines: [string, number][]
}

export const variant = '0b5f4c1e-9d2a-4c3b-8e6f-1a2b3c4d5e6f'

/**
 * A service written from the spec alone, in another hand than the sandbox's: bodies come in chunks and without a
 * content type, header names in lower case, decimals with two digits, an order as 200 SUCCESS, envelopes without
 * `details`, lists without hasNext, and fields and values that nobody has heard of.
 */
export async function otherService(habits: Habits = {}): Promise<OtherService> {
  const carts = new Map<string, Map<string, number>>()
  const locks = new Map<string, {customerRef: string | null; orderId?: string}>()
  const orders: Order[] = []
  const counts = new Map<string, number>()
  const cartOf = (ref: string | null) => carts.get(ref ?? '') ?? new Map<string, number>()
  const service = await serve((request, response) => {
    const url = new URL(request.url, 'http://service.test')
    const path = url.pathname.replace('/api/v1', '')
    const route = `${request.method} ${path}`
    const key = Object.keys(habits).find((name) => matches(name, route)) ?? route
    const nth = (counts.get(key) ?? 0) + 1
    counts.set(key, nth)
    const usual = () => usualAnswer({url, path, route, request, carts, locks, orders, cartOf})
    write(response, habits[key]?.(usual, request, nth) ?? usual())
  })
  return {
    ...service,
    orders,
    routes: () =>
      service.seen.map(({method, url}) => `${method} ${url.replace('/api/v1', '').replace(/\?.*/, '')}`),
  }
}

const matches = (pattern: string, route: string) =>
  new RegExp(`^${pattern.replace(/[.?]/g, '\\$&').replaceAll('*', '[^/]+')}$`).test(route)

interface Turn {
  url: URL
  path: string
  route: string
  request: Seen
  carts: Map<string, Map<string, number>>
  locks: Map<string, {customerRef: string | null; orderId?: string}>
  orders: Order[]
  cartOf(ref: string | null): Map<string, number>
}

function usualAnswer(turn: Turn): Reply {
  const {route, path, url, orders} = turn
  if (route === 'POST /auth/token')
    return ok({accessToken: `token-${randomUUID()}`, tokenType: 'bearer', expiresIn: 300, scope: 'partner'})
  if (route === 'POST /scent/cart/items') return addItem(turn)
  if (route === 'GET /scent/cart/checkout-preview')
    return ok(preview(turn, url.searchParams.get('customerRef'), url.searchParams.get('lock') === 'true'))
  if (route === 'POST /scent/orders') return order(turn)
  if (route === 'GET /wallet/transactions') return ok({items: [entry], pagination: {page: 1, totalPages: 1}})
  const named = decodeURIComponent(path.match(/^\/(?:scent\/)?orders\/([^/]+)$/)?.[1] ?? '')
  if (named) {
    const found = orders.find(({id, globalId}) => (path.startsWith('/scent') ? id : globalId) === named)
    return found ? ok(detailOf(found)) : {status: 404, state: 'NOT_FOUND_ORDER', details: {}}
  }
  const ref = path.match(/^\/scent\/cart\/([^/]+)$/)?.[1]
  if (ref && turn.request.method === 'GET') return ok(cart(turn, decodeURIComponent(ref)))
  return {status: 404, state: 'NOT_FOUND_ROUTE'}
}

const ok = (payload: unknown): Reply => ({status: 200, state: 'SUCCESS', payload})

export const money = (text: string) => digits(text)

function addItem(turn: Turn): Reply {
  const ref = turn.url.searchParams.get('customerRef')
  const {variantId, quantity} = JSON.parse(turn.request.body)
  const held = turn.cartOf(ref)
  held.set(variantId, (held.get(variantId) ?? 0) + quantity)
  turn.carts.set(ref ?? '', held)
  return ok(cart(turn, ref))
}

function cart({cartOf}: Turn, customerRef: string | null) {
  const items = [...cartOf(customerRef)].map(([variantId, quantity]) => ({
    variantId,
    quantity,
    sku: 'SKU-1',
    pricing: {currency: 'SAR', unitPrice: money('10.50'), line: {totalWithVat: money('0.10')}, tier: 'GOLD'},
    availability: {state: 'Plenty', availableQuantity: null},
    giftWrap: {colour: 'red'},
  }))
  return {
    id: null,
    customerRef,
    status: 'Sleeping',
    items,
    totals: {chargedWithVat: money('10.50')},
    loyalty: [],
  }
}

function preview({cartOf, locks}: Turn, customerRef: string | null, lock: boolean) {
  const lockId = lock ? randomUUID() : null
  if (lockId) locks.set(lockId, {customerRef})
  const now = Date.now()
  return {
    customerRef,
    lines: [...cartOf(customerRef)].map(([variantId, quantity]) => ({
      variantId,
      quantity,
      ok: true,
      issue: null,
    })),
    canCheckout: cartOf(customerRef).size > 0,
    // Seven digits of a second, as .NET writes them, and another zone than UTC.
    pricedAt: new Date(now).toISOString().replace('Z', '0000Z'),
    lockId,
    lockExpiresAt: lockId && `${new Date(now + 900_000 + 10_800_000).toISOString().slice(0, -1)}+03:00`,
    chargedWithVat: money('10.50'),
    commissionWithVat: money('0.00'),
    netAfterCommission: money('10.50'),
    mood: 'SUNNY',
  }
}

function order({request, locks, orders, cartOf, carts}: Turn): Reply {
  const body = JSON.parse(request.body)
  // The lock is looked at before the reference.
  const lock = locks.get(body.lockId)
  if (lock?.orderId)
    return {status: 409, state: 'CONFLICT_PRICE_LOCK_ALREADY_USED', details: {orderId: lock.orderId}}
  const known = orders.find(({reference}) => reference === body.externalReference)
  if (known) return {status: 409, state: 'CONFLICT_ORDER_DUPLICATE_REFERENCE', details: {orderId: known.id}}
  if (!lock) return {status: 400, state: 'VALIDATION_PRICE_LOCK_INVALID'}
  const customerRef = body.customerRef ?? null
  const made = {
    id: randomUUID(),
    globalId: `G/${orders.length + 1}`,
    reference: body.externalReference,
    customerRef,
    lockId: body.lockId,
    lines: [...cartOf(customerRef)],
  }
  orders.push(made)
  lock.orderId = made.id
  carts.delete(customerRef ?? '')
  return ok({
    id: made.id,
    externalReference: made.reference,
    customerRef,
    status: 'Dreaming',
    pricing: {currency: 'SAR', total: money('10.50'), handling: money('0.00')},
  })
}

/** A bare scentDetail, as the read by id may answer. */
export function detailOf({id, globalId, reference, customerRef, lines}: Order) {
  return {
    id,
    orderGlobalId: globalId,
    externalReference: reference,
    customerRef,
    currency: 'SAR',
    status: 'Processing',
    totalAmount: money('9.13'),
    totalGoodsVatAmount: money('1.37'),
    totalAmountWithVat: money('10.50'),
    lines: lines.map(([variantId, quantity]) => ({
      id: randomUUID(),
      variantId,
      quantity,
      pricingMode: 'Barter',
    })),
  }
}

const entry = {
  transactionType: 'Gift',
  referenceType: 'Horoscope',
  amount: money('0.10'),
  balanceBefore: money('10.50'),
  balanceAfter: money('10.60'),
  currency: 'SAR',
  timestamp: '2026-01-31T10:00:00',
}

function write(response: ServerResponse, reply: Reply): void {
  if (reply.lost) return void response.socket?.destroy()
  const {status = 200, state, payload = null, details, headers = {}} = reply
  const body = reply.raw ?? printJson({state, payload, ...(details === undefined ? {} : {details})}, 0)
  response.writeHead(status, headers)
  const half = Math.floor(body.length / 2)
  response.write(body.slice(0, half))
  setImmediate(() => response.end(body.slice(half)))
}
