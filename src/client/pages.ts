import {Failure} from '../contract/failure.ts'
import {printJson} from '../contract/money.ts'
import type {Input, Operation, Payload} from '../contract/operation.ts'
import {pageSizeLimit} from '../contract/paging.ts'
import type {CallOptions, Client} from './client.ts'

/** What a list holds. */
export type Item<O extends Operation> = Payload<O> extends {items: readonly (infer I)[]} ? I : never

interface Page {
  items: unknown[]
  pagination?: {page?: number; pageSize?: number; totalPages?: number; totalCount?: number; hasNext?: boolean}
}

/**
 * Follows a list page by page, one page in memory. It ends at an empty page, or where hasNext, totalPages or, where
 * a list tells neither, a page that is not full says so. A page that comes twice is an ODD_ANSWER, not an endless
 * list.
 */
export async function* followPages<O extends Operation>(
  client: Client,
  operation: O,
  input: Input<O>,
  {limit = Number.POSITIVE_INFINITY, ...options}: CallOptions & {limit?: number},
): AsyncGenerator<Item<O>> {
  const query = (input as {query?: Record<string, unknown>}).query ?? {}
  const pageSize = Number(query.pageSize ?? Math.min(limit, pageSizeLimit.maximum))
  let left = limit
  let before = ''
  for (let page = Number(query.page ?? 1); left > 0; page += 1) {
    const asked = {...input, query: {...query, page, pageSize}} as Input<O>
    const {items, pagination} = (await client.call(operation, asked, options)) as unknown as Page
    if (items.length === 0) return
    const text = printJson([items.length, items[0], items.at(-1)], 0)
    const echoed = pagination?.page
    if (text === before || (typeof echoed === 'number' && echoed !== page)) throw samePage(operation, page)
    before = text
    for (const item of items.slice(0, left)) yield item as Item<O>
    left -= items.length
    if (isLast(page, pageSize, items.length, pagination)) return
  }
}

function isLast(page: number, pageSize: number, count: number, pagination: Page['pagination']): boolean {
  if (typeof pagination?.hasNext === 'boolean') return !pagination.hasNext
  if (typeof pagination?.totalPages === 'number') return page >= pagination.totalPages
  return count < pageSize
}

function samePage(operation: Operation, page: number): Failure {
  const message = `The service answered page ${page} with another page than the one asked for.`
  return new Failure('ODD_ANSWER', {
    message,
    request: `${operation.method} ${operation.path}`,
    effect: 'none',
  })
}
