/**
 * A page of a list. `ends` adds hasPrevious and hasNext, which the spec shows on some lists only (G12); a page past
 * the end is empty, an empty list has no pages (G13). Each page is read afresh: rows that arrive between two pages
 * move the others (G22). Where the order leaves a tie, the id decides (G21).
 */
export function pageOf<Item>(
  {page, pageSize}: {page: number; pageSize: number},
  totalCount: number,
  {ends}: {ends: boolean},
  read: (limit: number, offset: number) => Item[],
): {items: Item[]; pagination: object} {
  const totalPages = Math.ceil(totalCount / pageSize)
  const bounds = ends ? {hasPrevious: page > 1, hasNext: page < totalPages} : {}
  const items = page > totalPages ? [] : read(pageSize, (page - 1) * pageSize)
  return {items, pagination: {page, pageSize, totalCount, totalPages, ...bounds}}
}
