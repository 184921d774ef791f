// What a bulk job costs: requests, quota, journal and memory.
import {type ChildProcess, spawn} from 'node:child_process'
import {mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {openJobs} from '../../src/bulk/journal.ts'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {median, print} from './bench-figures.ts'
import {manyOrders, orderFile} from './order-file.ts'
import {limiters, paced} from './pace-run.ts'

const identity = {origin: 'http://127.0.0.1:1', clientId: 'bench', onBehalfOf: null}
const ROWS = 100_000
/** How long the large job runs before it is interrupted. */
const RUNS_MS = 30_000

export async function benchBulk(program: string, env: NodeJS.ProcessEnv, folder: string): Promise<void> {
  console.log('\nBulk jobs')
  await benchQuota()
  await benchJournal(folder)
  const sandbox = await createSandbox({limits: false})
  sandbox.state.world.run('UPDATE partners SET wallet = 100000000000000 WHERE wallet IS NOT NULL')
  sandbox.state.world.run('UPDATE variants SET stock = 1000000000')
  const {clientId = '', clientSecret = ''} =
    sandbox.credentials.find(({name}) => name === 'Rimal Retail') ?? {}
  const user = {
    ...env,
    SCENT_BASE_URL: await sandbox.listen(),
    SCENT_CLIENT_ID: clientId,
    SCENT_CLIENT_SECRET: clientSecret,
  }
  mkdirSync(join(folder, 'bulk'), {recursive: true})
  const start = (file: string, ...more: string[]) =>
    spawn(process.execPath, [...more, program, 'orders', 'import', file, '--yes', '--json'], {
      env: user,
      stdio: 'ignore',
    })
  try {
    const lines = manyOrders('R', 100).flatMap((row) => [row, {...row, sku: 'NJD-INC-002'}])
    await ended(start(orderFile(join(folder, 'bulk'), 'requests.csv', lines)))
    const sent = sandbox.state.requests.list().filter(({operation}) => perOrder.includes(operation ?? ''))
    print('requests for an order of 2 lines', (sent.length / 100).toFixed(2), '= 4', sent.length === 400)
    await benchRows(start, folder)
  } finally {
    await sandbox.close()
  }
}

const perOrder = [
  'addCartItem',
  'readCart',
  'setCartItem',
  'removeCartItem',
  'clearCart',
  'previewCheckout',
  'createOrder',
]

/** The share of the quota that 3,000 requests use, the worst of three windows and three seeds. */
async function benchQuota(): Promise<void> {
  for (const limit of [300, 280]) {
    const runs = Object.keys(limiters).flatMap((name) => [1, 2, 3].map((seed) => paced(name, seed, limit)))
    const all = await Promise.all(runs)
    const share = Math.min(...all.map((one) => one.share))
    const refused = all.reduce((sum, one) => sum + one.refused, 0)
    print(`share of ${limit} a minute used by 3,000 requests`, share.toFixed(3), '>= 0.98', share >= 0.98)
    print('of them refused', String(refused), '= 0', refused === 0)
  }
}

/** What the records of an order cost, with their flushes, one order at a time and four at a time. */
async function benchJournal(folder: string): Promise<void> {
  const place = join(folder, 'journal')
  const jobs = openJobs({config: place, state: place}, identity)
  const about = {kind: 'orders', file: '/o.csv', fileHash: '', program: '', options: {}} as const
  const job = (await jobs.draft(about, new Date().toISOString())).keep()
  const release = job.run()
  const one = async (n: number) => {
    const base = {reference: `PO-${n}`, at: new Date().toISOString()}
    const lock = {lockId: '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43', total: '305.90'}
    const line = {variantId: '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43', quantity: 2}
    await job.append({...base, step: 'FILLING'})
    await job.append({...base, ...lock, step: 'LOCKED', expiresAt: base.at, pricedAt: base.at, lines: [line]})
    await job.append({...base, step: 'SUBMITTING', attempt: 1, lockId: lock.lockId, bodyHash: 'x'.repeat(64)})
    await job.append({
      ...{...base, step: 'OUTCOME', outcome: 'placed', http: null, state: 'CREATED', orderId: lock.lockId},
      ...{total: lock.total, currency: 'SAR', status: 'Processing'},
    })
  }
  for (const width of [1, 4]) {
    const times: number[] = []
    for (let n = 0; n < 25; n++) {
      const begun = performance.now()
      await Promise.all(Array.from({length: width}, (_, at) => one(n * 10 + at)))
      times.push((performance.now() - begun) / width)
    }
    print(`journal, ms an order, ${width} at a time`, median(times).toFixed(2))
  }
  release()
  const records = join(place, 'records')
  const size = statSync(join(records, readdirSync(records)[0] ?? '', 'jobs', `${job.head.id}.ndjson`)).size
  print('journal, bytes an order beside its plan', (size / 125).toFixed(0))
}

/** Peak memory of a job of 100,000 orders: its check, its plan, and a while of its run. */
async function benchRows(
  start: (file: string, ...more: string[]) => ChildProcess,
  folder: string,
): Promise<void> {
  const [hook, report] = [join(folder, 'peak-bulk.cjs'), join(folder, 'peak-bulk')]
  writeFileSync(
    hook,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(report)}, String(process.resourceUsage().maxRSS)))`,
  )
  const begun = performance.now()
  const child = start(orderFile(join(folder, 'bulk'), 'rows.csv', manyOrders('M', ROWS)), '--require', hook)
  const interrupt = setTimeout(() => child.kill('SIGINT'), RUNS_MS)
  await ended(child)
  clearTimeout(interrupt)
  const megabytes = Number(readFileSync(report, 'utf8')) / 1024
  print(
    `job of ${ROWS} orders, ${Math.round((performance.now() - begun) / 1000)} s of it, MB`,
    megabytes.toFixed(0),
    '<= 150',
    megabytes <= 150,
  )
}

const ended = (child: ChildProcess) => new Promise((done) => child.on('close', done))
