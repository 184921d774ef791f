import {readFileSync} from 'node:fs'
import {connect} from 'node:net'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {folder} from '../support/program.ts'
import {start} from '../support/scent.ts'

// The built program from outside, byte by byte.

let base: URL
let pid: number
let adminToken: string
let credential: {clientId: string; clientSecret: string}
let ended: Promise<unknown>

beforeAll(async () => {
  const home = folder()
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    SCENT_STATE_DIR: join(home, 'state'),
    SCENT_CONFIG_DIR: join(home, 'config'),
  }
  const running = start(env, ['sandbox', 'start', '--memory', '--port', '0', '--no-limits', '--json'])
  ended = running.ended
  const ready = new Promise<string>((resolve) => running.child.stdout?.once('data', resolve))
  const located = JSON.parse(await ready)
  base = new URL(located.baseUrl)
  pid = located.pid
  adminToken = located.adminToken
  credential = located.credentials[0]
})
afterAll(async () => {
  process.kill(pid, 'SIGTERM')
  await ended
})

/** What comes back for these bytes until the connection ends; it is read only once all of them are on their way. */
function sent(...parts: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(base.port), '127.0.0.1').pause()
    let heard = ''
    socket.setEncoding('latin1').on('data', (text: string) => {
      heard += text
    })
    socket.on('error', () => resolve(heard)).on('close', () => resolve(heard))
    for (const part of parts) socket.write(part)
    socket.write('', () => socket.resume())
  })
}

interface Answer {
  status: number
  headers: Record<string, string>
  state: string
  payload: unknown
  // biome-ignore lint/suspicious/noExplicitAny: details of every shape
  details: any
}

/** The answer of a request that is written out, which must be one envelope; its connection is closed after it. */
async function ask(head: string[], body = ''): Promise<Answer> {
  return read(await sent([...head, 'Connection: close', '', body].join('\r\n')))
}

function read(heard: string): Answer {
  const [head = '', body = ''] = heard.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const headers = Object.fromEntries(fields.map((one) => one.toLowerCase().split(/: ?(.*)/s)))
  const envelope = JSON.parse(body)
  expect(Object.keys(envelope)).toEqual(['state', 'payload', 'details'])
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  return {status: Number(line.split(' ')[1]), headers, ...envelope}
}

const own = () => `Host: ${base.host}`
const json = (body: string) => ['Content-Type: application/json', `Content-Length: ${body.length}`]

describe('a request under a name that is not of this machine is refused on every route', () => {
  const routes = [
    'GET /__sandbox/health',
    'GET /__sandbox/v1/info',
    'GET /api/v1/scent/variants',
    'POST /api/v1/auth/token',
    'GET /nothing',
  ]
  const hosts = () => [
    'evil.test',
    `evil.test:${base.port}`,
    `127.0.0.1.evil.test:${base.port}`,
    `localhost.evil.test:${base.port}`,
    `user@127.0.0.1:${base.port}`,
    '127.0.0.1:1',
    'localhost',
    '',
  ]
  test.each(routes)('%s', async (route) => {
    const more = route.includes('v1/info') ? [`Authorization: Bearer ${adminToken}`] : []
    const body = JSON.stringify(credential)
    for (const host of hosts()) {
      const head = [`${route} HTTP/1.1`, `Host: ${host}`, ...more, ...json(body)]
      expect(await ask(head, body)).toMatchObject({status: 403, state: 'FORBIDDEN', payload: null})
    }
    expect((await ask([`${route} HTTP/1.1`, ...more, ...json(body)], body)).state).toBe('FORBIDDEN')
  })

  test('its own names pass', async () => {
    for (const host of ['127.0.0.1', 'localhost', 'LOCALHOST', '127.0.0.2', '[::1]']) {
      const answer = await ask(['GET /__sandbox/health HTTP/1.1', `Host: ${host}:${base.port}`])
      expect(answer).toMatchObject({status: 200, state: 'SUCCESS'})
    }
  })
})

test('a request with an Origin comes from a web page and is refused on every route', async () => {
  const body = JSON.stringify(credential)
  const token = ['POST /api/v1/auth/token HTTP/1.1', own(), ...json(body)]
  for (const origin of ['http://evil.test', 'null', '', `http://${base.host}`]) {
    const refused = {status: 403, state: 'FORBIDDEN'}
    expect(await ask([...token, `Origin: ${origin}`], body)).toMatchObject(refused)
    expect(await ask(['GET /__sandbox/health HTTP/1.1', own(), `Origin: ${origin}`])).toMatchObject(refused)
  }
  expect(await ask(token, body)).toMatchObject({status: 200, state: 'SUCCESS'})
})

