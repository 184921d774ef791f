import {type ChildProcess, spawn} from 'node:child_process'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'

export const bin = join(dirname(fileURLToPath(import.meta.url)), '../../bin/run.js')

/** What starts the program: Node, or the executable that a test names here. */
export const command = (): [string, ...string[]] => {
  const {SCENT_TEST_EXECUTABLE: executable} = process.env
  return executable ? [executable] : [process.execPath, bin]
}

/** No test asks the registry for a newer version, but the one of that. */
export const quiet = {SCENT_NO_UPDATE_CHECK: '1'}

/** How a run of the program ended, and all that it printed. */
export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** The same of a process that may have been killed. */
export interface Ended extends Ran {
  signal: NodeJS.Signals | null
}

/** A process of the built program; its streams are pipes. */
export interface Running {
  child: ChildProcess
  ended: Promise<Ended>
  /** Resolves once stderr and stdout together hold the text. */
  said(text: string): Promise<void>
}

/** Starts the built program in exactly this environment, without a terminal. */
export function start(env: NodeJS.ProcessEnv, argv: readonly string[], input: string | Buffer = ''): Running {
  const [program, ...before] = command()
  const child = spawn(program, [...before, ...argv], {env: {...quiet, ...env}})
  const out = {stdout: '', stderr: ''}
  const waiting: {text: string; done: () => void}[] = []
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      out[name] += text
      for (const one of waiting) if (`${out.stdout}${out.stderr}`.includes(one.text)) one.done()
    })
  }
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return {
    child,
    said: (text) =>
      new Promise((done) => {
        waiting.push({text, done})
        if (`${out.stdout}${out.stderr}`.includes(text)) done()
      }),
    ended: new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => resolve({code, signal, ...out}))
    }),
  }
}

/** Runs the built program to its end. */
export async function scent(
  env: NodeJS.ProcessEnv,
  argv: readonly string[],
  input: string | Buffer = '',
): Promise<Ran> {
  const {code, stdout, stderr} = await start(env, argv, input).ended
  return {code, stdout, stderr}
}
