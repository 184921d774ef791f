import type {Client} from '../client/client.ts'
import {
  createDiscountCode,
  type DiscountBody,
  type DiscountCode,
  discountBody,
  listDiscountCodes,
  updateDiscountCode,
} from '../contract/discounts.ts'
import {Failure, isFailure} from '../contract/failure.ts'
import {isDigits, printJson, sameAmount} from '../contract/money.ts'
import {millis} from '../contract/time.ts'
import {uuid} from '../contract/wire.ts'

const fields = Object.keys(discountBody.shape) as (keyof DiscountBody)[]

/**
 * Reads one code out of the list: there is no route for a single one. Fails with NOT_FOUND_DISCOUNT_CODE, and with
 * INVALID_INPUT before anything is sent.
 */
export async function readDiscount(client: Client, id: string): Promise<DiscountCode> {
  if (!uuid.safeParse(id).success)
    throw new Failure('INVALID_INPUT', {
      message: `"${id}" is no id of a discount code: that is a UUID, and not the code itself.`,
      hint: '`scent discounts list` shows the id of each code.',
      effect: 'none',
    })
  for await (const one of client.pages(listDiscountCodes, {query: {pageSize: 100}})) {
    if (one.id.toLowerCase() === id.toLowerCase()) return one
  }
  throw new Failure('NOT_FOUND_DISCOUNT_CODE', {effect: 'none', details: {id}})
}

export interface FieldChange {
  field: keyof DiscountBody
  before: unknown
  after: unknown
}

/** Every field with its final value: the update replaces them all. */
export function merged(current: DiscountCode, changes: Partial<DiscountBody>): DiscountBody {
  const kept = Object.fromEntries(fields.map((field) => [field, current[field] ?? emptyOf(field)]))
  // A code for the whole catalog lists no variants.
  const whole = changes.productScope === 'All' ? {scopedVariantIds: []} : {}
  return {...kept, ...whole, ...changes} as DiscountBody
}

const emptyOf = (field: keyof DiscountBody) => (field === 'scopedVariantIds' ? [] : null)

export function changesBetween(before: DiscountCode, after: DiscountBody | DiscountCode): FieldChange[] {
  return fields
    .map((field) => ({field, before: before[field] ?? emptyOf(field), after: after[field] ?? emptyOf(field)}))
    .filter(({field, before: was, after: is}) => !isSame(field, was, is))
}

/** Whether two writings mean the same: 12.5 and 12.50, a moment in another zone, ids in another order. */
function isSame(field: keyof DiscountBody, before: unknown, after: unknown): boolean {
  if (isDigits(before) && isDigits(after)) return sameAmount(before, after)
  const moment = field === 'validFrom' || field === 'validTo'
  if (moment && millis(String(before)) === millis(String(after))) return true
  const sorted = (value: unknown) => (Array.isArray(value) ? value.map(String).sort() : value)
  return printJson(sorted(before)) === printJson(sorted(after))
}

/**
 * Creates a code, once: after a lost answer it is looked for in the list, where the same code with the same fields is
 * this one. Fails with OUTCOME_UNKNOWN where it is not there.
 */
export async function createDiscount(
  client: Client,
  body: DiscountBody & {code: string},
): Promise<DiscountCode> {
  try {
    return await client.call(createDiscountCode, {body})
  } catch (error) {
    if (!isFailure(error, 'OUTCOME_UNKNOWN')) throw error
    for await (const one of client.pages(listDiscountCodes, {query: {pageSize: 100}})) {
      const same = one.code.toLowerCase() === body.code.toLowerCase()
      if (same && changesBetween(one, body).length === 0) return one
    }
    const message = `The answer was lost, and no code ${body.code} with these fields is in the list.`
    const hint = 'Look again in a moment: `scent discounts list`; create it again if it is not there.'
    throw new Failure('OUTCOME_UNKNOWN', {...error.facts, message, hint}, {cause: error.cause})
  }
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
