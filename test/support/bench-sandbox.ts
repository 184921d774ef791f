// The sandbox's own figures, and one to run against.
import {spawn} from 'node:child_process'
import {Pool} from 'undici'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {address} from './address.ts'
import {median, print} from './bench-figures.ts'

export interface Running {
  /** What the CLI needs to reach it. */
  env: NodeJS.ProcessEnv
  orderId: string
  stop(): void
}

export interface Located {
  baseUrl: string
  adminToken: string
  credentials: {clientId: string; clientSecret: string; partnerId: string}[]
}

export function spawnSandbox(program: string, env: NodeJS.ProcessEnv, more: string[] = []) {
  const argv = ['sandbox', 'start', '--memory', '--port', '0', '--no-limits', '--json', ...more]
  const child = spawn(process.execPath, [program, ...argv], {env, stdio: ['ignore', 'pipe', 'inherit']})
  const located = new Promise<Located>((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (part) => {
      text += part
      if (text.includes('\n')) resolve(JSON.parse(text))
    })
    child.on('exit', () => reject(new Error('The sandbox ended before it was ready.')))
  })
  return {
    located,
    stop: () => void child.kill('SIGTERM'),
    ended: new Promise((done) => child.on('exit', done)),
  }
}

/** One partner of a running sandbox, over HTTP. */
async function partnerOf({baseUrl, adminToken, credentials}: Located) {
  const pool = new Pool(baseUrl, {connections: 16})
  const [first] = credentials
  if (!first) throw new Error('The sandbox has no credential.')
  const call = async (method: string, path: string, body?: object, token?: string) => {
    const {statusCode, body: answer} = await pool.request({
      method,
      path,
      headers: {authorization: `Bearer ${token}`, ...(body && {'content-type': 'application/json'})},
      ...(body && {body: JSON.stringify(body)}),
    })
    // biome-ignore lint/suspicious/noExplicitAny: whatever the sandbox answers
    const {payload, state} = (await answer.json()) as any
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${state}`)
    return payload
  }
  const {clientId, clientSecret, partnerId} = first
  const {accessToken} = await call('POST', '/api/v1/auth/token', {clientId, clientSecret})
  return {
    ask: (method: string, path: string, body?: object) =>
      call(method, `/api/v1/scent/${path}`, body, accessToken),
    admin: (method: string, path: string, body?: object) =>
      call(method, `/__sandbox/v1/${path}`, body, adminToken),
    partnerId,
    close: () => pool.close(),
  }
}

type Partner = Awaited<ReturnType<typeof partnerOf>>

async function sellable({ask, admin, partnerId}: Partner): Promise<string> {
  const {items} = await ask('GET', 'variants?include=availability,pricing')
  const found = items.find(
    // biome-ignore lint/suspicious/noExplicitAny: whatever the sandbox answers
    (item: any) => item.availability?.state === 'Available' && item.pricing?.unitPrice < 100,
  )
  await admin('PATCH', `variants/${found.id}`, {stock: 1_000_000})
  await admin('PATCH', `partners/${partnerId}`, {wallet: 900_000_000})
  return found.id
}

/** A cart with a lock on it, and the order that it becomes. */
async function prepared({ask}: Partner, variantId: string, name: string): Promise<object> {
  await ask('POST', `cart/items?customerRef=${name}`, {variantId, quantity: 1})
  const {lockId} = await ask('GET', `cart/${name}/checkout-preview?lock=true`)
  return {lockId, externalReference: name, customerRef: name, shippingAddress: address}
}

/** Runs `work` for each item, sixteen at a time. */
async function together<I, O>(items: I[], work: (item: I) => Promise<O>): Promise<O[]> {
  const results: O[] = []
  const queue = items.entries()
  const worker = async () => {
    for (const [at, item] of queue) results[at] = await work(item)
  }
  await Promise.all(Array.from({length: 16}, worker))
  return results
}

/** A sandbox with one order, for the commands that are measured. */
export async function startSandbox(program: string, env: NodeJS.ProcessEnv): Promise<Running> {
  const {located, stop} = spawnSandbox(program, env)
  const found = await located
  const partner = await partnerOf(found)
  const order = await partner.ask('POST', 'orders', await prepared(partner, await sellable(partner), 'bench'))
  await partner.close()
  const [{clientId, clientSecret} = {clientId: '', clientSecret: ''}] = found.credentials
  const reach = {SCENT_BASE_URL: found.baseUrl, SCENT_CLIENT_ID: clientId, SCENT_CLIENT_SECRET: clientSecret}
  return {env: reach, orderId: order.id, stop}
}

async function readyTime(program: string, env: NodeJS.ProcessEnv): Promise<number> {
  const start = process.hrtime.bigint()
  const {located, stop, ended} = spawnSandbox(program, env)
  await located
  const took = Number(process.hrtime.bigint() - start) / 1e6
  stop()
  await ended
  return took
}

async function ordersPerSecond(program: string, env: NodeJS.ProcessEnv): Promise<number> {
  const {located, stop} = spawnSandbox(program, env)
  try {
    const partner = await partnerOf(await located)
    const variantId = await sellable(partner)
    const names = Array.from({length: 3000}, (_, n) => `c${n}`)
    const bodies = await together(names, (name) => prepared(partner, variantId, name))
    const start = process.hrtime.bigint()
    await together(bodies, (body) => partner.ask('POST', 'orders', body))
    const seconds = Number(process.hrtime.bigint() - start) / 1e9
    await partner.close()
    return bodies.length / seconds
  } finally {
    stop()
  }
}

/** Median microseconds of a call that reads a cart without a network. */
async function inProcess(): Promise<number> {
  const {send, credentials, close} = await createSandbox({limits: false})
  const [{clientId, clientSecret} = {clientId: '', clientSecret: ''}] = credentials
  const base = 'http://sandbox/api/v1'
  const json = {'content-type': 'application/json'}
  const body = JSON.stringify({clientId, clientSecret})
  const answer = await send({method: 'POST', url: `${base}/auth/token`, headers: json, body})
  const headers = {authorization: `Bearer ${JSON.parse(answer.body).payload.accessToken}`}
  const times: number[] = []
  for (let n = 0; n < 5000; n++) {
    const start = process.hrtime.bigint()
    await send({method: 'GET', url: `${base}/scent/cart/bench`, headers})
    times.push(Number(process.hrtime.bigint() - start) / 1e3)
  }
  await close()
  return median(times.slice(1000))
}

export async function benchSandbox(program: string, env: NodeJS.ProcessEnv): Promise<void> {
  console.log('\nSandbox')
  const ready: number[] = []
  for (let n = 0; n < 7; n++) ready.push(await readyTime(program, env))
  print('ready, ms from its start', median(ready).toFixed(0), '<= 300', median(ready) <= 300)
  const orders = await ordersPerSecond(program, env)
  print('orders a second, over HTTP, limits off', orders.toFixed(0), '>= 1500', orders >= 1500)
  const call = await inProcess()
  print('call in process, microseconds', call.toFixed(0), '<= 100', call <= 100)
}
