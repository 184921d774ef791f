import {afterEach, describe, expect, it} from 'vitest'
import type {ClientOptions} from '../../src/client/call.ts'
import {createClient} from '../../src/client/client.ts'
import type {ClientEvent} from '../../src/client/events.ts'
import {openNodeHttp} from '../../src/client/node-http.ts'
import {unpaced} from '../../src/client/pace.ts'
import {mintToken} from '../../src/contract/auth.ts'
import {addCartItem, readCart, removeCartItem, setCartItem} from '../../src/contract/cart.ts'
import {previewCheckout} from '../../src/contract/checkout.ts'
import {Failure} from '../../src/contract/failure.ts'
import {digits, printJson} from '../../src/contract/money.ts'
import {readOrder} from '../../src/contract/orders.ts'
import {listVariants} from '../../src/contract/variants.ts'
import {readWishlist} from '../../src/contract/wishlist.ts'
import {failureOf} from '../support/failure.ts'
import {answer, type Seen, serve, type TestServer} from '../support/server.ts'

const VARIANT = '3f2b8a44-0c1d-4e5f-8a6b-7c8d9e0f1a2b'
const ORDER = '8f14e45f-ceea-467f-a0e6-d6b2c1f0a111'
const emptyCart = (customerRef: string) => ({id: null, customerRef, status: 'None', items: [], totals: {}})

const open: TestServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function service(...handle: Parameters<typeof serve>) {
  const server = await serve(...handle)
  open.push(server)
  return server
}

/** A client whose waits take no time; `slept` holds how long they would have been. */
function clientOf(server: {url: string}, options: Partial<ClientOptions> = {}) {
  const slept: number[] = []
  const events: ClientEvent[] = []
  const renewed: string[] = []
  const forgotten: string[] = []
  const client = createClient({
    send: openNodeHttp({}),
    baseUrl: server.url,
    tokens: {
      forget: (invalid) => forgotten.push(invalid),
      get: async () => 'token-1',
      renew: async (stale) => {
        renewed.push(stale)
        return 'token-2'
      },
    },
    pacer: unpaced,
    maxWaitMs: 120_000,
    timeoutMs: 5_000,
    now: () => Date.now(),
    sleep: async (ms) => void slept.push(ms),
    random: () => 0.5,
    tell: (event) => events.push(event),
    ...options,
  })
  return {client, slept, events, renewed, forgotten}
}

