import {spawn} from 'node:child_process'
import stringWidth from 'string-width'
import {command as program, quiet} from './scent.ts'

export interface Seen {
  code: number | null
  /** All that was printed, stdout and stderr as they came, with \n for each line end. */
  text: string
}

/** What is typed, or done without typing, as soon as the terminal shows a text: `['(y/N)', 'y\r']`. */
export type Answer = [question: string, typed: string | (() => void)]

interface Size {
  columns: number
  rows?: number
  /** Each is typed once its question stands behind the answer before. */
  answers?: Answer[]
}

/** A program in a terminal that never comes to its end, or never asks what it should, is killed after this. */
const PATIENCE_MS = 120_000

/**
 * Runs the built program in a terminal of so many columns, of exactly this environment, until it ends. What it prints
 * is not drawn: escape sequences are still in the text.
 */
export function inTerminal(
  env: NodeJS.ProcessEnv,
  argv: string[],
  {columns, rows = 24, answers = []}: Size,
): Promise<Seen> {
  const line = ['exec', ...program(), ...argv].map(quoted).join(' ')
  const command = `stty cols ${columns} rows ${rows} -opost; ${line}`
  return new Promise((resolve, reject) => {
    // From util-linux, which every Linux has: a terminal of its own, and the exit code of what ran in it.
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      env: {TERM: 'xterm-256color', ...quiet, ...env},
      stdio: [answers.length > 0 ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
    let text = ''
    let answered = 0
    let from = 0
    const answer = () => {
      const [question, typed] = answers[answered] ?? []
      if (question === undefined || !oneLine(text.slice(from)).includes(oneLine(question))) return
      from = text.length
      answered += 1
      if (typeof typed === 'function') typed()
      else child.stdin?.write(typed)
    }
    for (const out of [child.stdout, child.stderr])
      out?.setEncoding('utf8').on('data', (part: string) => {
        text += part
        answer()
      })
    child.stdin?.on('error', () => {})
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      const unasked = answers[answered]?.[0]
      if (unasked !== undefined) text += `\nnever asked: ${unasked}`
      resolve({code, text: text.replaceAll('\r\n', '\n')})
    })
  })
}

/** The text without colours and other escape sequences. */
export function plain(text: string): string {
  return text.replace(ESCAPE, '')
}

/** The words of a text, wherever its lines end: to look for a sentence that may be wrapped, and commands as a shell takes them. */
export function oneLine(text: string): string {
  return plain(text)
    .replace(/\\\r?\n/g, '')
    .replace(/\s+/g, ' ')
}

const ESCAPE = /\u001b\[[0-9;?]*[ -/]*[@-~]/g
const TOKENS = /\u001b\[([0-9;?]*)[ -/]*([@-~])|([\r\n\b])|[^\u001b\r\n\b]+/g

export interface Page {
  /** What stands in the terminal at the end, with all that has scrolled out of it, without spaces at the ends. */
  lines: string[]
  /** Lines that the terminal itself had to break, since they were wider than it is. */
  broken: string[]
}

/** A cell of a terminal: what stands in it, and the colours and weights that it is drawn in, as their SGR numbers. */
export interface Glyph {
  char: string
  styles: readonly number[]
}

/** What stands in the terminal at the end, without styles. */
export function drawn(text: string, columns: number): Page {
  const {rows, overflows} = drawGlyphs(text, columns)
  const lines = rows.map((line) =>
    line
      .map(({char}) => char)
      .join('')
      .trimEnd(),
  )
  return {lines, broken: [...overflows].map((at) => `${lines[at]}${lines[at + 1] ?? ''}`)}
}

/** What ends a style, and which ones it ends. */
const ENDS: {[end: number]: (style: number) => boolean} = {
  0: () => true,
  22: (style) => style === 1 || style === 2,
  23: (style) => style === 3,
  24: (style) => style === 4,
  27: (style) => style === 7,
  39: (style) => (style >= 30 && style < 38) || (style >= 90 && style < 98),
}

/** Draws what a program printed as a terminal does: lines that are written over, cursor movements, breaks at the edge. */
export function drawGlyphs(text: string, columns: number): {rows: Glyph[][]; overflows: Set<number>} {
  const rows: Glyph[][] = [[]]
  let styles: readonly number[] = []
  const overflows = new Set<number>()
  let row = 0
  let column = 0
  const down = (by: number) => {
    row = Math.max(0, row + by)
    while (rows.length <= row) rows.push([])
  }
  const put = (char: string) => {
    const room = stringWidth(char)
    if (column + room > columns) {
      overflows.add(row)
      down(1)
      column = 0
    }
    const line = rows[row] ?? []
    while (line.length < column) line.push({char: ' ', styles: []})
    const rest = Array<Glyph>(Math.max(0, room - 1)).fill({char: '', styles})
    line.splice(column, room, {char, styles}, ...rest)
    column += room
  }
  const control = (name: string, by: number | undefined, all: string) => {
    if (name === 'm')
      for (const style of all.split(';').map(Number)) {
        const ends = ENDS[style]
        styles = ends ? styles.filter((one) => !ends(one)) : [...styles, style]
      }
    if (name === 'A') down(-(by ?? 1))
    if (name === 'B') down(by ?? 1)
    if (name === 'C') column = Math.min(columns - 1, column + (by ?? 1))
    if (name === 'D') column = Math.max(0, column - (by ?? 1))
    if (name === 'G') column = Math.min(columns, by ?? 1) - 1
    if (name === 'K') rows[row] = by === 2 ? [] : (rows[row] ?? []).slice(0, column)
    if (name === 'J') rows.splice(row, rows.length, (rows[row] ?? []).slice(0, column))
  }
  for (const [all, parameter, name, key] of text.matchAll(TOKENS)) {
    if (name !== undefined)
      control(name, parameter ? Number.parseInt(parameter, 10) : undefined, parameter ?? '')
    else if (key === '\b') column = Math.max(0, column - 1)
    else if (key !== undefined) {
      column = 0
      if (key === '\n') down(1)
    } else for (const {segment} of new Intl.Segmenter().segment(all)) put(segment)
  }
  return {rows, overflows}
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
