import type {Writable} from 'node:stream'
import {isDigits, printJson} from '../contract/money.ts'
import type {Rows} from './table.ts'

export const modes = ['table', 'json', 'ndjson', 'csv'] as const
export type Mode = (typeof modes)[number]

/** A list as a document; its rows may still be on their way. */
export interface Listing {
  items: Rows
  pagination?: unknown
}

/** A document whose rows have all come. */
export async function collected(document: unknown): Promise<unknown> {
  if (!holdsRows(document)) return document
  const entries: [string, unknown][] = []
  for (const [name, value] of Object.entries(document))
    entries.push([name, isRows(value) ? await all(value) : value])
  return Object.fromEntries(entries)
}

async function all<Row>(rows: Rows<Row>): Promise<Row[]> {
  const list: Row[] = []
  for await (const row of rows) list.push(row)
  return list
}

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isAwaited = (value: unknown) => isObject(value) && Symbol.asyncIterator in value
export const isRows = (value: unknown): value is Rows =>
  isAwaited(value) || (isObject(value) && !Array.isArray(value) && Symbol.iterator in value)

const holdsRows = (value: unknown): value is object =>
  isObject(value) &&
  !Array.isArray(value) &&
  Object.values(value).some((inner) => isRows(inner) || holdsRows(inner))

/** Rows that are written at a time, and characters from which on fewer are. */
export const BATCH = 200
const LONG = 1024 * 1024

/** The texts of rows as they come, some at a time: to write each by itself takes long. */
export async function* batches<Row>(
  rows: Rows<Row>,
  textOf: (row: Row) => string,
  size = BATCH,
): AsyncGenerator<string[]> {
  let batch: string[] = []
  let chars = 0
  for await (const row of rows) {
    const text = textOf(row)
    batch.push(text)
    chars += text.length
    if (batch.length < size && chars < LONG) continue
    yield batch
    batch = []
    chars = 0
  }
  if (batch.length > 0) yield batch
}

/** An escape of JSON: of a character of two halves, of half a one, or another. */
const ESCAPES = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|u(d[89a-f][\da-f]{2})|.)/g

/** JSON for any program: half a character, which many refuse, is written out as in a terminal. */
export function jsonText(value: unknown, indent?: number): string {
  const text = printJson(value, indent)
  if (!text.includes('\\ud')) return text
  return text.replace(ESCAPES, (all, half?: string) => (half ? `\\\\u{${half}}` : all))
}

/** The JSON of a document piece by piece, as jsonText() would print it: one batch of rows in memory at a time. */
async function* jsonTexts(value: unknown, indent = ''): AsyncGenerator<string> {
  if (isRows(value)) yield* listTexts(value, indent)
  else if (!holdsRows(value)) yield indented(value, indent)
  else {
    let between = '{'
    for (const [name, inner] of Object.entries(value)) {
      if (inner === undefined) continue
      yield `${between}\n${indent}  ${jsonText(name)}: `
      between = ','
      yield* jsonTexts(inner, `${indent}  `)
    }
    yield `\n${indent}}`
  }
}

async function* listTexts(rows: Rows, indent: string): AsyncGenerator<string> {
  let between = '['
  const textOf = (row: unknown) => `\n${indent}  ${indented(row, `${indent}  `)}`
  for await (const batch of batches(rows, textOf)) {
    yield between + batch.join(',')
    between = ','
  }
  yield between === '[' ? '[]' : `\n${indent}]`
}

function indented(value: unknown, indent: string): string {
  const text = jsonText(value)
  return indent === '' ? text : text.replaceAll('\n', `\n${indent}`)
}

/**
 * Prints a document, as far as anybody reads it; `shown` is how its text is written. A list whose rows are on their way
 * is printed once all have come: a failure among them is all that is printed then. They are kept as texts, which take a
 * third of what they take as objects.
 */
export async function printDocument(
  out: Outlet,
  document: unknown,
  shown: (text: string) => string = String,
): Promise<void> {
  const texts = jsonTexts(document)
  const isOnItsWay = isAwaited((document as Partial<Listing> | null | undefined)?.items)
  for await (const text of isOnItsWay ? await all(texts) : texts) {
    await out.write(shown(text))
    if (out.closed) return
  }
  await out.write('\n')
}

type Stream = Writable & {isTTY?: boolean; columns?: number}

/** A stream that ends quietly once its reader is gone, as `head` does. */
export class Outlet {
  readonly stream: Stream
  /** Whether anything was written to it. */
  begun = false
  closed = false
  /** Milliseconds of the clock that relative times are told by. */
  clock = Date.now
  /** The error after which nothing more can be written, if it is another than a reader that is gone. */
  problem: NodeJS.ErrnoException | undefined

  constructor(stream: Stream) {
    this.stream = stream
    // oclif's own listener throws what is not EPIPE from an event, where nothing can catch it.
    stream.removeAllListeners('error')
    stream.on('error', () => {})
  }

  /** Waits until the text has left, so that a long list takes no memory, and an error is known. */
  async write(text: string): Promise<void> {
    if (this.closed) return
    this.begun = true
    const error = await new Promise<NodeJS.ErrnoException | null | undefined>((done) => {
      this.stream.write(text, done)
    })
    if (!error) return
    this.closed = true
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') this.problem = error
  }
}

const RECORDS = 30

/**
 * As many rows of the local record as the flags ask for, and what a person is told of them; `what` says what they are,
 * such as `orders made from this machine`.
 */
export function firstOf<Row>(
  rows: Iterable<Row>,
  {all, limit = RECORDS}: {all?: boolean | undefined; limit?: number | undefined},
  what: string,
): {items: Iterable<Row>; told: string} {
  const whole = `Local record: ${what} under this profile.`
  if (all) return {items: rows, told: whole}
  const items: Row[] = []
  for (const row of rows) {
    if (items.length === limit)
      return {
        items,
        told: `${whole.slice(0, -1)}; these are the newest ${limit}, and --all shows all of them.`,
      }
    items.push(row)
  }
  return {items, told: whole}
}

/** What a person is told beside one page of a list: that it is past the end, or that there are more. */
export function placeOf(payload: unknown, page: number): {empty?: string; past?: string; more?: string} {
  const {pagination} = (payload ?? {}) as {pagination?: {totalPages?: unknown; totalCount?: unknown} | null}
  const {totalPages, totalCount} = pagination ?? {}
  const isCounted = isDigits(totalCount)
  if (!(Number(totalPages) > 0)) return {}
  if (page > Number(totalPages))
    return {
      empty: `Page ${page} is past the end.`,
      // In a pipe as well, where no rows would look like an empty list.
      past: `The last page is ${totalPages}. --all shows ${isCounted ? `the ${totalCount}` : 'all'} rows.`,
    }
  return Number(totalPages) > 1
    ? {
        more: `Page ${page} of ${totalPages}${isCounted ? `, ${totalCount} rows in all` : ''}; --all shows them.`,
      }
    : {}
}
