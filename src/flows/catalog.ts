import type {Client} from '../client/client.ts'
import type {Query} from '../contract/operation.ts'
import {listVariants, type Variant} from '../contract/variants.ts'
import type {CachedVariant, Catalog, CatalogCache} from '../store/catalog.ts'

export type CatalogEvent = {kind: 'variants-read'; count: number; of: number | undefined}

export interface CatalogTools {
  client: Client
  cache: CatalogCache
  /** Milliseconds of the wall clock. */
  now(): number
  tell?(event: CatalogEvent): void
}

/** The outcome of a sync, as `catalog sync --json` prints it. */
export interface CatalogSync {
  /** Variants known now. */
  variants: number
  /** Variants that this sync has read. */
  read: number
  /** How many of them were new or had another SKU before. */
  changed: number
  /** How many have left the assortment. Only a full sync can tell; null otherwise. */
  gone: number | null
  full: boolean
  syncedAt: string
}

/**
 * How far before the start of this sync the next one begins, in milliseconds. No row shows when it changed. Reading a
 * row twice is harmless, and missing one is not. The start is the service's own time, from the Date header of its first
 * answer; without one it is our clock, which may be wrong.
 */
const OVERLAP_MS = 5 * 60_000
const OVERLAP_BY_OUR_CLOCK_MS = 24 * 3_600_000

/** Attempts to read a list whole that changes while it is read. */
const PASSES = 3

/** Ids in one request: any gateway accepts a URL of 2,000 characters. */
const IDS = 50

/**
 * Brings the local catalog up to date: reads what changed since the last sync, or everything if there was none or
 * `full` asks for it. Inactive variants are read too, as their SKUs still name them.
 */
export async function syncCatalog(tools: CatalogTools, {full = false} = {}): Promise<CatalogSync> {
  const before = await tools.cache.read()
  const since = full ? undefined : before.synced?.since
  const {variants, start} = await readAll(tools, since)
  const at = new Date(tools.now()).toISOString()
  const rows = [...variants].map(([id, sku]): CachedVariant => ({kind: 'variant', id, sku, at}))
  const changed = rows.filter(({id, sku}) => before.skus.get(id) !== sku)
  const end = {kind: 'synced', full: since === undefined, since: start, at} as const
  if (since === undefined) await tools.cache.replace(rows, end)
  else await tools.cache.add(changed, end)
  const known = [...before.skus.keys()]
  const gone = since === undefined ? known.filter((id) => !variants.has(id)).length : null
  return {
    variants: new Set([...known, ...variants.keys()]).size - (gone ?? 0),
    read: rows.length,
    changed: changed.length,
    gone,
    full: end.full,
    syncedAt: at,
  }
}

/** Reads the SKU of each variant, and the time from which the next sync has to ask. */
async function readAll(tools: CatalogTools, since: string | undefined) {
  let start: string | undefined
  let variants = new Map<string, string | null>()
  for (let pass = 1; pass <= PASSES; pass += 1) {
    variants = new Map()
    const totals = new Set<unknown>()
    let count = 0
    const heard = ({headers, payload}: Heard) => {
      const {items, pagination} = (payload ?? {}) as Partial<Page>
      start ??= startBy(headers.date, tools.now())
      totals.add(pagination?.totalCount)
      count += items?.length ?? 0
      tools.tell?.({kind: 'variants-read', count, of: totalOf(totals)})
    }
    const query = {activeOnly: false, changedSince: since, pageSize: 100}
    for await (const one of tools.client.pages(listVariants, {query}, {heard}))
      variants.set(one.id.toLowerCase(), skuOf(one))
    // If a row leaves the list or moves to its end, a row not read yet slips onto a page that was read.
    const total = totalOf(totals)
    if (total === undefined || (totals.size === 1 && variants.size >= total)) break
  }
  return {variants, start: start ?? startBy(undefined, tools.now())}
}

interface Heard {
  headers: Record<string, string>
  payload: unknown
}

/** An answer that no schema has checked yet. */
interface Page {
  items: unknown[]
  pagination: {totalCount?: unknown} | null
}

function totalOf(totals: ReadonlySet<unknown>): number | undefined {
  const last = [...totals].at(-1)
  return typeof last === 'number' ? last : undefined
}

function startBy(date: string | undefined, now: number): string {
  const told = Date.parse(date ?? '')
  const start = Number.isNaN(told) ? now - OVERLAP_BY_OUR_CLOCK_MS : told - OVERLAP_MS
  return new Date(start).toISOString()
}

const skuOf = ({sku}: Variant): string | null => (typeof sku === 'string' ? sku : null)

/**
 * The variants that SKUs stand for: none if a SKU is unknown, several if it is ambiguous. The service confirms what the
 * local catalog says, as a SKU may have moved to another variant. If a SKU is not known, the catalog is synced, first
 * the changes, then in full.
 */
export async function resolveSkus(
  tools: CatalogTools,
  skus: readonly string[],
): Promise<Map<string, string[]>> {
  if (skus.length === 0) return new Map()
  const catalog = await tools.cache.read()
  let found = await confirmed(tools, lookUp(catalog, skus))
  for (const full of catalog.synced === undefined ? [true] : [false, true]) {
    if ([...found.values()].every((ids) => ids.length > 0)) break
    await syncCatalog(tools, {full})
    found = await confirmed(tools, lookUp(await tools.cache.read(), skus))
  }
  return found
}

function lookUp({skus: known}: Catalog, skus: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>(skus.map((sku) => [sku, []]))
  for (const [id, sku] of known) if (sku !== null) found.get(sku)?.push(id)
  return found
}

/** Removes variants that no longer have the SKU. */
async function confirmed(
  {client}: CatalogTools,
  found: Map<string, string[]>,
): Promise<Map<string, string[]>> {
  const variants = await readVariants(client, [...found.values()].flat(), {activeOnly: false})
  for (const [sku, ids] of found)
    if (ids.length > 0)
      found.set(
        sku,
        ids.filter((id) => variants.get(id)?.sku === sku),
      )
  return found
}

/** Reads the variants that are in the account's assortment, by their ids in lower case. */
export async function readVariants(
  client: Client,
  variantIds: Iterable<string>,
  query: Query<typeof listVariants>,
): Promise<Map<string, Variant>> {
  const ids = [...new Set(variantIds)]
  const found = new Map<string, Variant>()
  for (let at = 0; at < ids.length; at += IDS) {
    const asked = {...query, id: ids.slice(at, at + IDS), pageSize: 100}
    for await (const one of client.pages(listVariants, {query: asked})) found.set(one.id.toLowerCase(), one)
  }
  return found
}
