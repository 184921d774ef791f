import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {mkdirSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {createInterface} from 'node:readline'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {address} from '../support/address.ts'
import {effort} from '../support/effort.ts'
import {serve} from '../support/server.ts'

const bin = join(dirname(fileURLToPath(import.meta.url)), '../../bin/run.js')
const rounds = Number(process.env.SCENT_TEST_KILLS ?? effort({little: 10, all: 60}))

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

/** What was answered, by id, and how far it had come. What was only sent stands with 0. */
type Known = Map<string, number>

interface Worker {
  running: Running
  token: string
  name: string
  orders: Known
  returns: Known
  notices: Known
}

const returnStatuses = ['', 'Requested', 'Accepted', 'Processing', 'Refunded']

/** Orders one unit of two variants, and answers the order's id once it is acknowledged. */
async function orderOnce({running, token, name, orders}: Worker, n: number): Promise<string> {
  const api = `${running.baseUrl}/api/v1/scent`
  const {payload} = await call(`${api}/variants?pageSize=2&note=saffron`, token, 'GET')
  for (const {id} of payload.items) {
    await call(`${api}/cart/items?customerRef=${name}`, token, 'POST', {variantId: id, quantity: 2})
  }
  const preview = await call(`${api}/cart/checkout-preview?customerRef=${name}&lock=true`, token, 'GET')
  const answer = await call(`${api}/orders`, token, 'POST', {
    externalReference: `${name}-${n}`,
    customerRef: name,
    lockId: preview.payload.lockId,
    shippingAddress: address,
  })
  if (answer.state === 'CREATED') orders.set(answer.payload.id, 1)
  return answer.payload?.id
}

/** Orders one after the other until the service is gone. */
async function order(worker: Worker): Promise<never> {
  for (let n = 0; ; n++) await orderOnce(worker, n)
}

/** Orders, delivers, and takes a unit back, until the service is gone. */
async function sendBack(worker: Worker): Promise<never> {
  const {running, token, returns} = worker
  const operate = (path: string) => call(`${running.adminUrl}/${path}`, running.adminToken, 'POST', {})
  for (let n = 0; ; n++) {
    const id = await orderOnce(worker, n)
    const {groups} = (await operate(`orders/${id}/deliver`)).payload
    const {lines} = (await call(`${running.baseUrl}/api/v1/scent/orders/${id}`, token, 'GET')).payload
      .scentDetail
    const body = {
      fulfillmentGroupId: groups[0].id,
      lines: [{scentOrderLineId: lines[0].id, quantity: 1, reasonCode: 'Damaged'}],
    }
    const path = `${running.baseUrl}/api/v1/scent/orders/${id}/return-requests`
    const made = await call(path, token, 'POST', body)
    returns.set(made.payload.id, 1)
    for (const step of ['accept', 'receive', 'refund']) {
      const {payload} = await operate(`returns/${made.payload.id}/${step}`)
      returns.set(payload.id, returnStatuses.indexOf(payload.status))
    }
  }
}

/** Orders, runs short of a line, and answers the notice, until the service is gone. */
async function runShort(worker: Worker): Promise<never> {
  const {running, token, notices} = worker
  for (let n = 0; ; n++) {
    const id = await orderOnce(worker, n)
    const {lines} = (await call(`${running.baseUrl}/api/v1/scent/orders/${id}`, token, 'GET')).payload
      .scentDetail
    const shortage = {lineId: lines[1].id, availableQuantity: 1}
    const raised = await call(
      `${running.adminUrl}/orders/${id}/notices`,
      running.adminToken,
      'POST',
      shortage,
    )
    notices.set(raised.payload.notice.id, 1)
    const path = `${running.baseUrl}/api/v1/scent/unfulfillable-notices/${raised.payload.notice.id}/respond`
    const choice = n % 2 === 0 ? 'CancelWhole' : 'ShipAvailable'
    const {payload} = await call(path, token, 'PATCH', {choice})
    notices.set(payload.id, 2)
  }
}

test(
  `${rounds} kills amid orders, returns and notices break no invariant and lose nothing acknowledged`,
  async () => {
    const state = mkdtempSync(join(tmpdir(), 'scent-crash-'))
    mkdirSync(state, {recursive: true, mode: 0o700})
    const receiver = await serve((_, response) => response.end())
    const known = {orders: new Map(), returns: new Map(), notices: new Map()} as Record<string, Known> &
      Pick<Worker, 'orders' | 'returns' | 'notices'>
    let running = await start(state)
    const control = (method: string, path: string, body?: object) =>
      call(`${running.adminUrl}/${path}`, running.adminToken, method, body)
    await control('PATCH', 'partners/rimal-retail', {wallet: 900_000_000})
    const webhook = {url: receiver.url, eventTypes: ['order.completed', 'return.refunded', 'notice.resolved']}
    await call(`${running.baseUrl}/api/v1/scent/webhooks`, await login(running), 'POST', webhook)
    for (let round = 0; round < rounds; round++) {
      const token = await login(running)
      const before = known.orders.size
      const workers = [order, sendBack, runShort].map((work, w) =>
        work({running, token, name: `r${round}w${w}`, ...known}).catch(() => undefined),
      )
      while (known.orders.size < before + 3 + (round % 10)) await new Promise((turn) => setTimeout(turn, 1))
      await kill(running)
      await Promise.all(workers)
      running = await start(state)
      expect((await control('GET', 'check')).payload).toEqual({violations: []})
    }
    // Lets everything out that is still due.
    await control('POST', 'clock', {advanceSeconds: 60})
    expect((await control('GET', 'check')).payload).toEqual({violations: []})
    const {payload} = await control('GET', 'state')
    const kept = (items: {id: string; status: string}[], rank: (status: string) => number) =>
      new Map(items.map(({id, status}) => [id, rank(status)]))
    const lost = (mine: Known, theirs: Map<string, number>) =>
      [...mine].filter(([id, rank]) => (theirs.get(id) ?? 0) < rank)
    expect(
      lost(
        known.orders,
        kept(payload.orders, () => 1),
      ),
    ).toEqual([])
    expect(
      lost(
        known.returns,
        kept(payload.returns, (status) => returnStatuses.indexOf(status)),
      ),
    ).toEqual([])
    expect(
      lost(
        known.notices,
        kept(payload.notices, (status) => (status === 'Resolved' ? 2 : 1)),
      ),
    ).toEqual([])
    expect(known.orders.size).toBeGreaterThanOrEqual(3 * rounds)
    expect(Math.min(known.returns.size, known.notices.size)).toBeGreaterThan(0)
    const events = receiver.seen.map(({body}) => JSON.parse(body))
    const completed = events.filter(({eventType}) => eventType === 'order.completed')
    const told = new Set(completed.map(({data}) => data.orderId))
    expect([...known.orders.keys()].filter((id) => !told.has(id))).toEqual([])
    expect(payload.subscriptions[0]).toMatchObject({pending: 0, lastDeliveryStatus: 'Success'})
    await kill(running)
    await receiver.close()
    rmSync(state, {recursive: true, force: true})
  },
  60_000 + rounds * 12_000,
)
