import cliProgress from 'cli-progress'
import {digits} from '../contract/money.ts'
import {moneyText, span} from '../terminal/cells.ts'
import type {Progress} from '../terminal/progress.ts'
import {cut, roomOf, safe, width, wrap} from '../terminal/text.ts'

/** How far a job is. */
export interface Standing {
  done: number
  total: number
  refused: number
  unknown: number
  /** What was charged so far; null where nothing is. */
  charged: string | null
  currency: string | null
  elapsedMs: number
  /** Rows a minute; null where that can't be told yet. */
  rate: number | null
  /** Milliseconds still to go; null where that can't be told. */
  leftMs: number | null
  /** What it waits for, and for how much longer. */
  waiting: {why: string; ms: number} | null
  /** How full the quota is; null where there is none. */
  quota: Quota | null
}

interface Quota {
  used: number
  limit: number
  /** Whether somebody else uses it too, so that less is left to us. */
  shared: boolean
}

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

/** `title` says what the rows are where that is not plain. */
export function openBoard(stream: NodeJS.WriteStream, title?: string): Board {
  if (!stream.isTTY || process.env.TERM === 'dumb') return plainBoard(stream)
  const bar = openBar(stream, title === undefined ? '' : `${title} `)
  /** What the bar shows; undefined where there is none. */
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

/** What matters most comes first. Parts for which there is no room are left out: a number that is cut is another one. */
export function standingText(standing: Standing, room = Number.POSITIVE_INFINITY): string {
  const {done, total, refused, unknown, charged, currency, rate, leftMs, quota} = standing
  const waiting = standing.waiting && standing.waiting.ms >= NOTICED_MS ? standing.waiting : null
  const parts = [
    ...(waiting === null ? [] : [waitText(waiting, quota)]),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(leftMs !== null && done < total ? [`${leftText(leftMs)} left`] : []),
    ...(quota === null || waiting?.why === 'quota'
      ? []
      : [`${nameOf(quota)} ${quota.used}/${quota.limit} used`]),
    ...(charged === null ? [] : [`${moneyText(digits(charged), currency)} charged`]),
    ...(rate === null ? [] : [`${rate} a minute`]),
  ]
  return parts.reduce((text, part) => {
    const longer = `${text}, ${part}`
    return width(longer) <= room ? longer : text
  }, `${done} of ${total}`)
}

/** Waits shorter than this pass without a word. */
const NOTICED_MS = 1_000

const waits: Record<string, string> = {
  'rate-limit': 'rate limited for',
  'token-quota': 'token quota used up for',
  retry: 'no answer, again in',
}

function waitText({why, ms}: {why: string; ms: number}, quota: Quota | null): string {
  const limit = quota?.shared ? ` of ${quota.limit}` : ''
  const text = why === 'quota' ? `${nameOf(quota)}${limit} used up for` : (waits[why] ?? why)
  return `${text} ${span(ms)}`
}

const nameOf = (quota: Quota | null) => (quota?.shared ? 'shared quota' : 'quota')

/** To the nearest minute, and never nothing. */
function leftText(ms: number): string {
  return span(ms < 60_000 ? Math.max(1_000, ms) : Math.round(ms / 60_000) * 60_000)
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
