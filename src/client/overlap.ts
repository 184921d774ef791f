import {isDigits, printJson} from '../contract/money.ts'

/** Rows remembered: 50 full pages, more than a credential's own quota lets arrive between two of them. */
const REMEMBERED = 5000

/** Pages without a new row that are read before giving up, in a list that does not tell its length. */
const PATIENCE = 3

/**
 * Aligns the pages of a list that grows while it is read. Rows arrive at the head of a list that is newest first, and
 * push what was read into the next page: it begins with rows that came before. A row is known by its id; one without
 * an id by all that it holds, which for a ledger entry includes its place in the chain of balances. Constant memory.
 */
export function openOverlap() {
  const recent = new Set<string>()
  let last: string | undefined
  let total: number | undefined
  /** Rows that arrived, and rows that came again, since a page had something new. */
  let arrived = 0
  let again = 0

  return {
    /** By how much the list has grown since the page before; undefined if it does not tell. */
    growth(totalCount: unknown): number | undefined {
      if (typeof totalCount !== 'number') return undefined
      const grown = total === undefined ? 0 : totalCount - total
      total = totalCount
      arrived += Math.max(0, grown)
      return grown
    },
    /** The place after the last row that was read; 0 if that is not among these. */
    afterLast: (items: unknown[]) => items.findLastIndex((item) => keyOf(item) === last) + 1,
    /** How many rows at the head of a page have come before. */
    known(items: unknown[]): number {
      const first = items.findIndex((item) => !recent.has(keyOf(item)))
      return first === -1 ? items.length : first
    },
    /** Without rows that have come before. */
    unknown: (items: unknown[]) => items.filter((item) => !recent.has(keyOf(item))),
    /** True if more rows may have arrived than are remembered, so that a page may lie before all of them. */
    outran: (grown: number) => recent.size > 0 && grown >= recent.size,
    /** True if a page without a new row is one more than arrivals can explain. */
    stuck(count: number): boolean {
      again += count
      return again > (total === undefined ? PATIENCE * count : arrived)
    },
    keep(items: unknown[]): void {
      arrived = 0
      again = 0
      for (const item of items) {
        last = keyOf(item)
        recent.delete(last)
        recent.add(last)
      }
      for (const key of recent) {
        if (recent.size <= REMEMBERED) break
        recent.delete(key)
      }
    },
  }
}

function keyOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item)
  const {id} = item as {id?: unknown}
  if (typeof id === 'string') return id
  const textOf = (value: unknown) =>
    typeof value === 'object' && value !== null && !isDigits(value) ? printJson(value, 0) : String(value)
  return Object.values(item).map(textOf).join('\n')
}
