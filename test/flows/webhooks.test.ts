import type {ServerResponse} from 'node:http'
import {afterEach, describe, expect, test} from 'vitest'
import {createClient} from '../../src/client/client.ts'
import {openNodeHttp} from '../../src/client/node-http.ts'
import {unpaced} from '../../src/client/pace.ts'
import type {Delivery} from '../../src/contract/webhooks.ts'
import {objectTo} from '../../src/flows/commissions.ts'
import {chosenDeliveries, fireTest, subscribe, watchDeliveries} from '../../src/flows/webhooks.ts'
import {failureOf} from '../support/failure.ts'
import {answer, serve, type TestServer} from '../support/server.ts'

const id = '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43'
let server: TestServer & {seen: {method: string; url: string}[]}
afterEach(() => server.close())

type Handle = Parameters<typeof serve>[0]

async function clientOf(handle: Handle, timeoutMs = 60_000) {
  server = await serve(handle)
  return createClient({
    send: openNodeHttp({}),
    baseUrl: server.url,
    tokens: {get: async () => 'token', renew: async () => 'token', forget: () => {}},
    pacer: unpaced,
    maxWaitMs: 0,
    timeoutMs,
    now: () => Date.now(),
    sleep: async () => {},
    random: () => 0.5,
  })
}

/** The ways in which an answer gets lost. */
const lost: [string, (response: ServerResponse) => void][] = [
  ['a reset', (response) => response.socket?.destroy()],
  ['a 504', (response) => answer(response, 504, 'GATEWAY_TIMEOUT')],
  ['a hang', () => {}],
  ['a truncated body', (response) => response.writeHead(200, {'content-length': '99'}).end('{"state":')],
  ['a malformed body', (response) => response.writeHead(200).end('<html>')],
]

const posts = () => server.seen.filter(({method}) => method === 'POST')

describe('after an answer lost by', () => {
  test.each(lost)('%s, a subscription is not made twice, and what it may cost is said', async (_, lose) => {
    const client = await clientOf((_request, response) => lose(response), 200)
    const failure = await failureOf(
      subscribe(client, {url: 'https://x.example', eventTypes: ['order.completed']}),
    )
    expect(failure).toMatchObject({code: 'OUTCOME_UNKNOWN', exitCode: 12})
    expect(failure.hint).toContain('no list')
    expect(posts()).toHaveLength(1)
  })

  test.each(lost)('%s, a test is not fired twice, and its place is named', async (_, lose) => {
    const client = await clientOf((_request, response) => lose(response), 200)
    const failure = await failureOf(fireTest(client, id, 'order.completed'))
    expect(failure).toMatchObject({code: 'OUTCOME_UNKNOWN', exitCode: 12})
    expect(failure.hint).toContain(`scent webhooks deliveries ${id}`)
    expect(posts()).toHaveLength(1)
  })

  test.each(lost)('%s, an objection is found in the list of periods', async (_, lose) => {
    const period = {id, status: 'Provisional', objection: {reason: 'Order 42 is missing.'}}
    const client = await clientOf(
      ({method}, response) =>
        method === 'POST' ? lose(response) : answer(response, 200, 'SUCCESS', {items: [period]}),
      1000,
    )
    expect(await objectTo(client, id, 'Order 42 is missing.')).toEqual(period)
    expect(posts()).toHaveLength(1)
  })

  test.each(lost)('%s, an objection that the list does not show stays unknown', async (_, lose) => {
    const other = {id, status: 'Provisional', objection: {reason: 'Something else.'}}
    const client = await clientOf(
      ({method}, response) =>
        method === 'POST' ? lose(response) : answer(response, 200, 'SUCCESS', {items: [other, {}]}),
      1000,
    )
    const failure = await failureOf(objectTo(client, id, 'Order 42 is missing.'))
    expect(failure).toMatchObject({code: 'OUTCOME_UNKNOWN', exitCode: 12})
    expect(failure.hint).toContain('ALREADY_OBJECTED')
  })

  test.each(lost)('%s, an objection stays unknown if the list can not be read', async (_, lose) => {
    const client = await clientOf(
      ({method}, response) => (method === 'POST' ? lose(response) : answer(response, 403, 'FORBIDDEN')),
      1000,
    )
    expect(await failureOf(objectTo(client, id, 'x'))).toMatchObject({code: 'OUTCOME_UNKNOWN', exitCode: 12})
  })
})

