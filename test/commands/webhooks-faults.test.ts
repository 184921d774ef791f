// Deliveries of the sandbox that are lost, changed or late on their way, as the built listener meets them.
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {foldersOf} from '../../src/store/paths.ts'
import {findSandbox, saveLocator} from '../../src/store/sandbox.ts'
import {callerOf, control} from '../sandbox/caller.ts'
import {type Listening, listening} from '../support/listening.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {openServedDesk, type ServedDesk} from '../support/served-desk.ts'
import type {Sandbox} from '../support/types.ts'
import {openSlowLine} from '../terminal/slow.ts'

let desk: ServedDesk
let sandbox: Sandbox
let env: NodeJS.ProcessEnv
let listener: Listening
let webhook: string

beforeEach(async () => {
  desk = await openServedDesk()
  ;({sandbox, env} = desk)
  listener = await desk.listen('--event', 'order.completed')
  webhook = desk.webhook()
})
afterEach(() => desk.close())

const order = (way: string, ...more: string[]) => desk.fault(way, ...more)
const emit = (n: number) => desk.emit(n)
const seen = () =>
  listener.told('delivery').map(({eventId, trust, why, copy}) => ({eventId, trust, why, copy}))
const sawLast = async (eventId: string, copy = 1) =>
  listener.saw('delivery', (one) => one.eventId === eventId && one.copy === copy)
const records = async () => {
  const query = 'pageSize=100'
  const path = `/scent/webhooks/${webhook}/deliveries`
  const {payload} = await callerOf(sandbox).ask('GET', path, {query})
  return payload.items.map(({eventId, httpStatus, succeeded, attemptNumber}: Record<string, unknown>) => ({
    ...{eventId, httpStatus, succeeded, attemptNumber},
  }))
}
const fits = (eventId: string, copy = 1) => ({eventId, trust: 'verified', why: null, copy})

describe('a delivery of the sandbox that is', () => {
  test('lost is recorded as delivered, and never comes', async () => {
    await order('lost')
    const [lost, next] = [await emit(1), await emit(2)]
    await sawLast(next)
    await sandbox.state.deliverer.settled()
    expect(seen()).toEqual([fits(next)])
    expect(await records()).toMatchObject([
      {eventId: next, httpStatus: 200},
      {eventId: lost, httpStatus: 200, succeeded: true},
    ])
  })

  test('sent twice comes twice, and is one event', async () => {
    await order('twice')
    const id = await emit(1)
    await sawLast(id, 2)
    await sandbox.state.deliverer.settled()
    expect(seen()).toEqual([fits(id), fits(id, 2)])
    expect(await records()).toHaveLength(1)
  })

  test('late comes after those that were sent later', async () => {
    await order('late', '--delay', '1500')
    const [late, next] = [await emit(1), await emit(2)]
    await sawLast(late)
    expect(seen()).toEqual([fits(next), fits(late)])
  })

  test('reordered comes after the next one', async () => {
    await order('reordered')
    const first = await emit(1)
    const next = await emit(2)
    await sawLast(first)
    expect(seen()).toEqual([fits(next), fits(first)])
  })

  test('reordered and overtaken by none comes all the same', async () => {
    await order('reordered')
    const id = await emit(1)
    await sawLast(id)
    expect(seen()).toEqual([fits(id)])
  }, 15_000)

  test('re-encoded is refused, and the listener and verify say why', async () => {
    await order('reencoded')
    const id = await emit(1)
    await sawLast(id)
    expect(seen()).toMatchObject([{eventId: id, trust: 'refused', why: 'body changed (re-encoded)'}])
    // Without a secret on the command line: it is kept for the subscription of the listener.
    const verify = await scent(env, ['webhooks', 'verify', '--stored', id.slice(0, 8), '--json'])
    const {details} = JSON.parse(verify.stdout).error
    expect([verify.code, details]).toMatchObject([6, {reason: 'body', change: 'compact'}])
  })

  test('skewed is ahead of its time', async () => {
    await order('skewed')
    const id = await emit(1)
    await sawLast(id)
    expect(seen()).toMatchObject([{eventId: id, trust: 'stale'}])
    const verify = await scent(env, ['webhooks', 'verify', '--stored', id, '--json'])
    const {reason, ageSeconds} = JSON.parse(verify.stdout).error.details
    expect([reason, Math.abs(ageSeconds + 600) < 5]).toEqual(['stale', true])
  })

  test('cut after its body is stored, and sent again', async () => {
    await order('cut')
    const id = await emit(1)
    await sawLast(id)
    await sandbox.state.deliverer.settled()
    expect(await records()).toMatchObject([
      {eventId: id, httpStatus: null, succeeded: false, attemptNumber: 1},
    ])
    await control(sandbox, 'POST', 'clock', {advanceSeconds: 120})
    await sawLast(id, 2)
    expect(seen()).toEqual([fits(id), fits(id, 2)])
  })
})

