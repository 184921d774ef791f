import type {JobFile} from '../../../src/bulk/journal.ts'
import {jobOrders} from '../../../src/bulk/orders/fold.ts'
import {openBudget} from '../../../src/bulk/orders/one.ts'
import {runBulkOrders} from '../../../src/bulk/orders/run.ts'
import type {JobRecord} from '../../../src/bulk/records.ts'
import {Failure, isFailure} from '../../../src/contract/failure.ts'
import type {Send} from '../../../src/contract/wire.ts'
import type {Outcome} from '../../../src/store/orders.ts'
import {address} from '../../support/address.ts'
import {simulatedDisk} from './disk.ts'
import type {RunPlan, Scenario} from './scenario.ts'
import type {Machine, Mistake, Setting, World} from './simulation.ts'

/** The file on one machine, planned and not begun. */
export function machineOf({world, serverStart, mistake}: Setting, name: string): Machine {
  const at = new Date(serverStart).toISOString()
  const about = {kind: 'orders', file: '/f', fileHash: '', program: '', options: {}} as const
  const disk = simulatedDisk({step: 'JOB', at, id: name, ...about}, plannedRows(world.scenario, at))
  const machine: Machine = {name, disk, runs: 0, job: disk.job, tokens: {token: undefined}}
  const append: JobFile['append'] = (added, options) => {
    const records = [added].flat().flatMap((record) => mistaken(mistake, record))
    for (const record of records) watch(setting, machine, record)
    return disk.job.append(records, options)
  }
  const setting = {world}
  machine.job = {...disk.job, append}
  return machine
}

function plannedRows({wishes}: Scenario, at: string): JobRecord[] {
  return wishes.map(({reference, customerRef, lines, goods, countryCode = 'SAU', discountCode}, row) => ({
    step: 'PLANNED',
    at,
    reference,
    customerRef,
    lines,
    address: {...address, countryCode},
    ...(discountCode === undefined ? {} : {discountCode}),
    rows: [row + 2],
    goods: goods ?? null,
  }))
}

function mistaken(mistake: Mistake | undefined, record: JobRecord): JobRecord[] {
  if (mistake === 'submissions not written down' && record.step === 'SUBMITTING') return []
  if (mistake === 'unknown told as refused' && record.step === 'OUTCOME' && record.outcome === 'unknown')
    return [{...record, outcome: 'refused'}]
  if (mistake === 'a cart taken for an answer' && record.step === 'OUTCOME' && isAnotherRun(record))
    return [{...record, outcome: 'refused', state: 'CART_NOT_EMPTY'}]
  if (mistake === 'another run not heeded' && record.step === 'OUTCOME' && isAnotherRun(record))
    return [{...record, outcome: 'refused', state: CART_BUSY}]
  return [record]
}

/** Notes if a journal says that nothing was charged and that is not proven, or contradicts what it said before. */
function watch({world}: Pick<Setting, 'world'>, machine: Machine, record: JobRecord): void {
  if (record.step !== 'OUTCOME' && record.step !== 'SUBMITTING') return
  const {reference} = record
  const says = record.step === 'OUTCOME' ? record.outcome : 'submits'
  const before = machine.disk.records.findLast(
    (one): one is Outcome => one.step === 'OUTCOME' && one.reference === reference,
  )
  if (before && before.outcome !== 'unknown' && !before.again) {
    world.problems.push(`${machine.name} ${says} ${reference} after it was decided`)
  }
  if (record.step !== 'OUTCOME') return
  const mine = world.makers.get(reference)?.name === machine.name
  const told = `${machine.name} tells ${reference} as ${says} (${record.state})`
  if (mine && says === 'refused') world.problems.push(`${told}, and it was charged`)
  else if (says === 'refused' && wasCharged(world, machine, record))
    world.problems.push(`${told}, and it stood already`)
  else if (says === 'refused' && !record.again && !world.denials.has(`${machine.name} ${reference}`))
    world.problems.push(`${told}, and has not asked for it`)
  if (says === 'refused' && record.state === CART_BUSY && sawAnotherRun(world, machine, reference))
    world.problems.push(`${told}, and saw another run of the file in its cart`)
  if (mine && says === 'already-placed') {
    world.problems.push(`${machine.name} tells its own ${reference} as already placed`)
  }
}

/**
 * Whether an order of another machine stood already when a create of it was refused, or when it was told without one. Not
 * where the service looks at locks before references: of an order that a run has not sent, nothing there tells, and
 * nothing that can't charge would. A verdict says so much: it is about what its own job has charged.
 */
function wasCharged({makers, denials}: World, {name}: Machine, {reference, again}: Outcome): boolean {
  const made = makers.get(reference)
  const unasked = {byLock: false, request: again ? 0 : Number.POSITIVE_INFINITY}
  const {byLock, request} = denials.get(`${name} ${reference}`) ?? unasked
  return made !== undefined && !byLock && made.name.startsWith('m') && made.request < request
}

const CART_BUSY = 'CONFLICT_CART_HAS_PENDING_ORDER'

/** Whether a run has been shown an order of the file in flight in the cart of an order, which only another run can make. */
function sawAnotherRun({scenario, inFlight}: World, {name}: Machine, reference: string): boolean {
  const customerRef = scenario.wishes.find((wish) => wish.reference === reference)?.customerRef
  const seen = inFlight.get(`${name} ${customerRef}`)
  return scenario.wishes.some((wish) => wish.reference === seen)
}

