// Stored deliveries, sent to a real receiver again: what arrives is what was stored, and it goes nowhere else.
import {createHmac, randomBytes, randomUUID} from 'node:crypto'
import {writeFileSync} from 'node:fs'
import {createServer, request} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {judge} from '../../src/desk/signature/judge.ts'
import {freePort, listening} from '../support/listening.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {inTerminal, oneLine} from '../support/pty.ts'
import {start} from '../support/scent.ts'
import {userOf} from '../support/service.ts'
import {deskOf, HOUR, listened, receipt} from './records.ts'

const secret = 'a signing secret'
const EVENTS = 1_000
const SENDERS = 16

interface Arrival {
  headers: [string, string][]
  body: Buffer
}

const arrived: Arrival[] = []
let answer: (count: number) => {status: number; location?: string} = () => ({status: 200})
const receiver = createServer((incoming, response) => {
  const parts: Buffer[] = []
  incoming.on('data', (part) => parts.push(part))
  incoming.on('end', () => {
    arrived.push({headers: pairs(incoming.rawHeaders), body: Buffer.concat(parts)})
    const {status, location} = answer(arrived.length)
    response.writeHead(status, location ? {location} : {}).end('no such customer')
  })
})
const pairs = (flat: string[]) =>
  flat.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : []))

const env = {...userOf('http://127.0.0.1:1'), SCENT_WEBHOOK_SECRET: secret}
const sent: Arrival[] = []
let to = ''

function send(port: number, n: number): Promise<number> {
  const eventId = `event-${String(n).padStart(5, '0')}`
  const text = JSON.stringify({eventId, eventType: n % 2 ? 'order.completed' : 'notice.raised', n})
  // Every tenth is not even text.
  const body = n % 10 === 0 ? Buffer.concat([Buffer.from(text), randomBytes(40)]) : Buffer.from(text)
  const at = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex')
  const headers: [string, string][] = [
    ['X-Service-Timestamp', at],
    ['x-SERVICE-signature', `v1=${signature}`],
    ['X-Team', `ops ${n}`],
    ['Authorization', `Bearer ${n}`],
    ['X-Twice', 'one'],
    ['X-Twice', 'two'],
  ]
  sent.push({headers, body})
  const flat = [...headers, ['Host', `127.0.0.1:${port}`], ['Content-Length', String(body.length)]].flat()
  return new Promise((resolve, reject) => {
    const one = request({port, host: '127.0.0.1', method: 'POST', headers: flat}, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    one.on('error', reject)
    one.end(body)
  })
}

beforeAll(async () => {
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  to = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const argv = ['webhooks', 'listen', '--port', '0', '--limit', String(EVENTS), '--output', 'ndjson']
  const listener = start(env, argv)
  let printed = ''
  const ready = new Promise<number>((resolve) => {
    listener.child.stdout?.on('data', (part) => {
      printed += part
      const url = /"url":"([^"]+)"/.exec(printed)?.[1]
      if (url) resolve(Number(new URL(url).port))
    })
  })
  const port = await ready
  for (let n = 0; n < EVENTS; n += SENDERS) {
    const batch = Array.from({length: Math.min(SENDERS, EVENTS - n)}, (_, at) => send(port, n + at))
    expect(new Set(await Promise.all(batch))).toEqual(new Set([200]))
  }
  expect((await listener.ended).code).toBe(0)
}, 120_000)

afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
})

/** Runs it, and returns what came to the receiver meanwhile. */
async function replayed(...argv: string[]) {
  arrived.length = 0
  const {code, stdout, stderr} = await scent(env, ['webhooks', 'replay', ...argv, '--json'])
  return {code, stderr, document: JSON.parse(stdout), got: [...arrived]}
}

const byBody = (a: Arrival, b: Arrival) => Buffer.compare(a.body, b.body)