test('the faults of deliveries are listed with how many they met, meet no request, and are cleared', async () => {
  await order('lost')
  await emit(1)
  await sandbox.state.deliverer.settled()
  const list = async () =>
    JSON.parse((await scent(env, ['sandbox', 'fault', '--list', '--json'])).stdout).items
  expect(await list()).toMatchObject([{effect: 'delivery', delivery: 'lost', met: 1}])
  const {stdout} = await scent(env, ['sandbox', 'fault', '--list'])
  expect(stdout).toContain('\tdelivery\tlost\t')
  await scent(env, ['sandbox', 'fault', '--clear'])
  expect(await list()).toEqual([])
})

test.each([
  [['--delivery', 'eaten']],
  [['--delivery', 'lost', '--effect', 'reset']],
  [['--delivery', 'lost', '--path', '/x']],
  [['--delivery', 'lost', '--times', '0']],
])('%j is refused', async (argv) => {
  expect(await scent(env, ['sandbox', 'fault', ...argv])).toMatchObject({code: 2})
})

test.each([
  {effect: 'delivery'},
  {effect: 'reset', delivery: 'lost'},
  {effect: 'delivery', delivery: 'lost', match: {method: 'GET'}},
])('the controls refuse %j', async (body) => {
  expect((await control(sandbox, 'POST', 'faults', body)).status).toBe(400)
})

test.each(['late', 'reordered'])(
  'a delivery that is %s holds up no later one, and the clock can be moved',
  async (way) => {
    await order(way, ...(way === 'late' ? ['--delay', '1s'] : []))
    const first = await emit(1)
    await sandbox.state.deliverer.settled()
    await sawLast(first)
    const second = await emit(2)
    await sawLast(second)
    await control(sandbox, 'POST', 'clock', {advanceSeconds: 10})
    const third = await emit(3)
    await sawLast(third)
  },
)

test("a second listener does not take this machine's own subscription from the first", async () => {
  const other = await scent(env, [
    'webhooks',
    'listen',
    '--port',
    '0',
    '--subscribe',
    '--event',
    'order.completed',
    '--for',
    '2s',
  ])
  expect([other.code, other.stderr.replaceAll('\n', ' ')]).toEqual([
    8,
    expect.stringContaining("serves this machine's own subscription"),
  ])
  await sawLast(await emit(1))
})

test('all types of the sandbox are subscribed to, also if it is reached through another port', async () => {
  const [credential] = sandbox.credentials
  const found = findSandbox(foldersOf(env))
  if (found === undefined || credential === undefined) throw new Error('there is no sandbox')
  saveLocator(foldersOf(env), {...found, eventTypes: ['notice.raised', 'order.completed']})
  const line = await openSlowLine(found.baseUrl)
  const {clientId, clientSecret} = credential
  const elsewhere = {SCENT_BASE_URL: line.url, SCENT_CLIENT_ID: clientId, SCENT_CLIENT_SECRET: clientSecret}
  const second = await listening({...env, ...elsewhere, SCENT_WEBHOOK_SECRET: ''}, '--subscribe')
  const event = await emit(1)
  await second.saw('delivery', ({eventId}) => eventId === event)
  await second.stop()
  // Of another service on this machine nothing is known.
  const other = {...elsewhere, SCENT_CLIENT_ID: 'another'}
  const argv = ['webhooks', 'listen', '--port', '0', '--subscribe', '--for', '1s']
  expect(await scent({...env, ...other}, argv)).toMatchObject({
    ...{code: 2, stderr: expect.stringContaining('Which events?')},
  })
  await line.close()
})

