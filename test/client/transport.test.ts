import {execFile} from 'node:child_process'
import * as https from 'node:https'
import {connect, type Socket} from 'node:net'
import {promisify} from 'node:util'
import {afterEach, describe, expect, it} from 'vitest'
import {openNodeHttp} from '../../src/client/node-http.ts'
import type {Env} from '../../src/client/reach.ts'
import {openUndici} from '../../src/client/undici.ts'
import type {Failure} from '../../src/contract/failure.ts'
import type {HttpRequest, Send} from '../../src/contract/wire.ts'
import {certificate} from '../support/certificate.ts'
import {failureOf} from '../support/failure.ts'
import {program} from '../support/program.ts'
import {scent} from '../support/scent.ts'
import {answer, listening, serve, serveSocket, type TestServer} from '../support/server.ts'
import {userOf} from '../support/service.ts'

const open: TestServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})
async function kept<S extends TestServer>(server: Promise<S>): Promise<S> {
  open.push(await server)
  return server
}

const get = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url,
  headers: {authorization: 'Bearer token'},
  timeoutMs: 10_000,
  ...more,
})

/** Answers every request on a socket with these bytes, once the whole head is there. */
const answering = (write: (socket: Socket) => void) =>
  kept(
    serveSocket((socket) => {
      let seen = ''
      socket.on('data', (chunk) => {
        seen += chunk
        if (seen.includes('\r\n\r\n')) {
          seen = ''
          write(socket)
        }
      })
    }),
  )

const ways: [string, (env: Env) => Send][] = [
  ['node:http', openNodeHttp],
  ['undici', openUndici],
]

