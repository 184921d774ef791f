import cliProgress from 'cli-progress'
import type {Session} from '../session.ts'
import {movesCursor, type Progress} from '../terminal/progress.ts'
import {cut, roomOf, safe, width, wrap} from '../terminal/text.ts'
import {type Measured, openMeter, type Standing} from './meter.ts'
import {standingText} from './standing-text.ts'

/** Shows a job while it runs: a bar in a terminal, a line now and then elsewhere. What it says stays. */
export interface Board extends Progress {
  show(standing: Standing): void
  /** Nothing more is shown. */
  end(): void
}

/** A pipe gets a line no more often than this. */
const EVERY_MS = 10_000
/** Cells of the bar: it takes what the text leaves. */
const LONGEST_BAR = 24
const SHORTEST_BAR = 4

/** `title` says what the rows are if that is not plain. */
export function openBoard(stream: NodeJS.WriteStream, title?: string): Board {
  if (!movesCursor(stream)) return plainBoard(stream)
  const bar = openBar(stream, title === undefined ? '' : `${title} `)
  /** What the bar shows; undefined if there is none. */
  let shown: Standing | undefined
  const clear = () => {
    if (shown) bar.stop()
    shown = undefined
  }
  const show = (standing: Standing) => {
    if (!shown) bar.start(standing.total, standing.done, {standing})
    else bar.update(standing.done, {standing})
    shown = standing
  }
  return {
    show,
    say(text) {
      const before = shown
      // The bar remembers where it began, and its line is cleared there.
      clear()
      stream.write(`${wrap(safe(text), roomOf(stream))}\n`)
      if (before) show(before)
    },
    clear,
    end: clear,
  }
}

type Tell = (standing: Standing, news?: object) => Promise<void>

/** Each call shows on a board how far a job is, and tells it, with the news if there are any. */
export function openTicker(
  {time, quota, waiting}: Session,
  work: Measured,
  board: Board,
  stop: AbortSignal,
  tell: Tell = async () => {},
): (news?: object) => Promise<void> {
  const {counts, requestsEach} = work
  const read = openMeter({counts, requestsEach, ticks: time.ticks, quota, waiting})
  return (news) => {
    const standing = {...counts(), ...read()}
    // A job that was stopped does not do the rest.
    if (stop.aborted) standing.leftMs = null
    board.show(standing)
    return tell(standing, news)
  }
}

const TICK_MS = 250

/** Keeps a board up to date until that is ended. */
export function follow(board: Board, tick: () => unknown) {
  const timer = setInterval(tick, TICK_MS)
  void tick()
  return {
    show: () => void tick(),
    end() {
      clearInterval(timer)
      board.end()
    },
  }
}

function openBar(stream: NodeJS.WriteStream, head: string) {
  return new cliProgress.SingleBar({
    stream,
    format(options, {progress}, {standing}) {
      // Within the terminal: a wrapped line could not be taken back.
      const room = roomOf(stream) - 1 - width(head)
      const text = standingText(standing as Standing, room - SHORTEST_BAR - 1)
      const barsize = Math.max(SHORTEST_BAR, Math.min(LONGEST_BAR, room - width(text) - 1))
      return head + cut(`${cliProgress.Format.BarFormat(progress, {...options, barsize})} ${text}`, room)
    },
    barsize: LONGEST_BAR,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
    linewrap: null,
    // Ctrl-C is ours: the bar must not end the program.
    gracefulExit: false,
    fps: 5,
  })
}

function plainBoard(stream: NodeJS.WriteStream): Board {
  let shownAt = 0
  let last: Standing | undefined
  let written: string | undefined
  const say = (text: string) => void stream.write(`${safe(text)}\n`)
  const write = (standing: Standing) => {
    const text = standingText(standing)
    if (text !== written) say(text)
    written = text
  }
  return {
    show(standing) {
      last = standing
      if (standing.elapsedMs - shownAt < EVERY_MS) return
      shownAt = standing.elapsedMs
      write(standing)
    },
    say,
    clear: () => {},
    end() {
      if (last !== undefined) write({...last, leftMs: null, waiting: null, quota: null})
    },
  }
}
