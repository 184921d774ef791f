import * as z from 'zod/mini'
import {recordsJournal} from './journal.ts'
import type {Folders, Identity} from './paths.ts'

/** A variant as the service showed it. */
const variant = z.object({
  kind: z.literal('variant'),
  id: z.string(),
  sku: z.nullable(z.string()),
  at: z.string(),
})
/** The end of a sync. Changes after `since` may be missing. */
const synced = z.object({
  kind: z.literal('synced'),
  full: z.boolean(),
  since: z.string(),
  at: z.string(),
})
const record = z.discriminatedUnion('kind', [variant, synced])

export type CachedVariant = z.output<typeof variant>
type Synced = z.output<typeof synced>

/** The catalog of one identity as it was known at the last sync. */
export interface Catalog {
  /** By variant id; null if the service shows no SKU. */
  skus: Map<string, string | null>
  synced: Synced | undefined
}

/** The part of the catalog that is kept on this machine. See journal.ts for the failures. */
export interface CatalogCache {
  read(): Promise<Catalog>
  /** Adds the changes that a sync has read, and its end. */
  add(changed: readonly CachedVariant[], end: Synced): Promise<void>
  /** Replaces everything by what a full sync has read. */
  replace(all: readonly CachedVariant[], end: Synced): Promise<void>
}

export function catalogCache(folders: Folders, identity: Identity): CatalogCache {
  const file = recordsJournal(folders, identity, 'catalog', record)
  return {
    async read() {
      const catalog: Catalog = {skus: new Map(), synced: undefined}
      for (const one of file.records()) {
        if (one.kind === 'variant') catalog.skus.set(one.id, one.sku)
        else catalog.synced = one
      }
      return catalog
    },
    add: (changed, end) => file.append([...changed, end]),
    replace: (all, end) => file.replace([...all, end]),
  }
}
