import {accessSync, constants, createWriteStream, existsSync} from 'node:fs'
import {dirname} from 'node:path'
import {Failure} from '../contract/failure.ts'
import type {Ask} from '../terminal/ask.ts'
import type {Cell} from '../terminal/cells.ts'
import type {Interrupts} from '../terminal/interrupts.ts'
import {Outlet} from '../terminal/output.ts'
import {showCsv} from '../terminal/show.ts'
import type {View} from '../terminal/table.ts'
import {safe} from '../terminal/text.ts'

/** Where a job shows itself, and asks: the command that runs it. */
export interface JobScreen {
  show(...views: View[]): void
  /** A view for a person, on stderr. */
  screen(view: View): Promise<void>
  finding(failure: Failure): void
  note(text: string): void
  /** Adds a hint at the end, in a terminal only. */
  aside(text: string): void
  /** Writes a result at once, if results are written as they come. */
  event(document: object): Promise<void>
  ask(): Promise<Ask>
  readonly inTerminal: boolean
  readonly streams: boolean
  readonly interrupts: Interrupts
  /** Does it when all is said. */
  atEnd(work: () => Promise<void>): void
}

/** Refused rows, as a file to correct and import again. */
export interface Refusals {
  columns: readonly string[]
  rows: Iterable<object>
}

/** Fails with INVALID_INPUT if there is such a file already: it may be the one that was imported. */
export function requireNew(path: string): void {
  requireFolder(path)
  if (!existsSync(path)) return
  throw new Failure('INVALID_INPUT', {
    message: `${JSON.stringify(path)} exists already, and is not overwritten.`,
    hint: 'Give --refused the name of a new file.',
  })
}

/** What can't be written is known before a job runs for it. */
function requireFolder(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK)
  } catch (error) {
    throw new Failure('INVALID_INPUT', {
      message: `${JSON.stringify(path)} can't be written (${(error as NodeJS.ErrnoException).code}).`,
      hint: 'Give --refused a file in a folder that can be written to.',
    })
  }
}

/** Writes refused rows as CSV. Returns what was done, in a sentence. */
export async function writeRefused(path: string, {columns: names, rows}: Refusals): Promise<string> {
  const list = rows[Symbol.iterator]()
  const first = list.next()
  if (first.done) return `Nothing was refused; ${path} was not written.`
  const out = new Outlet(createWriteStream(path, {flags: 'wx', mode: 0o600}))
  const all = (function* () {
    yield first.value
    yield* {[Symbol.iterator]: () => list}
  })()
  // What the file said comes back letter for letter; a problem may quote the service.
  const cellOf = (row: Record<string, Cell>, key: string) =>
    key === 'problem' ? safe(row.problem) : row[key]
  const columns = names.map((key) => ({
    key,
    header: key,
    get: (row: Record<string, Cell>) => cellOf(row, key),
  }))
  await showCsv(out, {rows: all}, columns, String)
  await new Promise<void>((done) => out.stream.end(done))
  if (out.problem)
    throw new Failure('FILE_FAILED', {message: `${path} could not be written (${out.problem.code}).`})
  return `The refused rows are in ${path}: correct them there, and import that file.`
}
