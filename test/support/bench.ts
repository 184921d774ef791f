// Measures the program against its bars and prints them; nothing here is a test. npm run bench.
import {execFileSync, spawn, spawnSync} from 'node:child_process'
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {availableParallelism, loadavg, tmpdir} from 'node:os'
import {join} from 'node:path'
import {benchBulk} from './bench-bulk.ts'
import {median, print} from './bench-figures.ts'
import {benchSandbox, type Running, startSandbox} from './bench-sandbox.ts'

const rounds = 25
const folder = mkdtempSync(join(tmpdir(), 'scent-bench-'))
const program = join(process.cwd(), 'bin/run.js')

/** NODE_EXTRA_CA_CERTS costs Node 20 about as much as a whole start, ours and the baseline's. */
const {NODE_EXTRA_CA_CERTS: _, ...inherited} = process.env
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(inherited).filter(([name]) => !name.startsWith('SCENT_'))),
  SCENT_CONFIG_DIR: join(folder, 'config'),
  SCENT_STATE_DIR: join(folder, 'state'),
  XDG_CACHE_HOME: join(folder, 'cache'),
}

interface Candidate {
  name: string
  command: string[]
  env?: NodeJS.ProcessEnv
  /** Done before each run, outside the time. */
  before?(): void
}

const scent = (...argv: string[]) => [process.execPath, program, ...argv]

function milliseconds({command, env: more, before}: Candidate): number {
  before?.()
  const [file = '', ...args] = command
  const start = process.hrtime.bigint()
  const {status, stderr} = spawnSync(file, args, {env: {...env, ...more}, stdio: ['ignore', 'pipe', 'pipe']})
  const took = Number(process.hrtime.bigint() - start) / 1e6
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}`)
  return took
}

/** Medians in milliseconds. One round runs each candidate once, so that a busy moment hits all of them. */
function race(candidates: Candidate[]): Map<string, number> {
  for (const candidate of candidates) milliseconds(candidate)
  const times = new Map<string, number[]>(candidates.map(({name}) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const candidate of candidates) times.get(candidate.name)?.push(milliseconds(candidate))
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]))
}

/** Stands in for the API of the peer, which can only be told its host's name. */
async function peer(): Promise<{candidate: Candidate; close(): void} | undefined> {
  if (spawnSync('gh', ['--version']).status !== 0) return undefined
  const script = `require('node:http').createServer((_, answer) => {
    answer.setHeader('content-type', 'application/json')
    answer.end('{"id": 1}')
  }).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
  const child = spawn(process.execPath, ['-e', script], {stdio: ['ignore', 'pipe', 'inherit']})
  const port = await new Promise((resolve) =>
    child.stdout.once('data', (text) => resolve(String(text).trim())),
  )
  const more = {
    GH_HOST: 'github.localhost',
    GH_ENTERPRISE_TOKEN: 'x',
    GH_TOKEN: 'x',
    HTTP_PROXY: `http://127.0.0.1:${port}`,
  }
  return {candidate: {name: 'gh api', command: ['gh', 'api', 'user'], env: more}, close: () => child.kill()}
}

async function benchStart({env: sandboxEnv, orderId}: Running): Promise<void> {
  const gh = await peer()
  const order = {name: 'orders get', command: scent('orders', 'get', orderId), env: sandboxEnv}
  const first = {
    name: 'first run',
    command: scent('explain', 'RATE_LIMITED'),
    env: {XDG_CACHE_HOME: join(folder, 'empty')},
    before: () => rmSync(join(folder, 'empty'), {recursive: true, force: true}),
  }
  const medians = race([
    {name: 'node', command: [process.execPath, '-e', '0']},
    {name: '--version', command: scent('--version')},
    {name: '--help', command: scent('--help')},
    {name: 'orders get --help', command: scent('orders', 'get', '--help')},
    {name: 'explain RATE_LIMITED', command: scent('explain', 'RATE_LIMITED')},
    order,
    first,
    ...(gh ? [gh.candidate] : []),
  ])
  gh?.close()
  const base = medians.get('node') ?? Number.NaN
  console.log(
    `Start, in times of \`node -e 0\` (${base.toFixed(1)} ms, Node ${process.version}, median of ${rounds})`,
  )
  const ratio = (name: string, bar: number) => {
    const value = (medians.get(name) ?? Number.NaN) / base
    print(name, value.toFixed(2), `<= ${bar}`, value <= bar)
  }
  ratio('--version', 1.3)
  ratio('--help', 1.3)
  ratio('orders get --help', 2.7)
  ratio('explain RATE_LIMITED', 2.5)
  ratio('orders get', 3.5)
  ratio('first run', 4.7)
  const rival = medians.get('gh api')
  if (rival === undefined) print('orders get, in times of gh api', 'no gh here')
  else {
    const value = (medians.get('orders get') ?? Number.NaN) / rival
    print('orders get, in times of gh api', value.toFixed(2), '<= 2', value <= 2)
  }
}

/** Peak resident memory in kilobytes: each process writes down its own at its end. */
function benchMemory({env: sandboxEnv, orderId}: Running): void {
  const hook = join(folder, 'peak.cjs')
  const report = join(folder, 'peak')
  writeFileSync(
    hook,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(report)}, String(process.resourceUsage().maxRSS)))`,
  )
  const peak = (...args: string[]) =>
    median(
      Array.from({length: 7}, () => {
        execFileSync(process.execPath, ['--require', hook, ...args], {env: {...env, ...sandboxEnv}})
        return Number(readFileSync(report, 'utf8'))
      }),
    )
  const base = peak('-e', '0')
  console.log(`\nPeak memory, in times of \`node -e 0\` (${(base / 1024).toFixed(0)} MB)`)
  const ratio = (name: string, bar: number, value: number) =>
    print(name, value.toFixed(2), `<= ${bar}`, value <= bar)
  ratio('--version', 1.1, peak(program, '--version') / base)
  ratio('orders get', 1.7, peak(program, 'orders', 'get', orderId) / base)
}

function benchSize(): void {
  const listing = execFileSync('npm', ['pack', '--dry-run', '--json', '--silent'], {encoding: 'utf8'})
  const [{unpackedSize, size}] = JSON.parse(listing)
  console.log('\nPackage')
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`
  print('own files, installed', megabytes(unpackedSize), '<= 3 MB', unpackedSize <= 3e6)
  print('own files, to download', megabytes(size))
}

async function main(): Promise<void> {
  const [load = 0] = loadavg()
  if (load > availableParallelism() / 2)
    console.log(`This machine is busy (load ${load.toFixed(1)}): expect worse.\n`)
  try {
    const running = await startSandbox(program, env)
    try {
      await benchStart(running)
      benchMemory(running)
    } finally {
      running.stop()
    }
    benchSize()
    await benchSandbox(program, env)
    await benchBulk(program, env, folder)
  } finally {
    rmSync(folder, {recursive: true, force: true, maxRetries: 5})
  }
}

main()
