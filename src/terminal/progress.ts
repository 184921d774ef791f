import {cut, safe} from './text.ts'

/** One line on stderr that says what is going on, for work that takes a while. */
export interface Progress {
  /** Replaces the line; a pipe gets each as a line of its own. */
  say(text: string): void
  /** Takes the line away, so that other text can be written. */
  clear(): void
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export function openProgress(stream: NodeJS.WriteStream): Progress {
  if (!stream.isTTY || process.env.TERM === 'dumb') {
    return {say: (text) => void stream.write(`${safe(text)}\n`), clear: () => {}}
  }
  let text = ''
  let frame = 0
  let timer: NodeJS.Timeout | undefined
  const draw = () => {
    // Cut to the terminal: a wrapped line could not be taken back.
    const line = cut(`${FRAMES[frame++ % FRAMES.length]} ${text}`, (stream.columns ?? 80) - 1)
    stream.write(`\r\u001b[2K${line}`)
  }
  return {
    say(next) {
      text = safe(next)
      draw()
      timer ??= setInterval(draw, 100).unref()
    },
    clear() {
      if (timer === undefined) return
      clearInterval(timer)
      timer = undefined
      stream.write('\r\u001b[2K')
    },
  }
}
