import {request as httpRequest, type IncomingHttpHeaders} from 'node:http'
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {createdOrder} from '../../src/contract/orders.ts'
import {checkWorld} from '../../src/sandbox/core/check.ts'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {address} from '../support/address.ts'
import type {FaultOrder, Sandbox} from '../support/types.ts'
import {callerOf, control, raw, tokenOf, variantOf} from './caller.ts'

let sandbox: Sandbox
let base: string
let token: string
let n = 0

beforeAll(async () => {
  sandbox = await createSandbox({limits: false})
  base = await sandbox.listen()
  token = await tokenOf(sandbox, 'rimal-retail')
})
afterAll(async () => {
  expect(checkWorld(sandbox.state.world)).toEqual([])
  await sandbox.close()
})
beforeEach(() => control(sandbox, 'DELETE', 'faults'))

interface Heard {
  status: number | undefined
  headers: IncomingHttpHeaders
  body: string
  /** The code of the error that ended it, if one did. */
  error?: string
}

/** One request over the network, and whatever came back before it ended. */
function send(method: string, path: string, body?: unknown, giveUpMs = 5_000): Promise<Heard> {
  return new Promise((resolve) => {
    const heard: Heard = {status: undefined, headers: {}, body: ''}
    const headers = {authorization: `Bearer ${token}`, 'content-type': 'application/json'}
    const sent = httpRequest(`${base}/api/v1${path}`, {method, headers, agent: false}, (answer) => {
      heard.status = answer.statusCode
      heard.headers = answer.headers
      answer.setEncoding('utf8').on('data', (text: string) => {
        heard.body += text
      })
      answer.on('error', (error: NodeJS.ErrnoException) =>
        resolve({...heard, error: error.code ?? error.message}),
      )
      answer.on('end', () => resolve(heard))
    })
    sent.setTimeout(giveUpMs, () => sent.destroy(Object.assign(new Error('gave up'), {code: 'GAVE_UP'})))
    sent.on('error', (error: NodeJS.ErrnoException) =>
      resolve({...heard, error: error.code ?? error.message}),
    )
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

async function anOrder(): Promise<{reference: string; body: object}> {
  n += 1
  const reference = `PO-${n}`
  const customerRef = `C-${n}`
  const {payload} = await callerOf(sandbox).filled(customerRef, {[variantOf(sandbox, 'RML-SAF-050')]: 2})
  const body = {externalReference: reference, customerRef, lockId: payload.lockId, shippingAddress: address}
  return {reference, body}
}

const order = (fault: Partial<FaultOrder>) =>
  control(sandbox, 'POST', 'faults', {match: {operation: 'createOrder'}, times: 1, ...fault})

const made = (reference: string) =>
  sandbox.state.world.get<{n: number}>(
    'SELECT count(*) AS n FROM orders o JOIN ledger l ON l.reference_id = ? WHERE o.external_reference = ?',
    `SCN-${String(sandbox.state.world.get<{n: number}>('SELECT n FROM orders WHERE external_reference = ?', reference)?.n ?? 0).padStart(10, '0')}`,
    reference,
  )?.n

interface Case {
  effect: FaultOrder['effect']
  more?: Partial<FaultOrder>
  giveUpMs?: number
  hears: object
}

const broken: Case[] = [
  {effect: 'reset', hears: {status: undefined, error: 'ECONNRESET'}},
  {effect: 'hang', giveUpMs: 150, hears: {status: undefined, error: 'GAVE_UP'}},
  {effect: 'truncate', hears: {error: 'ECONNRESET'}},
  {
    effect: 'status',
    more: {status: 504},
    hears: {status: 504, body: expect.stringContaining('GATEWAY_TIMEOUT')},
  },
  {
    effect: 'status',
    more: {state: 'UPSTREAM_AUTH_FAILED'},
    hears: {status: 401, headers: expect.objectContaining({'www-authenticate': 'Bearer'})},
  },
]

describe.each(broken)('$effect $more', ({effect, more = {}, giveUpMs, hears}) => {
  test('after: the order is made and charged, and its answer is lost', async () => {
    const {reference, body} = await anOrder()
    await order({effect, when: 'after', ...more})
    expect(await send('POST', '/scent/orders', body, giveUpMs)).toMatchObject(hears)
    expect(made(reference)).toBe(1)
    const again = JSON.parse((await send('POST', '/scent/orders', body)).body)
    expect(again.state).toBe('CONFLICT_ORDER_DUPLICATE_REFERENCE')
  })

  test('before: nothing happens', async () => {
    const {reference, body} = await anOrder()
    await order({effect, when: 'before', ...more})
    expect(await send('POST', '/scent/orders', body, giveUpMs)).toMatchObject(hears)
    expect(made(reference)).toBe(0)
    expect(await send('POST', '/scent/orders', body)).toMatchObject({status: 201})
  })
})

test('a truncated answer announces more than it brings', async () => {
  const {body} = await anOrder()
  await order({effect: 'truncate'})
  const heard = await send('POST', '/scent/orders', body)
  expect(heard.status).toBe(201)
  expect(Number(heard.headers['content-length'])).toBeGreaterThan(heard.body.length)
  expect(heard.body.length).toBeGreaterThan(0)
})

test('a malformed answer is whole and no JSON', async () => {
  const {reference, body} = await anOrder()
  await order({effect: 'malformed'})
  const heard = await send('POST', '/scent/orders', body)
  expect(heard.status).toBe(201)
  expect(() => JSON.parse(heard.body)).toThrow()
  expect(made(reference)).toBe(1)
})

test('a slow order is in progress until it is made; a slow answer comes after it', async () => {
  const first = await anOrder()
  await order({effect: 'slow', when: 'before', delayMs: 100})
  const pending = send('POST', '/scent/orders', first.body)
  await new Promise((turn) => setTimeout(turn, 30))
  expect(made(first.reference)).toBe(0)
  expect((await pending).status).toBe(201)
  const second = await anOrder()
  await order({effect: 'slow', when: 'after', delayMs: 100})
  const slow = send('POST', '/scent/orders', second.body)
  while (made(second.reference) === 0) await new Promise((turn) => setTimeout(turn, 5))
  expect((await slow).status).toBe(201)
})

test('a slow order whose caller has gone is made all the same', async () => {
  const {reference, body} = await anOrder()
  await order({effect: 'slow', when: 'before', delayMs: 150})
  expect(await send('POST', '/scent/orders', body, 30)).toMatchObject({error: 'GAVE_UP'})
  while (made(reference) === 0) await new Promise((turn) => setTimeout(turn, 5))
  expect(sandbox.state.inFlight).toEqual([])
})

test('later versions of the answer have more fields and other values', async () => {
  const first = await anOrder()
  await order({effect: 'additive-fields'})
  const more = JSON.parse((await send('POST', '/scent/orders', first.body)).body)
  expect(more.payload.pricing.sandboxExtra).toBeDefined()
  const second = await anOrder()
  await order({effect: 'unknown-enum'})
  const other = JSON.parse((await send('POST', '/scent/orders', second.body)).body)
  expect(other.payload.status).toBe('SandboxFutureValue')
  expect(createdOrder.safeParse(other.payload).success).toBe(true)
})

test('a rate limit names its seconds', async () => {
  const {body} = await anOrder()
  await order({effect: 'status', status: 429, retryAfter: 7})
  expect(await send('POST', '/scent/orders', body)).toMatchObject({
    status: 429,
    headers: {'retry-after': '7'},
  })
})

test('a fault meets as many requests as ordered, of its method and path only', async () => {
  await order({match: {method: 'get', path: '/api/v1/scent/*'}, effect: 'status', status: 503, times: 2})
  const statuses: (number | undefined)[] = []
  for (let i = 0; i < 2; i++) {
    statuses.push(
      (await send('GET', '/wallet/transactions')).status,
      (await send('GET', '/scent/variants')).status,
    )
  }
  expect(statuses).toEqual([200, 503, 200, 503])
  expect((await send('GET', '/scent/variants')).status).toBe(200)
  expect((await control(sandbox, 'GET', 'faults')).payload.items).toMatchObject([{met: 2, times: 2}])
})

test('a chance meets the same requests for the same seed', async () => {
  const run = async () => {
    await control(sandbox, 'DELETE', 'faults')
    await control(sandbox, 'POST', 'faults', {effect: 'status', status: 503, probability: 0.5, seed: 7})
    const statuses: (number | undefined)[] = []
    for (let i = 0; i < 20; i++) statuses.push((await callerOfToken()).status)
    return statuses
  }
  const callerOfToken = () =>
    raw(sandbox, 'GET', '/api/v1/wallet/transactions', {headers: {authorization: `Bearer ${token}`}})
  const first = await run()
  expect(new Set(first)).toEqual(new Set([200, 503]))
  expect(await run()).toEqual(first)
})

test('the token route can fail as well', async () => {
  await order({match: {operation: 'mintToken'}, effect: 'status', status: 503})
  const body = {clientId: 'rimal-retail', clientSecret: sandbox.credentials[0]?.clientSecret}
  expect((await send('POST', '/auth/token', body)).status).toBe(503)
  expect((await send('POST', '/auth/token', body)).status).toBe(200)
})

test('in process, a lost answer fails as one of unknown effect', async () => {
  const {reference, body} = await anOrder()
  for (const effect of ['reset', 'truncate', 'hang'] as const) {
    await order({effect, when: 'after'})
    const lost = sandbox.send({
      method: 'POST',
      url: `${base}/api/v1/scent/orders`,
      headers: {authorization: `Bearer ${token}`, 'content-type': 'application/json'},
      body: JSON.stringify(body),
      timeoutMs: 20,
    })
    await expect(lost).rejects.toMatchObject({code: 'NO_ANSWER', facts: {effect: 'unknown'}})
  }
  expect(made(reference)).toBe(1)
})

test('a route that is closed to the credential is FORBIDDEN before it costs a permit, the others are open', async () => {
  const limits = async () => (await control(sandbox, 'GET', 'limits')).payload.rest
  await control(sandbox, 'POST', 'limits', {enabled: true, reset: true})
  await control(sandbox, 'POST', 'faults', {match: {path: '/api/v1/scent/cart/*'}, effect: 'forbid-route'})
  const item = `/scent/cart/C-1/items/${variantOf(sandbox, 'RML-SAF-050')}`
  const closed = [await send('PUT', item, '{'), await send('GET', '/scent/cart/C-1')]
  expect(closed.map(({status, body}) => [status, JSON.parse(body)])).toEqual(
    Array(2).fill([
      403,
      {
        state: 'FORBIDDEN',
        payload: null,
        details: {message: 'The route is not available to this credential.'},
      },
    ]),
  )
  expect(await limits()).toEqual({})
  expect((await send('GET', '/scent/variants')).status).toBe(200)
  expect(await limits()).toEqual({'rimal-retail': 1})
  const anonymous = await raw(sandbox, 'GET', '/api/v1/scent/cart/C-1')
  expect(anonymous.state).toBe('UNAUTHORIZED_MISSING_TOKEN')
  expect(sandbox.state.requests.list().at(-3)).toMatchObject({state: 'FORBIDDEN', fault: 'forbid-route'})
  await control(sandbox, 'POST', 'limits', {enabled: false})
})

test('one of two operations on a path closes it for both', async () => {
  await control(sandbox, 'POST', 'faults', {match: {operation: 'stepCartItem'}, effect: 'forbid-route'})
  const item = `/scent/cart/C-1/items/${variantOf(sandbox, 'RML-SAF-050')}`
  expect((await send('PUT', item, {quantity: 2})).status).toBe(403)
  expect((await send('DELETE', item)).status).toBe(404)
})

test('an impossible order of a fault is refused', async () => {
  for (const wrong of [
    {},
    {effect: 'explode'},
    {effect: 'status', status: 200},
    {effect: 'slow', times: 0},
    {effect: 'reset', match: {operation: 'orderCreate'}},
  ]) {
    expect((await control(sandbox, 'POST', 'faults', wrong)).status).toBe(400)
  }
})

test('a whole order over the network is taken by its limit of 1 MiB', async () => {
  const heard = await send('POST', '/scent/cart/items', {variantId: 'x'.repeat(1024 * 1024), quantity: 1})
  expect(heard).toMatchObject({status: 400, body: expect.stringContaining('1 MiB')})
})

test('HEAD and OPTIONS have no route, and no answer invites a browser', async () => {
  for (const method of ['HEAD', 'OPTIONS', 'TRACE']) {
    const heard = await send(method, '/scent/variants')
    expect([heard.status, heard.headers.allow]).toEqual([405, 'GET'])
    expect(heard.headers).not.toHaveProperty('access-control-allow-origin')
  }
})

test('orders that meet at an almost empty wallet: what it can pay is charged, the rest is Failed', async () => {
  const orders = await Promise.all(Array.from({length: 12}, anOrder))
  await control(sandbox, 'PATCH', 'partners/rimal-retail', {wallet: 305.9 * 5 + 1})
  const heard = await Promise.all(orders.map(({body}) => send('POST', '/scent/orders', body)))
  const statuses = heard.map(({body}) => JSON.parse(body).payload?.status)
  expect(statuses.sort()).toEqual([...Array(7).fill('Failed'), ...Array(5).fill('Processing')])
  await control(sandbox, 'PATCH', 'partners/rimal-retail', {wallet: 100_000})
})

test('a wallet that is emptied while an order lingers is noticed', async () => {
  const {body} = await anOrder()
  await order({effect: 'slow', when: 'before', delayMs: 60})
  const pending = send('POST', '/scent/orders', body)
  await new Promise((turn) => setTimeout(turn, 20))
  await control(sandbox, 'PATCH', 'partners/rimal-retail', {wallet: 1})
  expect(JSON.parse((await pending).body).payload).toMatchObject({status: 'Failed'})
  await control(sandbox, 'PATCH', 'partners/rimal-retail', {wallet: 100_000})
})
