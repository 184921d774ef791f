import type {ServerResponse} from 'node:http'
import {afterEach, describe, expect, test} from 'vitest'
import {createClient} from '../../src/client/client.ts'
import {openNodeHttp} from '../../src/client/node-http.ts'
import {unpaced} from '../../src/client/pace.ts'
import {isFailure} from '../../src/contract/failure.ts'
import type {Delivery} from '../../src/contract/webhooks.ts'
import {objectTo} from '../../src/flows/commissions.ts'
import {chosenDeliveries, fireTest, subscribe} from '../../src/flows/webhooks.ts'
import {answer, serve, type TestServer} from '../support/server.ts'

const id = '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43'
let server: TestServer & {seen: {method: string; url: string}[]}
afterEach(() => server.close())

type Handle = Parameters<typeof serve>[0]

async function clientOf(handle: Handle) {
  server = await serve(handle)
  return createClient({
    send: openNodeHttp({}),
    baseUrl: server.url,
    tokens: {get: async () => 'token', renew: async () => 'token', forget: () => {}},
    pacer: unpaced,
    maxWaitMs: 0,
    timeoutMs: 200,
    now: () => Date.now(),
    sleep: async () => {},
    random: () => 0.5,
  })
}

const failed = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isFailure(error)) throw new Error(`expected a Failure, got ${String(error)}`)
  return error
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
    const client = await clientOf((_request, response) => lose(response))
    const failure = await failed(
      subscribe(client, {url: 'https://x.example', eventTypes: ['order.completed']}),
    )
    expect(failure).toMatchObject({code: 'OUTCOME_UNKNOWN', exitCode: 12})
    expect(failure.hint).toContain('no list')
    expect(posts()).toHaveLength(1)
  })

  test.each(lost)('%s, a test is not fired twice, and its place is named', async (_, lose) => {
    const client = await clientOf((_request, response) => lose(response))
    const failure = await failed(fireTest(client, id, 'order.completed'))
    expect(failure).toMatchObject({code: 'OUTCOME_UNKNOWN', exitCode: 12})
    expect(failure.hint).toContain(`scent webhooks deliveries ${id}`)
    expect(posts()).toHaveLength(1)
  })

  test.each(lost)('%s, an objection is found in the list of periods', async (_, lose) => {
    const period = {id, status: 'Provisional', objection: {reason: 'Order 42 is missing.'}}
    const client = await clientOf(({method}, response) =>
      method === 'POST' ? lose(response) : answer(response, 200, 'SUCCESS', {items: [period]}),
    )
    expect(await objectTo(client, id, 'Order 42 is missing.')).toEqual(period)
    expect(posts()).toHaveLength(1)
  })

  test.each(lost)('%s, an objection that the list does not show stays unknown', async (_, lose) => {
    const other = {id, status: 'Provisional', objection: {reason: 'Something else.'}}
    const client = await clientOf(({method}, response) =>
      method === 'POST' ? lose(response) : answer(response, 200, 'SUCCESS', {items: [other, {}]}),
    )
    const failure = await failed(objectTo(client, id, 'Order 42 is missing.'))
    expect(failure).toMatchObject({code: 'OUTCOME_UNKNOWN', exitCode: 12})
    expect(failure.hint).toContain('ALREADY_OBJECTED')
  })
})

describe('a refusal', () => {
  test('of a subscription or a test is handed on as it is', async () => {
    const client = await clientOf((_, response) =>
      answer(response, 422, 'BUSINESS_WEBHOOK_SUBSCRIPTION_LIMIT'),
    )
    const body = {url: 'https://x.example', eventTypes: ['order.completed']}
    expect((await failed(subscribe(client, body))).code).toBe('BUSINESS_WEBHOOK_SUBSCRIPTION_LIMIT')
    expect((await failed(fireTest(client, id, 'x.y'))).code).toBe('BUSINESS_WEBHOOK_SUBSCRIPTION_LIMIT')
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
