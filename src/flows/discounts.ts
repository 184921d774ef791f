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
import {millis} from '../contract/forms.ts'
import {isDigits, printJson, sameAmount} from '../contract/money.ts'
import {nearest} from '../contract/nearest.ts'
import {oddAnswer} from '../contract/operation.ts'
import {reworded, settleBy} from './lost.ts'

const fields = Object.keys(discountBody.shape) as (keyof DiscountBody)[]

/**
 * Finds a code in the list, by its id or by the code itself, as there is no route for a single one. Capitals don't matter
 * if that leaves one. Fails with NOT_FOUND_DISCOUNT_CODE, and with INVALID_INPUT if several are called so.
 */
export async function readDiscount(client: Client, typed: string): Promise<DiscountCode> {
  const [same, alike, codes]: [DiscountCode[], DiscountCode[], string[]] = [[], [], []]
  for await (const one of codesOf(client)) {
    const {id, code} = one ?? {}
    if (one && isCalled(id, typed)) return one
    if (one && code === typed) same.push(one)
    else if (one && isCalled(code, typed)) alike.push(one)
    if (typeof code === 'string') codes.push(code)
  }
  const found = same.length > 0 ? same : alike
  const [only] = found
  if (only && found.length === 1) return only
  if (only)
    throw new Failure('INVALID_INPUT', {
      message: `${found.length} discount codes are called ${JSON.stringify(typed)}. Nothing was sent.`,
      hint: `Give the id of one: ${found.map(({id}) => id).join(', ')}.`,
      effect: 'none',
    })
  const near = nearest(typed, codes)
  throw new Failure('NOT_FOUND_DISCOUNT_CODE', {
    hint: `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}See \`scent discounts list\`.`,
    effect: 'none',
    details: {id: typed},
  })
}

const isCalled = (name: unknown, typed: string) =>
  typeof name === 'string' && name.toLowerCase() === typed.toLowerCase()

const codesOf = (client: Client): AsyncIterable<DiscountCode | null> =>
  client.pages(listDiscountCodes, {query: {pageSize: 100}}, {onlyShown: true})

export interface FieldChange {
  field: keyof DiscountBody
  before: unknown
  after: unknown
}

/**
 * Returns every field with its new value: an update replaces them all. Fails with ODD_ANSWER if one is neither known nor
 * changed.
 */
export function merged(current: DiscountCode, changes: Partial<DiscountBody>): DiscountBody {
  const kept = Object.fromEntries(fields.map((field) => [field, current[field] ?? emptyOf(field, current)]))
  // A code for the whole catalog lists no variants.
  const whole = changes.productScope === 'All' ? {scopedVariantIds: []} : {}
  const body = {...kept, ...whole, ...changes}
  const checked = discountBody.safeParse(body)
  if (checked.success) return body as DiscountBody
  const field = String(checked.error.issues[0]?.path[0])
  throw oddAnswer(
    listDiscountCodes,
    `The service does not tell the ${field} of this code, and an update replaces every field. Nothing was sent.`,
  )
}

/** not shown: whether an answer leaves out a cap, a least order value or a list of variants if there is none. */
const mayBeLeftOut = ['totalUsageCap', 'perCustomerCap', 'minOrderValue']

function emptyOf(field: keyof DiscountBody, {[field]: value}: Partial<DiscountCode>) {
  if (field === 'scopedVariantIds') return []
  return mayBeLeftOut.includes(field) ? null : value
}

export function changesBetween(before: DiscountCode, after: DiscountBody | DiscountCode): FieldChange[] {
  return fields
    .map((field) => ({
      field,
      before: before[field] ?? emptyOf(field, before),
      after: after[field] ?? emptyOf(field, after),
    }))
    .filter(({field, before: was, after: is}) => !isSame(field, was, is))
}

/** Whether two values mean the same: 12.5 and 12.50, a moment in two time zones, ids in another order. */
function isSame(field: keyof DiscountBody, before: unknown, after: unknown): boolean {
  if (isDigits(before) && isDigits(after)) return sameAmount(before, after)
  const moment = field === 'validFrom' || field === 'validTo'
  if (moment && millis(String(before)) === millis(String(after))) return true
  const sorted = (value: unknown) => (Array.isArray(value) ? value.map(String).sort() : value)
  return printJson(sorted(before)) === printJson(sorted(after))
}

/**
 * Creates a code once. After a lost answer it looks in the list: a row with the same fields is this code only if it was
 * made after the request left, by the clock of the service itself. An older one may have been there before. `ticks` is
 * a monotonic clock in milliseconds. Fails with OUTCOME_UNKNOWN if that is not certain.
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
    // createdAt is cut to whole milliseconds.
    if (found && millis(String(found.createdAt)) + 1 > sent) return found
    throw reworded(error, unsure(body.code, found))
  }
}

/** The newest code with this name and these fields. */
async function findSame(
  client: Client,
  body: DiscountBody & {code: string},
): Promise<DiscountCode | undefined> {
  for await (const one of codesOf(client)) {
    const same = isCalled(one?.code, body.code)
    if (one && same && changesBetween(one, body).length === 0) return one
  }
  return undefined
}

/** The clock of the service in milliseconds, read off a price preview: its `pricedAt` is always there. */
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
    message: `The answer was lost. A code ${code} with the same fields is in the list, and may have been there before.`,
    hint: 'Do not create it again. `scent discounts list` shows how often it was used: an older code may have been used.',
    details: {id: found.id, createdAt: found.createdAt ?? null},
  }
}

/**
 * Replaces a code, unless one of its fields changed since `seen` was read: then it fails with CHANGED_MEANWHILE, which
 * names them, and sends nothing.
 */
export async function replaceDiscount(
  client: Client,
  seen: DiscountCode,
  changes: Partial<DiscountBody>,
): Promise<DiscountCode> {
  const discountCodeId = String(seen.id)
  const now = await readDiscount(client, discountCodeId)
  const moved = changesBetween(seen, now)
  if (moved.length > 0) {
    throw new Failure('CHANGED_MEANWHILE', {
      message: `The code was changed elsewhere since it was read: ${moved.map(({field}) => field).join(', ')}. Nothing was sent.`,
      details: {changed: moved},
      effect: 'none',
    })
  }
  return client.call(updateDiscountCode, {params: {discountCodeId}, body: merged(now, changes)})
}
