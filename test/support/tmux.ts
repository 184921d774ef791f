import {execFileSync} from 'node:child_process'
import {randomBytes} from 'node:crypto'
import {quiet} from './scent.ts'

/** Why no real terminal can be had here, in one line; undefined if it can. */
export function noTmux(): string | undefined {
  try {
    execFileSync('tmux', ['-V'])
    return undefined
  } catch {
    return 'no terminal to test in: apt-get install tmux'
  }
}

export interface Terminal {
  /** The text on it now, without the spaces at the ends of lines. */
  screen(): string
  /** Waits until a text appears on it. Fails with the text that is there instead. */
  see(text: string): Promise<void>
  type(text: string): void
  resize(columns: number): void
  /** A key by its tmux name, such as Enter, C-c, Down. */
  press(...keys: string[]): void
}

/** Runs `work` in a real terminal with a shell of exactly this environment; ends it afterwards. */
export async function withTerminal<T>(
  env: NodeJS.ProcessEnv,
  work: (terminal: Terminal) => Promise<T>,
  {columns = 100, rows = 40}: {columns?: number; rows?: number} = {},
): Promise<T> {
  const socket = `scent-test-${randomBytes(6).toString('hex')}`
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], {
      env: {...quiet, ...env},
      encoding: 'utf8',
    })
  const screen = () => tmux('capture-pane', '-p')
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), "PS1='$ ' sh")
  try {
    return await work({
      screen,
      async see(text) {
        for (let tries = 0; !screen().includes(text); tries++) {
          if (tries > 200) throw new Error(`no "${text}" on the screen:\n${screen()}`)
          await new Promise((wake) => setTimeout(wake, 50))
        }
      },
      type: (text) => void tmux('send-keys', '-l', text),
      resize: (columns) => void tmux('resize-window', '-x', String(columns)),
      press: (...keys) => void tmux('send-keys', ...keys),
    })
  } finally {
    tmux('kill-server')
  }
}
