import type {Client} from '../client/client.ts'
import type {Digits} from '../contract/money.ts'
import type {Variant} from '../contract/variants.ts'
import {readVariants} from './catalog.ts'

/** What the catalog says of a variant now. */
export interface Offer {
  sku: string | null
  /** The price of one unit for this account, VAT included; null if the assortment shows none. */
  unitWithVat: Digits | null
  currency: string | null
  /** The error that an attempt to put it into a cart would meet; null for none. */
  problem: 'NOT_FOUND_VARIANT' | 'BUSINESS_VARIANT_UNAVAILABLE' | 'BUSINESS_VARIANT_NOT_PRICED' | null
}

/** Reads prices and availability of variants, by their ids in lower case. Says nothing of how many are left. */
export async function offersOf(client: Client, variantIds: Iterable<string>): Promise<Map<string, Offer>> {
  const ids = [...variantIds].map((id) => id.toLowerCase())
  const variants = await readVariants(client, ids, {include: ['pricing', 'availability']})
  return new Map(ids.map((id) => [id, offerOf(variants.get(id))]))
}

function offerOf(variant: Variant | undefined): Offer {
  const {totalWithVat = null, currency = null} = variant?.pricing ?? {}
  const sku = typeof variant?.sku === 'string' ? variant.sku : null
  return {sku, unitWithVat: totalWithVat, currency, problem: problemOf(variant)}
}

function problemOf(variant: Variant | undefined): Offer['problem'] {
  if (variant === undefined) return 'NOT_FOUND_VARIANT'
  if (variant.availability?.state === 'Unavailable') return 'BUSINESS_VARIANT_UNAVAILABLE'
  return (variant.pricing?.totalWithVat ?? null) === null ? 'BUSINESS_VARIANT_NOT_PRICED' : null
}
