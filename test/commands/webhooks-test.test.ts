// A test that is followed to where it arrives, by the built program: one verdict of both sides.
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {verdictOf} from '../../src/desk/deliveries/round-trip.ts'
import {listening} from '../support/listening.ts'
import {inTerminal, oneLine} from '../support/pty.ts'
import {scent} from '../support/scent.ts'
import {openServedDesk, type ServedDesk} from '../support/served-desk.ts'
import {page, service, userOf} from '../support/service.ts'

describe('through the sandbox', () => {
  let desk: ServedDesk
  beforeEach(async () => {
    desk = await openServedDesk()
  })
  afterEach(() => desk.close())

  const fire = async (wait: string) => {
    const line = ['webhooks', 'test', desk.webhook(), '--event', 'order.completed', '--wait', wait]
    const {code, stdout, stderr} = await desk.run(...line, '--json')
    return {code, trip: JSON.parse(stdout), said: oneLine(stderr)}
  }
  const listen = (...argv: string[]) => desk.listen('--event', 'order.completed', ...argv)

  test('it is sent, comes here, and the service knows', async () => {
    await listen()
    const {code, trip} = await fire('30s')
    expect([code, Object.keys(trip)]).toEqual([0, ['verdict', 'fired', 'received', 'recorded']])
    expect(trip).toMatchObject({
      verdict: 'round-trip',
      fired: {eventType: 'order.completed', succeeded: true},
      received: {trust: 'verified', copies: 1},
      recorded: {httpStatus: 200},
    })
  })

  test('lost on its way it went elsewhere, which is known at once if nothing listens', async () => {
    const listener = await listen()
    await desk.fault('lost')
    expect(await fire('1s')).toMatchObject({code: 0, trip: {verdict: 'delivered-elsewhere', received: null}})
    await listener.stop()
    await desk.fault('lost')
    const began = performance.now()
    expect(await fire('90s')).toMatchObject({code: 0, trip: {verdict: 'delivered-elsewhere', received: null}})
    expect(performance.now() - began).toBeLessThan(60_000)
  })

  test('changed on its way it is refused here, and the next command says why', async () => {
    await listen()
    await desk.fault('reencoded')
    const {code, trip, said} = await fire('30s')
    expect([code, trip]).toMatchObject([6, {verdict: 'refused', received: {trust: 'refused'}}])
    expect(said).toContain('It was refused here: does not fit')
    expect(said).toContain(`scent webhooks verify --stored ${trip.fired.eventId.slice(0, 12)}`)
    expect(said).toContain('TEST_REFUSED')
  })

  test('where nothing answers there is no answer', async () => {
    await (await listen()).stop()
    const {code, trip, said} = await fire('1s')
    expect([code, trip]).toMatchObject([10, {verdict: 'no-answer', received: null}])
    expect(said).toContain('had no answer from the URL of this subscription: Connection failed')
    expect(said).toContain(
      'Nothing listens on this machine: `scent webhooks listen --subscribe` receives what comes next.',
    )
  })

  test('that its subscription is switched off is said, for that is why nothing else comes', async () => {
    const url = 'http://127.0.0.1:9/off'
    const {id} = await desk.json(['webhooks', 'create', '--url', url, '--event', 'order.completed'])
    const line = ['webhooks', 'test', id, '--event', 'order.completed', '--wait', '1s']
    const off =
      /The subscription is switched off: but for tests nothing is sent to it before `scent webhooks enable/
    expect(oneLine((await desk.run(...line)).stderr)).not.toMatch(off)
    await desk.json(['webhooks', 'disable', id])
    expect(oneLine((await desk.run(...line)).stderr)).toMatch(off)
  })

  test('a receiver that fails is tried again', async () => {
    await listen('--answer', '503')
    const {code, trip, said} = await fire('1s')
    expect([code, trip]).toMatchObject([
      10,
      {verdict: 'retrying', received: {trust: 'verified'}, recorded: {httpStatus: 503}},
    ])
    expect(said).toMatch(/The receiver failed with 503; the service tries again at/)
  })

  test('Ctrl-C while it is waited for names the event, and the command that tells of it later', async () => {
    await (await listen()).stop()
    const line = ['webhooks', 'test', await desk.webhook(), '--event', 'order.completed', '--wait', '90s']
    const {code, text} = await inTerminal(desk.env, line, {
      columns: 80,
      answers: [['Waiting until it has come', '\u0003']],
    })
    expect(code, text).toBe(130)
    const [, id = '', next = ''] =
      /Event (\S+) was sent, and is looked for no longer\. .*Next: `scent ([^`]+)`/.exec(oneLine(text)) ?? []
    const {items} = await desk.json(next.split(' '))
    expect(items).toMatchObject([{eventId: id, eventType: 'order.completed'}])
  })

  test('a subscription whose URL no listener here has is named with the way to listen there', async () => {
    await listen()
    const made = await desk.json([
      ...[
        'webhooks',
        'create',
        '--url',
        'http://127.0.0.1:9/hook',
        '--event',
        'order.completed',
        '--save-secret',
      ],
    ])
    const line = ['webhooks', 'test', made.id, '--event', 'order.completed', '--wait', '1s']
    const {code, stderr} = await desk.run(...line)
    expect([code, oneLine(stderr)]).toEqual([
      10,
      expect.stringContaining(
        `No listener here has that URL: \`scent webhooks listen --subscription ${made.id} --port 9\` receives what comes next.`,
      ),
    ])
  })

  test.each([
    [410, 6, 'The receiver there refuses it: its log says why.'],
    [302, 6, 'redirects are not followed: give the subscription the URL that it leads to.'],
    [503, 10, 'The receiver there fails: its log says why.'],
  ])(
    'a receiver that answers %i is what is spoken of, by a test and below the timeline',
    async (status, exit, advice) => {
      const receiver = createServer((_, response) => response.writeHead(status, {location: '/other'}).end())
      await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
      const made = await desk.json([
        'webhooks',
        'create',
        '--url',
        url,
        '--event',
        'order.completed',
        '--save-secret',
      ])
      const line = ['webhooks', 'test', made.id, '--event', 'order.completed', '--wait', '1s']
      const {code, stderr} = await desk.run(...line)
      const below = oneLine((await desk.run('webhooks', 'timeline', made.id)).stderr)
      receiver.close()
      expect([code, oneLine(stderr)]).toEqual([exit, expect.stringContaining(advice)])
      expect(below).toContain(advice)
      // Its port is taken.
      expect(stderr + below).not.toContain('webhooks listen')
    },
  )

  test('in a terminal the types are offered, and in a pipe they are named', async () => {
    await desk.listen('--event', 'order.failed', '--event', 'order.completed')
    const line = ['webhooks', 'test', desk.webhook()]
    const {code, stderr} = await desk.run(...line)
    expect([code, oneLine(stderr)]).toEqual([
      2,
      expect.stringContaining(
        'Missing --event TYPE: the subscription holds order.failed, order.completed. (MISSING_INPUT)',
      ),
    ])
    const seen = await inTerminal(desk.env, [...line, '--wait', '30s'], {
      columns: 80,
      answers: [['(--event TYPE)', '\r']],
    })
    expect(seen.code, seen.text).toBe(0)
    expect(oneLine(seen.text)).toMatch(
      /round-trip .*order\.failed .* It was sent, came here, and the service knows/,
    )
  })
})

const id = 'aff5afa7-c6bd-4c04-b245-89e6b7e40128'
const eventId = '9f2c41d07be39f2c41d07be3'

test.each([
  ['nothing', 12, 'TEST_UNSEEN'],
  ['here-not-recorded', 0, undefined],
] as const)('a service that records nothing: %s', async (verdict, exit, state) => {
  const fired = JSON.stringify({eventId, eventType: 'order.completed', sentAt: new Date().toISOString()})
  const other = await service(({url = ''}) => (url.includes('test-fire') ? fired : page([])))
  const env = userOf(other.url)
  const listener = await listening(env)
  const body = JSON.stringify({eventId, eventType: 'order.completed', data: {}})
  if (verdict === 'here-not-recorded') expect(await listener.send(body)).toBe(200)
  const line = ['webhooks', 'test', id, '--event', 'order.completed', '--wait', '1s']
  const {code, stdout, stderr} = await scent(env, [...line, '--json'])
  expect([code, JSON.parse(stdout).verdict], stderr).toEqual([exit, verdict])
  if (state) expect(stderr).toContain(state)
  await listener.stop()
  await other.close()
})

const failed = {succeeded: false, nextAttemptAt: '2026-11-22T10:00:00Z'}
test.each([
  [{succeeded: true}, ['verified'], 'round-trip'],
  [{succeeded: true}, ['refused', 'unchecked'], 'round-trip'],
  [{succeeded: true}, ['refused'], 'delivered-elsewhere'],
  [{succeeded: true}, [], 'delivered-elsewhere'],
  [null, ['unchecked'], 'here-not-recorded'],
  [{}, ['verified'], 'here-not-recorded'],
  [null, ['stale'], 'refused'],
  [null, [], 'nothing'],
  [{...failed, httpStatus: 401}, [], 'refused'],
  [{...failed, httpStatus: 302}, ['verified'], 'refused'],
  [{...failed, httpStatus: 503}, ['verified'], 'retrying'],
  [{...failed, httpStatus: 503, nextAttemptAt: null}, [], 'refused'],
  [{...failed, httpStatus: null}, [], 'no-answer'],
  [{...failed}, ['verified'], 'no-answer'],
] as const)('of %j and copies %j the verdict is %s', (recorded, trusts, verdict) => {
  expect(
    verdictOf(
      recorded as never,
      trusts.map((trust) => ({trust})),
    ),
  ).toBe(verdict)
})
