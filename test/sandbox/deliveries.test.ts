import {createHmac} from 'node:crypto'
import type {ServerResponse} from 'node:http'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {checkWorld} from '../../src/sandbox/core/check.ts'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {folder} from '../support/program.ts'
import {type Seen, serve, serveSocket, type TestServer} from '../support/server.ts'
import type {Sandbox, SandboxOptions} from '../support/types.ts'
import {callerOf, control, variantOf} from './caller.ts'
import {historic} from './event-refusals.ts'

let sandbox: Sandbox
let caller: ReturnType<typeof callerOf>
let receiver: TestServer & {seen: Seen[]}
/** What the receiver answers; 200 when it has nothing of its own. */
let answers: ((response: ServerResponse) => void)[]

const open = async (options: SandboxOptions = {}) => {
  sandbox = await createSandbox({limits: false, ...options})
  caller = callerOf(sandbox)
}
beforeEach(async () => {
  answers = []
  receiver = await serve((_, response) => {
    const special = answers.shift()
    if (special) special(response)
    else response.writeHead(200).end('ok')
  })
  await open()
})
afterEach(async () => {
  expect(checkWorld(sandbox.state.world)).toEqual([])
  await sandbox.close()
  await receiver.close()
})

const always = (status: number) => {
  const one = (response: ServerResponse) => {
    answers.push(one)
    response.writeHead(status, {location: receiver.url, 'retry-after': '1'}).end()
  }
  answers = [one]
}
const subscribe = async (eventTypes: string[], more: object = {}) =>
  (await caller.ask('POST', '/scent/webhooks', {body: {url: receiver.url, eventTypes, ...more}})).payload as {
    id: string
    signingSecret: string
  }
const order = async (reference: string) => {
  const {payload} = await caller.filled(reference, {[variantOf(sandbox, 'RML-SAF-050')]: 1})
  return (await caller.order(reference, payload.lockId, reference)).payload
}
const settled = () => sandbox.state.deliverer.settled()
const records = async (id: string, query = 'pageSize=100') =>
  (await caller.ask('GET', `/scent/webhooks/${id}/deliveries`, {query})).payload
const freeze = () => control(sandbox, 'POST', 'clock', {freeze: true})
const move = async (by: object) => {
  const {payload} = await control(sandbox, 'POST', 'clock', by)
  caller = callerOf(sandbox)
  return payload.fired as {job: string; at: string; id: string}[]
}
const subscription = async (id: string) =>
  (await caller.ask('PUT', `/scent/webhooks/${id}`, {body: {}})).payload

