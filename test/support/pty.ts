import {spawn} from 'node:child_process'
import {start} from './scent.ts'

export interface Seen {
  code: number | null
  /** All that was printed, stdout and stderr as they came, with \n for each line end. */
  text: string
}

/**
 * Runs the built program in a terminal of so many columns, of exactly this environment, until it ends. What it prints
 * is not drawn: escape sequences are still in the text.
 */
export function inTerminal(
  env: NodeJS.ProcessEnv,
  argv: string[],
  {columns, rows = 24}: {columns: number; rows?: number},
): Promise<Seen> {
  const line = ['exec', process.execPath, start, ...argv].map(quoted).join(' ')
  const command = `stty cols ${columns} rows ${rows} -opost; ${line}`
  return new Promise((resolve, reject) => {
    // From util-linux, which every Linux has: a terminal of its own, and the exit code of what ran in it.
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      env: {TERM: 'xterm-256color', ...env},
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const out of [child.stdout, child.stderr])
      out.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
    child.on('error', reject)
    child.on('close', (code) => resolve({code, text: text.replaceAll('\r', '')}))
  })
}

/** The text without colours and other escape sequences. */
export function plain(text: string): string {
  return text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
