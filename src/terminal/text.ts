import stringWidth from 'string-width'
import {writtenOut} from '../contract/forms.ts'

/**
 * Makes text from outside safe for a terminal: what would act on it is written out, so that the text is one line and has
 * no effect but its letters. Takes anything: a field that the contract calls text may hold something else.
 */
export const safe = (text: unknown): string => writtenOut(String(text))

const PLAIN = /^[\x20-\x7e]*$/

/** Marks on the letter before them, such as the vowels of Arabic, which the library takes for letters. It knows those of Latin. */
const MARKS = /(?![\u0300-\u036f\ufe00-\ufe0f])[\p{Mn}\p{Me}]/gu

/** Cells of a terminal that `text` takes. */
export function width(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text.replace(MARKS, ''))
}

/** How many more cells the library counts for `text`, or for its worst line. */
export const overcounted = (text: string): number =>
  PLAIN.test(text) ? 0 : Math.max(...text.split('\n').map((line) => line.match(MARKS)?.length ?? 0))

/** The most cells that are read with ease in one line of prose. */
const READABLE = 110

/** Cells of a line on `stream`: a pipe takes any. */
export function roomOf(stream: {isTTY?: boolean; columns?: number}): number {
  return stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY
}

/** A command to type, between backticks, or a word. */
const UNITS = /(?:[^\s`]*`[^`]*`)+[^\s`]*|\S+/g

/** Breaks sentences for a person: as `wrap`, but in a wide terminal its lines end where a page would, except for commands. */
export const wrapProse = (text: string, room: number, hang = 0): string =>
  wrap(text, room, hang, room === Number.POSITIVE_INFINITY ? room : Math.min(room, READABLE))

/**
 * Breaks `text` between words into lines of at most `room` cells. It keeps its indent; the lines after the first are
 * indented by `hang`. A command between backticks stays whole if it fits into a line, else each of its lines can be copied
 * with the next. A word is broken if it does not fit. With `most`, lines end there unless a command or a long word needs more.
 */
export function wrap(text: string, room: number, hang = 0, most = room): string {
  if (width(text) <= most) return text
  const lines: string[] = []
  let line = /^ */.exec(text)?.[0] ?? ''
  let isEmpty = true
  const begin = (indent = hang) => {
    lines.push(line)
    line = ' '.repeat(indent)
    isEmpty = true
  }
  const fits = (unit: string) =>
    width(line) + (isEmpty ? 0 : 1) + width(unit) <= (isEmpty || unit.includes('`') ? room : most)
  const indent = Math.max(hang, width(line))
  for (const [unit] of text.matchAll(UNITS)) {
    const isCommand = unit.includes('`')
    if (!isEmpty && !fits(unit)) begin(isCommand && width(unit) <= room ? indentFor(unit, room, hang) : hang)
    const parts = fits(unit)
      ? [unit]
      : isCommand
        ? commandLines(unit, room, {start: line, hang: hang + 2})
        : partsOf(unit, room - indent)
    for (const [at, part] of parts.entries()) {
      if (at > 0) begin()
      // Those of a command have their indent.
      line = parts.length > 1 && isCommand ? part : `${line}${isEmpty ? '' : ' '}${part}`
      isEmpty = false
    }
  }
  return [...lines, line].join('\n')
}

/** As much of an indent as leaves `room` for a text. */
const indentFor = (text: string, room: number, indent: number) =>
  Math.max(0, Math.min(indent, room - width(text)))

/** Words of a command: what stands in quotes belongs to its word. */
const WORDS = /(?:\\.|"[^"]*"|'[^']*'|\S)+/g

/**
 * A command for a shell on lines of at most `room` cells: each but the last ends with a backslash, so that they are one
 * command when they are copied. The first begins with `start`, the others are indented by `hang` where that leaves room. A
 * word that needs more room goes on at the very beginning of the next line, unless `isIndented` says that there is none.
 */
export function commandLines(
  command: string,
  room: number,
  {start = '', hang = 4, isIndented = false} = {},
): string[] {
  const lines: string[] = []
  let line = start
  let isEmpty = true
  const words: string[] = command.match(WORDS) ?? []
  for (const [at, word] of words.entries()) {
    const end = at < words.length - 1 ? ' \\' : ''
    if (!isEmpty && width(`${line} ${word}${end}`) > room) {
      lines.push(`${line} \\`)
      line = ' '.repeat(indentFor(`${word}${end}`, room, hang))
      isEmpty = true
    }
    line += isEmpty ? word : ` ${word}`
    isEmpty = false
    if (width(line + end) > room && !isIndented) {
      const parts = joinedByShell(partsOf(line, room - 4))
      line = parts.pop() ?? ''
      lines.push(...parts)
    }
  }
  return [...lines, line]
}

/** Parts of a word of a command, on lines that are one word: the backslash stands outside of quotes. */
function joinedByShell(parts: string[]): string[] {
  let before = ''
  return parts.map((part, at) => {
    const begins = isQuoteOpen(before) ? "'" : ''
    before += part
    const ends = at < parts.length - 1 ? (isQuoteOpen(before) ? "'\\" : '\\') : ''
    return begins + part + ends
  })
}

const isQuoteOpen = (text: string) => text.replace(/\\'|'[^']*'/g, '').includes("'")

/** A word in parts of at most `room` cells: a list breaks after a comma, anything else where the room ends. */
function partsOf(word: string, room: number): string[] {
  const parts = ['']
  for (const piece of word.split(/(?<=,)/)) {
    for (const segment of width(piece) <= room ? [piece] : graphemes(piece)) {
      const last = parts.pop() ?? ''
      if (last !== '' && width(last) + width(segment) > room) parts.push(last, segment)
      else parts.push(last + segment)
    }
  }
  return parts
}

const graphemes = (text: string) => Array.from(new Intl.Segmenter().segment(text), ({segment}) => segment)

/** `text` in at most `room` cells of a terminal, its cut end shown as an ellipsis. */
export function cut(text: string, room: number): string {
  if (width(text) <= room) return text
  let kept = ''
  let used = 0
  for (const {segment} of new Intl.Segmenter().segment(text)) {
    used += width(segment)
    if (used > room - 1) break
    kept += segment
  }
  return `${kept}…`
}

export function pad(text: string, room: number, align: 'left' | 'right' = 'left'): string {
  const blank = ' '.repeat(Math.max(0, room - width(text)))
  return align === 'left' ? text + blank : blank + text
}

export type Tone = 'good' | 'warn' | 'bad' | 'dim' | 'bold'

// Neither yellow nor cyan, which nobody can read on white: the words say it as well.
const codes: Record<Tone, [number, number]> = {
  good: [32, 39],
  warn: [1, 22],
  bad: [31, 39],
  dim: [2, 22],
  bold: [1, 22],
}

export type Paint = (text: string, tone: Tone) => string

export const noPaint: Paint = (text) => text

/** Whether `stream` shows colours: NO_COLOR and FORCE_COLOR decide, else a terminal that is not dumb. */
export function isColoured(stream: {isTTY?: boolean}, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return !['0', 'false'].includes(env.FORCE_COLOR)
  return stream.isTTY === true && env.TERM !== 'dumb'
}

export function paintFor(stream: {isTTY?: boolean}, env?: NodeJS.ProcessEnv): Paint {
  if (!isColoured(stream, env)) return noPaint
  return (text, tone) => `\u001b[${codes[tone][0]}m${text}\u001b[${codes[tone][1]}m`
}

/** A number of things, such as `1 order` and `2 orders`. */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