describe('a refusal', () => {
  test('of a subscription or a test is handed on as it is', async () => {
    const client = await clientOf((_, response) =>
      answer(response, 422, 'BUSINESS_WEBHOOK_SUBSCRIPTION_LIMIT'),
    )
    const body = {url: 'https://x.example', eventTypes: ['order.completed']}
    expect((await failureOf(subscribe(client, body))).code).toBe('BUSINESS_WEBHOOK_SUBSCRIPTION_LIMIT')
    expect((await failureOf(fireTest(client, id, 'x.y'))).code).toBe('BUSINESS_WEBHOOK_SUBSCRIPTION_LIMIT')
  })
})

describe('chosen deliveries', () => {
  async function* all(): AsyncGenerator<Delivery> {
    for (let n = 0; ; n += 1) yield {attemptNumber: n, succeeded: n % 2 === 0}
  }

  test('are those that fit, and no more are read than the limit needs', async () => {
    server = await serve(() => {})
    const found: unknown[] = []
    for await (const {attemptNumber} of chosenDeliveries(all(), ({succeeded}) => succeeded === false, 3)) {
      found.push(attemptNumber)
    }
    expect(found).toEqual([1, 3, 5])
  })
})

describe('watching deliveries', () => {
  const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString()
  const attempt = (n: number): Delivery => ({
    ...{id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`, attemptNumber: n, sentAt: at(n)},
    ...{eventType: 'order.completed', succeeded: false, deadLetteredAt: null},
  })

  /** Watches a list that `change` changes before each look but the first; what is shown at each. */
  async function watched(rows: Delivery[], looks: number, change: (look: number) => void) {
    const client = await clientOf(({url}, response) => {
      const query = new URL(url, 'http://x').searchParams
      const [page, size] = [Number(query.get('page')), Number(query.get('pageSize'))]
      const items = rows.slice((page - 1) * size, page * size)
      answer(response, 200, 'SUCCESS', {items, pagination: {page, totalCount: rows.length}})
    })
    const stop = new AbortController()
    const shown: unknown[][] = [[]]
    const sleep = async () => {
      if (shown.length === looks) stop.abort()
      else change(shown.push([]) - 1)
    }
    for await (const one of watchDeliveries(client, id, {sleep, signal: stop.signal, everyMs: 1})) {
      shown.at(-1)?.push(one.attemptNumber)
    }
    return shown
  }

  test('shows the last ten, then what is new, oldest first, and each once', async () => {
    const rows = Array.from({length: 250}, (_, n) => attempt(250 - n))
    const shown = await watched(rows, 4, (look) => {
      if (look === 1) rows.unshift(attempt(252), attempt(251))
      if (look === 3) for (let n = 253; n < 400; n += 1) rows.unshift(attempt(n))
    })
    const last = Array.from({length: 10}, (_, n) => 241 + n)
    expect(shown.slice(0, 3)).toEqual([last, [251, 252], []])
    expect(shown[3]).toEqual(Array.from({length: 147}, (_, n) => 253 + n))
    // One page a look, and two where so much is new.
    expect(server.seen.length).toBe(5)
  })

  test('finds what is new in a list that is oldest first', async () => {
    const rows = Array.from({length: 120}, (_, n) => attempt(n))
    const shown = await watched(rows, 2, () => rows.push(attempt(120), attempt(121)))
    expect(shown[1]).toEqual([120, 121])
    expect(shown[0]).toEqual(Array.from({length: 10}, (_, n) => 110 + n))
  })

  test('shows an attempt again that has been given up', async () => {
    const rows = [attempt(1)]
    const shown = await watched(rows, 2, () => rows.splice(0, 1, {...attempt(1), deadLetteredAt: at(9)}))
    expect(shown).toEqual([[1], [1]])
  })
})
