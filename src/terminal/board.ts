import cliProgress from 'cli-progress'
import {digits} from '../contract/money.ts'
import {moneyText, span} from './cells.ts'
import type {Progress} from './progress.ts'
import {cut, safe} from './text.ts'

/** How far a job is. */
export interface Standing {
  done: number
  total: number
  /** Done since this process began. */
  since: number
  refused: number
  unknown: number
  /** What was charged so far; null where nothing is. */
  charged: string | null
  currency: string | null
  /** Milliseconds since the start, and those still to go as far as can be told. */
  elapsedMs: number
  leftMs: number | null
  /** What it waits for, such as the quota. */
  waiting: string | null
}

/** Shows a job while it runs: a bar in a terminal, a line now and then elsewhere. What it says stays. */
export interface Board extends Progress {
  show(standing: Standing): void
  /** Nothing more is shown. */
  end(): void
}

/** A pipe gets a line no more often than this. */
const EVERY_MS = 10_000

export function openBoard(stream: NodeJS.WriteStream, title: string): Board {
  if (!stream.isTTY || process.env.TERM === 'dumb') return plainBoard(stream)
  const bar = new cliProgress.SingleBar({
    stream,
    format: (options, {progress}, {standing}) => {
      const drawn = cliProgress.Format.BarFormat(progress, options)
      // Cut to the terminal: a wrapped line could not be taken back.
      return cut(`${title} ${drawn} ${standingText(standing as Standing)}`, (stream.columns ?? 80) - 1)
    },
    barsize: 24,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
    linewrap: null,
    // Ctrl-C is ours: the bar must not end the program.
    gracefulExit: false,
    fps: 5,
  })
  let open = false
  const clear = () => {
    if (open) bar.stop()
    open = false
  }
  return {
    show(standing) {
      if (!open) bar.start(standing.total, standing.done, {standing})
      else bar.update(standing.done, {standing})
      open = true
    },
    say(text) {
      // The bar stands in the last line and is drawn again below.
      stream.write(`\r\u001b[2K${safe(text)}\n`)
    },
    clear,
    end: clear,
  }
}

export function standingText(standing: Standing): string {
  const {done, total, since, refused, unknown, charged, currency, elapsedMs, leftMs, waiting} = standing
  const rate = elapsedMs > 0 ? Math.round((since * 60_000) / elapsedMs) : 0
  const parts = [
    `${done} of ${total}`,
    // First what stands still: a narrow terminal cuts the end.
    ...(waiting === null ? [] : [waiting]),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(charged === null ? [] : [`${moneyText(digits(charged), currency)} charged`]),
    ...(elapsedMs > 5_000 && waiting === null ? [`${rate} a minute`] : []),
    ...(leftMs !== null && done < total ? [`about ${span(leftMs)} left`] : []),
  ]
  return parts.join(', ')
}

function plainBoard(stream: NodeJS.WriteStream): Board {
  let shownAt = 0
  let last: string | undefined
  const write = (text: string) => void stream.write(`${safe(text)}\n`)
  return {
    show(standing) {
      last = standingText(standing)
      if (standing.elapsedMs - shownAt < EVERY_MS) return
      shownAt = standing.elapsedMs
      write(last)
      last = undefined
    },
    say: write,
    clear: () => {},
    end() {
      if (last !== undefined) write(last)
      last = undefined
    },
  }
}