describe('a call', () => {
  it('sends the bearer token and the currency, and gives the payload back digit for digit', async () => {
    const server = await service((_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(
        '{"state":"SUCCESS","payload":{"header":{"amount":10.50,"n":9007199254740993},"new":true},"details":null}',
      )
    })
    const {client} = clientOf(server, {currency: 'USD'})
    const order = await client.call(readOrder, {params: {orderId: ORDER}})
    expect(printJson(order, 0)).toBe('{"header":{"amount":10.50,"n":9007199254740993},"new":true}')
    expect(server.seen[0]).toMatchObject({method: 'GET', url: `/api/v1/scent/orders/${ORDER}`})
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'x-partner-currency': 'USD',
    })
  })

  it('asks whether it may leave before each attempt, when permit and token are there and nothing is sent', async () => {
    const server = await service((_, response, count) =>
      count === 1
        ? answer(response, 401, 'UNAUTHORIZED_TOKEN_EXPIRED')
        : answer(response, 200, 'SUCCESS', emptyCart('a')),
    )
    const steps: string[] = []
    const permit = {used: () => {}, unused: () => {}, refused: async () => {}}
    const step = <T>(name: string, result: T) => {
      steps.push(`${name}, ${server.seen.length} sent`)
      return result
    }
    const {client} = clientOf(server, {
      pacer: {...unpaced, permit: async () => step('permit', permit)},
      tokens: {
        get: async () => step('token', 'token-1'),
        renew: async () => step('new token', 'token-2'),
        forget: () => {},
      },
    })
    const leaving = async () => step('leaving', undefined)
    await client.call(readCart, {params: {customerRef: 'a'}}, {leaving})
    expect(steps).toEqual([
      ...['permit, 0 sent', 'token, 0 sent', 'leaving, 0 sent'],
      ...['permit, 1 sent', 'new token, 1 sent', 'leaving, 1 sent'],
    ])
  })

  it('that may not leave sends nothing, gives its permit back, and fails with just what it was told', async () => {
    const server = await service((_, response) => answer(response, 200, 'SUCCESS', emptyCart('a')))
    const permits: string[] = []
    const permit = {
      used: () => void permits.push('used'),
      unused: () => void permits.push('unused'),
      refused: async () => void permits.push('refused'),
    }
    const {client} = clientOf(server, {pacer: {...unpaced, permit: async () => permit}})
    for (const word of [new Failure('NO_CONNECTION'), new Error('killed')]) {
      const leaving = () => Promise.reject(word)
      const call = client.call(readCart, {params: {customerRef: 'a'}}, {leaving})
      expect(await call.catch((error: unknown) => error)).toBe(word)
    }
    expect([permits, server.seen]).toEqual([['unused', 'unused'], []])
  })

  it('fails with the code of the service, known or not, and says which request it was', async () => {
    const server = await service((_, response, count) => {
      const state = count === 1 ? 'NOT_FOUND_ORDER' : 'BUSINESS_FROM_THE_FUTURE'
      answer(response, count === 1 ? 404 : 422, state, null, {
        details: {orderGlobalId: 'x'},
        headers: {'x-request-id': 'r-1'},
      })
    })
    const {client} = clientOf(server)
    const known = await failureOf(client.call(readOrder, {params: {orderId: ORDER}}))
    expect(known).toMatchObject({code: 'NOT_FOUND_ORDER', exitCode: 5})
    expect(known.facts).toEqual({
      httpStatus: 404,
      requestId: 'r-1',
      details: {orderGlobalId: 'x'},
      effect: 'refused',
      request: `GET /api/v1/scent/orders/${ORDER}`,
    })
    const future = await failureOf(client.call(readOrder, {params: {orderId: ORDER}}))
    expect(future).toMatchObject({code: 'BUSINESS_FROM_THE_FUTURE', exitCode: 7})
  })

  it('calls a lost answer to a cart add an unknown outcome, and does not repeat it', async () => {
    const server = await service((_, response) => answer(response, 504, 'GATEWAY_TIMEOUT'))
    const {client} = clientOf(server)
    const body = {variantId: VARIANT, quantity: 1}
    const failure = await failureOf(client.call(addCartItem, {query: {customerRef: 'a'}, body}))
    expect(failure).toMatchObject({code: 'OUTCOME_UNKNOWN', exitCode: 12, facts: {effect: 'unknown'}})
    expect(failure.cause).toMatchObject({code: 'GATEWAY_TIMEOUT'})
    expect(server.seen).toHaveLength(1)
  })

  it('repeats a read and an absolute change until they are answered', async () => {
    const server = await service((_, response, count) =>
      count % 3 === 0 ? answer(response, 200, 'SUCCESS', emptyCart('a')) : response.destroy(),
    )
    const {client, slept} = clientOf(server)
    await client.call(readCart, {params: {customerRef: 'a'}})
    await client.call(setCartItem, {params: {customerRef: 'a', variantId: VARIANT}, body: {quantity: 2}})
    expect(server.seen.map((seen: Seen) => seen.method)).toEqual(['GET', 'GET', 'GET', 'PUT', 'PUT', 'PUT'])
    expect(slept).toEqual([125, 250, 125, 250])
  })

  it('says of a refusal after a lost answer that an earlier attempt may have taken effect', async () => {
    const server = await service((_, response, count) =>
      count === 1 ? response.destroy() : answer(response, 404, 'NOT_FOUND_CART_ITEM'),
    )
    const {client} = clientOf(server)
    const failure = await failureOf(
      client.call(removeCartItem, {params: {customerRef: 'a', variantId: VARIANT}}),
    )
    expect(failure).toMatchObject({code: 'NOT_FOUND_CART_ITEM', facts: {effect: 'unknown'}})
  })

  it('renews an expired token once, and repeats once, even what must never be repeated', async () => {
    const server = await service((seen, response) =>
      seen.headers.authorization === 'Bearer token-2'
        ? answer(response, 200, 'SUCCESS', emptyCart('a'))
        : answer(response, 401, 'UNAUTHORIZED_TOKEN_EXPIRED'),
    )
    const {client, renewed} = clientOf(server)
    await client.call(addCartItem, {query: {customerRef: 'a'}, body: {variantId: VARIANT, quantity: 1}})
    expect(renewed).toEqual(['token-1'])
    expect(server.seen).toHaveLength(2)
  })
})

