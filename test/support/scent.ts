import {spawn} from 'node:child_process'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'

export const start = join(dirname(fileURLToPath(import.meta.url)), '../../bin/run.js')

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the built program in exactly this environment, without a terminal. */
export function scent(env: NodeJS.ProcessEnv, argv: string[], input = ''): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [start, ...argv], {env})
    const out = {stdout: '', stderr: ''}
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        out[name] += text
      })
    }
    child.on('error', reject)
    child.on('close', (code) => resolve({code, ...out}))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