describe('a request that is refused before it is read has its envelope all the same', () => {
  test('a head over 16 KB', async () => {
    const ids = Array.from({length: 500}, () => `id=${crypto.randomUUID()}`).join('&')
    const answer = await ask([`GET /api/v1/scent/variants?${ids} HTTP/1.1`, own()])
    expect(answer).toMatchObject({status: 400, state: 'VALIDATION_ERRORS', payload: null})
    expect(answer.details.errors).toEqual({head: ['must not exceed 16 KiB']})
    const long = await ask(['GET / HTTP/1.1', own(), `X-Long: ${'x'.repeat(3_000_000)}`])
    expect(long.details.errors).toEqual(answer.details.errors)
  })

  test.each([
    ['a first line that is not HTTP', () => ['nonsense']],
    ['a method that does not exist', () => ['FETCH / HTTP/1.1', own()]],
    ['a header without a name', () => ['GET / HTTP/1.1', own(), ': x']],
    ['two lengths', () => ['POST / HTTP/1.1', own(), 'Content-Length: 1', 'Content-Length: 2']],
    [
      'a length and chunks',
      () => ['POST / HTTP/1.1', own(), 'Content-Length: 1', 'Transfer-Encoding: chunked'],
    ],
    ['a version that does not exist', () => ['GET / HTTP/9.9', own()]],
  ])('%s', async (_, head) => {
    const answer = await ask(head())
    expect(answer).toMatchObject({status: 400, state: 'VALIDATION_ERRORS', payload: null})
    expect(answer.details.errors).toEqual({request: ['is not valid HTTP']})
  })

  test('chunks that are not chunks', async () => {
    const head = ['POST /api/v1/auth/token HTTP/1.1', own(), 'Content-Type: application/json']
    const answer = await ask([...head, 'Transfer-Encoding: chunked'], 'zz\r\n{}')
    expect(answer).toMatchObject({status: 400, state: 'VALIDATION_ERRORS'})
  })

  test('an expectation that it does not know, another protocol, and a tunnel', async () => {
    const token = ['POST /api/v1/auth/token HTTP/1.1', own(), ...json('{}')]
    expect(await ask([...token, 'Expect: a miracle'], '{}')).toMatchObject({status: 400})
    const upgrade = ['GET /__sandbox/health HTTP/1.1', own(), 'Upgrade: websocket']
    expect(await ask(upgrade)).toMatchObject({status: 200, state: 'SUCCESS'})
    expect(await ask(['CONNECT evil.test:80 HTTP/1.1', own()])).toMatchObject({state: 'NOT_FOUND_ROUTE'})
    expect(await ask(['GET http://evil.test/__sandbox/health HTTP/1.1', own()])).toMatchObject({status: 404})
    expect(await ask(['OPTIONS * HTTP/1.1', own()])).toMatchObject({status: 404})
  })

  test('nothing after a whole request changes the answer to it', async () => {
    const heard = await sent(`GET /__sandbox/health HTTP/1.1\r\n${own()}\r\n\r\n`, 'garbage\r\n\r\n')
    expect(heard).not.toMatch(/^HTTP\/1.1 400/)
  })
})

describe('a body is refused as soon as it is over 1 MiB', () => {
  const refused = {
    status: 400,
    state: 'VALIDATION_ERRORS',
    details: {errors: {body: ['must not exceed 1 MiB']}},
  }
  const routes = ['/api/v1/auth/token', '/__sandbox/v1/clock']

  test.each(routes)('announced, on %s', async (path) => {
    const head = [`POST ${path} HTTP/1.1`, own(), `Authorization: Bearer ${adminToken}`]
    const answer = await ask([...head, 'Content-Type: application/json', 'Content-Length: 1048577'])
    expect(answer).toMatchObject(refused)
  })

  test.each(routes)('in 300 chunks of 1 MiB, of which it keeps none, on %s', async (path) => {
    const head = [`POST ${path} HTTP/1.1`, own(), `Authorization: Bearer ${adminToken}`]
    const chunked = [
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      'Connection: close',
      '',
      '',
    ]
    const chunk = Buffer.concat([
      Buffer.from('100000\r\n'),
      Buffer.alloc(1024 * 1024, 0x20),
      Buffer.from('\r\n'),
    ])
    const before = peak()
    const heard = await sent(
      [...head, ...chunked].join('\r\n'),
      ...Array.from({length: 300}, () => chunk),
      '0\r\n\r\n',
    )
    expect(read(heard)).toMatchObject(refused)
    expect(peak() - before).toBeLessThan(100)
  })
})

/** The most memory that the sandbox has held, in MiB. */
function peak(): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}
