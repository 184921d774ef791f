// A first order from nothing, with a sandbox, a folder and a profile of its own; leaves none of them. npm run try.
import {type ChildProcess, spawn} from 'node:child_process'
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {address} from './address.ts'
import {noKeyring, withKeyring} from './keyring.ts'

const program = join(process.cwd(), 'bin/run.js')
const folder = mkdtempSync(join(tmpdir(), 'scent-try-'))
const profile = `try-${process.pid}`
const addressFile = join(folder, 'address.json')
let running: ChildProcess | undefined
let interrupted = false

const next = `
That was a whole order, and all of it is gone again. For a sandbox that stays:

  npm link                        makes scent a command; or type bin/run.js
  scent sandbox start --detach
  scent auth login --sandbox
  scent catalog variants --include pricing,availability
  scent cart add SKU=2 --customer C-1
  scent checkout --customer C-1   asks for the rest, and before it charges
`

/** The user's environment, except for what scent would find in it. */
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SCENT_'))),
  SCENT_CONFIG_DIR: join(folder, 'config'),
  SCENT_STATE_DIR: join(folder, 'state'),
  XDG_CACHE_HOME: join(folder, 'cache'),
}

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the program with a closed stdin, so that it asks nothing; what is `kept` is not shown yet. */
function run(argv: string[], kept: readonly ('stdout' | 'stderr')[], options = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const stdio = (name: 'stdout' | 'stderr') => (kept.includes(name) ? 'pipe' : 'inherit')
    const child = spawn(process.execPath, [program, ...argv], {
      env,
      stdio: ['ignore', stdio('stdout'), stdio('stderr')],
      ...options,
    })
    const text = {stdout: '', stderr: ''}
    for (const name of kept) {
      child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
        text[name] += chunk
      })
    }
    running = child
    child.on('error', reject)
    child.on('close', (code) => resolve({code, ...text}))
  })
}

const line = (argv: string[]) => argv.map(quoted).join(' ')

function quoted(arg: string): string {
  if (/^[\w@%+=:,./-]+$/.test(arg)) return arg
  return arg.includes("'") ? `"${arg}"` : `'${arg}'`
}

/** One step, as a person would type it. */
async function step(...argv: string[]): Promise<void> {
  begin(argv)
  end(argv, await run(argv, []))
}

/** One step whose output is one JSON string that a later step needs. */
async function value(...argv: string[]): Promise<string> {
  begin(argv)
  const {code, stdout} = await run(argv, ['stdout'])
  process.stdout.write(stdout)
  end(argv, {code})
  return JSON.parse(stdout)
}

function begin(argv: string[]): void {
  if (interrupted) throw new Error('Interrupted.')
  console.log(`\n$ scent ${line(argv)}`)
}

function end(argv: string[], {code}: {code: number | null}): void {
  if (code !== 0) throw new Error(`\`scent ${line(argv)}\` ended with exit code ${code}.`)
}

async function order(): Promise<void> {
  const priced = ['catalog', 'variants', '--include', 'pricing,availability']
  await step(...priced, '--limit', '6')
  const sold = "items[?availability.state=='Available' && pricing.unitPrice] | [0].sku"
  const sku = await value(...priced, '--query', sold)
  const customer = ['--customer', 'C-1']
  await step('cart', 'add', `${sku}=2`, ...customer)
  await step('cart', 'show', ...customer)
  await step('checkout', 'preview', ...customer)
  const lock = await value('checkout', 'preview', ...customer, '--lock', '--query', 'lockId')
  writeFileSync(addressFile, `${JSON.stringify(address, null, 2)}\n`)
  console.log(`\n$ cat ${addressFile}\n${JSON.stringify(address, null, 2)}`)
  const order = ['--lock', lock, '--reference', 'try-1', ...customer, '--address', addressFile]
  await step('orders', 'create', ...order)
  await step('orders', 'get', 'try-1')
  await step('wallet', 'balance')
}

/** Logs in with the keychain of the user, else with one of our own, else with a file; then orders. */
async function loginAndOrder(): Promise<void> {
  const login = ['auth', 'login', '--sandbox', '--name', profile]
  begin(login)
  const first = await run(login, ['stdout', 'stderr'])
  if (first.code === 0) {
    process.stderr.write(first.stderr)
    process.stdout.write(first.stdout)
    return order()
  }
  if (!first.stderr.includes('KEYCHAIN_UNAVAILABLE')) {
    process.stderr.write(first.stderr)
    return end(login, first)
  }
  const missing = process.platform === 'linux' ? noKeyring() : 'no keychain that answers'
  if (missing !== undefined) {
    console.log(`(There is ${missing}. So the secret goes into a file of this folder.)`)
    await step(...login, '--storage', 'file')
    return order()
  }
  console.log('(No keychain is open here. So one is started for the time of this run.)')
  await withKeyring(async (own) => {
    env.DBUS_SESSION_BUS_ADDRESS = own.DBUS_SESSION_BUS_ADDRESS
    await step(...login)
    await order()
  })
}

/** Runs to its end whatever has happened: out of reach of Ctrl-C in the terminal. */
async function cleanUp(): Promise<void> {
  const quietly = (...argv: string[]) => run(argv, ['stdout', 'stderr'], {detached: true})
  await quietly('auth', 'logout', '--profile', profile)
  await quietly('sandbox', 'stop')
  rmSync(folder, {recursive: true, force: true, maxRetries: 5})
}

async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interrupted = true
      running?.kill('SIGINT')
    })
  }
  // What a keychain of our own writes lies in our folder as well.
  process.env.TMPDIR = folder
  try {
    await step('sandbox', 'start', '--detach', '--port', '0')
    await loginAndOrder()
    console.log(next)
  } catch (error) {
    console.error(`\n${error instanceof Error ? error.message : error}`)
    process.exitCode = interrupted ? 130 : 1
  } finally {
    await cleanUp()
  }
}

main()
