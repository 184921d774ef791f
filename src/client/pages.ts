import {Failure} from '../contract/failure.ts'
import type {Operation, Payload} from '../contract/operation.ts'
import {itemsOf, pageSizeLimit} from '../contract/paging.ts'
import {openOverlap} from './overlap.ts'

/** A row of a list. */
export type Item<O extends Operation> = Payload<O> extends {items: readonly (infer I)[]} ? I : never

/** Where to begin in a list, how many rows to read at a time, and how many in all. */
export interface PageRange {
  page?: number
  pageSize?: number
  limit?: number
}

/** A list of the service, and how it is read. */
interface List {
  /** Method and path, to name it in a failure. */
  request: string
  read(page: number, pageSize: number): Promise<unknown>
  pageSize: number
}

interface Page {
  number: number
  items: unknown[]
  pagination: {page?: number; totalPages?: number; totalCount?: unknown; hasNext?: boolean}
  /** A bare array: the whole list. */
  whole: boolean
}

type Overlap = ReturnType<typeof openOverlap>

/**
 * Follows a list page by page, one page in memory. It ends at an empty page, or where hasNext or totalPages says so; if a list
 * has neither, at a page that is not full. Rows that arrive meanwhile repeat none that was read: see
 * openOverlap(). The window needs no end for it, and a clock of our own could cut off what is newest. A page that
 * comes again without arrivals that explain it is an ODD_ANSWER, not an endless list.
 */
export async function* followPages<I>(
  request: string,
  read: List['read'],
  {page: first = 1, pageSize, limit = Number.POSITIVE_INFINITY}: PageRange,
): AsyncGenerator<I> {
  const list = {request, read, pageSize: pageSize ?? Math.min(limit, pageSizeLimit.maximum)}
  const overlap = openOverlap()
  let left = limit
  for (let next = first; left > 0; ) {
    const page = await readPage(list, next)
    if (page.items.length === 0) return
    const {fresh, ...at} = await unreadOf(list, overlap, page)
    const rows = fresh.slice(0, left)
    if (rows.length === 0 && overlap.stuck(at.items.length)) throw samePage(list, at.number)
    yield* rows as I[]
    if (rows.length > 0) overlap.keep(rows)
    left -= rows.length
    if (isLast(at, list.pageSize)) return
    next = at.number + 1
  }
}

async function readPage(list: List, number: number): Promise<Page> {
  const answer = await list.read(number, list.pageSize)
  const items = itemsOf(answer)
  if (items === undefined) throw noList(list)
  const pagination = (answer as Partial<Page>).pagination ?? {}
  const {page = number} = pagination
  if (items.length > 0 && typeof page === 'number' && page !== number) throw samePage(list, number)
  return {number, items, pagination, whole: Array.isArray(answer)}
}

/** The rows of a page that were not read before, or those of the page that they have moved to. */
async function unreadOf(list: List, overlap: Overlap, page: Page): Promise<Page & {fresh: unknown[]}> {
  const grown = overlap.growth(page.pagination.totalCount)
  const known = overlap.known(page.items)
  if (grown === undefined) return {...page, fresh: overlap.unknown(page.items.slice(known))}
  const moved =
    known === 0 && overlap.outran(grown) ? await seek(list, overlap, page.number, grown) : undefined
  return moved ?? {...page, fresh: page.items.slice(known)}
}

/** The page that holds the last row that was read now, if rows have only arrived at the head of the list. */
async function seek(list: List, overlap: Overlap, from: number, arrived: number) {
  let grown = arrived
  for (let tries = 0, before = 0; tries < 5; tries += 1) {
    const number = from + Math.floor((grown - 1) / list.pageSize)
    if (number === before) return undefined
    before = number
    const page = await readPage(list, number)
    const known = overlap.afterLast(page.items)
    if (known > 0) return {...page, fresh: page.items.slice(known)}
    grown += overlap.growth(page.pagination.totalCount) ?? 0
  }
  return undefined
}

function isLast({number, items, pagination, whole}: Page, pageSize: number): boolean {
  if (whole) return true
  if (typeof pagination.hasNext === 'boolean') return !pagination.hasNext
  if (typeof pagination.totalPages === 'number') return number >= pagination.totalPages
  return items.length < pageSize
}

function samePage({request}: List, page: number): Failure {
  const message = `The service answered page ${page} with another page than the one asked for, or with one that came before.`
  return new Failure('ODD_ANSWER', {message, request, effect: 'none'})
}

function noList({request}: List): Failure {
  return new Failure('ODD_ANSWER', {
    message: 'The answer of the service is not a list.',
    hint: 'Ask without --paginate, --all or --limit: then it is printed as it is.',
    request,
    effect: 'none',
  })
}
