import type {JobFile} from '../../../src/bulk/journal.ts'
import {jobOrders} from '../../../src/bulk/orders/fold.ts'
import {addCartItem} from '../../../src/contract/cart.ts'
import {seeded} from '../../support/virtual-time.ts'
import type {SimulatedDisk} from './disk.ts'
import {letHappen} from './incidents.ts'
import {judge} from './judge.ts'
import {machineOf, runOnce} from './machine.ts'
import {type Delivered, simulatedNetwork} from './network.ts'
import {type Scenario, scenarioOf} from './scenario.ts'
import {orderAtOnce, type SimulatedShop} from './shop.ts'
import {type SimulatedTime, simulatedTime} from './time.ts'

/*
 * Bulk jobs in a world that is against them. One seed decides everything: what is in the file, which machines run it,
 * when they crash (a process alone, or with the power), what becomes of each request, and what others change
 * meanwhile. The job, the client and the service are the real ones. Simulated is only what stands between and below
 * them: time (time.ts), network (network.ts) and disk (disk.ts). Days pass in milliseconds, and a seed is played the
 * same way each time.
 *
 *   scenario.ts   what a seed is about: orders, carts, machines, crashes, incidents
 *   incidents.ts  what others do meanwhile: prices, stock, foreign lines, outages
 *   machine.ts    one machine with the file: its processes, its journal, their crashes
 *   judge.ts      what must hold in the end: each order once, debited once, and every verdict true
 *
 * When all is over the weather clears and every machine resumes its job once more. Then each row must have a verdict,
 * and each verdict must agree with the orders, the ledger and the carts of the service. simulation.test.ts proves that
 * the judge sees: clients with planted mistakes are caught. seeds-1 to seeds-4 play the seeds side by side.
 */

/** Mistakes that a client could make, to see that they are found. */
export type Mistake =
  | 'submissions not written down'
  | 'new references after a crash'
  | 'unknown told as refused'
  | 'journal lost'
  | 'a cart taken for an answer'
  | 'no final look'
  | 'another run not heeded'

export interface Simulated {
  /** What happened, step by step: the same for the same seed. */
  trace(): string[]
  problems: string[]
  /** How the orders of each machine ended. */
  ends: string[]
  requests: number
  minutes: number
}

/** One machine with the file: its journal, and what it must not be caught at. */
export interface Machine {
  name: string
  disk: SimulatedDisk
  job: JobFile
  runs: number
  tokens: {token: string | undefined}
}

/** All that judge.ts needs to know of a seed. */
export interface World {
  scenario: Scenario
  machines: Machine[]
  /** The machine whose request made the order of a reference, and which request of all that was. */
  makers: Map<string, {name: string; request: number}>
  /** The last refusal of a create that each run of a machine has heard of, by machine and reference. */
  denials: Map<string, Denial>
  /** The order in flight that the last preview of a cart has shown to each run of a machine, by machine and customer. */
  inFlight: Map<string, string>
  /** Customers whose carts somebody else changed, or a late request. */
  touched: Set<string>
  /** Customers whose carts another program of the machine orders from. */
  inUse: Set<string>
  problems: string[]
}

/** A create was refused: by this request of all, and whether before the service looked at its reference. */
export interface Denial {
  request: number
  byLock: boolean
}

const MINUTE = 60_000
const MOST_REQUESTS = 3_000
const LONGEST_MS = 14 * 24 * 60 * MINUTE

let runs = 0

/** Plays one seed to its end, when nothing is on its way any more and every job was resumed without a fault. */
export async function simulate(seed: number, shop: SimulatedShop, mistake?: Mistake): Promise<Simulated> {
  runs += 1
  const name = `s${seed}r${runs}-`
  const random = seeded(seed)
  const scenario = scenarioOf(random, name, shop)
  const time = simulatedTime()
  const world: World = {
    scenario,
    machines: [],
    makers: new Map(),
    denials: new Map(),
    inFlight: new Map(),
    touched: new Set(),
    inUse: new Set(),
    problems: [],
  }
  const trace: string[] = []
  let requests = 0
  const ids = new Map<string, number>()
  const plain = (text: string) =>
    text.replaceAll(name, '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}|SCN-\d+/g, (id) => {
      if (!ids.has(id)) ids.set(id, ids.size)
      return `#${ids.get(id)}`
    })
  const weather = {trouble: 0, outageUntil: 0}
  const {state} = shop.sandbox
  const serverStart = state.clock.now() + 1000
  const service = {offset: 0}
  const network = simulatedNetwork({
    time,
    sandbox: shop.sandbox,
    gatewayToken: shop.gatewayToken,
    random,
    weather,
    habits: scenario.habits,
    serverNow: () => serverStart + service.offset + Math.floor(time.now()),
    trace: (line) => trace.push(`${Math.round(time.now())} ${line}`),
    delivered: (what) => {
      requests += 1
      if (requests > MOST_REQUESTS) throw new Error(`more than ${MOST_REQUESTS} requests`)
      note(world, what, requests)
    },
  })
  const setting: Setting = {world, time, network, shop, random, service, weather, serverStart, mistake, trace}
  shop.restore()
  // A log of earlier seeds only costs time.
  state.requests.clear()
  const before = mark(shop)
  try {
    await time.until(play(setting), LONGEST_MS)
  } catch (error) {
    world.problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  state.inFlight = []
  world.problems.push(...judge(world, shop, before))
  return {
    trace: () => trace.map(plain),
    problems: world.problems.map(plain),
    ends: world.machines.flatMap(({job}) => endsOf(job)),
    requests,
    minutes: time.now() / MINUTE,
  }
}