/** Final refusals by which a cart says something, and an order nothing. */
const ofCarts = ['CART_NOT_EMPTY', 'CHANGED_MEANWHILE', CART_BUSY]

/**
 * Notes orders that a run has told as not charged for what their carts hold, while another machine charged them before
 * it ended. `from` is its first record: what an earlier run told was judged at the end of that one, and was true then.
 * Where the service looks at locks before references, nobody could know (see wasCharged).
 */
function judgeRun({world}: Setting, {name, disk}: Machine, from: number): void {
  for (const record of disk.records.slice(from)) {
    if (record.step !== 'OUTCOME' || record.outcome !== 'refused' || !ofCarts.includes(record.state)) continue
    const {reference, state} = record
    const maker = world.makers.get(reference)?.name
    const denial = world.denials.get(`${name} ${reference}`)
    if (maker?.startsWith('m') && !denial?.byLock)
      world.problems.push(`${name} told ${reference} as refused (${state}), and ${maker} charged it`)
  }
}

/** One process works on the job, until its end or the crash of its plan. Says how it ended. */
export async function runOnce(setting: Setting, machine: Machine, plan: RunPlan | null): Promise<string> {
  const {world, time, trace, mistake} = setting
  const {disk} = machine
  machine.runs += 1
  const isoNow = () => new Date(setting.serverStart + Math.floor(time.now())).toISOString()
  const from = disk.records.length
  for (const heard of [world.denials, world.inFlight])
    for (const key of heard.keys()) if (key.startsWith(`${machine.name} `)) heard.delete(key)
  const life = livingUntil(setting, machine, plan)
  disk.at = life.at
  const release = disk.job.run()
  const orders = jobOrders(machine.job)
  orders.readOn()
  const {scenario} = world
  const stop = new AbortController()
  const after = plan?.interruptAfter ?? null
  if (after !== null) time.after(after, () => stop.abort())
  const network = setting.network.send({name: machine.name, at: life.at})
  const asksNever = mistake === 'a cart taken for an answer' || mistake === 'no final look'
  const send = asksNever ? unasked(setting, network) : network
  const {random} = setting
  const clock = {now: time.now, sleep: life.sleep, random}
  const run = runBulkOrders({
    job: machine.job,
    orders,
    tools: {
      client: setting.shop.client(send, clock, machine.tokens),
      ...clock,
      clock: isoNow,
      tell: () => {},
    },
    rules: {
      cart: scenario.rule,
      maxDrift: scenario.maxDrift,
      budget: openBudget(scenario.limit, orders.charged().total.toFixed()),
    },
    concurrency: scenario.concurrency,
    stop: stop.signal,
    alone: (customerRef, work) =>
      world.inUse.has(customerRef) ? Promise.reject(new Failure('BUSY')) : work(),
    tell: () => {},
  })
  const ended = await Promise.race([run.then(() => 'done', thrown(world)), life.over])
  trace.push(`${Math.round(time.now())} ${machine.name} ${ended}`)
  if (ended !== 'crashed') {
    release()
    judgeRun(setting, machine, from)
  }
  if (ended === 'crashed' && mistake === 'new references after a crash') renew(machine)
  if (ended === 'crashed' && mistake === 'journal lost') disk.lose(world.scenario.wishes.length + 1)
  return ended
}

const isAnotherRun = ({outcome, message}: Outcome) =>
  outcome === 'unknown' && message?.includes('Another run of this file')

/** The mistake of a client that sends no create without a lock of the service, and so never asks for an order. */
const unasked =
  ({shop}: Setting, send: Send): Send =>
  async (request) => {
    const {lockId} = request.url.endsWith('/scent/orders') ? JSON.parse(request.body ?? '{}') : {lockId: ''}
    const isLock = shop.sandbox.state.world.get('SELECT 1 FROM locks WHERE id = ?', lockId) !== undefined
    if (lockId === '' || isLock) return send(request)
    return {status: 400, headers: {}, body: '{"state":"VALIDATION_PRICE_LOCK_INVALID"}'}
  }

const thrown = (world: Setting['world']) => (error: unknown) => {
  if (isFailure(error)) return error.code
  world.problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return 'a bug'
}

const never = new Promise<never>(() => {})

/** A process that is cut off at a boundary of its plan. From then on nothing of it goes on. */
function livingUntil({time, trace}: Setting, {name, disk}: Machine, plan: RunPlan | null) {
  let dead = false
  let n = 0
  let die = (_: string) => {}
  const over = new Promise<string>((resolve) => {
    die = resolve
  })
  return {
    over,
    at(boundary: string) {
      if (dead) return never
      n += 1
      if (n !== plan?.crashAt) return undefined
      dead = true
      trace.push(`${Math.round(time.now())} ${name} dies at ${boundary}`)
      disk.crash(plan.power, plan.kept)
      die('crashed')
      return never
    },
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((wake) => {
        if (signal?.aborted) return wake()
        const end = () => {
          signal?.removeEventListener('abort', end)
          if (!dead) wake()
        }
        time.after(ms, end)
        signal?.addEventListener('abort', end, {once: true})
      }),
  }
}

/** The mistake of a client that makes up a reference each time. */
function renew(machine: Machine): void {
  for (const record of machine.disk.records) {
    if ('reference' in record)
      record.reference = record.reference.replace(/PO-(\d+).*$/, `PO-$1 ${machine.runs}`)
  }
}
