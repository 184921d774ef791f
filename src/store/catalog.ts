import {join} from 'node:path'
import * as z from 'zod/mini'
import {journal} from './journal.ts'
import {type Folders, type Identity, recordsFolder} from './paths.ts'

/** A variant as the service told of it. */
const variant = z.object({
  kind: z.literal('variant'),
  id: z.string(),
  sku: z.nullable(z.string()),
  at: z.string(),
})
/** The end of a sync that read all there was: what changed after `since` may not be known. */
const synced = z.object({
  kind: z.literal('synced'),
  full: z.boolean(),
  since: z.string(),
  at: z.string(),
})
const record = z.discriminatedUnion('kind', [variant, synced])

export type CachedVariant = z.output<typeof variant>
export type Synced = z.output<typeof synced>

/** The catalog of one identity as it was known at the last sync. */
export interface Catalog {
  /** By variant id; null where the service tells no SKU. */
  skus: Map<string, string | null>
  synced: Synced | undefined
}

/** What of the catalog is kept on this machine. See journal.ts for the failures. */
export interface CatalogCache {
  read(): Promise<Catalog>
  /** Adds what changed, and that a sync has ended. */
  add(changed: readonly CachedVariant[], end: Synced): Promise<void>
  /** Replaces it by all that a full sync has read. */
  replace(all: readonly CachedVariant[], end: Synced): Promise<void>
}

export function catalogCache(folders: Folders, identity: Identity): CatalogCache {
  const {origin, clientId, onBehalfOf} = identity
  const file = journal({
    path: join(recordsFolder(folders, identity), 'catalog.ndjson'),
    header: {journal: 'catalog', version: 1, origin, clientId, onBehalfOf},
    record,
  })
  return {
    async read() {
      const catalog: Catalog = {skus: new Map(), synced: undefined}
      for await (const one of file.records()) {
        if (one.kind === 'variant') catalog.skus.set(one.id, one.sku)
        else catalog.synced = one
      }
      return catalog
    },
    add: (changed, end) => file.append([...changed, end]),
    replace: (all, end) => file.replace([...all, end]),
  }
}
