import * as z from 'zod/mini'
import type {Operation} from './operation.ts'
import {availabilityState} from './variants.ts'
import {decimal, mentioned, shown, timestamp, uuid} from './wire.ts'

export const wishlistItem = z.looseObject({
  variantId: uuid,
  sku: shown(z.string()),
  sizeMl: shown(z.int()),
  scentName: shown(z.string()),
  brandName: shown(z.string()),
  imageUrl: shown(z.string()),
  currentPrice: shown(decimal),
  availability: shown(z.looseObject({state: shown(availabilityState)})),
  addedAt: shown(timestamp),
})
export type WishlistItem = z.output<typeof wishlistItem>

const wishlist = z.looseObject({items: z.array(wishlistItem)})
export type Wishlist = z.output<typeof wishlist>

export const readWishlist = {
  summary: "Read a customer's wishlist.",
  method: 'GET',
  path: '/api/v1/scent/wishlist/{customerRef}',
  auth: 'bearer',
  repeat: 'freely',
  payload: wishlist,
  fails: ['VALIDATION_CUSTOMER_REF_TOO_LONG'],
} as const satisfies Operation

// not shown: path, body and answer of the add, which exists by reference; and whether a repeat adds a second row.
export const addWishlistItem = {
  summary: "Add a variant to a customer's wishlist.",
  method: 'POST',
  path: '/api/v1/scent/wishlist/{customerRef}/items',
  auth: 'bearer',
  repeat: 'never',
  lost: 'The wishlist is read, and the variant is added again if it is not there.',
  body: z.strictObject({variantId: uuid}),
  payload: mentioned(wishlist),
  fails: [
    'VALIDATION_ERRORS',
    'VALIDATION_CUSTOMER_REF_TOO_LONG',
    'NOT_FOUND_VARIANT',
    'BUSINESS_VARIANT_UNAVAILABLE',
  ],
} as const satisfies Operation

export const removeWishlistItem = {
  summary: "Remove a variant from a customer's wishlist; one that is not there is not an error.",
  method: 'DELETE',
  path: '/api/v1/scent/wishlist/{customerRef}/items/{variantId}',
  auth: 'bearer',
  repeat: 'freely',
  payload: wishlist,
  fails: ['VALIDATION_CUSTOMER_REF_TOO_LONG', 'NOT_FOUND_VARIANT'],
} as const satisfies Operation
