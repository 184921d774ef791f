import {expect} from 'vitest'
import {drawn, plain, type Seen} from '../support/pty.ts'
import type {Ran} from '../support/scent.ts'
import type {Screen} from './screens.ts'

/** Holds what a terminal showed against what must stand there, and against the same in a pipe, if that is given. */
export function expectScreen(screen: Screen, seen: Seen, columns: number, piped?: Ran): void {
  const {lines, broken} = drawn(seen.text, columns)
  const page = lines.join('\n')
  const said = plain(seen.text)
  // Yellow and cyan can't be read on a light terminal.
  expect(seen.text).not.toMatch(/\u001b\[(?:\d+;)*[39][36]m/)
  expect(said).not.toMatch(/bug in scent|\n\s+at .*:\d+:\d+|never asked/)
  expect(seen.code, said).toBe(piped?.code ?? 0)
  const typed = (screen.asks ?? []).flatMap(([, keys]) => String(keys).match(/[\w+-]{2,}/g) ?? [])
  expect(
    typed.filter((word) => !lines.some((line) => line.includes(word))),
    page,
  ).toEqual([])
  if (!screen.isForPrograms) expect(broken, page).toEqual([])
  const words = piped && !screen.isForPrograms && !screen.differsInPipe ? wordsOf(piped, page) : []
  const facts = [...screen.holds, ...words, ...((columns >= 80 && screen.wide) || [])]
  expect(
    facts.filter((fact) => !dense(page).includes(dense(fact))),
    page,
  ).toEqual([])
}

/** A text without what is added where a line is broken: blanks, and the backslash of a command. */
const dense = (text: string) => text.replace(/ \\\n|\s+/g, '')

/** Cells that a terminal shows in another way, or that differ on each stage: numbers, times, ids, yes and no. */
const OTHERWISE =
  /^(true|false|[A-Z]{3}|[^A-Za-z]*|\d{4}-\d\d-\d\dT.*|.*[\da-f]{12}.*|\d{8}-\d{6}-.*|.*(127\.0\.0\.1:|\/tmp\/|whsec_).*)$/

/** The words that the pipe shows and a terminal must as well, unless it says that it hides columns. */
function wordsOf({stdout}: Ran, page: string): string[] {
  if (/columns? hidden/.test(page)) return []
  const rows = stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')]))
  // A card has a name before each value, which a terminal words in another way.
  const isCard = rows.every(({length}) => length === 2)
  const cells = rows.flatMap((row) => (isCard ? row.slice(1) : row))
  return [...new Set(cells)].filter((cell) => !OTHERWISE.test(cell))
}