describe('a token that the service does not accept', () => {
  it.each([
    ['UNAUTHORIZED_INVALID_TOKEN', ['token-1']],
    ['UNAUTHORIZED_MISSING_TOKEN', []],
    ['UPSTREAM_AUTH_FAILED', []],
  ])('is never replaced by a new one: %s', async (state, given) => {
    const server = await service((_, response) => answer(response, 401, state))
    const {client, renewed, forgotten} = clientOf(server)
    const failure = await failureOf(client.call(addCartItem, {body: {variantId: VARIANT, quantity: 1}}))
    const code = state === 'UPSTREAM_AUTH_FAILED' ? 'OUTCOME_UNKNOWN' : state
    expect(failure.code).toBe(code)
    expect(renewed).toEqual([])
    expect(forgotten).toEqual(given)
    expect(server.seen).toHaveLength(1)
  })
})

describe('a wait', () => {
  it('is what the service asks for, is told, and ends in an answer', async () => {
    const server = await service((_, response, count) =>
      count < 3
        ? answer(response, 429, 'RATE_LIMITED', null, {headers: {'retry-after': '7'}})
        : answer(response, 200, 'SUCCESS', emptyCart('a')),
    )
    const {client, slept, events} = clientOf(server)
    await client.call(addCartItem, {query: {customerRef: 'a'}, body: {variantId: VARIANT, quantity: 1}})
    expect(slept).toEqual([7_125, 7_125])
    expect(events.filter(({kind}) => kind === 'waiting')).toEqual(
      Array(2).fill({
        kind: 'waiting',
        why: 'rate-limit',
        ms: 7_125,
        request: 'POST /api/v1/scent/cart/items',
        code: 'RATE_LIMITED',
      }),
    )
  })

  it('that is longer than allowed fails at once, and shows the number', async () => {
    const server = await service((_, response) =>
      answer(response, 429, 'RATE_LIMITED', null, {headers: {'retry-after': '121'}}),
    )
    const {client, slept} = clientOf(server)
    const failure = await failureOf(client.call(readCart, {params: {customerRef: 'a'}}))
    expect(failure).toMatchObject({
      code: 'RATE_LIMITED',
      exitCode: 9,
      facts: {retryAfter: 121, effect: 'none'},
    })
    expect(failure.hint).toContain('121 s')
    expect(slept).toEqual([])
  })

  it('ends when the call is aborted, and says what is certain', async () => {
    const server = await service((_, response) => response.destroy())
    const stopper = new AbortController()
    const {client} = clientOf(server, {sleep: async () => stopper.abort(), signal: stopper.signal})
    const params = {customerRef: 'a', variantId: VARIANT}
    const failure = await failureOf(client.call(setCartItem, {params, body: {quantity: 1}}))
    expect(failure).toMatchObject({code: 'INTERRUPTED', exitCode: 130, facts: {effect: 'unknown'}})
    expect(server.seen).toHaveLength(1)
  })
})

