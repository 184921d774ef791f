import type {Send} from '../contract/wire.ts'
import {cut, roomOf, safe} from './text.ts'

/** One line on stderr that says what is going on, for work that takes a while. */
export interface Progress {
  /** Replaces the line; a pipe gets each as a line of its own. */
  say(text: string): void
  /** Takes the line away, so that other text can be written. */
  clear(): void
}

/** The line of a terminal, on which a wait that nobody tells of is seen as well. */
interface ProgressLine extends Progress {
  /** Says it if nothing is said; the returned function takes it back, unless something else is said by then. */
  fill(text: string): () => void
}

/** An answer that takes longer is waited for in sight. */
const SLOW_MS = 1_000

/** Says in a terminal that an answer takes long, until it is there. */
export function showWaits(send: Send, line: ProgressLine): Send {
  return async (request) => {
    let takeBack = () => {}
    const timer = setTimeout(() => {
      takeBack = line.fill('Waiting for the service …')
    }, SLOW_MS).unref()
    try {
      return await send(request)
    } finally {
      clearTimeout(timer)
      takeBack()
    }
  }
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export function openProgress(stream: NodeJS.WriteStream): ProgressLine {
  if (!stream.isTTY || process.env.TERM === 'dumb') {
    const nothing = () => {}
    return {say: (text) => void stream.write(`${safe(text)}\n`), clear: nothing, fill: () => nothing}
  }
  let text = ''
  let frame = 0
  let timer: NodeJS.Timeout | undefined
  const draw = () => {
    // Cut to the terminal: a wrapped line could not be taken back.
    const line = cut(`${FRAMES[frame++ % FRAMES.length]} ${text}`, roomOf(stream) - 1)
    stream.write(`\r\u001b[2K${line}`)
  }
  const say = (next: string) => {
    text = safe(next)
    draw()
    timer ??= setInterval(draw, 100).unref()
  }
  const clear = () => {
    if (timer === undefined) return
    clearInterval(timer)
    timer = undefined
    stream.write('\r\u001b[2K')
  }
  return {
    say,
    clear,
    fill(filler) {
      if (timer !== undefined) return () => {}
      say(filler)
      return () => text === filler && clear()
    },
  }
}
