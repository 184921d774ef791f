import type {JSValue} from 'node-sqlite3-wasm'
import {count} from '../core/rows.ts'
import type {World} from '../core/world.ts'

interface Paged {
  page: number
  pageSize: number
}

/**
 * A page of a list. `ends` adds hasPrevious and hasNext, which the spec shows on some lists only (G12); a page past
 * the end is empty, an empty list has no pages (G13). Each page is read afresh: rows that arrive between two pages
 * move the others (G22). If the order leaves a tie, the id decides (G21).
 */
export function pageOf<Item>(
  {page, pageSize}: Paged,
  totalCount: number,
  {ends}: {ends: boolean},
  read: (limit: number, offset: number) => Item[],
): {items: Item[]; pagination: object} {
  const totalPages = Math.ceil(totalCount / pageSize)
  const bounds = ends ? {hasPrevious: page > 1, hasNext: page < totalPages} : {}
  const items = page > totalPages ? [] : read(pageSize, (page - 1) * pageSize)
  return {items, pagination: {page, pageSize, totalCount, totalPages, ...bounds}}
}

/** Rows to page through: `columns`, a FROM clause with its `values`, and the order, all SQL. */
interface Source {
  columns?: string
  from: string
  values: JSValue[]
  order: string
  ends?: boolean
}

/** The page of a query over rows of the database. */
export function pageOfRows<Row>(
  {world, query}: {world: World; query: Paged},
  {columns = '*', from, values, order, ends = false}: Source,
  show: (row: Row) => object,
): {items: object[]; pagination: object} {
  const sql = `SELECT ${columns} ${from} ORDER BY ${order} LIMIT ? OFFSET ?`
  return pageOf(query, count(world, from, ...values), {ends}, (limit, offset) =>
    world.all<Row>(sql, ...values, limit, offset).map(show),
  )
}
