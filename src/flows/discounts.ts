import type {Client} from '../client/client.ts'
import {
  type DiscountBody,
  type DiscountCode,
  discountBody,
  listDiscountCodes,
  updateDiscountCode,
} from '../contract/discounts.ts'
import {Failure} from '../contract/failure.ts'
import {printJson} from '../contract/money.ts'

const fields = Object.keys(discountBody.shape) as (keyof DiscountBody)[]

/** Reads one code out of the list: there is no route for a single one. Fails with NOT_FOUND_DISCOUNT_CODE. */
export async function readDiscount(client: Client, id: string): Promise<DiscountCode> {
  for await (const one of client.pages(listDiscountCodes, {query: {pageSize: 100}})) {
    if (one.id.toLowerCase() === id.toLowerCase()) return one
  }
  throw new Failure('NOT_FOUND_DISCOUNT_CODE', {httpStatus: 404, effect: 'none', details: {id}})
}

export interface FieldChange {
  field: keyof DiscountBody
  before: unknown
  after: unknown
}

/** Every field with its final value: the update replaces them all. */
export function merged(current: DiscountCode, changes: Partial<DiscountBody>): DiscountBody {
  const kept = Object.fromEntries(fields.map((field) => [field, current[field] ?? emptyOf(field)]))
  return {...kept, ...changes} as DiscountBody
}

const emptyOf = (field: keyof DiscountBody) => (field === 'scopedVariantIds' ? [] : null)

export function changesBetween(before: DiscountCode, after: DiscountBody | DiscountCode): FieldChange[] {
  return fields
    .map((field) => ({field, before: before[field] ?? emptyOf(field), after: after[field] ?? emptyOf(field)}))
    .filter((change) => printJson(change.before) !== printJson(change.after))
}

/**
 * Sends the whole code, unless one of its fields changed since `seen` was read: then it fails with CHANGED_MEANWHILE,
 * which names them, and nothing is sent.
 */
export async function replaceDiscount(
  client: Client,
  seen: DiscountCode,
  changes: Partial<DiscountBody>,
): Promise<DiscountCode> {
  const now = await readDiscount(client, seen.id)
  const moved = changesBetween(seen, now)
  if (moved.length > 0) {
    throw new Failure('CHANGED_MEANWHILE', {
      message: `The code changed meanwhile: ${moved.map(({field}) => field).join(', ')}. Nothing was sent.`,
      details: {changed: moved},
      effect: 'none',
    })
  }
  const params = {discountCodeId: seen.id}
  return client.call(updateDiscountCode, {params, body: merged(now, changes)})
}
