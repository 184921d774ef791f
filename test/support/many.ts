import {type ChildProcess, fork} from 'node:child_process'
import {fileURLToPath} from 'node:url'
import {quiet, type Ran, scent} from './scent.ts'

/** As many run at once in a worker of the tests. */
const MOST = 3
const ALONE = new Set(['--detach', 'import', 'resume'])
const idle: ChildProcess[] = []
const waiting: ((child: ChildProcess) => void)[] = []
let started = 0

/**
 * Runs the built program to its end as `scent` of support/scent.ts does, but in a process that has run other lines before, and
 * goes on with others: a tenth of the work. For what a line says and sends; not for what concerns processes, such as locks,
 * signals and the keychain. `columns`: as if in a terminal so wide.
 */
export async function scentAmongMany(
  env: NodeJS.ProcessEnv,
  argv: readonly string[],
  input: string | Buffer = '',
  columns?: number,
): Promise<Ran> {
  // What is done to a process, starts another one, or is a job that tells processes apart, is for a process of its own.
  if (env.NODE_OPTIONS || argv.some((word) => ALONE.has(word))) return scent(env, argv, input)
  const child = await take()
  try {
    return await new Promise<Ran>((resolve, reject) => {
      const died = (code: number | null) =>
        reject(new Error(`${argv.join(' ')} has ended its process: ${code}`))
      child.once('exit', died)
      child.once('message', (ended: Ran) => {
        child.off('exit', died)
        resolve(ended)
      })
      child.send({
        env: JSON.parse(JSON.stringify({...quiet, ...env})),
        argv,
        input: Buffer.from(input).toString('base64'),
        columns,
      })
    })
  } finally {
    give(child)
  }
}

function take(): ChildProcess | Promise<ChildProcess> {
  const child = idle.pop()
  if (child) return child
  if (started === MOST) return new Promise((done) => waiting.push(done))
  started += 1
  return open()
}

function open(): ChildProcess {
  const child = fork(fileURLToPath(new URL('many.js', import.meta.url)), {stdio: 'ignore'})
  // They end with the worker.
  child.unref()
  child.channel?.unref()
  return child
}

function give(child: ChildProcess): void {
  const usable = child.connected ? child : open()
  const next = waiting.shift()
  if (next) next(usable)
  else idle.push(usable)
}
