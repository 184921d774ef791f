import {Failure, isFailure} from '../contract/failure.ts'
import {isUuid} from '../contract/forms.ts'
import {nearest} from '../contract/nearest.ts'
import type {Query} from '../contract/operation.ts'
import type {listVariants, Variant} from '../contract/variants.ts'
import type {CachedVariant, Catalog} from '../store/catalog.ts'
import {
  type CatalogTools,
  readScents,
  readVariants,
  resolveSkus,
  rowOf,
  syncCatalog,
  variantsAt,
} from './catalog.ts'

/**
 * The ids of variants that a person has named by id or SKU, in their order. Capitals don't matter if that leaves one;
 * `say` hears of it. Fails with INVALID_INPUT, naming what may be meant, before anything else is sent.
 */
export async function resolveVariants(
  tools: CatalogTools,
  typed: readonly string[],
  say: (text: string) => void,
): Promise<string[]> {
  const skus = [...new Set(typed.filter((text) => !isUuid(text)))]
  for (const sku of skus) requirePossible(sku)
  const ids = new Map(typed.filter(isUuid).map((id) => [id, id]))
  for (const [sku, [id, ...others]] of await resolveSkus(tools, skus)) {
    if (id === undefined) continue
    if (others.length > 0) throw ambiguous(sku, [id, ...others])
    const catalog = await tools.cache.read()
    if (catalog.variants.get(id)?.sku !== sku) say(`${sku} is ${labelOf(catalog, id)}.`)
    ids.set(sku, id)
  }
  const unknown = skus.filter((sku) => !ids.has(sku))
  if (unknown.length > 0) throw notFound(await tools.cache.read(), unknown)
  return typed.flatMap((text) => ids.get(text) ?? [])
}

/** No SKU is so long, and none has such characters: the service is not asked about it. */
function requirePossible(sku: string): void {
  if (/^[^\p{Cc}\p{Surrogate}\ufffd]{1,100}$/u.test(sku)) return
  throw new Failure('INVALID_INPUT', {
    message: `${sku.length > 100 ? 'A text of more than 100 characters' : JSON.stringify(sku)} is not a valid SKU or id of a variant.`,
    hint: 'Give a SKU, or an id, which is a UUID; see `scent catalog variants`.',
    effect: 'none',
  })
}

function ambiguous(sku: string, ids: string[]): Failure {
  return new Failure('INVALID_INPUT', {
    message: `"${sku}" is the SKU of ${ids.length} variants. Nothing was sent.`,
    hint: `Give the id of one: ${ids.join(', ')}.`,
    effect: 'none',
  })
}

function notFound(catalog: Catalog, unknown: readonly string[]): Failure {
  const [first = ''] = unknown
  const skus = [...catalog.variants.values()].flatMap(({sku}) => sku ?? [])
  const near = unknown.length === 1 ? nearest(first, skus) : []
  const ids = near.flatMap((sku) => [...catalog.variants.values()].find((one) => one.sku === sku)?.id ?? [])
  const named = ids.length > 0 ? ids : searchCatalog(catalog, first).map(({id}) => id)
  const meant = named.slice(0, 3).map((id) => labelOf(catalog, id))
  const names = unknown.map((text) => JSON.stringify(text)).join(', ')
  return new Failure('INVALID_INPUT', {
    message: `${names} ${unknown.length === 1 ? 'is not a SKU or id of a variant' : 'are not SKUs or ids of variants'} of your assortment. Nothing was sent.`,
    hint: `${meant.length > 0 ? `Did you mean ${meant.join(' or ')}? ` : ''}\`scent catalog variants --search TEXT\` finds variants by name.`,
    effect: 'none',
  })
}

/** A variant for people: its SKU, with name and size if they are known. */
function labelOf({variants, scents}: Catalog, id: string): string {
  const {sku, scentId, sizeMl} = variants.get(id) ?? {}
  const about = [scents.get(scentId ?? '')?.name, sizeMl && `${sizeMl} ml`].filter((text) => text)
  return `${sku ?? id}${about.length > 0 ? ` (${about.join(', ')})` : ''}`
}

/**
 * The variants that fit a text, after what has changed in the catalog was read: by name, brand, note, SKU and size.
 * Sorted by name and size. Fails with INVALID_INPUT if the text holds no word.
 */
export async function searchVariants(tools: CatalogTools, text: string): Promise<string[]> {
  if (!/[\p{L}\p{N}]/u.test(text))
    throw new Failure('INVALID_INPUT', {
      message: `--search "${text}" holds no letter and no digit to search for.`,
      effect: 'none',
    })
  await syncCatalog(tools)
  return searchCatalog(await tools.cache.read(), text).map(({id}) => id)
}

/**
 * Variants of which each word of the text begins a word of name, brand, SKU or notes, or is the size: first those that
 * fit without their notes.
 */
