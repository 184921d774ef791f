import type {Client} from '../client/client.ts'
import {previewCheckout} from '../contract/checkout.ts'
import {
  createDiscountCode,
  type DiscountBody,
  type DiscountCode,
  discountBody,
  listDiscountCodes,
  updateDiscountCode,
} from '../contract/discounts.ts'
import {type Facts, Failure, isFailure} from '../contract/failure.ts'
import {isUuid, millis} from '../contract/forms.ts'
import {isDigits, printJson, sameAmount} from '../contract/money.ts'
import {settleBy} from './lost.ts'

const fields = Object.keys(discountBody.shape) as (keyof DiscountBody)[]

/**
 * Reads one code out of the list: there is no route for a single one. Fails with NOT_FOUND_DISCOUNT_CODE, and with
 * INVALID_INPUT before anything is sent.
 */
export async function readDiscount(client: Client, id: string): Promise<DiscountCode> {
  if (!isUuid(id))
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
 * Creates a code, once: after a lost answer it is looked for in the list. A row with the same fields is this one only
 * where it was made after the request left, by the clock of the service itself: an older one may have stood there
 * before. `ticks` is a clock in ms that nobody sets. Fails with OUTCOME_UNKNOWN where that is not certain.
 */
export async function createDiscount(
  client: Client,
  body: DiscountBody & {code: string},
  ticks: () => number,
): Promise<DiscountCode> {
  const sentAt = ticks()
  try {
    return await client.call(createDiscountCode, {body})
  } catch (error) {
    if (!isFailure(error, 'OUTCOME_UNKNOWN')) throw error
    const found = await settleBy(error, findSame(client, body))
    const clock = found && (await serviceClock(client))
    const sent = (clock ?? Number.NaN) - (ticks() - sentAt)
    // Times are written in whole milliseconds.
    if (found && millis(String(found.createdAt)) + 1 > sent) return found
    throw new Failure('OUTCOME_UNKNOWN', {...error.facts, ...unsure(body.code, found)}, {cause: error.cause})
  }
}

/** The newest code with this name and these fields. */
async function findSame(
  client: Client,
  body: DiscountBody & {code: string},
): Promise<DiscountCode | undefined> {
  for await (const one of client.pages(listDiscountCodes, {query: {pageSize: 100}})) {
    const same = one.code.toLowerCase() === body.code.toLowerCase()
    if (same && changesBetween(one, body).length === 0) return one
  }
  return undefined
}

/** What the clock of the service shows, in ms: the one answer that always carries it prices a cart. */
async function serviceClock(client: Client): Promise<number | undefined> {
  try {
    return millis(String((await client.call(previewCheckout, {})).pricedAt))
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}

function unsure(code: string, found: DiscountCode | undefined): Pick<Facts, 'message' | 'hint' | 'details'> {
  if (found === undefined)
    return {
      message: `The answer was lost, and no code ${code} with these fields was found in the list.`,
      hint: 'Look again in a moment: `scent discounts list`; create it again if it is not there.',
    }
  return {
    message: `The answer was lost. A code ${code} with these very fields is in the list, and may have been there before.`,
    hint: 'Do not create it again. `scent discounts list` shows its use so far, which tells an older code.',
    details: {id: found.id, createdAt: found.createdAt ?? null},
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