function endsOf(job: JobFile): string[] {
  const orders = jobOrders(job)
  return Array.from(
    {length: orders.size},
    (_, at) => `${orders.state(at)} ${orders.outcome(at)?.state ?? ''}`,
  )
}

/** Everything that one seed is played with. */
export interface Setting {
  world: World
  time: SimulatedTime
  network: ReturnType<typeof simulatedNetwork>
  shop: SimulatedShop
  random: () => number
  service: {offset: number}
  weather: {trouble: number; outageUntil: number}
  serverStart: number
  mistake: Mistake | undefined
  trace: string[]
}

/** The last order and ledger entry before a seed. */
export interface Mark {
  order: number
  entry: number
}

function mark({sandbox, partnerId}: SimulatedShop): Mark {
  const {world} = sandbox.state
  const order = world.get<{n: number | null}>('SELECT max(n) AS n FROM orders')?.n ?? 0
  const sql = 'SELECT max(seq) AS n FROM ledger WHERE partner_id = ?'
  return {order, entry: world.get<{n: number | null}>(sql, partnerId)?.n ?? 0}
}

function note(world: World, {caller, request, response, late}: Delivered, number: number): void {
  const isCreate = request.method === 'POST' && request.url.endsWith('/scent/orders')
  const created = isCreate && response.status === 201
  if (late && response.status < 300 && !created) world.touched.add(customerOf(request.url))
  const [, pending] = /"pendingOrderReference":"([^"]+)"/.exec(response.body) ?? []
  if (pending !== undefined) world.inFlight.set(`${caller} ${customerOf(request.url)}`, pending)
  if (!isCreate) return
  const reference = JSON.parse(request.body ?? '').externalReference
  if (!created || response.body.includes('"status":"Failed"')) {
    const byLock =
      world.scenario.habits.lockFirst !== 'no' && /"state":"\w+_PRICE_LOCK_\w+"/.test(response.body)
    world.denials.set(`${caller} ${reference}`, {request: number, byLock})
    return
  }
  world.makers.set(reference, {name: caller, request: number})
  const records = world.machines.find(({name}) => name === caller)?.disk.records ?? []
  const last = records.findLast(
    (record) => (record.step === 'SUBMITTING' || record.step === 'OUTCOME') && record.reference === reference,
  )
  if (last?.step === 'OUTCOME' && last.outcome === 'refused')
    world.problems.push(`${reference} is charged after ${caller} told that it was not (${last.state})`)
}

/** Whose cart a request is about. */
function customerOf(url: string): string {
  const {pathname, searchParams} = new URL(url)
  return searchParams.get('customerRef') ?? decodeURIComponent(/\/cart\/([^/]+)\//.exec(pathname)?.[1] ?? '')
}

async function play(setting: Setting): Promise<void> {
  const {world, time, weather, shop, trace} = setting
  const {scenario} = world
  const send = setting.network.send({name: 'others', at: () => {}})
  const others = shop.client(send, {now: time.now, sleep: time.sleep, random: setting.random})
  for (const order of scenario.earlier) {
    if (order.lines.length > 0) await orderAtOnce(others, order)
  }
  for (const {customerRef, line} of scenario.carts) {
    await others.call(addCartItem, {query: {customerRef}, body: line})
  }
  // So that the times of what was there before differ from those of the job.
  await time.sleep(2 * MINUTE)
  weather.trouble = scenario.trouble
  const happened = scenario.incidents.map(async (incident) => {
    await time.sleep(incident.after)
    trace.push(`${Math.round(time.now())} ${incident.kind}`)
    await letHappen(setting, others, incident)
  })
  const machines = scenario.machines.map(async ({name, startsAfter, runs: plans}) => {
    const machine = machineOf(setting, name)
    world.machines.push(machine)
    await time.sleep(startsAfter)
    for (const plan of plans) {
      await runOnce(setting, machine, plan)
      await time.sleep(plan.restMs)
    }
  })
  await Promise.all([...happened, ...machines])
  // The end: all is well again, no lock lives any more, and what is still on its way is only hours late.
  await time.sleep(60 * MINUTE)
  weather.trouble = 0
  weather.outageUntil = 0
  shop.restore()
  // Twice: what one of them has left in a cart holds up the others until it takes it out.
  for (const machine of [...world.machines, ...world.machines]) {
    const problem = await runOnce(setting, machine, null)
    if (problem !== 'done') world.problems.push(`the last run of ${machine.name} ended in ${problem}`)
  }
  await time.sleep(120 * 60 * MINUTE)
}
