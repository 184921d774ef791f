import {spawn} from 'node:child_process'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {foldersOf} from '../../src/store/paths.ts'
import {quotaFile, sharedFile} from '../../src/store/shared.ts'
import {folder, program} from '../support/program.ts'
import {answer, serve} from '../support/server.ts'
import type {Sandbox} from '../support/types.ts'

/** Reads as many carts as it is told, `width` at a time, and prints how often it looked for a token in vain. */
const reader = program(`
  import {openSession} from './src/session.ts'
  import {readCart} from './src/contract/cart.ts'
  const [count, width] = process.argv.slice(2).map(Number)
  const flags = {'max-wait': 120, timeout: 30, debug: false}
  const {client} = openSession(flags, process.env, {job: count > 1})
  let left = count
  const one = async () => {
    while (left-- > 0) await client.call(readCart, {params: {customerRef: 'c' + left}})
  }
  Promise.all(Array.from({length: width}, one)).then(
    () => process.stdout.write('done'),
    (error) => process.stdout.write(error.code + ' ' + error.message),
  )
`)

let sandbox: Sandbox
let baseUrl: string
beforeAll(async () => {
  sandbox = await createSandbox()
  baseUrl = await sandbox.listen()
})
afterAll(() => sandbox.close())

function read(place: string, url: string, count: number, width = 1) {
  const credential = sandbox.credentials[0]
  const child = spawn(process.execPath, [reader, String(count), String(width)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      SCENT_STATE_DIR: join(place, 'state'),
      SCENT_CONFIG_DIR: join(place, 'config'),
      SCENT_BASE_URL: url,
      SCENT_CLIENT_ID: credential?.clientId,
      SCENT_CLIENT_SECRET: credential?.clientSecret,
    },
  })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  return {child, ended: new Promise<string>((done) => child.on('close', () => done(out)))}
}

const mints = (requests: readonly {target: string}[]) =>
  requests.filter(({target}) => target.startsWith('/api/v1/auth/token')).length

describe('several processes', () => {
  it('need one token between them when 20 start at once', async () => {
    const place = folder()
    sandbox.state.requests.clear()
    const all = Array.from({length: 20}, () => read(place, baseUrl, 1).ended)
    expect(await Promise.all(all)).toEqual(Array(20).fill('done'))
    const seen = sandbox.state.requests.list()
    expect(mints(seen)).toBe(1)
    expect(seen).toHaveLength(21)
    expect(seen.every(({status}) => status === 200)).toBe(true)
  })

  it('write every request of theirs into one log', async () => {
    const place = folder()
    const all = Array.from({length: 4}, () => read(place, baseUrl, 45, 3).ended)
    expect(await Promise.all(all)).toEqual(Array(4).fill('done'))
    const folders = foldersOf({HOME: place, SCENT_STATE_DIR: join(place, 'state')})
    const identity = {origin: baseUrl, clientId: sandbox.credentials[0]?.clientId ?? '', onBehalfOf: null}
    const log = JSON.parse(sharedFile(quotaFile(folders, identity, 'requests')).read() ?? '')
    const leased = log.leases.reduce((sum: number, {n}: {n: number}) => sum + n, 0)
    // What a process still held when it ended counts as used: at least each request, at most a lease more.
    expect(log.answered.length + leased).toBeGreaterThanOrEqual(180)
    expect(log.answered.length + leased).toBeLessThanOrEqual(180 + 4 * 10)
  })

  it('take over from one that was killed while it minted', async () => {
    const place = folder()
    const server = await serve(({url}, response, count) => {
      if (count === 1) return
      if (url.endsWith('/token')) {
        answer(response, 200, 'SUCCESS', {accessToken: 'token', tokenType: 'Bearer', expiresIn: 300})
      } else answer(response, 200, 'SUCCESS', {customerRef: 'c0', items: []})
    })
    try {
      const killed = read(place, server.url, 1)
      await expect.poll(() => server.seen.length, {interval: 5, timeout: 10_000}).toBe(1)
      const waiting = read(place, server.url, 1)
      killed.child.kill('SIGKILL')
      await killed.ended
      expect(await waiting.ended).toBe('done')
      expect(server.seen.map(({url}) => url)).toEqual([
        '/api/v1/auth/token',
        '/api/v1/auth/token',
        '/api/v1/scent/cart/c0',
      ])
    } finally {
      await server.close()
    }
  })
})
