// A test that is followed to where it arrives, by the built program: one verdict of both sides.
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {verdictOf} from '../../src/desk/deliveries/round-trip.ts'
import {verdictWords} from '../../src/desk/screens/round-trip.ts'
import {listening} from '../support/listening.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {inTerminal, oneLine} from '../support/pty.ts'
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

  test('lost on its way it went elsewhere, as the timeline says, which is known at once if nothing listens', async () => {
    const listener = await listen()
    await desk.fault('lost')
    const line = ['webhooks', 'test', desk.webhook(), '--event', 'order.completed', '--wait', '1s']
    const {code, text} = await inTerminal(desk.env, line, {columns: 80})
    expect([code, oneLine(text)]).toEqual([0, expect.stringContaining('delivered-elsewhere')])
    const words =
      /The service was told 200 at [\d:]+, and nothing was received here, though 127\.0\.0\.1:\d+ listened from [\d:]+ on: look for another process at that URL, or a proxy that answers by itself\./
    const [said = 'nothing'] = words.exec(oneLine(text)) ?? []
    expect(oneLine((await desk.run('webhooks', 'timeline')).stderr)).toContain(said)
    await listener.stop()
    await desk.fault('lost')
    const began = performance.now()
    const alone = await inTerminal(desk.env, [...line.slice(0, -1), '90s'], {columns: 80})
    expect([alone.code, oneLine(alone.text)]).toEqual([
      0,
      expect.stringContaining('Another receiver took it: no listener of this machine is known to have had'),
    ])
    expect(performance.now() - began).toBeLessThan(60_000)
  })

  test('changed on its way it is refused here, and the next command says why', async () => {
    await listen()
    await desk.fault('reencoded')
    const {code, trip, said} = await fire('30s')
    expect([code, trip]).toMatchObject([6, {verdict: 'refused', received: {trust: 'refused'}}])
    expect(said).toContain('It was refused here: its signature does not fit.')
    expect(said).toContain(`scent webhooks verify --stored ${trip.fired.eventId.slice(0, 12)}`)
    expect(said).toContain('TEST_REFUSED')
  })

  test('where nothing answers there is no answer', async () => {
    await (await listen()).stop()
    const {code, trip, said} = await fire('1s')
    expect([code, trip]).toMatchObject([10, {verdict: 'no-answer', received: null}])
    expect(said).toContain('had no answer from the URL of this subscription: Connection failed')
    expect(said).toMatch(
      /The service tries again at .*\. Nothing listens on this machine: start one, and it receives what comes next\. .*Next: `scent webhooks listen --subscribe`\./,
    )
  })

  test('a listener that was stopped is named, with what lets it go on', async () => {
    const listener = await listen()
    const {pid} = await listener.saw('ready')
    // The service would wait ten seconds for its answer.
    await desk.fault('lost')
    await desk.emit(1)
    await desk.settled()
    desk.sandbox.state.world.run(
      "UPDATE attempts SET succeeded = 0, http_status = NULL, error = 'Timeout', next_at = sent_at + 300000",
    )
    process.kill(pid, 'SIGSTOP')
    const below = oneLine(
      (await desk.run('webhooks', 'timeline').finally(() => process.kill(pid, 'SIGCONT'))).stderr,
    )
    expect(below).toContain(
      `The listener at 127.0.0.1:${listener.port} (process ${pid}) is there and gave no answer: it was stopped, as by Ctrl-Z, or its disk hangs. \`kill -CONT ${pid}\` lets one that was stopped go on.`,
    )
    expect(below).not.toContain('nothing listened here')
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
    expect(said).toMatch(
      /It is stored here, and the listener answered 503 because it was started with --answer 503: .*\. The service tries again at/,
    )
    // The timeline says the same, and not that something was lost.
    const below = oneLine((await desk.run('webhooks', 'timeline')).stderr)
    expect(below).toMatch(
      /the listener answered 503 because it was started with --answer 503: .* Nothing is lost/,
    )
    expect(below).not.toContain('lost on its way back')
  })

  test('a receiver that refuses because it was told to is not taken for a stranger', async () => {
    await listen('--answer', '410')
    const {code, trip, said} = await fire('1s')
    expect([code, trip]).toMatchObject([6, {verdict: 'refused', received: {trust: 'verified'}}])
    expect(said).toContain('the listener answered 410 because it was started with --answer 410')
  })

  test('what the service has answered and not recorded is here, not recorded, and so says the timeline', async () => {
    await listen()
    await desk.fault('unrecorded')
    const {code, trip} = await fire('1s')
    expect([code, trip]).toMatchObject([
      0,
      {verdict: 'here-not-recorded', fired: {succeeded: true}, received: {trust: 'verified'}, recorded: null},
    ])
    await desk.fault('unrecorded')
    const line = ['webhooks', 'test', desk.webhook(), '--event', 'order.completed', '--wait', '1s']
    const {text} = await inTerminal(desk.env, line, {columns: 80})
    const said = oneLine(text)
    expect(said).toMatch(/The service was told 200, not recorded Here signed, fits/)
    expect(said).toContain(
      "It is here, and the service's answer to the test said 200; but its list of deliveries has no record of it. The timeline shows it as here only.",
    )
    const [, next = ''] = /here only\. `scent ([^`]+)`/.exec(said) ?? []
    expect(next).toMatch(/^webhooks timeline \S+ --id \S+$/)
    const {items} = await desk.json(next.split(' '))
    expect(items).toMatchObject([{attempts: [], state: 'unknown', here: {copies: 1, trust: 'verified'}}])
  })

  test('a try that was due and is not recorded is told of as one that is over', async () => {
    await listen()
    await desk.fault('cut')
    const eventId = await desk.emit(1)
    await desk.settled()
    await desk.fault('unrecorded')
    await desk.advance(120)
    await desk.settled()
    const said = oneLine((await desk.run('webhooks', 'timeline', '--id', eventId)).stderr)
    expect(said).toMatch(/The service was to try again at [\w: ]+, and has no record of that try\./)
    expect(said).not.toMatch(/tries again at|comes again at/)
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
        `No listener here has that URL: start one, and it receives what comes next. (TEST_NOT_DELIVERED) Next: \`scent webhooks listen --subscription ${made.id} --port 9\`.`,
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

  test('the list of subscriptions shows whole ids at 80 columns, which every other command needs', async () => {
    await listen()
    const {text} = await inTerminal(desk.env, ['webhooks', 'list'], {columns: 80})
    expect(text).toContain(desk.webhook())
    expect(text).toMatch(/http:\/\/127\.0\.0\.1:\d+\/ +yes/)
    expect(oneLine(text)).toContain('--columns')
  })

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