test(`${EVENTS} events arrive with the bytes and the headers that were stored, marked`, async () => {
  const {code, document, got, stderr} = await replayed('--since', '1d', '--to', to)
  expect(code).toBe(0)
  expect(document.summary).toEqual({sent: EVENTS, ok: EVENTS})
  expect(got).toHaveLength(EVENTS)
  const expected = [...sent].sort(byBody)
  for (const [at, {headers, body}] of got.sort(byBody).entries()) {
    const one = expected[at]
    expect(body.equals(one?.body ?? Buffer.alloc(0))).toBe(true)
    const stored = one?.headers.filter(([name]) => name !== 'Authorization')
    expect(headers.filter(([name]) => /^x-(service|team|twice)/i.test(name))).toEqual(stored)
    expect(headers).toContainEqual(['X-Scent-Replay', '1'])
    expect(headers.map(([name]) => name)).not.toContain('Authorization')
  }
  expect(oneLine(stderr)).toContain('Without the values of Authorization')
})

test('filters and ids choose, the oldest first, and a dry run sends nothing', async () => {
  const half = await replayed('--event', 'order.completed', '--to', to, '--dry-run')
  expect(half.code).toBe(0)
  expect(half.document.summary).toEqual({sent: 0, ok: 0})
  expect(half.document.items.every((one: {eventType: string}) => one.eventType === 'order.completed')).toBe(
    true,
  )
  const times = half.document.items.map(({at}: {at: string}) => at)
  expect(times).toEqual([...times].sort())
  expect(half.got).toEqual([])
  const two = await replayed('event-00011', 'event-00007', '--to', to)
  expect(two.got.map(({body}) => JSON.parse(body.toString()).n)).toEqual([11, 7])
  const twice = await replayed('event-00011', 'event-00007', 'event-00011', '--to', to)
  expect(twice.got.map(({body}) => JSON.parse(body.toString()).n)).toEqual([11, 7])
})

test('an event can be signed anew, in the form that it came in', async () => {
  const {got} = await replayed('event-00011', '--to', to, '--resign')
  const [one] = got
  const how = {secrets: [secret], scheme: undefined, tolerance: 5, now: Date.now()}
  expect(judge(one ?? {headers: [], body: Buffer.alloc(0)}, how).trust).toBe('verified')
  expect(one?.headers.find(([name]) => name === 'X-Service-Signature')?.[1]).toMatch(/^v1=/)
  const without = await scent({...env, SCENT_WEBHOOK_SECRET: ''}, [
    ...['webhooks', 'replay', 'event-00011', '--to', to, '--resign'],
  ])
  expect([without.code, oneLine(without.stderr)]).toEqual([2, expect.stringContaining('--secret-stdin')])
})

test("what did not prove to be the service's own is told, if it is signed anew", async () => {
  const user = {...userOf('http://127.0.0.1:1'), SCENT_WEBHOOK_SECRET: secret}
  const listener = await listening(user)
  expect(await listener.send('{"eventId":"forged-0001"}', {secret: 'another'})).toBe(401)
  await listener.stop()
  const line = ['webhooks', 'replay', 'forged-0001', '--to', to]
  expect((await scent(user, line)).stderr).not.toContain('did not prove')
  expect(oneLine((await scent(user, [...line, '--resign'])).stderr)).toContain(
    "1 event did not prove here to be the service's own: with the new signature the receiver takes it for that.",
  )
})

test('a receiver that refuses, redirects or is not there is told of, and the rest still goes', async () => {
  answer = (count) => (count === 1 ? {status: 500} : {status: 302, location: 'http://127.0.0.1:1/'})
  const failed = await replayed('event-00001', 'event-00003', '--to', to)
  answer = () => ({status: 200})
  expect(failed.code).toBe(11)
  expect(failed.document.items.map(({status}: {status: number}) => status)).toEqual([500, 302])
  expect(failed.got).toHaveLength(2)
  expect(oneLine(failed.stderr)).toContain(
    'took 0 of 2 events: it answered 500 (1 event); it answered 302, and redirects are not followed (1 event).',
  )
  const {code, document, stderr} = await replayed('event-00001', '--to', 'http://127.0.0.1:2/')
  expect([code, document.items[0]]).toMatchObject([11, {status: null, error: 'ECONNREFUSED'}])
  expect(oneLine(stderr)).toMatch(
    /The receiver at http:\/\/127\.0\.0\.1:2\/ took 0 of 1 event: nothing listens there\. .* Start the receiver there\. Then send these again/,
  )
})

