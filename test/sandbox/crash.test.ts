import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {mkdirSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {createInterface} from 'node:readline'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {address} from './caller.ts'

const bin = join(dirname(fileURLToPath(import.meta.url)), '../../bin/run.js')
const rounds = Number(process.env.SCENT_TEST_KILLS ?? 10)

interface Running {
  child: ChildProcess
  baseUrl: string
  adminUrl: string
  adminToken: string
  credentials: {clientId: string; clientSecret: string}[]
}

/** The built program's sandbox as a process of its own, once it says that it is ready. */
async function start(state: string): Promise<Running> {
  const env = {...process.env, SCENT_STATE_DIR: state}
  const argv = [bin, 'sandbox', 'start', '--port', '0', '--no-limits', '--json']
  const child = spawn(process.execPath, argv, {env, stdio: ['ignore', 'pipe', 'inherit']})
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {child, ...JSON.parse(line)}
}

async function kill({child}: Running): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

// biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
type Envelope = {state: string; payload: any; details: any}

async function call(url: string, token: string, method: string, body?: unknown): Promise<Envelope> {
  const headers = {authorization: `Bearer ${token}`, 'content-type': 'application/json'}
  const response = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : {body: JSON.stringify(body)}),
  })
  return (await response.json()) as Envelope
}

async function login({baseUrl, credentials}: Running): Promise<string> {
  return (await call(`${baseUrl}/api/v1/auth/token`, '', 'POST', credentials[0])).payload.accessToken
}

/** Orders one after the other until the service is gone. What was answered is noted, and what was only sent. */
async function order(running: Running, token: string, name: string, sent: Map<string, string | undefined>) {
  const api = `${running.baseUrl}/api/v1/scent`
  const {payload} = await call(`${api}/variants?pageSize=1&note=saffron`, token, 'GET')
  const variantId = payload.items[0].id
  for (let n = 0; ; n++) {
    const reference = `${name}-${n}`
    await call(`${api}/cart/items?customerRef=${name}`, token, 'POST', {variantId, quantity: 1})
    const preview = await call(`${api}/cart/checkout-preview?customerRef=${name}&lock=true`, token, 'GET')
    sent.set(reference, undefined)
    const answer = await call(`${api}/orders`, token, 'POST', {
      externalReference: reference,
      customerRef: name,
      lockId: preview.payload.lockId,
      shippingAddress: address,
    })
    if (answer.state === 'CREATED') sent.set(reference, answer.payload.id)
  }
}

test(
  `${rounds} kills amid orders break no invariant and lose no acknowledged order`,
  async () => {
    const state = mkdtempSync(join(tmpdir(), 'scent-crash-'))
    mkdirSync(state, {recursive: true, mode: 0o700})
    const known = new Map<string, string | undefined>()
    let running = await start(state)
    const topUp = {wallet: 1_000_000}
    await call(`${running.adminUrl}/partners/rimal-retail`, running.adminToken, 'PATCH', topUp)
    for (let round = 0; round < rounds; round++) {
      const token = await login(running)
      const sent = new Map<string, string | undefined>()
      const workers = [0, 1, 2].map((w) =>
        order(running, token, `r${round}w${w}`, sent).catch(() => undefined),
      )
      while ([...sent.values()].filter((id) => id !== undefined).length < 3 + round) {
        await new Promise((turn) => setTimeout(turn, 1))
      }
      await kill(running)
      await Promise.all(workers)
      for (const [reference, id] of sent) known.set(reference, id)
      running = await start(state)
      const check = await call(`${running.adminUrl}/check`, running.adminToken, 'GET')
      expect(check.payload).toEqual({violations: []})
    }
    const {payload} = await call(`${running.adminUrl}/state`, running.adminToken, 'GET')
    const made = new Map(
      payload.orders.map((one: {externalReference: string; id: string}) => [one.externalReference, one.id]),
    )
    const acknowledged = [...known].filter(([, id]) => id !== undefined)
    expect(acknowledged.length).toBeGreaterThanOrEqual(3 * rounds)
    expect(acknowledged.filter(([reference, id]) => made.get(reference) !== id)).toEqual([])
    await kill(running)
    rmSync(state, {recursive: true, force: true})
  },
  60_000 + rounds * 5_000,
)