test('a test that a listener did not answer says the same as the timeline', () => {
  const url = 'http://127.0.0.1:4750/'
  const run = {port: 4750, pid: 812, from: 1, publicUrl: null, isFailing: false}
  const fired = {eventId: 'e', succeeded: false, errorSummary: 'Timeout', nextAttemptAt: null}
  const tested = {id: 'x', url, own: true, isActive: true, listeners: [run], keeper: null, sentAt: 2, now: 3}
  const trip = {verdict: 'no-answer', fired, received: null, recorded: fired}
  const {says, next} = verdictWords(trip as never, tested as never)
  expect(says).toContain('The listener at 127.0.0.1:4750 (process 812) is there and gave no answer')
  expect(next).toBe('`scent webhooks timeline x --watch`')
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

test('what went elsewhere and is not recorded is told of as the answer to the test alone says', async () => {
  const fired = {eventId, eventType: 'order.completed', sentAt: new Date().toISOString()}
  const answer = JSON.stringify({...fired, succeeded: true, httpStatus: 200})
  const other = await service(({url = ''}) => (url.includes('test-fire') ? answer : page([])))
  const line = ['webhooks', 'test', id, '--event', 'order.completed', '--wait', '1s']
  const {code, stdout} = await scent(userOf(other.url), [...line, '--json'])
  expect([code, JSON.parse(stdout)]).toMatchObject([0, {verdict: 'delivered-elsewhere', recorded: null}])
  const {text} = await inTerminal(userOf(other.url), line, {columns: 80})
  expect(oneLine(text)).toContain(
    "So says the service's answer to the test: its list of deliveries has no record of it.",
  )
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
  const sides = {recorded, fired: {eventId}} as never
  const copies = trusts.map((trust) => ({trust}))
  expect(verdictOf(sides, copies)).toBe(verdict)
})

// The answer to the test tells how it ended, and is no record.
test.each([
  [null, {succeeded: true}, ['verified'], 'here-not-recorded'],
  [{succeeded: null}, {succeeded: true}, ['verified'], 'here-not-recorded'],
  [null, {succeeded: true}, [], 'delivered-elsewhere'],
  [null, {succeeded: true}, ['refused'], 'delivered-elsewhere'],
  [null, {...failed, httpStatus: 503}, ['verified'], 'retrying'],
  [null, {...failed, httpStatus: null}, [], 'no-answer'],
  [null, {succeeded: null}, [], 'nothing'],
  [{succeeded: true}, {succeeded: false}, ['verified'], 'round-trip'],
] as const)('of record %j, answer %j and copies %j the verdict is %s', (recorded, fired, trusts, verdict) => {
  const copies = trusts.map((trust) => ({trust}))
  expect(verdictOf({recorded, fired} as never, copies)).toBe(verdict)
})