function searchCatalog({variants, scents}: Catalog, text: string): CachedVariant[] {
  const plain = folded(text).replace(/(\d+)\s*ml\b/g, '$1')
  const words = plain.split(/\s+/).filter((word) => wordsIn(word).length > 0)
  const fits = (sku: string, known: string[]) => {
    const begins = (part: string) =>
      known.some((word) => (isNumber(part) ? sameNumber(word, part) : word.startsWith(part)))
    return words.every((word) => (!isNumber(word) && sku.includes(word)) || wordsIn(word).every(begins))
  }
  const found = [...variants.values()].flatMap((variant) => {
    const {name = null, brand = null, notes = []} = scents.get(variant.scentId ?? '') ?? {}
    const sku = folded(variant.sku ?? '')
    const known = wordsIn(folded([name, brand, sku, variant.sizeMl].join(' ')))
    const rank = fits(sku, known) ? 0 : fits(sku, [...known, ...wordsIn(folded(notes.join(' ')))]) ? 1 : 2
    const size = String(variant.sizeMl ?? '').padStart(6, '0')
    return rank < 2 ? [{variant, order: [rank, name ?? '\uffff', size].join('\0')}] : []
  })
  const sorted = found.sort((a, b) => (a.order < b.order ? -1 : 1))
  return words.length === 0 ? [] : sorted.map(({variant}) => variant)
}

/** Without capitals and accents. */
const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
const wordsIn = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
const isNumber = (word: string) => /^\d+$/.test(word)
const sameNumber = (a: string, b: string) => isNumber(a) && a.replace(/^0+/, '') === b.replace(/^0+/, '')

/** Reads variants in the order of these ids, leaving out what the query or the assortment does. */
export async function* readInOrder(
  {client}: CatalogTools,
  ids: readonly string[],
  query: Query<typeof listVariants>,
  limit: number,
): AsyncGenerator<Variant> {
  let left = limit
  for (let at = 0; at < ids.length && left > 0; at += AT_A_TIME) {
    const some = ids.slice(at, at + Math.min(AT_A_TIME, Math.max(left, 1)))
    const found = new Map<string, Variant>()
    const others: Variant[] = []
    for await (const {id, row} of variantsAt(client, some, query))
      if (id === undefined) others.push(row)
      else found.set(id, row)
    for (const one of [...some.map((id) => found.get(id)), ...others]) {
      if (one === undefined || left === 0) continue
      left -= 1
      yield one
    }
  }
}

const AT_A_TIME = 50

/** What people call a variant; null where nobody knows. */
interface VariantName {
  sku: string | null
  name: string | null
  brand: string | null
}

/** Names of variants that are about to be shown. What fails leaves names out, and keeps nothing from being shown. */
export interface VariantNames {
  of(variant: Pick<Variant, 'id' | 'scentId'>): VariantName
  /** Rows as they come; once there is one whose scent is not known, the scents are read and kept. */
  through<Row extends Variant>(rows: Iterable<Row> | AsyncIterable<Row>): AsyncIterable<Row>
  /** Reads and keeps the variants among these that are not known. */
  learn(variantIds: readonly string[]): Promise<void>
}

export function openNames(tools: CatalogTools): VariantNames {
  let known: Catalog = {variants: new Map(), scents: new Map(), synced: undefined}
  let asked = false
  const at = new Date(tools.now()).toISOString()
  const scentOf = ({id, scentId}: Pick<Variant, 'id' | 'scentId'>) =>
    keyOf(scentId) || (known.variants.get(keyOf(id))?.scentId ?? '')
  const open = async () => {
    known = await tools.cache.read()
  }
  const learnScents = async () => {
    const scents = await readScents(tools, at)
    for (const one of scents) known.scents.set(one.id, one)
    await tools.cache.add(scents)
  }
  const requireName = async (variant: Pick<Variant, 'id' | 'scentId'>) => {
    const scentId = scentOf(variant)
    if (asked || scentId === '' || known.scents.has(scentId)) return
    asked = true
    await learnScents()
  }
  return {
    of(variant) {
      const {name = null, brand = null} = known.scents.get(scentOf(variant)) ?? {}
      return {sku: known.variants.get(keyOf(variant.id))?.sku ?? null, name, brand}
    },
    async *through(rows) {
      await quietly(open)
      for await (const row of rows) {
        // A service may send anything in the place of a row.
        if (typeof row === 'object' && row !== null) await quietly(() => requireName(row))
        yield row
      }
    },
    learn: (variantIds) =>
      quietly(async () => {
        await open()
        const missing = variantIds.map(keyOf).filter((id) => !known.variants.has(id))
        const found = [...(await readVariants(tools.client, missing, {activeOnly: false})).values()]
        const rows = found.map((one) => rowOf(one, at))
        for (const row of rows) known.variants.set(row.id, row)
        if (rows.length > 0) await tools.cache.add(rows)
        for (const id of variantIds) await requireName({id})
      }),
  }
}

/** Rows are shown whatever they hold in the place of an id. */
const keyOf = (id: unknown) => (typeof id === 'string' ? id.toLowerCase() : '')

async function quietly(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isFailure(error) || error.code === 'INTERRUPTED') throw error
  }
}
