import type {Send} from '../contract/wire.ts'
import {cut, roomOf, safe, wrap} from './text.ts'

/** One line on stderr that says what a command is doing, if it takes a while. */
export interface Progress {
  /** Replaces the line; in a pipe each text is a line of its own. */
  say(text: string): void
  /** Removes the line, so that other text can be written. */
  clear(): void
}

/** The line of a terminal. It also shows waits that no command announces. */
interface ProgressLine extends Progress {
  /** Shows a text if the line is empty; the returned function removes it, unless another has replaced it. */
  fill(text: string): () => void
}

/** Milliseconds after which a wait for an answer is shown. */
const SLOW_MS = 1_000

/** Shows that an answer takes long, until it arrives. */
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

/** Shows in a terminal that a command is at work, from a second on until the returned function is called. */
export function showWork(stream: NodeJS.WriteStream): () => void {
  let line: ProgressLine | undefined
  const timer = setTimeout(() => {
    line = stream.isTTY ? openProgress(stream) : undefined
    line?.say('At work …')
  }, SLOW_MS).unref()
  return () => {
    clearTimeout(timer)
    line?.clear()
    line = undefined
  }
}

/**
 * Whether lines on `stream` may be drawn again: not in a pipe, not by a dumb terminal, and not for somebody who has each of
 * them read out, who sets ACCESSIBLE=1.
 */
export const movesCursor = (stream: {isTTY?: boolean}, env = process.env): boolean =>
  stream.isTTY === true && env.TERM !== 'dumb' && !/^(1|true|on|yes)$/i.test(env.ACCESSIBLE ?? '')

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export function openProgress(stream: NodeJS.WriteStream): ProgressLine {
  if (!movesCursor(stream)) {
    const nothing = () => {}
    return {
      say: (text) => void stream.write(`${wrap(safe(text), roomOf(stream))}\n`),
      clear: nothing,
      fill: () => nothing,
    }
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
