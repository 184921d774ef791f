// Stored deliveries, sent to a real receiver again: what arrives is what was stored, and it goes nowhere else.
import {createHmac, randomBytes} from 'node:crypto'
import {createServer, request} from 'node:http'
import type {AddressInfo} from 'node:net'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {judge} from '../../src/desk/signature/judge.ts'
import {inTerminal, oneLine} from '../support/pty.ts'
import {scent, start} from '../support/scent.ts'
import {userOf} from '../support/service.ts'

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

test('a receiver that refuses, redirects or is not there is told of, and the rest still goes', async () => {
  answer = (count) => (count === 1 ? {status: 500} : {status: 302, location: 'http://127.0.0.1:1/'})
  const failed = await replayed('event-00001', 'event-00003', '--to', to)
  answer = () => ({status: 200})
  expect(failed.code).toBe(11)
  expect(failed.document.items.map(({status}: {status: number}) => status)).toEqual([500, 302])
  expect(failed.got).toHaveLength(2)
  const {code, document} = await replayed('event-00001', '--to', 'http://127.0.0.1:2/')
  expect([code, document.items[0]]).toMatchObject([11, {status: null, error: 'ECONNREFUSED'}])
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

test('a rate is kept, and Ctrl-C ends it after the event under way', async () => {
  const began = Date.now()
  await replayed('event-00001', 'event-00003', 'event-00005', '--rate', '2', '--to', to)
  expect(Date.now() - began).toBeGreaterThan(900)
  arrived.length = 0
  const {code, text} = await inTerminal(
    env,
    ['webhooks', 'replay', '--since', '1d', '--rate', '20', '--to', to],
    {columns: 80, answers: [['Sent 3 events', '\u0003']]},
  )
  expect(code).toBe(130)
  expect(oneLine(text)).toMatch(new RegExp(`Interrupted\\. ${arrived.length} events went to ${to} before`))
  expect(arrived.length).toBeLessThan(100)
})
