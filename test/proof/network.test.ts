import {createServer} from 'node:https'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {certificate} from '../support/certificate.ts'
import {scent} from '../support/scent.ts'
import {userAt} from '../support/served-shop.ts'
import {listening, serveSocket, type TestServer} from '../support/server.ts'

const {key, cert, file} = certificate()
let secure: TestServer
const heard: string[] = []

beforeAll(async () => {
  const server = createServer({key, cert}, (request, response) => {
    heard.push(request.url ?? '')
    const payload = request.url?.endsWith('/auth/token')
      ? {accessToken: 'token', tokenType: 'Bearer', expiresIn: 300}
      : {items: []}
    response.end(JSON.stringify({state: 'SUCCESS', payload, details: null}))
  })
  secure = await listening(server, 'https')
})
afterAll(() => secure.close())

const read = ['catalog', 'variants', '--json']
const add = ['cart', 'add', '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43', '--customer', 'C', '--json']

async function fails(url: string, argv: string[], more: NodeJS.ProcessEnv = {}) {
  const {code, stdout, stderr} = await scent({...userAt(url, 'someone', 'canary-9d2f'), ...more}, argv)
  expect(stdout + stderr).not.toContain('canary-9d2f')
  return {code, state: JSON.parse(stdout).error?.state}
}

describe("a service that can't be reached", () => {
  test('because nobody trusts its certificate gets nothing, not even once', async () => {
    expect(await fails(secure.url, read)).toEqual({code: 10, state: 'TLS_UNTRUSTED'})
    expect(await fails(secure.url, add)).toEqual({code: 10, state: 'TLS_UNTRUSTED'})
    expect(heard).toEqual([])
    // One of the company's own is added, and not everything allowed.
    const {code} = await scent({...userAt(secure.url, 'someone', 's'), NODE_EXTRA_CA_CERTS: file}, read)
    expect(code).toBe(0)
  })

  test('because its name is not known, or nobody listens, was sent nothing', async () => {
    expect(await fails('https://nowhere.invalid', read)).toEqual({code: 10, state: 'NO_CONNECTION'})
    expect(await fails('http://127.0.0.1:1', add)).toEqual({code: 10, state: 'NO_CONNECTION'})
  })

  test('because it speaks no HTTP, or nothing at all, exits with 10', async () => {
    const odd = await serveSocket((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'))
    expect((await fails(odd.url, read)).code).toBe(10)
    await odd.close()
    const silent = await serveSocket(() => {})
    expect((await fails(silent.url, [...read, '--timeout', '1', '--max-wait', '1'])).code).toBe(10)
    await silent.close()
  })

  test('with checks switched off is refused for any host but this machine', async () => {
    const off = {NODE_TLS_REJECT_UNAUTHORIZED: '0'}
    expect(await fails('https://nowhere.invalid', read, off)).toEqual({code: 2, state: 'INSECURE_URL'})
  })
})