test.each([
  [302, /it answered 302, and redirects are not followed\..*Give the URL that it leads to\./],
  [401, /it answered 401\..*--resign signs each event now\./],
  [404, /it answered 404\..*The receiver refuses it: its log says why\./],
  [500, /it answered 500\..*The receiver fails: its log says why\./],
  [100_000, /it broke the connection off\./],
  [100_001, /what it answered is not HTTP\..*Check the port of that URL\./],
])(
  'why a receiver that answers %i did not take it stands in words in a pipe, with the way out',
  async (status, says) => {
    if (status < 1000) answer = () => ({status, location: 'http://127.0.0.1:1/'})
    const broken = createServer(({socket}) => {
      if (status === 100_001) socket.write('garbage\r\n\r\n')
      socket.end()
    })
    await new Promise<void>((done) => broken.listen(0, '127.0.0.1', done))
    const url = status < 1000 ? to : `http://127.0.0.1:${(broken.address() as AddressInfo).port}/`
    const {code, stderr} = await scent(env, ['webhooks', 'replay', 'event-00001', '--to', url])
    answer = () => ({status: 200})
    broken.close()
    expect([code, oneLine(stderr)]).toEqual([11, expect.stringMatching(says)])
  },
)

test('a receiver that wants a password in its URL is refused, in words that do not tell it', async () => {
  const url = to.replace('http://', 'http://ops:hunter2@')
  arrived.length = 0
  for (const command of [
    ['replay', 'event-00001', '--to', url],
    ['listen', '--port', '0', '--for', '1s', '--forward-to', url],
    ['listen', '--port', '0', '--for', '1s', '--public-url', 'https://ops:hunter2@hooks.example.com/'],
  ]) {
    const {code, stdout, stderr} = await scent(env, ['webhooks', ...command])
    expect([code, oneLine(stderr)]).toEqual([
      2,
      expect.stringContaining('must not hold a user name or a password'),
    ])
    expect(stdout + stderr).not.toContain('hunter2')
  }
  expect(arrived).toEqual([])
})

test('an event that was refused each time it came is one, to list and to send again', async () => {
  const user = userOf('http://127.0.0.1:1')
  const listener = await listening(user)
  const [one, other] = ['{"eventId":"refused-0001"}', '{"eventId":"refused-0001", "n": 2}']
  for (const body of [one, one, other, 'no id', 'no id'])
    expect(await listener.send(body, {secret: 'another'})).toBe(401)
  await listener.stop()
  const items = async (...argv: string[]) =>
    JSON.parse((await scent(user, ['webhooks', ...argv, '--trust', 'refused', '--json'])).stdout).items
  // Other bytes under its id may be of somebody else; and what has no id stands for itself.
  expect((await items('events')).map(({eventId, copies}: never) => [eventId, copies])).toEqual([
    [null, 1],
    [null, 1],
    ['refused-0001', 1],
    ['refused-0001', 2],
  ])
  const dry = await items('replay', '--to', to, '--dry-run')
  expect(dry.map(({eventId}: {eventId: string}) => eventId)).toEqual([
    'refused-0001',
    'refused-0001',
    null,
    null,
  ])
  arrived.length = 0
  await scent(user, ['webhooks', 'replay', '--trust', 'refused', '--to', to])
  expect(arrived.map(({body}) => String(body))).toEqual([one, other, 'no id', 'no id'])
})

test('it goes to no other machine, not to the service, and not without being told what', async () => {
  const wrong: [argv: string[], code: number, says: string][] = [
    [['--since', '1d', '--to', 'http://example.com/'], 2, '--allow-remote'],
    [['--since', '1d', '--to', 'http://169.254.169.254/', '--allow-remote'], 2, 'link-local'],
    [
      ['--since', '1d', '--to', 'http://127.0.0.1:1/x', '--base-url', 'http://127.0.0.1:1'],
      2,
      'is the service',
    ],
    [['--to', to], 2, 'Which events?'],
    [['event-00001', '--event', 'no.such', '--to', to], 2, 'not both'],
    [['event-', '--to', to], 2, 'fits 900 events'],
    [['evt', '--to', to], 2, 'too short'],
    [['no-such-event', '--to', to], 5, 'no-such-event'],
    [['--event', 'no.such', '--to', to], 5, 'No event that was received here fits'],
    [['--since', '1d', '--to', 'ftp://127.0.0.1/'], 2, 'is not a valid http URL'],
    [['event-00001', '--to', to, '--scheme', 'slack'], 2, '--resign'],
  ]
  arrived.length = 0
  for (const [argv, code, says] of wrong) {
    const ran = await scent(env, ['webhooks', 'replay', ...argv])
    expect([ran.code, oneLine(ran.stderr)], argv.join(' ')).toEqual([code, expect.stringContaining(says)])
  }
  expect(arrived).toEqual([])
})

