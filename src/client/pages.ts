import {Failure} from '../contract/failure.ts'
import type {Input, Operation, Payload} from '../contract/operation.ts'
import {itemsOf, pageSizeLimit} from '../contract/paging.ts'
import type {CallOptions, Client} from './client.ts'
import {openOverlap} from './overlap.ts'

/** What a list holds. */
export type Item<O extends Operation> = Payload<O> extends {items: readonly (infer I)[]} ? I : never

interface Page {
  items: unknown[]
  /** A bare array: the whole list. */
  whole: boolean
  pagination?: {
    page?: number
    pageSize?: number
    totalPages?: number
    totalCount?: unknown
    hasNext?: boolean
  }
}

/**
 * Follows a list page by page, one page in memory. It ends at an empty page, or where hasNext, totalPages or, where
 * a list tells neither, a page that is not full says so. Rows that arrive meanwhile repeat none that was read: see
 * openOverlap(). The window needs no end for it, and a clock of our own could cut off what is newest. A page that
 * comes again without arrivals that explain it is an ODD_ANSWER, not an endless list.
 */
export async function* followPages<O extends Operation>(
  client: Client,
  operation: O,
  input: Input<O>,
  {limit = Number.POSITIVE_INFINITY, ...options}: CallOptions & {limit?: number},
): AsyncGenerator<Item<O>> {
  const query = (input as {query?: Record<string, unknown>}).query ?? {}
  const pageSize = Number(query.pageSize ?? Math.min(limit, pageSizeLimit.maximum))
  const overlap = openOverlap()
  const read = async (page: number) => {
    const asked = {...input, query: {...query, page, pageSize}} as Input<O>
    const answer: unknown = await client.call(operation, asked, options)
    const items = itemsOf(answer)
    if (items === undefined) throw noList(operation)
    const pagination = (answer as Partial<Page>).pagination
    const echoed = pagination?.page
    if (items.length > 0 && typeof echoed === 'number' && echoed !== page) throw samePage(operation, page)
    return {items, pagination, whole: Array.isArray(answer)}
  }
  /** The page in which the last row that was read stands now, if rows have only arrived at the head of the list. */
  const seek = async (from: number, grown: number) => {
    for (let tries = 0, moved = 0; tries < 5; tries += 1) {
      const page = from + Math.floor((grown - 1) / pageSize)
      if (page === moved) return undefined
      moved = page
      const {items, pagination} = await read(page)
      const known = overlap.afterLast(items)
      if (known > 0) return {page, items, pagination, known}
      grown += overlap.growth(pagination?.totalCount) ?? 0
    }
    return undefined
  }
  let left = limit
  for (let page = Number(query.page ?? 1); left > 0; page += 1) {
    let {items, pagination, whole} = await read(page)
    if (items.length === 0) return
    const grown = overlap.growth(pagination?.totalCount)
    let known = overlap.known(items)
    if (known === 0 && grown !== undefined && overlap.outran(grown)) {
      const found = await seek(page, grown)
      if (found) ({page, items, pagination, known} = found)
    }
    const after = items.slice(known)
    const fresh = (grown === undefined ? overlap.unknown(after) : after).slice(0, left)
    if (fresh.length === 0 && overlap.stuck(items.length)) throw samePage(operation, page)
    for (const item of fresh) yield item as Item<O>
    if (fresh.length > 0) overlap.keep(fresh)
    left -= fresh.length
    if (whole || isLast(page, pageSize, items.length, pagination)) return
  }
}

function isLast(page: number, pageSize: number, count: number, pagination: Page['pagination']): boolean {
  if (typeof pagination?.hasNext === 'boolean') return !pagination.hasNext
  if (typeof pagination?.totalPages === 'number') return page >= pagination.totalPages
  return count < pageSize
}

function samePage(operation: Operation, page: number): Failure {
  const message = `The service answered page ${page} with another page than the one asked for, or with one that came before.`
  return new Failure('ODD_ANSWER', {
    message,
    request: `${operation.method} ${operation.path}`,
    effect: 'none',
  })
}

function noList(operation: Operation): Failure {
  return new Failure('ODD_ANSWER', {
    message: 'The service answered something else than a list.',
    hint: 'Ask without --paginate, --all or --limit: then it is printed as it is.',
    request: `${operation.method} ${operation.path}`,
    effect: 'none',
  })
}