describe.each(ways)('%s', (name, openWay) => {
  const send = openWay({})

  it('carries method, path, headers and body there, and status, headers and body back', async () => {
    const server = await kept(
      serve((_, response) => {
        response.writeHead(418, {'X-Two': ['a', 'b'], 'Content-Type': 'text/plain'})
        response.end('Grüße 🧴')
      }),
    )
    const body = '{"a":"ü🌹"}'
    const headers = {authorization: 'Bearer token', 'content-type': 'application/json'}
    const answer = await send(get(`${server.url}/a%2Fb?c=%26`, {method: 'PUT', headers, body}))
    expect(answer).toMatchObject({status: 418, body: 'Grüße 🧴'})
    expect(answer.headers).toMatchObject({'x-two': 'a, b', 'content-type': 'text/plain'})
    expect(server.seen[0]).toMatchObject({method: 'PUT', url: '/a%2Fb?c=%26', body})
    expect(server.seen[0]?.headers).toMatchObject({...headers, 'content-length': '14'})
  })

  it.each([
    ['GET', undefined],
    ['DELETE', undefined],
    ['POST', '0'],
    ['PATCH', '0'],
  ] as const)('sends %s without a body with the length %s', async (method, length) => {
    const server = await kept(serve((_, response) => response.end('{}')))
    await send(get(server.url, {method}))
    expect(server.seen[0]?.headers['content-length']).toBe(length)
    expect(server.seen[0]?.headers['transfer-encoding']).toBeUndefined()
  })

  it('follows no redirect', async () => {
    const server = await kept(
      serve((_, response) => {
        response.writeHead(307, {location: '/elsewhere'})
        response.end()
      }),
    )
    expect(await send(get(server.url))).toMatchObject({status: 307})
    expect(server.seen).toHaveLength(1)
  })

  it('uses a connection again', async () => {
    const server = await kept(serve((_, response) => response.end('{}')))
    for (let n = 0; n < 8; n += 1) await send(get(server.url))
    // Undici frees a connection a moment after its answer: a quick caller may get a second one.
    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  it('carries many requests at once', async () => {
    const server = await kept(serve(({url}, response) => setTimeout(() => response.end(url), 5)))
    const all = await Promise.all(Array.from({length: 40}, (_, n) => send(get(`${server.url}/${n}`))))
    expect(all.map(({body}) => body)).toEqual(Array.from({length: 40}, (_, n) => `/${n}`))
  })

  const none = (code: string) => ({code, facts: {effect: 'none'}})
  const unknown = (code: string) => ({code, facts: {effect: 'unknown'}})

  it('says that nothing was sent where nobody listens', async () => {
    const server = await serve(() => {})
    await server.close()
    expect(await failureOf(send(get(server.url)))).toMatchObject(none('NO_CONNECTION'))
  })

  it('says that nothing was sent where the host has no address', async () => {
    expect(await failureOf(send(get('https://nowhere.invalid/')))).toMatchObject(none('NO_CONNECTION'))
  })

  it('says that nothing was sent where TLS never comes to stand', async () => {
    const server = await kept(serveSocket(() => {}))
    const url = server.url.replace('http:', 'https:')
    expect(await failureOf(send(get(url, {timeoutMs: 200})))).toMatchObject(none('NO_CONNECTION'))
  })

  it('says that nothing was sent where the peer speaks no TLS', async () => {
    const server = await kept(serveSocket((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')))
    const url = server.url.replace('http:', 'https:')
    expect(await failureOf(send(get(url)))).toMatchObject(none('NO_CONNECTION'))
  })

  it('gives a token to no certificate that is not trusted', async () => {
    let requests = 0
    const secure = https.createServer(certificate(), () => {
      requests += 1
    })
    const server = await kept(listening(secure, 'https'))
    const failure = await failureOf(send(get(server.url)))
    expect(failure).toMatchObject(none('TLS_UNTRUSTED'))
    expect(failure.message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT')
    expect(requests).toBe(0)
  })

  it('stops at the deadline: before the answer, and in the middle of it', async () => {
    const server = await kept(
      serve((_, response, count) => {
        if (count === 2) response.writeHead(200, {'content-length': '100'}).write('{')
      }),
    )
    for (let n = 0; n < 2; n += 1) {
      const failure = await failureOf(send(get(server.url, {timeoutMs: 200})))
      expect(failure).toMatchObject(unknown('NO_ANSWER'))
      expect(failure.message).toContain('within 0.2 s')
    }
  })

  it('stops when it is aborted: before it was sent, while it waits, in the middle of the answer', async () => {
    const stopper = new AbortController()
    const server = await kept(
      serve((_, response, count) => {
        if (count === 2) response.writeHead(200, {'content-length': '100'}).write('{')
        setTimeout(() => stopper.abort(), 20)
      }),
    )
    const before = await failureOf(send(get(server.url, {signal: AbortSignal.abort()})))
    expect(before).toMatchObject(none('INTERRUPTED'))
    expect(server.seen).toHaveLength(0)
    const waiting = await failureOf(send(get(server.url, {signal: stopper.signal})))
    expect(waiting).toMatchObject(unknown('INTERRUPTED'))
    const later = new AbortController()
    const reading = send(get(server.url, {signal: later.signal}))
    setTimeout(() => later.abort(), 50)
    expect(await failureOf(reading)).toMatchObject(unknown('INTERRUPTED'))
  })

  const head = 'HTTP/1.1 200 OK\r\n'
  it.each<[string, (socket: Socket) => void]>([
    ['a reset', (socket) => socket.resetAndDestroy()],
    ['an end without an answer', (socket) => socket.end()],
    ['an end in the head', (socket) => socket.end(head)],
    [
      'an end in a body of known length',
      (socket) => socket.end(`${head}content-length: 100\r\n\r\n{"state"`),
    ],
    [
      'an end in a chunked body',
      (socket) => socket.end(`${head}transfer-encoding: chunked\r\n\r\n8\r\n{"state"`),
    ],
    [
      'a change of protocol that nobody asked for',
      (socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
    ['garbage', (socket) => socket.end(Buffer.from([0, 255, 1, 254, 10, 13, 10]))],
    ['an endless head', (socket) => socket.write(`${head}x: ${'y'.repeat(100_000)}`)],
    [
      'text that is no UTF-8',
      (socket) => socket.end(Buffer.from(`${head}content-length: 2\r\n\r\n\xff\xfe`, 'latin1')),
    ],
  ])('calls the outcome unknown after %s', async (_, write) => {
    const server = await answering(write)
    const failure = await failureOf(send(get(server.url, {method: 'POST', body: '{}'})))
    expect(failure).toMatchObject(unknown('NO_ANSWER'))
    expect(failure.message).not.toContain('token')
  })

  it('calls the outcome unknown after a reset of a connection that was used before', async () => {
    let connections = 0
    const server = await kept(
      serveSocket((socket) => {
        connections += 1
        let requests = 0
        socket.on('data', () => {
          requests += 1
          if (requests === 1) socket.write(`${head}content-length: 2\r\n\r\n{}`)
          else socket.resetAndDestroy()
        })
      }),
    )
    let failure: Failure | undefined
    // Undici may take a second connection first.
    for (let n = 0; n < 4 && failure === undefined; n += 1) {
      const sent = send(get(server.url, {method: 'POST', body: '{}'}))
      failure = await sent.then(
        () => undefined,
        () => failureOf(sent),
      )
    }
    expect(failure).toMatchObject(unknown('NO_ANSWER'))
    expect(connections).toBeLessThanOrEqual(2)
  })

  it('cuts off an answer without end', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    let written = 0
    const server = await answering((socket) => {
      socket.write(`${head}content-type: text/plain\r\n\r\n`)
      const more = (error?: Error | null) => {
        written += 1
        if (!error && written < 300) socket.write(chunk, more)
      }
      more()
    })
    const failure = await failureOf(send(get(server.url)))
    expect(failure).toMatchObject(unknown('NO_ANSWER'))
    expect(failure.message).toContain('larger than 32 MiB')
    const stopped = written
    await new Promise((later) => setTimeout(later, 50))
    expect(written - stopped).toBeLessThan(3)
  })

  it('sends plain http to this machine only, and checks certificates everywhere else', async () => {
    expect(await failureOf(send(get('http://api.example.test/')))).toMatchObject(none('INSECURE_URL'))
    expect(await failureOf(send(get('http://127.0.0.1.example.test/')))).toMatchObject(none('INSECURE_URL'))
    const careless = openWay({NODE_TLS_REJECT_UNAUTHORIZED: '0'})
    const failure = await failureOf(careless(get('https://api.example.test/')))
    expect(failure).toMatchObject(none('INSECURE_URL'))
    expect(failure.message).toContain('NODE_TLS_REJECT_UNAUTHORIZED')
  })

  it('trusts NODE_EXTRA_CA_CERTS, and lets the process end by itself', async () => {
    const {file, ...pair} = certificate()
    const server = await kept(
      listening(
        https.createServer(pair, (_, response) => response.end('{}')),
        'https',
      ),
    )
    const script = program(`
      import {openTransport} from './src/client/transport.ts'
      const send = openTransport(process.env, {many: ${name === 'undici'}})
      send({method: 'GET', url: process.argv[2], headers: {}}).then(
        ({status}) => process.stdout.write(String(status)),
        (error) => process.stdout.write(error.code + error.message),
      )
    `)
    const env = {...process.env, NODE_EXTRA_CA_CERTS: file}
    const {stdout} = await promisify(execFile)(process.execPath, [script, server.url], {env})
    expect(stdout).toBe('200')
  })
})

describe('a proxy', () => {
  /** A proxy that knows one host, and writes down what it was asked. */
  async function proxyTo(port: number, password?: string) {
    const asked: string[] = []
    const server = await kept(
      serveSocket((socket) => {
        socket.once('data', (chunk) => {
          asked.push(chunk.toString())
          if (
            password !== undefined &&
            !asked.at(-1)?.includes(Buffer.from(`u:${password}`).toString('base64'))
          ) {
            socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
            return
          }
          const target = connect(port, '127.0.0.1', () => {
            socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
            target.pipe(socket).pipe(target)
          })
          target.on('error', () => {})
        })
      }),
    )
    return {...server, asked}
  }

  const script = () =>
    program(`
      import {openTransport} from './src/client/transport.ts'
      const send = openTransport(process.env)
      send({method: 'GET', url: process.argv[2], headers: {authorization: 'Bearer canary'}}).then(
        ({status, body}) => process.stdout.write(status + ' ' + body),
        (error) => process.stdout.write(error.code + ' ' + error.facts.effect + ' ' + error.message),
      )
    `)

  async function service() {
    const {file, ...pair} = certificate()
    const seen: (string | undefined)[] = []
    const secure = https.createServer(pair, (request, response) => {
      seen.push(request.headers.authorization)
      response.end('ok')
    })
    return {...(await kept(listening(secure, 'https'))), seen, file}
  }

  it('is used for another host, and never sees the token', async () => {
    const target = await service()
    const proxy = await proxyTo(target.port, 'p')
    const env = {
      ...process.env,
      NODE_EXTRA_CA_CERTS: target.file,
      HTTPS_PROXY: `http://u:p@127.0.0.1:${proxy.port}`,
    }
    const {stdout} = await promisify(execFile)(process.execPath, [script(), 'https://api.example.test/'], {
      env,
    })
    expect(stdout).toBe('200 ok')
    expect(target.seen).toEqual(['Bearer canary'])
    expect(proxy.asked).toHaveLength(1)
    expect(proxy.asked[0]).toMatch(/^CONNECT api\.example\.test:443 /)
    expect(proxy.asked[0]).not.toContain('canary')
  })

  it('carries what the built program asks, and its body', async () => {
    const {file, ...pair} = certificate()
    const target = await kept(
      listening(
        https.createServer(pair, (request, response) => {
          const token = {accessToken: 'token-of-the-test', tokenType: 'Bearer', expiresIn: 300}
          if (request.url === '/api/v1/auth/token') return answer(response, 200, 'SUCCESS', token)
          request.once('data', (body) => answer(response, 200, 'SUCCESS', {got: String(body)}))
        }),
      ),
    )
    const proxy = await proxyTo(target.port)
    const env = userOf('https://api.example.test', {
      NODE_EXTRA_CA_CERTS: file,
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    })
    const ran = await scent(env, ['api', 'POST', 'scent/nothing', '-f', 'a=é'])
    expect({...ran, stdout: JSON.parse(ran.stdout)}).toEqual({
      code: 0,
      stdout: {got: '{"a":"é"}'},
      stderr: '',
    })
    expect(proxy.asked[0]).toMatch(/^CONNECT api\.example\.test:443 /)
  })

  it('that refuses means that nothing was sent, and its password is not repeated', async () => {
    const target = await service()
    const proxy = await proxyTo(target.port, 'p')
    const env = {...process.env, HTTPS_PROXY: `http://u:hunter2@127.0.0.1:${proxy.port}`}
    const {stdout} = await promisify(execFile)(process.execPath, [script(), 'https://api.example.test/'], {
      env,
    })
    expect(stdout).toMatch(/^NO_CONNECTION none .*the proxy answered 407/)
    expect(stdout).not.toContain('hunter2')
    expect(target.seen).toEqual([])
  })

  it('is never used for this machine', async () => {
    const target = await service()
    const proxy = await proxyTo(target.port)
    const url = `http://127.0.0.1:${proxy.port}`
    const env = {...process.env, NODE_EXTRA_CA_CERTS: target.file, HTTPS_PROXY: url, HTTP_PROXY: url}
    const {stdout} = await promisify(execFile)(process.execPath, [script(), target.url], {env})
    expect(stdout).toBe('200 ok')
    expect(proxy.asked).toEqual([])
  })
})