describe('an outage', () => {
  it('fails a read with the last code, and a repeatable change as unknown, after five sends each', async () => {
    const server = await service((_, response) => {
      response.writeHead(502, {'content-type': 'text/html'})
      response.end('<h1>Bad Gateway</h1>')
    })
    const {client} = clientOf(server)
    const read = await failureOf(client.call(readCart, {params: {customerRef: 'a'}}))
    expect(read).toMatchObject({code: 'BAD_GATEWAY', exitCode: 10, facts: {effect: 'none'}})
    const params = {customerRef: 'a', variantId: VARIANT}
    const change = await failureOf(client.call(removeCartItem, {params}))
    expect(change).toMatchObject({code: 'OUTCOME_UNKNOWN', exitCode: 12, facts: {effect: 'unknown'}})
    expect(server.seen).toHaveLength(10)
  })

  it('does not eat the quota: a process repeats 20 times in all', async () => {
    const server = await service((_, response) => answer(response, 503, 'SERVICE_UNAVAILABLE'))
    const {client} = clientOf(server)
    for (let n = 0; n < 30; n += 1) await failureOf(client.call(readCart, {params: {customerRef: 'a'}}))
    expect(server.seen).toHaveLength(30 + 20)
  })

  it('of the token route says that the request itself was not sent', async () => {
    const server = await service((_, response) => answer(response, 200, 'SUCCESS'))
    const lost = new Failure('NO_ANSWER', {effect: 'unknown', request: 'POST /api/v1/auth/token'})
    const {client} = clientOf(server, {
      tokens: {get: () => Promise.reject(lost), renew: () => Promise.reject(lost), forget: () => {}},
    })
    const body = {variantId: VARIANT, quantity: 1}
    const failure = await failureOf(client.call(addCartItem, {body}))
    expect(failure).toMatchObject({
      code: 'NO_ANSWER',
      facts: {effect: 'none', request: 'POST /api/v1/auth/token'},
    })
    expect(server.seen).toHaveLength(0)
  })
})

describe('a change whose first answer was lost', () => {
  it('stays unknown when no token can be had for the next attempt', async () => {
    const server = await service((_, response) => response.destroy())
    const lost = new Failure('NO_CONNECTION', {effect: 'none', request: 'POST /api/v1/auth/token'})
    let tokens = 1
    const get = async () => {
      if (tokens === 0) throw lost
      tokens -= 1
      return 'token-1'
    }
    const {client} = clientOf(server, {tokens: {get, renew: get, forget: () => {}}})
    const params = {customerRef: 'a', variantId: VARIANT}
    const failure = await failureOf(client.call(removeCartItem, {params}))
    const request = `DELETE /api/v1/scent/cart/a/items/${VARIANT}`
    expect(failure).toMatchObject({code: 'OUTCOME_UNKNOWN', facts: {effect: 'unknown', request}})
    expect(failure.cause).toMatchObject({code: 'NO_CONNECTION'})
  })
})

describe('an answer that is not in the contract', () => {
  it('fails a read as odd, and a change as unknown, with the oddity as its cause', async () => {
    const server = await service((_, response) => answer(response, 200, 'SUCCESS', {customerRef: 'a'}))
    const {client} = clientOf(server)
    const read = await failureOf(client.call(readWishlist, {params: {customerRef: 'a'}}))
    expect(read).toMatchObject({code: 'ODD_ANSWER', facts: {effect: 'none', httpStatus: 200}})
    expect(read.message).toContain('items')
    const body = {variantId: VARIANT, quantity: 1}
    const change = await failureOf(client.call(addCartItem, {query: {customerRef: 'a'}, body}))
    expect(change).toMatchObject({code: 'OUTCOME_UNKNOWN', facts: {effect: 'unknown'}})
    expect(change.cause).toMatchObject({code: 'ODD_ANSWER'})
    expect(server.seen).toHaveLength(2)
  })

  it('keeps unknown fields and values', async () => {
    const cart = {...emptyCart('a'), status: 'Frozen', brandNew: [1], totals: 'odd'}
    const server = await service((_, response) => answer(response, 200, 'SUCCESS', cart))
    expect(await clientOf(server).client.call(readCart, {params: {customerRef: 'a'}})).toEqual(cart)
  })
})

