import * as z from 'zod/mini'
import type {Operation} from './operation.ts'
import {pageOf, pageQuery} from './paging.ts'
import {decimal, mentioned, oneOf, ratio, shown, timestamp, uuid} from './wire.ts'

// not shown: the name of the flat-amount type. FixedAmount is a placeholder; any value is sent and read.
export const discountType = oneOf('Percent', 'FixedAmount')
// not shown: the name of the variant-list scope. VariantList is a placeholder; any value is sent and read.
export const productScope = oneOf('All', 'VariantList')

/** The fields that an update replaces: each states its final value. */
const replaced = {
  discountType,
  value: ratio, // a percentage, or an amount in SAR
  // not shown: whether null stands for no end; one that was read as null is sent as null again.
  validFrom: z.nullable(timestamp),
  validTo: z.nullable(timestamp),
  isActive: z.boolean(),
  // not shown: which of the two caps takes only null or 1.
  totalUsageCap: z.nullable(z.int()),
  perCustomerCap: z.nullable(z.int()),
  productScope,
  scopedVariantIds: z.array(uuid),
  minOrderValue: z.nullable(decimal),
}

export const discountCode = z.looseObject({
  id: shown(uuid),
  partnerId: shown(uuid),
  code: shown(z.string()),
  discountType: shown(discountType),
  value: shown(ratio),
  validFrom: shown(timestamp),
  validTo: shown(timestamp),
  isActive: shown(z.boolean()),
  totalUsageCap: shown(z.int()),
  perCustomerCap: shown(z.int()),
  productScope: shown(productScope),
  scopedVariantIds: shown(z.array(uuid)),
  minOrderValue: shown(decimal),
  usageCount: shown(z.int()),
  createdAt: shown(timestamp),
  lastModifiedAt: shown(timestamp),
})
export type DiscountCode = z.output<typeof discountCode>

/** Every field must be known, also of a code that was read: an answer that lacks one can't be merged into an update. */
export const discountBody = z.strictObject(replaced)
export type DiscountBody = z.output<typeof discountBody>

export const listDiscountCodes = {
  summary: 'List the own discount codes, newest first.',
  method: 'GET',
  path: '/api/v1/scent/discount-codes',
  auth: 'bearer',
  repeat: 'freely',
  query: {...pageQuery, activeOnly: {kind: 'boolean'}},
  payload: pageOf(discountCode),
  fails: [],
} as const satisfies Operation

// not shown: path, body and answer of the create, which exists by reference, and the refusal of a code that is taken.
export const createDiscountCode = {
  summary: 'Create a discount code.',
  method: 'POST',
  path: '/api/v1/scent/discount-codes',
  auth: 'bearer',
  repeat: 'never',
  lost: 'The list of codes is read, and one with the same fields that was made since is this one.',
  body: z.strictObject({code: z.string().check(z.minLength(1)), ...replaced}),
  payload: mentioned(discountCode),
  fails: ['VALIDATION_ERRORS'],
} as const satisfies Operation

export const updateDiscountCode = {
  summary: 'Replace every field of a discount code but the code itself.',
  method: 'PATCH',
  path: '/api/v1/scent/discount-codes/{discountCodeId}',
  auth: 'bearer',
  repeat: 'freely', // full replace: a second one leaves the same
  body: discountBody,
  payload: discountCode,
  // not shown: the name of the 404.
  fails: ['VALIDATION_ERRORS', 'NOT_FOUND_DISCOUNT_CODE'],
} as const satisfies Operation
