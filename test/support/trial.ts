// What trials share: a folder and settings of their own, steps as a person would type them, and nothing left behind.
import {type ChildProcess, spawn} from 'node:child_process'
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

const program = join(process.cwd(), 'bin/run.js')
export const folder = mkdtempSync(join(tmpdir(), 'scent-try-'))
export const profile = `try-${process.pid}`
let running: ChildProcess | undefined
let interrupted = false

/** The user's environment, except for what scent would find in it. */
export const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SCENT_'))),
  SCENT_CONFIG_DIR: join(folder, 'config'),
  SCENT_STATE_DIR: join(folder, 'state'),
  XDG_CACHE_HOME: join(folder, 'cache'),
  SCENT_NO_UPDATE_CHECK: '1',
}

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the program with a closed stdin, so that it asks nothing; what is `kept` is not shown yet. */
export function run(argv: string[], kept: readonly ('stdout' | 'stderr')[], options = {}): Promise<Ended> {
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
export async function step(...argv: string[]): Promise<void> {
  begin(argv)
  end(argv, await run(argv, []))
}

/** One step that is to end with another code than 0. */
export async function finding(code: number, ...argv: string[]): Promise<void> {
  begin(argv)
  const ended = await run(argv, [])
  if (ended.code !== code) throw new Error(`It ended with exit code ${ended.code}, and not with ${code}.`)
}

/** One step whose output is one JSON string that a later step needs. */
export async function value(...argv: string[]): Promise<string> {
  begin(argv)
  const {code, stdout} = await run(argv, ['stdout'])
  process.stdout.write(stdout)
  end(argv, {code})
  return JSON.parse(stdout)
}

export function begin(argv: string[]): void {
  if (interrupted) throw new Error('Interrupted.')
  console.log(`\n$ scent ${line(argv)}`)
}

export function end(argv: string[], {code}: {code: number | null}): void {
  if (code !== 0) throw new Error(`\`scent ${line(argv)}\` ended with exit code ${code}.`)
}

/** Runs to its end whatever has happened: out of reach of Ctrl-C in the terminal. */
async function cleanUp(): Promise<void> {
  const quietly = (...argv: string[]) => run(argv, ['stdout', 'stderr'], {detached: true})
  await quietly('auth', 'logout', '--profile', profile)
  await quietly('sandbox', 'stop')
  rmSync(folder, {recursive: true, force: true, maxRetries: 5})
}

/** Runs a trial with a sandbox of its own; `last` ends what it has started besides. */
export async function trial(work: () => Promise<void>, last = async () => {}): Promise<void> {
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
    await work()
  } catch (error) {
    console.error(`\n${error instanceof Error ? error.message : error}`)
    process.exitCode = interrupted ? 130 : 1
  } finally {
    await last()
    await cleanUp()
  }
}