it('a currency that no header can hold is refused', async () => {
  const server = await service((_, response) => answer(response, 200, 'SUCCESS'))
  const {client} = clientOf(server, {currency: 'US\nD'})
  expect(await failureOf(client.call(readCart, {params: {customerRef: 'a'}}))).toMatchObject({
    code: 'INVALID_INPUT',
  })
  expect(server.seen).toHaveLength(0)
})

describe('what --debug sees', () => {
  it('is each exchange, without token, secret and address', async () => {
    const server = await service((seen, response) =>
      answer(response, 200, 'SUCCESS', {
        accessToken: 'canary-token',
        expiresIn: 300,
        echo: seen.headers.authorization,
      }),
    )
    const {client, events} = clientOf(server, {
      tokens: {get: async () => 'canary-token', renew: async () => '', forget: () => {}},
    })
    await client.call(mintToken, {body: {clientId: 'c', clientSecret: 'canary-"secret'}})
    const body = {shippingAddress: {recipient: 'Canary Name', phone: '+966'}, note: 'canary-token'}
    await client.raw({method: 'POST', path: '/api/v1/x', query: [['q', 'canary-token']], body})
    const text = JSON.stringify(events)
    expect(events.map((event) => event.kind)).toEqual(['exchange', 'exchange'])
    expect(text).toContain('/api/v1/x')
    expect(text.toLowerCase()).not.toContain('canary')
    expect(text).not.toContain('+966')
  })

  it('tells of an exchange that had no answer', async () => {
    const server = await service((_, response) => response.destroy())
    const {client, events} = clientOf(server)
    await failureOf(client.call(addCartItem, {body: {variantId: VARIANT, quantity: 1}}))
    expect(events).toEqual([expect.objectContaining({kind: 'exchange', error: 'NO_ANSWER', method: 'POST'})])
  })
})

describe('a raw request', () => {
  it('gives the whole answer, and sends its own headers', async () => {
    const server = await service((_, response) =>
      answer(
        response,
        201,
        'CREATED',
        {a: 1},
        {details: {d: 1}, headers: {'x-request-id': 'r', location: '/l'}},
      ),
    )
    const {client} = clientOf(server)
    const headers = {'X-Partner-Currency': 'USD', Accept: 'text/plain'}
    const got = await client.raw({
      method: 'POST',
      path: '/api/v1/x',
      query: [['a b', '&']],
      headers,
      body: {n: digits('1.50')},
    })
    expect(got).toMatchObject({
      status: 201,
      state: 'CREATED',
      payload: {a: 1},
      details: {d: 1},
      requestId: 'r',
    })
    expect(got.headers.location).toBe('/l')
    expect(server.seen[0]).toMatchObject({url: '/api/v1/x?a%20b=%26', body: '{"n":1.50}'})
    expect(server.seen[0]?.headers).toMatchObject({'x-partner-currency': 'USD', accept: 'text/plain'})
  })

  it.each([
    ['X-Two\nLines', 'a'],
    ['', 'a'],
    ['X-A', 'a\r\nHost: evil.test'],
    ['X-A', 'ü'],
    ['Authorization', 'Bearer other'],
    ['HOST', 'evil.test'],
    ['Content-Length', '0'],
    ['Proxy-Authorization', 'x'],
  ])('refuses the header %j: %j', async (name, value) => {
    const server = await service((_, response) => answer(response, 200, 'SUCCESS'))
    const call = clientOf(server).client.raw({method: 'GET', path: '/api/v1/x', headers: {[name]: value}})
    expect(await failureOf(call)).toMatchObject({code: 'INVALID_INPUT', exitCode: 2})
    expect(server.seen).toHaveLength(0)
  })

  it('is repeated where it only reads', async () => {
    const server = await service((_, response) => answer(response, 504, 'GATEWAY_TIMEOUT'))
    const {client} = clientOf(server)
    await failureOf(client.raw({method: 'GET', path: '/api/v1/x'}))
    expect(server.seen).toHaveLength(5)
    const failure = await failureOf(client.raw({method: 'DELETE', path: '/api/v1/x'}))
    expect(failure).toMatchObject({code: 'OUTCOME_UNKNOWN'})
    expect(server.seen).toHaveLength(6)
  })
})

