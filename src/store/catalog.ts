import * as z from 'zod/mini'
import {recordsJournal} from './journal.ts'
import type {Folders, Identity} from './paths.ts'

/** A variant as the service showed it. */
const variant = z.object({
  kind: z.literal('variant'),
  id: z.string(),
  sku: z.nullable(z.string()),
  /** Left out by versions that kept no names. */
  scentId: z.optional(z.nullable(z.string())),
  sizeMl: z.optional(z.nullable(z.number())),
  at: z.string(),
})
/** What the variants of one scent have in common, for people to find them by. */
const scent = z.object({
  kind: z.literal('scent'),
  id: z.string(),
  name: z.nullable(z.string()),
  brand: z.nullable(z.string()),
  notes: z.array(z.string()),
  at: z.string(),
})
/** The end of a sync. Changes after `since` may be missing. */
const synced = z.object({
  kind: z.literal('synced'),
  full: z.boolean(),
  since: z.string(),
  at: z.string(),
})
const record = z.discriminatedUnion('kind', [variant, scent, synced])

export type CachedVariant = z.output<typeof variant>
export type CachedScent = z.output<typeof scent>
type CatalogRecord = z.output<typeof record>

/** The catalog of one identity as it was known at the last sync, by ids in lower case. */
export interface Catalog {
  variants: Map<string, CachedVariant>
  scents: Map<string, CachedScent>
  synced: z.output<typeof synced> | undefined
}

/** The part of the catalog that is kept on this machine. See journal.ts for the failures. */
export interface CatalogCache {
  read(): Promise<Catalog>
  add(records: readonly CatalogRecord[]): Promise<void>
  /** Replaces everything by what a full sync has read. */
  replace(records: readonly CatalogRecord[]): Promise<void>
}

export function catalogCache(folders: Folders, identity: Identity): CatalogCache {
  const file = recordsJournal(folders, identity, 'catalog', record)
  return {
    async read() {
      const catalog: Catalog = {variants: new Map(), scents: new Map(), synced: undefined}
      for (const one of file.records()) {
        if (one.kind === 'variant') catalog.variants.set(one.id, one)
        else if (one.kind === 'scent') catalog.scents.set(one.id, one)
        else catalog.synced = one
      }
      return catalog
    },
    add: (records) => file.append([...records]),
    replace: (records) => file.replace([...records]),
  }
}