test('the service is known by each of its names, and so are those of all profiles', async () => {
  const user = userOf('http://127.0.0.1:4790')
  const other = (baseUrl: string) => ({baseUrl, clientId: 'other', storage: 'file'})
  const profiles = {web: other('https://api.example.com'), sandbox: other('http://127.0.0.1:4791')}
  const config = JSON.stringify({version: 1, profiles})
  writeFileSync(join(user.SCENT_CONFIG_DIR ?? '', 'config.json'), config, {mode: 0o600})
  const names = [
    'localhost',
    'LOCALHOST.',
    'api.localhost',
    '127.9.8.7',
    '[::1]',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
  ]
  const addresses = [
    ...names.map((name) => `http://${name}:4790/hook`),
    ...['http://127.1:4790', 'https://localhost:4790/', 'http://localhost:4791/hook'],
    ...['https://api.example.com:443/x', 'https://API.example.com./x', 'http://api.example.com/x'],
  ]
  for (const address of addresses)
    for (const command of [
      ['replay', '--since', '1d', '--allow-remote', '--to', address],
      ['listen', '--port', '0', '--for', '1s', '--allow-remote', '--forward-to', address],
    ]) {
      const {code, stderr} = await scent(user, ['webhooks', ...command])
      expect([code, oneLine(stderr)], command.join(' ')).toEqual([
        2,
        expect.stringContaining('is the service'),
      ])
    }
  const {code} = await scent(user, ['webhooks', 'replay', '--since', '1d', '--to', 'http://localhost:4792/'])
  expect(code).toBe(5)
})

test('nothing is sent to a listener of the same record, nor to its page', async () => {
  const {port, saw, told, stop} = await listening(env, '--ui', '--ui-port', '0')
  const {ui} = await saw('ready')
  for (const own of [port, new URL(ui).port]) {
    const argv = ['webhooks', 'replay', 'event-00001', '--to', `http://localhost:${own}/hook`]
    expect(await scent(env, argv)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a listener of this record'),
    })
  }
  expect(told('delivery')).toEqual([])
  await stop()
})

test('what a receiver missed while it was down is shown, and sent to it again', async () => {
  const user = userOf('http://127.0.0.1:1')
  const event = (eventId: string, eventType = 'order.completed') => JSON.stringify({eventId, eventType})
  const [forged, taken, ...missed] = Array.from({length: 4}, () => randomUUID()) as [
    string,
    string,
    ...string[],
  ]
  const down = await listening(user, '--forward-to', `http://127.0.0.1:${await freePort()}/hook`)
  for (const id of missed) expect(await down.send(event(id))).toBe(200)
  expect(await down.send(event(forged), {signature: 'v1=00'})).toBe(401)
  await down.saw('forward', ({eventId}) => eventId === missed.at(-1))
  await down.stop()
  const up = await listening(user, '--forward-to', to)
  expect(await up.send(event(taken))).toBe(200)
  await up.saw('forward')
  await up.stop()

  const idsOf = ({stdout}: {stdout: string}) =>
    JSON.parse(stdout).items.map(({eventId}: {eventId: string}) => eventId)
  const problems = await scent(user, ['webhooks', 'events', '--problems', '--json'])
  expect(idsOf(problems)).toEqual([forged, ...missed.toReversed()])
  for (const columns of [80, 40]) {
    const {text} = await inTerminal(user, ['webhooks', 'events', '--until', '2099-01-01'], {columns})
    expect(text).toMatch(/forwarded/i)
    expect(text.match(/no receiver/g)).toHaveLength(missed.length)
    expect(text).toContain(taken.slice(0, 12))
    // Below the list stands why, and the command that sends them again.
    expect(oneLine(text)).toMatch(
      /2 events were not taken by the receiver at http:\/\/127\.0\.0\.1:\d+\/hook: nothing listens there\. Start the receiver there\./,
    )
    expect(oneLine(text)).toMatch(/`scent webhooks replay --problems --to http:\/\/127\.0\.0\.1:\d+\/hook`/)
  }
  expect((await scent(user, ['webhooks', 'events'])).stdout.match(/ECONNREFUSED/g)).toHaveLength(
    missed.length,
  )

  arrived.length = 0
  const again = ['webhooks', 'replay', '--problems', '--since', '1h', '--to', to, '--json']
  const {code, stdout} = await scent(user, again)
  expect([code, JSON.parse(stdout).summary]).toEqual([0, {sent: 2, ok: 2}])
  expect(arrived.map(({body}) => JSON.parse(body.toString()).eventId)).toEqual(missed)
  expect(await scent(user, [...again, '--trust', 'refused'])).toMatchObject({code: 5})
})