describe('a customerRef', () => {
  const speaking = [
    'a',
    '/',
    '?',
    '#',
    '%',
    '+',
    '&',
    'a b',
    'عميل ٢',
    '🧴🌹',
    '%2e%2e',
    '%2F',
    'a/../b',
    '...',
    'x'.repeat(128),
    '🧴'.repeat(128),
  ]

  it.each(speaking)('reaches its own cart, by path and by query: %s', async (customerRef) => {
    const server = await service(({url}, response) => {
      const {pathname, searchParams} = new URL(url, 'http://x')
      const segment = pathname.split('/')[5] ?? ''
      const asked = searchParams.get('customerRef') ?? decodeURIComponent(segment)
      answer(response, 200, 'SUCCESS', {...emptyCart(asked), lines: [], canCheckout: false})
    })
    const {client} = clientOf(server)
    expect(await client.call(readCart, {params: {customerRef}})).toMatchObject({customerRef})
    expect(await client.call(previewCheckout, {query: {customerRef}})).toMatchObject({customerRef})
  })

  it.each(['', '.', '..', 'a\u0000', 'a\nb', '\u009b', '\ud800', 'x'.repeat(129), '🧴'.repeat(129)])(
    'is refused by path before anything is sent: %j',
    async (customerRef) => {
      const server = await service((_, response) => answer(response, 200, 'SUCCESS'))
      const failure = await failureOf(clientOf(server).client.call(readCart, {params: {customerRef}}))
      expect(failure).toMatchObject({code: 'INVALID_INPUT', facts: {effect: 'none'}})
      expect(failure.message).toContain('customerRef')
      expect(server.seen).toHaveLength(0)
    },
  )

  it('must come back in the answer', async () => {
    const server = await service((_, response) => answer(response, 200, 'SUCCESS', emptyCart('b')))
    const failure = await failureOf(clientOf(server).client.call(readCart, {params: {customerRef: 'a'}}))
    expect(failure).toMatchObject({code: 'ODD_ANSWER'})
  })
})

describe('a list', () => {
  const ids = Array.from({length: 7}, (_, n) => `00000000-0000-4000-8000-00000000000${n}`)
  const page = (url: string, pagination: (page: number, pageSize: number) => object | undefined) => {
    const query = new URL(url, 'http://x').searchParams
    const [number, size] = [Number(query.get('page')), Number(query.get('pageSize'))]
    const items = ids.slice((number - 1) * size, number * size).map((id) => ({id}))
    return {items, ...(pagination(number, size) && {pagination: pagination(number, size)})}
  }

  it.each<[string, (page: number, size: number) => object | undefined]>([
    ['hasNext', (page, size) => ({page, hasNext: page * size < ids.length})],
    ['totalPages', (page, size) => ({page, totalPages: Math.ceil(ids.length / size)})],
    ['nothing at all', () => undefined],
  ])('is followed to its end where the pages tell %s', async (_, pagination) => {
    const server = await service(({url}, response) => answer(response, 200, 'SUCCESS', page(url, pagination)))
    const found: string[] = []
    for await (const {id} of clientOf(server).client.pages(listVariants, {query: {pageSize: 3}}))
      found.push(id)
    expect(found).toEqual(ids)
    expect(server.seen).toHaveLength(3)
  })

  it('stops at the limit, and asks for no more than it needs', async () => {
    const server = await service(({url}, response) =>
      answer(
        response,
        200,
        'SUCCESS',
        page(url, (number, size) => ({page: number, hasNext: number * size < 7})),
      ),
    )
    const found: string[] = []
    const {client} = clientOf(server)
    for await (const {id} of client.pages(listVariants, {query: {pageSize: 3}}, {limit: 4})) found.push(id)
    expect(found).toEqual(ids.slice(0, 4))
    expect(server.seen).toHaveLength(2)
  })
})