/** What a receiver does with its secret. */
const verifies = ({headers, body}: Seen, secret: string) => {
  const mac = createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.${body}`)
  return headers['x-service-signature'] === `v1=${mac.digest('hex')}`
}

describe('a delivery', () => {
  test('carries the event, signed with the secret of its subscription, and the custom headers', async () => {
    const {id, signingSecret} = await subscribe(['order.completed'], {headers: {'X-Key': 'k1'}})
    const made = await order('PO-1')
    await settled()
    expect(receiver.seen).toHaveLength(1)
    const [seen] = receiver.seen as [Seen]
    expect(seen.method).toBe('POST')
    expect(seen.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(seen.body)),
      'x-key': 'k1',
    })
    expect(verifies(seen, signingSecret)).toBe(true)
    expect(verifies({...seen, body: `${seen.body} `}, signingSecret)).toBe(false)
    const age = Date.now() / 1000 - Number(seen.headers['x-service-timestamp'])
    expect(Math.abs(age)).toBeLessThan(300)
    const event = JSON.parse(seen.body)
    expect(event).toEqual({
      eventId: expect.stringMatching(/^[0-9a-f]{64}$/),
      eventType: 'order.completed',
      occurredAt: expect.stringMatching(/Z$/),
      partnerId: sandbox.credentials[0]?.partnerId,
      data: {
        orderId: made.id,
        orderGlobalId: expect.stringMatching(/^SCN-/),
        externalReference: 'PO-1',
        customerRef: 'PO-1',
        status: 'Processing',
        failureReason: null,
        total: made.pricing.total,
        currency: 'SAR',
      },
    })
    expect(await records(id)).toEqual({
      items: [
        {
          id: expect.any(String),
          eventType: 'order.completed',
          eventId: event.eventId,
          attemptNumber: 1,
          httpStatus: 200,
          sentAt: expect.stringMatching(/Z$/),
          succeeded: true,
          errorSummary: null,
          deadLetteredAt: null,
          nextAttemptAt: null,
        },
      ],
      pagination: {
        page: 1,
        pageSize: 100,
        totalCount: 1,
        totalPages: 1,
        hasPrevious: false,
        hasNext: false,
      },
    })
    expect(await subscription(id)).toMatchObject({
      lastDeliveryStatus: 'Success',
      lastDeliveryAt: expect.stringMatching(/Z$/),
    })
  })

  test('goes out by itself, without anybody asking', async () => {
    await subscribe(['order.completed'])
    await order('PO-1')
    await expect.poll(() => receiver.seen.length, {timeout: 5_000}).toBe(1)
  })

  test('of one event has the same id and the same bytes for every subscription', async () => {
    const one = await subscribe(['order.completed'])
    const two = await subscribe(['order.completed', 'order.failed'])
    await subscribe(['order.failed'])
    await order('PO-1')
    await settled()
    expect(receiver.seen).toHaveLength(2)
    expect(new Set(receiver.seen.map(({body}) => body)).size).toBe(1)
    const signers = [one, two].map(({signingSecret}) =>
      receiver.seen.filter((seen) => verifies(seen, signingSecret)),
    )
    expect(signers.map(({length}) => length)).toEqual([1, 1])
  })

  test('is not made for another partner, nor for a paused subscription', async () => {
    const {id} = await subscribe(['order.completed'])
    const parent = caller
    caller = callerOf(sandbox, 'rimal-online')
    await order('CHILD-1')
    await settled()
    caller = parent
    await caller.ask('PATCH', `/webhooks/${id}/active`, {body: {isActive: false}})
    await order('PO-1')
    await settled()
    expect(receiver.seen).toEqual([])
    await caller.ask('PATCH', `/webhooks/${id}/active`, {body: {isActive: true}})
    await order('PO-2')
    await settled()
    expect(receiver.seen.map(({body}) => JSON.parse(body).data.externalReference)).toEqual(['PO-2'])
  })

  test('is not made of a change that did not happen', async () => {
    await subscribe(['order.completed', 'order.failed'])
    const {payload} = await caller.filled('PO-1', {[variantOf(sandbox, 'RML-SAF-050')]: 1})
    await control(sandbox, 'PATCH', 'variants/RML-SAF-050', {price: null})
    expect((await caller.order('PO-1', payload.lockId, 'PO-1')).status).toBe(422)
    await settled()
    expect(receiver.seen).toEqual([])
  })

  test('signs plainly when that is assumed', async () => {
    await sandbox.close()
    await open({assume: ['H05=plain']})
    await subscribe(['order.completed'])
    await order('PO-1')
    await settled()
    expect(receiver.seen[0]?.headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/)
  })
})

test('each change that has an event type tells of itself', async () => {
  const types = [
    ['order.completed', 'order.failed', 'shipment.delivered', 'variant.back_in_stock'],
    ['notice.raised', 'notice.resolved', 'notice.expired'],
    ['return.requested', 'return.accepted', 'return.rejected', 'return.refunded', 'return.withdrawn'],
    ['statement.generated', 'commission.issued'],
  ]
  for (const some of types) await subscribe(some)
  const {id} = await order('PO-1')
  await control(sandbox, 'PATCH', 'partners/rimal-retail', {wallet: 1})
  await order('PO-2')
  await control(sandbox, 'PATCH', 'partners/rimal-retail', {wallet: 50_000})
  const second = await order('PO-3')
  const raise = (orderId: string) =>
    control(sandbox, 'POST', `orders/${orderId}/notices`, {lineId: 'RML-SAF-050'})
  const {payload} = await raise(second.id)
  await caller.ask('PATCH', `/scent/unfulfillable-notices/${payload.notice.id}/respond`, {
    body: {choice: 'CancelWhole'},
  })
  await control(sandbox, 'POST', `orders/${id}/deliver`)
  await control(sandbox, 'PATCH', 'variants/SDR-HON-100', {stock: 5})
  const {group, lines} = historic(sandbox, 'PO-1')
  const back = async () => {
    const line = {scentOrderLineId: lines[0], quantity: 1, reasonCode: 'Damaged'}
    const body = {fulfillmentGroupId: group, lines: [line]}
    return (await caller.ask('POST', `/scent/orders/${id}/return-requests`, {body})).payload.id as string
  }
  await caller.ask('PATCH', `/scent/return-requests/${await back()}/withdraw`)
  await control(sandbox, 'POST', `returns/${await back()}/reject`)
  await control(sandbox, 'POST', `returns/${await back()}/refund`)
  await move({advanceSeconds: 45 * 86_400})
  const told = receiver.seen.map(({body}) => JSON.parse(body))
  expect([...new Set(told.map(({eventType}) => eventType))].sort()).toEqual(types.flat().sort())
  for (const {eventType, data} of told.filter((event) => /^(order|notice|return)/.test(event.eventType))) {
    expect([eventType, data.orderId]).toEqual([eventType, expect.stringMatching(/^[0-9a-f-]{36}$/)])
  }
  expect(told.find(({eventType}) => eventType === 'notice.raised').data.notice).toEqual(payload.notice)
})

describe('a failed attempt', () => {
  test('is made again by the schedule, with the same id and bytes, and ends as a dead letter', async () => {
    const {id, signingSecret} = await subscribe(['order.completed'])
    always(503)
    await freeze()
    const start = sandbox.state.clock.now()
    await order('PO-1')
    await settled()
    expect((await records(id)).items).toMatchObject([
      {
        attemptNumber: 1,
        httpStatus: 503,
        succeeded: false,
        errorSummary: 'Delivery failed',
        deadLetteredAt: null,
        nextAttemptAt: new Date(start + 5_000).toISOString(),
      },
    ])
    expect((await subscription(id)).lastDeliveryStatus).toBe('Failed')
    const fired = await move({advanceSeconds: 86_400})
    expect(fired.filter(({job}) => job === 'webhook-attempt').map(({at}) => Date.parse(at) - start)).toEqual(
      [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400].map((seconds) => seconds * 1000),
    )
    expect(receiver.seen).toHaveLength(8)
    expect(new Set(receiver.seen.map(({body}) => body)).size).toBe(1)
    expect(receiver.seen.every((seen) => verifies(seen, signingSecret))).toBe(true)
    const {items} = await records(id)
    expect(items.map(({attemptNumber}: {attemptNumber: number}) => attemptNumber)).toEqual([
      8, 7, 6, 5, 4, 3, 2, 1,
    ])
    expect(new Set(items.map(({eventId}: {eventId: string}) => eventId)).size).toBe(1)
    expect(items[0]).toMatchObject({
      deadLetteredAt: new Date(start + 50_400_000).toISOString(),
      nextAttemptAt: null,
    })
    expect((await subscription(id)).lastDeliveryStatus).toBe('DeadLettered')
    expect((await move({advanceSeconds: 86_400})).filter(({job}) => job === 'webhook-attempt')).toEqual([])
  })

  test('is followed by a success, and that by nothing', async () => {
    const {id} = await subscribe(['order.completed'])
    answers = [(response) => response.writeHead(500).end()]
    await freeze()
    await order('PO-1')
    await settled()
    expect(await move({next: true})).toMatchObject([{job: 'webhook-attempt'}])
    await move({advanceSeconds: 86_400})
    expect(receiver.seen).toHaveLength(2)
    expect(await subscription(id)).toMatchObject({lastDeliveryStatus: 'Success'})
  })

  test('follows the clock when it runs', async () => {
    await subscribe(['order.completed'])
    answers = [(response) => response.writeHead(500).end()]
    await order('PO-1')
    await settled()
    sandbox.state.clock.moveTo(sandbox.state.clock.now() + 4_900)
    await caller.ask('GET', '/scent/return-requests')
    await expect.poll(() => receiver.seen.length, {timeout: 5_000}).toBe(2)
  })

  test.each([
    [301, 'Destination rejected'],
    [404, 'Destination rejected'],
    [410, 'Destination rejected'],
    [500, 'Delivery failed'],
    [504, 'Delivery failed'],
  ])('with status %i is called %s, and no redirect is followed', async (status, errorSummary) => {
    const {id} = await subscribe(['order.completed'])
    answers = [(response) => response.writeHead(status, {location: `${receiver.url}/elsewhere`}).end()]
    await freeze()
    await order('PO-1')
    await settled()
    expect((await records(id)).items).toMatchObject([{httpStatus: status, errorSummary, succeeded: false}])
    expect(receiver.seen).toHaveLength(1)
  })

  test('without a connection, or with one that breaks, is called so', async () => {
    const breaking = await serveSocket((socket) => socket.once('data', () => socket.resetAndDestroy()))
    const gone = await serveSocket(() => undefined)
    await gone.close()
    await freeze()
    for (const [i, url] of [breaking.url, gone.url, `${breaking.url.replace('http', 'https')}`].entries()) {
      const {id} = await subscribe(['order.completed'], {url})
      await order(`PO-${i}`)
      await settled()
      expect((await records(id)).items).toMatchObject([{httpStatus: null, errorSummary: 'Connection failed'}])
      await caller.ask('PATCH', `/webhooks/${id}/active`, {body: {isActive: false}})
    }
    await breaking.close()
  })

  test('without an answer in 10 s is a timeout', {timeout: 30_000}, async () => {
    const silent = await serveSocket(() => undefined)
    const {id} = await subscribe(['order.completed'], {url: silent.url})
    await freeze()
    await order('PO-1')
    await settled()
    expect((await records(id)).items).toMatchObject([{httpStatus: null, errorSummary: 'Timeout'}])
    await silent.close()
  })

  test('takes URL, headers and secret as they are when it is made again', async () => {
    const {id, signingSecret} = await subscribe(['order.completed'], {headers: {'X-Key': 'old'}})
    always(500)
    await freeze()
    await order('PO-1')
    await settled()
    answers = []
    await caller.ask('PUT', `/scent/webhooks/${id}`, {
      body: {url: `${receiver.url}/new`, headers: {'X-Key': 'new'}},
    })
    const rotated = await control(sandbox, 'POST', `webhooks/${id}/rotate-secret`)
    await move({next: true})
    const [, second] = receiver.seen as [Seen, Seen]
    expect([second.url, second.headers['x-key']]).toEqual(['/new', 'new'])
    expect(verifies(second, signingSecret)).toBe(false)
    expect(verifies(second, rotated.payload.signingSecret)).toBe(true)
  })

  test('is dropped by a pause', async () => {
    const {id} = await subscribe(['order.completed'])
    always(500)
    await freeze()
    await order('PO-1')
    await settled()
    await caller.ask('PATCH', `/webhooks/${id}/active`, {body: {isActive: false}})
    await caller.ask('PATCH', `/webhooks/${id}/active`, {body: {isActive: true}})
    await move({advanceSeconds: 86_400})
    expect(receiver.seen).toHaveLength(1)
    expect((await records(id)).items).toMatchObject([{nextAttemptAt: null, deadLetteredAt: null}])
  })

  test('does not hold up the next event', async () => {
    await subscribe(['order.completed'])
    answers = [(response) => response.writeHead(500).end()]
    await freeze()
    await order('PO-1')
    await order('PO-2')
    await settled()
    expect(receiver.seen).toHaveLength(2)
  })
})

describe('custom headers', () => {
  const deliveredWith = async (headers: object) => {
    const {id} = await subscribe(['order.completed'], {headers})
    const {payload} = await caller.ask('POST', `/scent/webhooks/${id}/test-fire`, {
      body: {eventType: 'order.completed'},
    })
    expect(payload).toMatchObject({attemptNumber: 1, succeeded: true, httpStatus: 200})
    const {rawHeaders = []} = receiver.seen.at(-1) ?? {}
    return rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : []))
  }

  test.each(['user-agent', 'Authorization', 'Date', '__proto__', 'constructor'])('bring %s', async (name) => {
    const headers = await deliveredWith(JSON.parse(`{"${name}": "mine/1"}`))
    expect(headers.filter((line) => line.endsWith('mine/1'))).toEqual([`${name}: mine/1`])
  })

  test.each([
    ['Transfer-Encoding', 'chunked'],
    ['Connection', 'upgrade'],
    ['Expect', '100-continue'],
    ['Expect', 'miracles'],
    ['TE', 'trailers'],
    ['Trailer', 'X-A'],
    ['upgrade', 'h2c'],
    ['Keep-Alive', 'timeout=0'],
    ['proxy-connection', 'close'],
    ['Proxy-Authorization', 'Basic eA=='],
  ])('%s: %s is kept, and never spoils a delivery', async (name, value) => {
    const headers = await deliveredWith({[name]: value, 'X-Key': 'k1'})
    expect(headers).not.toContain(`${name}: ${value}`)
    expect(headers).toContain('X-Key: k1')
    const {subscriptions} = (await control(sandbox, 'GET', 'state')).payload
    expect(subscriptions.at(-1).headers).toEqual({[name]: value, 'X-Key': 'k1'})
  })
})

test('a name with several addresses is tried at each', async () => {
  const url = receiver.url.replace('127.0.0.1', 'localhost')
  const {id} = await subscribe(['order.completed'], {url})
  await order('PO-1')
  await settled()
  expect((await records(id)).items).toMatchObject([{succeeded: true}])
  expect(receiver.seen[0]?.headers.host).toMatch(/^localhost:/)
})

test('a subscription has one delivery under way at a time, in the order of events', async () => {
  await subscribe(['order.completed'])
  let under = 0
  let most = 0
  answers = Array.from({length: 5}, () => (response: ServerResponse) => {
    under += 1
    most = Math.max(most, under)
    setTimeout(() => {
      under -= 1
      response.end()
    }, 5)
  })
  for (let n = 0; n < 5; n++) await order(`PO-${n}`)
  await settled()
  expect(most).toBe(1)
  expect(receiver.seen.map(({body}) => JSON.parse(body).data.externalReference)).toEqual(
    [0, 1, 2, 3, 4].map((n) => `PO-${n}`),
  )
})

describe('a test-fire', () => {
  const fire = (id: string, eventType: string) =>
    caller.ask('POST', `/scent/webhooks/${id}/test-fire`, {body: {eventType}})

  test('sends a real signed delivery and answers its record', async () => {
    const {id, signingSecret} = await subscribe(['order.completed', 'notice.raised'])
    const {status, state, payload} = await fire(id, 'notice.raised')
    expect([status, state]).toEqual([200, 'SUCCESS'])
    const [seen] = receiver.seen as [Seen]
    expect(verifies(seen, signingSecret)).toBe(true)
    expect(JSON.parse(seen.body)).toMatchObject({eventType: 'notice.raised', eventId: payload.eventId})
    expect(payload).toMatchObject({attemptNumber: 1, httpStatus: 200, succeeded: true})
    expect((await records(id)).items).toEqual([payload])
    const again = await fire(id, 'notice.raised')
    expect(again.payload.eventId).not.toBe(payload.eventId)
  })

  test('is tried again like any other, and works while paused', async () => {
    const {id} = await subscribe(['order.completed'])
    await caller.ask('PATCH', `/webhooks/${id}/active`, {body: {isActive: false}})
    answers = [(response) => response.writeHead(500).end()]
    await freeze()
    const {payload} = await fire(id, 'order.completed')
    expect(payload).toMatchObject({succeeded: false, errorSummary: 'Delivery failed'})
    expect(payload.nextAttemptAt).not.toBeNull()
    await move({next: true})
    expect((await records(id)).items).toMatchObject([
      {attemptNumber: 2, succeeded: true, eventId: payload.eventId},
      {attemptNumber: 1},
    ])
  })

  test('takes only what is subscribed', async () => {
    const {id} = await subscribe(['order.completed'])
    for (const type of ['notice.raised', 'nothing.known']) {
      expect((await fire(id, type)).state).toBe('VALIDATION_WEBHOOK_EVENT_TYPE_NOT_SUBSCRIBED')
    }
    expect((await fire(id, '')).state).toBe('VALIDATION_ERRORS')
    expect(receiver.seen).toEqual([])
  })
})

describe('delivery records', () => {
  test('are kept for 30 days, to the moment', async () => {
    const {id} = await subscribe(['order.completed'])
    await freeze()
    await order('PO-1')
    await settled()
    const [{id: record}] = (await records(id)).items
    await move({advanceSeconds: 30 * 86_400 - 0.001})
    expect((await records(id)).items).toHaveLength(1)
    expect(await move({advanceSeconds: 0.001})).toContainEqual(
      expect.objectContaining({job: 'deliveries-purged', id: record}),
    )
    expect((await records(id)).items).toEqual([])
    const {world} = sandbox.state
    for (const table of ['attempts', 'deliveries', 'events']) {
      expect(world.get(`SELECT count(*) AS n FROM ${table}`)).toEqual({n: 0})
    }
  })

  test('come newest first, page by page', async () => {
    const {id} = await subscribe(['order.completed'])
    for (const reference of ['PO-1', 'PO-2', 'PO-3']) await order(reference)
    await settled()
    const {items, pagination} = await records(id, 'page=2&pageSize=2')
    expect(items).toMatchObject([{eventId: JSON.parse(receiver.seen[0]?.body ?? '').eventId}])
    expect(pagination).toMatchObject({totalCount: 3, totalPages: 2, hasPrevious: true, hasNext: false})
  })

  test('can be sent again, and the last event doubled, with the same id', async () => {
    const {id} = await subscribe(['order.completed'])
    await order('PO-1')
    await settled()
    const [first] = (await records(id)).items
    const again = await control(sandbox, 'POST', `deliveries/${first.id}/redeliver`)
    expect(again.payload).toMatchObject({eventId: first.eventId, attemptNumber: 1, succeeded: true})
    const twice = await control(sandbox, 'POST', `webhooks/${id}/duplicate`)
    expect(twice.payload).toMatchObject({eventId: first.eventId, succeeded: true})
    expect(new Set(receiver.seen.map(({body}) => body)).size).toBe(1)
    expect((await control(sandbox, 'POST', 'deliveries/x/redeliver')).status).toBe(404)
    expect((await control(sandbox, 'POST', 'webhooks/x/duplicate')).status).toBe(404)
  })
})

test('what was not sent when the sandbox went down is sent after it is up again, by the old schedule', async () => {
  await sandbox.close()
  const file = join(folder(), 'sandbox.db')
  await open({file})
  const {id} = await subscribe(['order.completed'])
  always(500)
  await freeze()
  const start = sandbox.state.clock.now()
  await order('PO-1')
  await settled()
  await sandbox.close()
  await open({file})
  expect((await records(id)).items).toMatchObject([{nextAttemptAt: new Date(start + 5_000).toISOString()}])
  await move({advanceSeconds: 5})
  expect(receiver.seen).toHaveLength(2)
  expect(receiver.seen[1]?.body).toBe(receiver.seen[0]?.body)
  await sandbox.close()
  answers = []
  await open({file})
  await move({advanceSeconds: 86_400})
  expect((await records(id)).items).toMatchObject([{attemptNumber: 3, succeeded: true}, {}, {}])
})

test('an attempt that is under way when the sandbox ends is made again', async () => {
  await sandbox.close()
  const file = join(folder(), 'sandbox.db')
  await open({file})
  const {id} = await subscribe(['order.completed'])
  answers = [() => undefined]
  await order('PO-1')
  await expect.poll(() => receiver.seen.length, {timeout: 5_000}).toBe(1)
  await sandbox.close()
  await open({file})
  await expect.poll(() => receiver.seen.length, {timeout: 5_000}).toBe(2)
  await settled()
  expect(receiver.seen[1]?.body).toBe(receiver.seen[0]?.body)
  expect((await records(id)).items).toMatchObject([{attemptNumber: 1, succeeded: true}])
})

test('a reset forgets the attempt that is under way', async () => {
  await subscribe(['order.completed'])
  let late: ServerResponse | undefined
  answers = [
    (response) => {
      late = response
    },
  ]
  await order('PO-1')
  await expect.poll(() => receiver.seen.length, {timeout: 5_000}).toBe(1)
  await control(sandbox, 'POST', 'reset')
  late?.end()
  await settled()
  expect(sandbox.state.world.get('SELECT count(*) AS n FROM attempts')).toEqual({n: 0})
})