test('what its receiver took when it was sent again is no problem any more, and is not sent once more', async () => {
  const user = userOf('http://127.0.0.1:1')
  const ids = ['first-of-3', 'second-of-3', 'third-of-3']
  answer = () => ({status: 500})
  const listener = await listening(user, '--forward-to', to)
  for (const eventId of ids) expect(await listener.send(JSON.stringify({eventId}))).toBe(200)
  await listener.saw('forward', ({eventId}) => eventId === ids.at(-1))
  await listener.stop()

  const again = async (url: string, ...more: string[]) => {
    arrived.length = 0
    const argv = ['webhooks', 'replay', '--problems', '--to', url, ...more]
    const {code, stderr} = await scent(user, argv)
    return {code, said: oneLine(stderr), got: arrived.map(({body}) => JSON.parse(body.toString()).eventId)}
  }
  // The second one fails again, and it alone is left.
  answer = (count) => ({status: count === 2 ? 500 : 200})
  expect(await again(to)).toMatchObject({code: 11, got: ids})
  const left = await scent(user, ['webhooks', 'events', '--problems', '--json'])
  expect(JSON.parse(left.stdout).items).toMatchObject([{eventId: 'second-of-3', forward: {status: 500}}])
  expect(await again(to, '--dry-run')).toMatchObject({code: 0, got: []})
  answer = () => ({status: 200})
  const second = await again(to)
  expect(second).toMatchObject({code: 0, got: ['second-of-3']})
  expect(second.said).toMatch(/Left out: 2 events were sent again before, last at 20\S+ \S+ \S+, and taken\./)
  const third = await again(to)
  expect(third).toMatchObject({code: 5, got: []})
  expect(third.said).toContain('3 events were sent again before')
  expect(third.said).toContain('An event is sent once more by its id.')
  expect((await scent(user, ['webhooks', 'events', '--problems'])).code).toBe(5)
  const all = JSON.parse((await scent(user, ['webhooks', 'events', '--json'])).stdout)
  const one = {copies: 1, forward: {status: 200, to, replayedAt: expect.stringMatching(/^20/)}}
  expect(all.items).toMatchObject([one, one, one])

  // Another receiver has taken none of them, and one that is named goes anyway.
  const other = `${to}/other`
  const dry = await scent(user, ['webhooks', 'replay', '--since', '1h', '--to', other, '--dry-run', '--json'])
  expect(JSON.parse(dry.stdout).items).toHaveLength(3)
  arrived.length = 0
  expect((await scent(user, ['webhooks', 'replay', 'first-of-3', '--to', to])).code).toBe(0)
  expect(arrived).toHaveLength(1)
})

