import type {Client} from '../client/client.ts'
import {listBrands} from '../contract/brands.ts'
import {isFailure} from '../contract/failure.ts'
import type {Query} from '../contract/operation.ts'
import {listScents, type Scent} from '../contract/scents.ts'
import {listVariants, type Variant} from '../contract/variants.ts'
import type {CachedScent, CachedVariant, Catalog, CatalogCache} from '../store/catalog.ts'

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
  /** How many of them were new, or had another SKU, size or scent before. */
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
 * `full` asks for it. Inactive variants are read too, as their SKUs still name them. The names are read if there is a
 * scent whose name is not known.
 */
export async function syncCatalog(tools: CatalogTools, {full = false} = {}): Promise<CatalogSync> {
  const before = await tools.cache.read()
  const since = full || isOld(before) ? undefined : before.synced?.since
  const at = new Date(tools.now()).toISOString()
  const {variants, start} = await readAll(tools, since, at)
  const rows = [...variants.values()]
  const changed = rows.filter((row) => !isSame(row, before.variants.get(row.id)))
  const known = since === undefined ? variants : new Map([...before.variants, ...variants])
  const scents = full || lacksNames(known, before) ? await readScents(tools, at) : []
  const end = {kind: 'synced', full: since === undefined, since: start, at} as const
  if (since === undefined)
    await tools.cache.replace([...rows, ...(scents.length > 0 ? scents : before.scents.values()), end])
  else await tools.cache.add([...changed, ...scents, end])
  const gone = [...before.variants.keys()].filter((id) => !known.has(id)).length
  return {
    variants: known.size,
    read: rows.length,
    changed: changed.length,
    gone: since === undefined ? gone : null,
    full: end.full,
    syncedAt: at,
  }
}

/** Kept by a version that did not know which scent a variant is of. */
const isOld = ({variants}: Catalog) => [...variants.values()].some(({scentId}) => scentId === undefined)

const isSame = (one: CachedVariant, other: CachedVariant | undefined) =>
  (['sku', 'scentId', 'sizeMl'] as const).every((field) => one[field] === other?.[field])

const lacksNames = (variants: Catalog['variants'], {scents}: Catalog) =>
  [...variants.values()].some(({scentId}) => scentId && !scents.has(scentId))

/** Reads all variants that have changed, and the time from which the next sync has to ask. */
async function readAll(tools: CatalogTools, since: string | undefined, at: string) {
  let start: string | undefined
  let variants = new Map<string, CachedVariant>()
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
    // A variant without its id can't be ordered by its SKU; it hides no other.
    for await (const one of tools.client.pages(listVariants, {query}, {heard, onlyShown: true})) {
      if (typeof one?.id !== 'string') continue
      const row = rowOf(one, at)
      variants.set(row.id, row)
    }
    // If a row leaves the list or moves to its end, a row not read yet slips onto a page that was read.
    const total = totalOf(totals)
    if (total === undefined || (totals.size === 1 && variants.size >= total)) break
  }
  return {variants, start: start ?? startBy(undefined, tools.now())}
}

/**
 * Reads the scents and their brands. The service only mentions these reads, and orders need no names: if they fail,
 * there are none.
 */
export async function readScents({client}: CatalogTools, at: string): Promise<CachedScent[]> {
  const pages = {query: {pageSize: 100}}
  try {
    const scents: Scent[] = []
    for await (const one of client.pages(listScents, pages)) if (textOf(one?.id) !== null) scents.push(one)
    const brands = new Map<unknown, string | null>()
    for await (const one of client.pages(listBrands, pages)) brands.set(one?.id, textOf(one?.name))
    return scents.map(({id, name, brandId, notes}) => ({
      kind: 'scent',
      id: id.toLowerCase(),
      name: textOf(name),
      brand: brands.get(brandId) ?? null,
      notes: Object.values(notes ?? {})
        .flat()
        .flatMap((note) => textOf(note) ?? []),
      at,
    }))
  } catch (error) {
    if (!isFailure(error) || error.code === 'INTERRUPTED') throw error
    return []
  }
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

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** A variant as the local catalog keeps it. */
export const rowOf = ({id, sku, scentId, sizeMl}: Variant, at: string): CachedVariant => ({
  kind: 'variant',
  id: id.toLowerCase(),
  sku: textOf(sku),
  scentId: textOf(scentId)?.toLowerCase() ?? null,
  sizeMl: typeof sizeMl === 'number' ? sizeMl : null,
  at,
})

/**
 * The ids of the variants that SKUs stand for, in any capitals if that leaves one SKU: none if a SKU is unknown, several if
 * it is ambiguous. The service confirms what the local catalog says, as a SKU may have moved to another variant. If a SKU
 * is not known, the catalog is synced, first the changes, then in full.
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

function lookUp({variants}: Catalog, skus: readonly string[]): Map<string, CachedVariant[]> {
  const bySku = new Map<string, CachedVariant[]>()
  const spellings = new Map<string, Set<string>>()
  for (const variant of variants.values()) {
    const {sku} = variant
    if (sku === null) continue
    bySku.set(sku, [...(bySku.get(sku) ?? []), variant])
    const plain = sku.toLowerCase()
    spellings.set(plain, (spellings.get(plain) ?? new Set()).add(sku))
  }
  return new Map(
    skus.map((typed) => {
      const [only = '', ...others] = spellings.get(typed.toLowerCase()) ?? []
      return [typed, bySku.get(typed) ?? (others.length === 0 ? (bySku.get(only) ?? []) : [])]
    }),
  )
}

/** The ids of the variants that still have their SKU. */
async function confirmed(
  {client}: CatalogTools,
  found: Map<string, CachedVariant[]>,
): Promise<Map<string, string[]>> {
  const ids = [...found.values()].flatMap((variants) => variants.map(({id}) => id))
  const now = await readVariants(client, ids, {activeOnly: false})
  return new Map(
    [...found].map(([typed, variants]) => [
      typed,
      variants.flatMap(({id, sku}) => (now.get(id)?.sku === sku ? id : [])),
    ]),
  )
}

/** Reads the variants that are in the account's assortment, by their ids in lower case. */
export async function readVariants(
  client: Client,
  variantIds: Iterable<string>,
  query: Query<typeof listVariants>,
): Promise<Map<string, Variant>> {
  const found = new Map<string, Variant>()
  for await (const {id, row} of variantsAt(client, variantIds, query))
    if (id !== undefined) found.set(id, row)
  return found
}

/** The variants with these ids, as they come; of a row without its id it is told only if no other was asked for. */
export async function* variantsAt(
  client: Client,
  variantIds: Iterable<string>,
  query: Query<typeof listVariants>,
): AsyncGenerator<{id: string | undefined; row: Variant}> {
  const ids = [...new Set(variantIds)]
  for (let at = 0; at < ids.length; at += IDS) {
    const some = ids.slice(at, at + IDS)
    const asked = {...query, id: some, pageSize: 100}
    for await (const row of client.pages(listVariants, {query: asked}, {onlyShown: true})) {
      if (typeof row !== 'object' || row === null) continue
      yield {id: textOf(row.id)?.toLowerCase() ?? (some.length === 1 ? some[0] : undefined), row}
    }
  }
}