test('the time left follows the clock of the sandbox as soon as it is moved', async () => {
  const notice = {
    id: 'c6c0dd6c-5d76-4b5d-9eff-250400d2b556',
    status: 'AwaitingPartnerResponse',
    notifiedAt: new Date().toISOString(),
  }
  expect((await scent(env, ['notices', 'import', '-'], JSON.stringify(notice))).code).toBe(0)
  const hoursLeft = async () => {
    const {items} = JSON.parse((await scent(env, ['notices', 'inbox', '--json'])).stdout)
    return Math.round(items[0].desk.leftMs / 3_600_000)
  }
  expect(await hoursLeft()).toBe(72)
  await scent(env, ['sandbox', 'clock', '--advance', '24h'])
  expect(await hoursLeft()).toBe(48)
})

test('a file that what is received can not be appended to is refused in words', async () => {
  for (const path of ['/nonexistent/dir/file', '/tmp']) {
    const {code, stderr} = await scent(env, [
      'webhooks',
      'listen',
      '--port',
      '0',
      '--for',
      '1s',
      '--save',
      path,
    ])
    expect([code, stderr.replaceAll('\n', ' ')]).toEqual([2, expect.stringContaining("can't be written")])
  }
})

test('a port that is taken names the listener that has it, and a public URL must be https', async () => {
  const port = String(listener.port)
  const taken = await scent(env, ['webhooks', 'listen', '--port', port])
  expect([taken.code, taken.stderr.replaceAll('\n', ' ')]).toEqual([
    2,
    expect.stringMatching(/Port \d+ is taken by the listener that began at \d{4}-/),
  ])
  const plain = await scent(env, [
    'webhooks',
    'listen',
    '--port',
    '0',
    '--public-url',
    'http://x.example/k3v',
  ])
  expect([plain.code, plain.stderr]).toEqual([2, expect.stringContaining('is not a valid https URL')])
})

describe('a rehearsal', () => {
  test('sends an event again, by the beginning of its id, and the last one of a subscription twice', async () => {
    const [first, second] = [await emit(1), await emit(2)]
    await sawLast(second)
    expect(await desk.json(['sandbox', 'webhook', 'redeliver', first.slice(0, 8)])).toMatchObject({
      eventId: first,
      succeeded: true,
    })
    await sawLast(first, 2)
    expect((await desk.run('sandbox', 'webhook', 'duplicate', webhook)).stdout).toContain(first)
    await sawLast(first, 3)
    const [record] = (await desk.json(['webhooks', 'deliveries', webhook, '--id', second])).items
    await desk.run('sandbox', 'webhook', 'redeliver', record.id)
    await sawLast(second, 2)
  })

  test('of a new secret has the listener refuse what comes next, until it is told', async () => {
    const {stdout} = await desk.run('sandbox', 'webhook', 'rotate', webhook, '--query', 'signingSecret')
    const id = await emit(1)
    await sawLast(id)
    expect(seen()).toMatchObject([{eventId: id, trust: 'refused', why: 'does not fit'}])
    const verify = ['webhooks', 'verify', '--stored', id, '--secret-stdin', '--json']
    expect(JSON.parse((await scent(env, verify, JSON.parse(stdout))).stdout)).toMatchObject({fits: true})
  })

  test.each([
    [['redeliver', 'ffffff'], 5],
    [['redeliver', 'f'], 5],
    [['duplicate', 'ffffff'], 5],
    [['rotate', 'ffffff'], 5],
    [['forget', 'ffffff'], 2],
    [['rotate'], 2],
  ])('%j is refused', async (argv, code) => {
    expect(await desk.run('sandbox', 'webhook', ...argv)).toMatchObject({code})
  })
})