test('of what came within one millisecond each is sent, and nothing in the place of another', async () => {
  const user = userOf('http://127.0.0.1:1')
  const at = Date.now() - HOUR
  const bodyOf = (eventId: string, who: string) => JSON.stringify({eventId, who})
  const forged = {trust: 'refused', why: 'nothing'} as const
  const unnamed = ['{"n":1}', '{"n":2}', '{"n":3}', '{"n":3}']
  await listened(deskOf(user), {
    from: at,
    records: [
      ...['a', 'b'].flatMap((eventId) => [
        receipt(at, bodyOf(eventId, 'forged'), forged),
        receipt(at, bodyOf(eventId, 'proved')),
      ]),
      // The same bytes, once with a signature that does not fit.
      receipt(at, bodyOf('c', 'proved'), {...forged, headers: [['X-Whose', 'forged']]}),
      receipt(at, bodyOf('c', 'proved'), {headers: [['X-Whose', 'proved']]}),
      ...unnamed.map((body) => receipt(at, body, {trust: 'unchecked'})),
    ],
  })
  answer = () => ({status: 200})
  const sentBy = async (...argv: string[]) => {
    arrived.length = 0
    expect(await scent(user, ['webhooks', 'replay', ...argv, '--to', to])).toMatchObject({code: 0})
    return arrived.map(({headers, body}) => [
      body.toString(),
      headers.find(([name]) => name === 'X-Whose')?.[1],
    ])
  }
  const proved = ['a', 'b', 'c'].map((eventId) => [
    bodyOf(eventId, 'proved'),
    eventId === 'c' ? 'proved' : undefined,
  ])
  expect(await sentBy('--since', '1d', '--trust', 'verified')).toEqual(proved)
  expect(await sentBy('--since', '1d', '--trust', 'unchecked')).toEqual(
    unnamed.map((body) => [body, undefined]),
  )
  expect(await sentBy('--since', '1d')).toHaveLength(7)
  const events = await scent(user, ['webhooks', 'events', '--trust', 'unchecked', '--json'])
  const names = JSON.parse(events.stdout).items.map(({receipt}: {receipt: string}) => receipt)
  expect(await sentBy(...names.slice(0, 2))).toHaveLength(2)
})

test('a rate is kept, and Ctrl-C ends it after the event under way', async () => {
  const began = Date.now()
  await replayed('event-00001', 'event-00003', 'event-00005', '--rate', '2', '--to', to)
  expect(Date.now() - began).toBeGreaterThan(900)
  arrived.length = 0
  const user = userOf('http://127.0.0.1:1')
  const ids = Array.from({length: 40}, (_, n) => `event-${String(n).padStart(2, '0')}`)
  const records = ids.map((eventId, n) => receipt(began - HOUR + n, JSON.stringify({eventId})))
  await listened(deskOf(user), {from: began - HOUR - 1, to: began - 1, records})
  const line = ['webhooks', 'replay', '--since', '1d', '--rate', '20', '--to', to]
  const {code, text} = await inTerminal(user, line, {
    columns: 80,
    answers: [['Sent 3 events', '\u0003']],
  })
  expect(code).toBe(130)
  expect(oneLine(text)).toMatch(new RegExp(`Interrupted\\. ${arrived.length} events went to ${to} before`))
  expect(arrived.length).toBeLessThan(30)
  // What was taken is told of before it is sent once more, and the command that sends the others alone is named.
  const [, rest = ''] = /The rest: `scent ([^`]+)`/.exec(oneLine(text)) ?? []
  const done = arrived.length
  const taken = new RegExp(`${done} events were taken by this receiver before, last at [^.]+\\.`)
  const all = await scent(user, [...line.slice(0, 4), '--to', to, '--dry-run', '--json'])
  expect(JSON.parse(all.stdout).items).toHaveLength(ids.length)
  expect(oneLine(all.stderr)).toMatch(
    new RegExp(`^${taken.source} They are sent once more: --untaken leaves them out\\.`),
  )
  const others = await scent(user, rest.replace('--rate 20', '').split(/ +/))
  expect([others.code, oneLine(others.stderr)]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^Left out: ${taken.source}`)),
  ])
  expect(arrived.map(({body}) => JSON.parse(body.toString()).eventId)).toEqual(ids)
  const none = await scent(user, rest.split(' '))
  expect([none.code, oneLine(none.stderr)]).toEqual([5, expect.stringContaining('40 events were taken')])
})

test('of events that are named the others are, if it is interrupted', async () => {
  const names = ['event-00001', 'event-00003', 'event-00005', 'event-00007']
  const line = ['webhooks', 'replay', ...names, '--rate', '1', '--to', to]
  const {code, text} = await inTerminal(env, line, {columns: 80, answers: [['Sent 1 event', '\u0003']]})
  expect(code).toBe(130)
  expect(oneLine(text)).toMatch(
    /The rest: `scent webhooks replay (event-00003 )?event-00005 event-00007 --rate 1 --to/,
  )
  expect((await scent(env, [...line, '--untaken'])).code).toBe(2)
})
