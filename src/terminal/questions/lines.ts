import {createInterface} from 'node:readline/promises'
import {Failure} from '../../contract/failure.ts'
import {span} from '../cells.ts'
import {roomOf, safe, wrap} from '../text.ts'
import {type Decision, decisionOf} from './countdown.ts'

// Questions for somebody who has each line read out, or whose terminal can't move its cursor: plain lines, one below the
// other, and answers that end with Enter.

const EVERY_MS = 1_000

/** Writes lines for a person, wrapped at words. */
export function sayLines(...lines: string[]): void {
  const room = roomOf(process.stderr)
  process.stderr.write(lines.map((line) => `${wrap(safe(line), room)}\n`).join(''))
}

/** Reads the line that answers a question; undefined once the question is over. Fails with INTERRUPTED at the end of stdin. */
export async function askLine(question: string): Promise<string>
export async function askLine(question: string, isOver: () => boolean): Promise<string | undefined>
export async function askLine(question: string, isOver = () => false): Promise<string | undefined> {
  const lines = wrap(safe(question), roomOf(process.stderr) - 1).split('\n')
  const last = lines.pop()
  sayLines(...lines)
  const input = createInterface({input: process.stdin, output: process.stderr, terminal: false})
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      timer = setInterval(() => {
        if (!isOver()) return
        sayLines('')
        resolve(undefined)
      }, EVERY_MS)
      input.question(`${last} `).then(resolve, reject)
      input.once('close', () => reject(new Failure('INTERRUPTED')))
    })
  } finally {
    clearInterval(timer)
    input.close()
  }
}

/** Reads a line of which nothing is shown. Fails with INTERRUPTED at Ctrl-C and at the end of stdin. */
export async function askHidden(question: string): Promise<string> {
  const {stdin} = process
  const lines = wrap(safe(`${question} (what is typed is not shown)`), roomOf(process.stderr) - 1)
  // Before anything is asked: a terminal in its usual mode shows each key.
  stdin.setRawMode(true)
  process.stderr.write(`${lines} `)
  let heard = (_: Buffer) => {}
  let gone = () => {}
  try {
    return await new Promise<string>((resolve, reject) => {
      let typed = ''
      gone = () => reject(new Failure('INTERRUPTED'))
      heard = (keys) => {
        for (const key of keys.toString('utf8').replace(MOVES, '')) {
          if (key === '\r' || key === '\n') return resolve(typed)
          if (key === '\u0003' || key === '\u0004') return gone()
          if (key === '\u0015') typed = ''
          else if (key === '\u007f' || key === '\b') typed = [...typed].slice(0, -1).join('')
          else if (key >= ' ') typed += key
        }
      }
      stdin.on('data', heard).on('end', gone)
    })
  } finally {
    stdin.off('data', heard).off('end', gone)
    stdin.pause()
    stdin.setRawMode(false)
    sayLines('')
  }
}

/** What arrow keys and their like send. */
const MOVES = /\u001b(?:\[[\d;]*[ -/]*[@-~]|O[A-Z])/g

/** Any text; Enter alone is the one that is offered. */
export async function askText({
  message,
  initial,
  check,
}: {
  message: string
  initial?: string
  check?(answer: string): string | undefined | Promise<string | undefined>
}): Promise<string> {
  for (;;) {
    const typed = (await askLine(`${message}${initial === undefined ? '' : ` (${initial})`}`)).trim()
    const answer = typed === '' ? (initial ?? '') : typed
    const problem = await check?.(answer)
    if (problem === undefined) return answer
    sayLines(problem)
  }
}

/** One of several, by its number, or by its key if it has one. Nothing is preselected, but what is offered. */
export async function askNumber<T>(
  message: string,
  choices: readonly {name: string; value: T; key?: string}[],
  {initial, isOver}: {initial?: T | undefined; isOver?: () => boolean} = {},
): Promise<T | undefined> {
  sayLines(...choices.map(({name}, at) => `${at + 1}. ${name}`))
  const usual = initial === undefined ? -1 : choices.findIndex(({value}) => value === initial)
  const offered = usual < 0 ? '' : `; Enter alone is ${usual + 1}`
  for (;;) {
    const line = await askLine(`${message} (1 to ${choices.length}${offered})`, isOver ?? (() => false))
    if (line === undefined) return undefined
    const typed = line.trim().toLowerCase()
    const choice = choices.find(({key}) => key === typed) ?? choices[typed === '' ? usual : Number(typed) - 1]
    if (choice) return choice.value
    sayLines(`Type a number from 1 to ${choices.length}, and Enter.`)
  }
}

/** Yes, no, or something else first; ends by itself when the time has run out, which is told once. The default is no. */
export async function askDecision(message: string, left: () => number | null): Promise<Decision> {
  const ms = left()
  const clock = ms === null ? '' : `prices held for ${span(ms)} · `
  const answer = await askLine(`${message} ${clock}(y/N, c to change)`, () => (left() ?? 1) <= 0)
  if (answer !== undefined) return decisionOf(answer)
  sayLines('The prices ran out.')
  return 'expired'
}
