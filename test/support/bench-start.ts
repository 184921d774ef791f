// How fast the program starts, on every Node that is here, beside the least that one request could take.
import {spawnSync} from 'node:child_process'
import {createHmac} from 'node:crypto'
import {existsSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {print} from './bench-figures.ts'
import type {Running} from './bench-sandbox.ts'

const ROUNDS = 25

interface Candidate {
  name: string
  /** In the place of node. */
  command?: string
  /** Without node itself. */
  args: string[]
  env?: NodeJS.ProcessEnv
  /** In times of `node -e 0`. */
  bar?: number
  /** Done before each run, outside the time. */
  before?(): void
}

/** A request by Node alone: a token from a file, one answer, its JSON printed. */
const floor = `
const [, file, url] = process.argv
const token = require('node:fs').readFileSync(file, 'utf8')
require('node:http').get(url, {headers: {authorization: 'Bearer ' + token}}, (answer) => {
  let text = ''
  answer.on('data', (part) => (text += part)).on('end', () => process.stdout.write(JSON.stringify(JSON.parse(text), null, 2)))
})`

/** A delivery of 1 KiB in a file. */
function keptDelivery(folder: string): string {
  const path = join(folder, 'delivery.json')
  const body = JSON.stringify({eventId: '77e0a1b2c3d4', data: {note: 'é/'.repeat(330)}})
  const mac = createHmac('sha256', 'whsec_of-the-bench').update(`1795341600.${body}`).digest('hex')
  const headers = {'X-Service-Timestamp': '1795341600', 'X-Service-Signature': `v1=${mac}`}
  writeFileSync(path, JSON.stringify({headers, body}))
  return path
}

function candidatesOf(program: string, folder: string, {env, orderId}: Running): Candidate[] {
  const cold = join(folder, 'empty')
  const first = {
    env: {...env, XDG_CACHE_HOME: cold},
    before: () => rmSync(cold, {recursive: true, force: true}),
  }
  const token = join(folder, 'token')
  writeFileSync(token, 'x')
  const [get, explain] = [
    ['orders', 'get', orderId],
    ['explain', 'RATE_LIMITED'],
  ]
  const scent = (...argv: string[]) => [program, ...argv]
  const verify = ['webhooks', 'verify', keptDelivery(folder), '--tolerance', 'none']
  const secret = {SCENT_WEBHOOK_SECRET: 'whsec_of-the-bench'}
  return [
    {name: 'node -e 0', args: ['-e', '0']},
    {
      name: 'one request by Node alone',
      args: ['-e', floor, token, `${env.SCENT_BASE_URL}/api/v1/scent/brands`],
    },
    {name: '--version', args: scent('--version'), bar: 1.3},
    {name: '--help', args: scent('--help'), bar: 1.3},
    {name: 'orders get --help', args: scent('orders', 'get', '--help'), bar: 1.3},
    {name: 'help orders', args: scent('help', 'orders'), bar: 1.3},
    {name: 'explain', args: scent(...explain), bar: 2.3},
    {name: 'orders get', args: scent(...get), env, bar: 3.4},
    {name: 'webhooks verify', args: scent(...verify), env: secret, bar: 2.7},
    {name: 'webhooks verify --discover', args: scent(...verify, '--discover'), env: secret, bar: 6},
    {name: 'help for 60 columns', args: scent('orders', 'get', '--help'), env: {OCLIF_COLUMNS: '60'}, bar: 4},
    {name: 'explain, first run', args: scent(...explain), ...first, bar: 3.3},
    {name: 'orders get, first run', args: scent(...get), ...first, bar: 5},
  ]
}

function milliseconds(
  node: string,
  {command = node, args, env: more, before}: Candidate,
  env: NodeJS.ProcessEnv,
): number {
  before?.()
  const start = process.hrtime.bigint()
  const options = {env: {...env, ...more}, stdio: ['ignore' as const, 'pipe' as const, 'pipe' as const]}
  const {status, stderr} = spawnSync(command, args, options)
  const took = Number(process.hrtime.bigint() - start) / 1e6
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return took
}

/** The 25th percentile in milliseconds. One round runs each candidate once, so that a busy moment hits all of them. */
function race(node: string, candidates: Candidate[], env: NodeJS.ProcessEnv): number[] {
  for (const candidate of candidates) milliseconds(node, candidate, env)
  const times = candidates.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, candidate] of candidates.entries()) times[at]?.push(milliseconds(node, candidate, env))
  return times.map((values) => values.sort((a, b) => a - b)[Math.floor(values.length / 4)] ?? Number.NaN)
}

/** This Node, and those that `npm run nodes` brought. */
const nodes = [
  process.execPath,
  ...[22, 24, 26]
    .map((major) => join(process.cwd(), `node_modules/.cache/nodes/node_modules/node${major}/bin/node`))
    .filter((path) => existsSync(path)),
]

export function benchStart(program: string, env: NodeJS.ProcessEnv, folder: string, running: Running): void {
  for (const node of nodes) {
    const candidates = candidatesOf(program, folder, running)
    const times = race(node, candidates, env)
    const [base = Number.NaN] = times
    const version = String(spawnSync(node, ['--version']).stdout).trim()
    const text = `${base.toFixed(1)} ms, Node ${version}, 25th percentile of ${ROUNDS} rounds`
    console.log(`\nStart, in times of \`node -e 0\` (${text})`)
    for (const [at, {name, bar}] of candidates.entries()) {
      const value = (times[at] ?? Number.NaN) / base
      if (bar === undefined) print(name, value.toFixed(2))
      else print(name, value.toFixed(2), `<= ${bar}`, value <= bar)
    }
  }
}

/** The executable beside the package on the Node that is in it. Nothing is compared with a bar: it is not for speed. */
export function benchExecutable(
  program: string,
  env: NodeJS.ProcessEnv,
  folder: string,
  running: Running,
): void {
  const node = nodes.find((path) => path.includes('node26'))
  if (node === undefined) return
  const executable = join(folder, 'scent')
  const make = `import('./scripts/executable.js').then((script) => script.makeExecutable(process.argv[1]))`
  const made = spawnSync(process.execPath, ['-e', make, executable], {stdio: ['ignore', 'ignore', 'inherit']})
  if (made.status !== 0) return
  const lines = [['--version'], ['explain', 'RATE_LIMITED'], ['orders', 'get', running.orderId]]
  const pairs = lines.flatMap((argv): Candidate[] => [
    {name: 'package', args: [program, ...argv], env: running.env},
    {name: 'executable', command: executable, args: argv, env: running.env},
  ])
  const times = race(node, [{name: 'node -e 0', args: ['-e', '0']}, ...pairs], env)
  const [base = Number.NaN] = times
  const megabytes = (statSync(executable).size / 1e6).toFixed(1)
  console.log(
    `\nExecutable, ${megabytes} MB, in times of \`node -e 0\` (${base.toFixed(1)} ms), and the package on the same Node`,
  )
  for (const [at, argv] of lines.entries()) {
    const [beside, own] = [1, 2].map((one) => ((times[at * 2 + one] ?? Number.NaN) / base).toFixed(2))
    print(argv.slice(0, 2).join(' '), `${own}, package ${beside}`)
  }
}
