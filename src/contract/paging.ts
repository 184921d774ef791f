import * as z from 'zod/mini'
import {shown} from './wire.ts'

/** page and pageSize of every paged list (spec, Endpoints, Conventions). */
export const pageQuery = {page: {kind: 'page'}, pageSize: {kind: 'pageSize'}} as const

export const pageSizeLimit = {minimum: 1, maximum: 100, default: 20} as const

const pagination = z.looseObject({
  page: shown(z.int()),
  pageSize: shown(z.int()),
  totalCount: shown(z.int()),
  totalPages: shown(z.int()),
  // Shown on variants, wallet transactions, discount codes and webhook deliveries only.
  hasPrevious: shown(z.boolean()),
  hasNext: shown(z.boolean()),
})

/** The rows of a list: those of a page, or a bare array; undefined if the payload is not a list. */
export function itemsOf(payload: unknown): unknown[] | undefined {
  if (Array.isArray(payload)) return payload
  const {items} = (payload ?? {}) as {items?: unknown}
  return Array.isArray(items) ? items : undefined
}

/** A page of `item`, which must come as an array; its pagination is tolerated in any shape. */
export function pageOf<S extends z.ZodMiniType>(item: S) {
  return z.looseObject({items: z.array(item), pagination: shown(pagination)})
}
