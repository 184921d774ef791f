import * as z from 'zod/mini'
import type {Operation} from './operation.ts'
import {pageOf, pageQuery} from './paging.ts'
import {decimal, mentioned, oneOf, ratio, shown, toned, uuid} from './wire.ts'

export const availabilityState = toned(oneOf('Available', 'Limited', 'Unavailable'), {
  good: ['Available'],
  warn: ['Limited'],
  bad: ['Unavailable'],
})

/** Presentational, and absent when the partner account has no marketing block. */
export const marketing = z.looseObject({
  currentPrice: shown(decimal),
  compareAtPrice: shown(decimal),
  discountPercent: shown(ratio),
  badges: shown(z.array(oneOf('LIMITED', 'BACK_IN_STOCK', 'NEW_ARRIVAL', 'BEST_SELLER', 'SAMPLE_AVAILABLE'))),
  currentPriceDisplay: shown(decimal),
  compareAtPriceDisplay: shown(decimal),
})

const variantPricing = z.looseObject({
  currency: shown(z.string()),
  unitPrice: shown(decimal),
  goodsVatAmount: shown(decimal),
  totalWithVat: shown(decimal),
  rrp: shown(decimal),
  // Retail-mode price only.
  commission: shown(
    z.looseObject({amount: shown(decimal), vatAmount: shown(decimal), netAfterCommission: shown(decimal)}),
  ),
  display: shown(
    z.looseObject({
      displayCurrency: shown(z.string()),
      rate: shown(ratio),
      unitPriceDisplay: shown(decimal),
      goodsVatAmountDisplay: shown(decimal),
      totalWithVatDisplay: shown(decimal),
      rrpDisplay: shown(decimal),
      commissionAmountDisplay: shown(decimal),
      commissionVatAmountDisplay: shown(decimal),
      netAfterCommissionDisplay: shown(decimal),
    }),
  ),
})

export const variant = z.looseObject({
  id: uuid,
  scentId: shown(uuid),
  sku: shown(z.string()),
  barcode: shown(z.string()),
  sizeMl: shown(z.int()),
  isSample: shown(z.boolean()),
  pricing: shown(variantPricing),
  availability: shown(z.looseObject({state: shown(availabilityState), availableQuantity: shown(z.int())})),
  marketing: shown(marketing),
})
export type Variant = z.output<typeof variant>

const includeTokens = ['pricing', 'availability', 'tax'] as const

export const listVariants = {
  summary: 'List the variants of the own assortment.',
  method: 'GET',
  path: '/api/v1/scent/variants',
  auth: 'bearer',
  repeat: 'freely',
  query: {
    ...pageQuery,
    include: {kind: 'tokens', values: includeTokens},
    id: {kind: 'uuid', many: true},
    scentId: {kind: 'uuid', many: true},
    note: {kind: 'text', many: true},
    accord: {kind: 'text', many: true},
    minPrice: {kind: 'decimal'},
    maxPrice: {kind: 'decimal'},
    changedSince: {kind: 'date'},
    activeOnly: {kind: 'boolean'},
  },
  payload: pageOf(variant),
  fails: [],
} as const satisfies Operation

// not shown: the read of a single variant exists by reference only; path and shape are the list's own.
export const readVariant = {
  summary: 'Read one variant.',
  method: 'GET',
  path: '/api/v1/scent/variants/{variantId}',
  auth: 'bearer',
  repeat: 'freely',
  query: {include: {kind: 'tokens', values: includeTokens}},
  payload: mentioned(variant),
  fails: ['NOT_FOUND_VARIANT'],
} as const satisfies Operation
