import {type DiscountBody, discountType, productScope} from '../../contract/discounts.ts'
import {momentOf} from '../../contract/forms.ts'
import {exact} from '../../contract/money.ts'
import {type Call, type CallOf, Created, type FieldRules, type Judging, type Rules} from '../core/call.ts'
import {count, find, insert, update} from '../core/rows.ts'
import {type DiscountCode, discountCodes} from '../core/schema.ts'
import type {World} from '../core/world.ts'
import type {FieldFault} from '../door/body.ts'
import {pageOfRows} from '../door/page.ts'
import {refuse} from '../door/reply.ts'
import {iso} from '../time/clock.ts'
import {sarOrNull} from './money.ts'

/** D06: activeOnly looks at the flag alone, not at the dates or the usage. */
function listDiscountCodes(call: CallOf<'listDiscountCodes'>): unknown {
  const from = 'FROM discount_codes WHERE partner_id = ?1 AND (active OR NOT ?2)'
  const values = [call.partner.id, call.query.activeOnly === true]
  return pageOfRows(call, {from, values, order: 'created_at DESC, id DESC', ends: true}, codePayload)
}

/** D02. not shown: path, body and answer of the create, and the refusal of a code that is taken. */
function createDiscountCode(call: CallOf<'createDiscountCode'>): unknown {
  const {world, partner, body, now} = call
  const id = world.id('discount-code')
  insert(world, discountCodes, {
    id,
    partner_id: partner.id,
    code: body.code,
    ...storedOf(body),
    created_at: now,
    modified_at: now,
  })
  return new Created(codePayload(ownCode(world, partner.id, id)), `/api/v1/scent/discount-codes/${id}`)
}

/** D03: every field is replaced; the code itself may be sent along, but not changed. */
function updateDiscountCode(call: CallOf<'updateDiscountCode'>): unknown {
  const {world, partner, body, now} = call
  const row = ownCode(world, partner.id, call.params.discountCodeId.toLowerCase())
  update(world, discountCodes, {id: row.id}, {...storedOf(body), modified_at: now})
  return codePayload(ownCode(world, partner.id, row.id))
}

// G19. not shown: the name of the 404.
function ownCode(world: World, partnerId: string, id: string): DiscountCode {
  return find(world, discountCodes, {id, partner_id: partnerId}) ?? refuse('NOT_FOUND_DISCOUNT_CODE')
}

function isTaken(world: World, partnerId: string, code: string): boolean {
  const sql = 'SELECT id FROM discount_codes WHERE partner_id = ? AND code = ? COLLATE NOCASE'
  return world.get(sql, partnerId, code) !== undefined
}

function faultsOfNew(call: Judging<'createDiscountCode'>): FieldFault[] {
  const {world, partner, body} = call
  const message =
    body.code === undefined || body.code.trim() === ''
      ? undefined
      : !/^[\w-]{3,40}$/.test(body.code)
        ? 'must be 3 to 40 letters, digits, hyphens or underscores'
        : isTaken(world, partner.id, body.code)
          ? 'is taken'
          : undefined
  return named({...rulesOf(call, body), code: message})
}

function faultsOfReplaced(call: Judging<'updateDiscountCode'>): FieldFault[] {
  const {world, partner, params, body, sent} = call
  const row = find(world, discountCodes, {id: params.discountCodeId.toLowerCase(), partner_id: partner.id})
  const isChanged = row !== undefined && sent?.code !== undefined && sent.code !== row.code
  return named({...rulesOf(call, body), code: isChanged ? 'cannot be changed' : undefined})
}

const named = (messages: Record<string, string | undefined>): FieldFault[] =>
  Object.entries(messages).flatMap(([name, message]) => (message === undefined ? [] : [{name, message}]))

/** What is wrong with the fields, beyond their types. D01: the names of the second type and scope are made up. */
function rulesOf(
  {world, partner}: Pick<Call, 'world' | 'partner'>,
  body: Partial<DiscountBody>,
): Record<string, string | undefined> {
  const {discountType: type, productScope: scope, totalUsageCap, perCustomerCap, minOrderValue} = body
  const isCap = (cap: number | null | undefined, fits: (cap: number) => boolean) =>
    cap === null || cap === undefined || fits(cap)
  return {
    discountType: wordFault(type, discountType.known),
    value: valueFault(body),
    ...periodFaults(body),
    productScope: wordFault(scope, productScope.known),
    scopedVariantIds: scopeFault(world, partner.id, body),
    minOrderValue:
      minOrderValue === null || minOrderValue === undefined ? undefined : amountFault(minOrderValue, 0),
    totalUsageCap: isCap(totalUsageCap, (cap) => cap >= 1) ? undefined : 'must be null or at least 1',
    // D04. not shown: which of the two caps takes null or 1 only.
    perCustomerCap: isCap(perCustomerCap, (cap) => cap === 1) ? undefined : 'must be null or exactly 1',
  }
}

function wordFault(word: string | undefined, known: readonly string[]): string | undefined {
  return word === undefined || known.includes(word) ? undefined : `must be one of ${known.join(', ')}`
}

function periodFaults({validFrom, validTo}: Partial<DiscountBody>): Record<string, string | undefined> {
  const [from, to] = [validFrom, validTo].map((text) => (text === undefined ? null : momentOf(text ?? '')))
  const wrong = 'must be an ISO 8601 date-time'
  return {
    validFrom: from === undefined ? wrong : undefined,
    validTo: to === undefined ? wrong : from && to && from >= to ? 'must be after validFrom' : undefined,
  }
}

/** D05: a percentage in (0, 100], or a positive amount. */
function valueFault({discountType: type, value}: Partial<DiscountBody>): string | undefined {
  if (value === undefined || type === undefined) return undefined
  if (type !== 'Percent') return amountFault(value, 0.01)
  return exact(value).gt(0) && exact(value).lte(100) ? undefined : 'must be more than 0 and at most 100'
}

const largest = 1_000_000_000

function amountFault(amount: DiscountBody['value'], least: number): string | undefined {
  const value = exact(amount)
  if (value.lt(least)) return `must be at least ${least}`
  if (value.gt(largest)) return `must be at most ${largest}`
  return value.eq(value.round(2)) ? undefined : 'must have at most two decimals'
}

function scopeFault(
  world: World,
  partnerId: string,
  {productScope: scope, scopedVariantIds}: Partial<DiscountBody>,
): string | undefined {
  const ids = scopedVariantIds?.flatMap((id: string | undefined) => id?.toLowerCase() ?? [])
  if (ids === undefined || (scope !== 'VariantList' && scope !== 'All')) return undefined
  if (scope === 'All') return ids.length === 0 ? undefined : 'must be empty for the whole catalog'
  if (ids.length === 0) return 'must name at least one variant'
  const from = 'FROM assortment WHERE partner_id = ? AND variant_id IN (SELECT value FROM json_each(?))'
  const found = count(world, from, partnerId, JSON.stringify(ids))
  return found === new Set(ids).size ? undefined : 'names a variant that is not known'
}

export const fieldRules = {
  createDiscountCode: faultsOfNew,
  updateDiscountCode: faultsOfReplaced,
} satisfies FieldRules

const hundredths = (value: DiscountBody['value']): number => Number(exact(value).times(100))

function storedOf(body: DiscountBody) {
  return {
    discount_type: body.discountType,
    value: Number(body.value),
    valid_from: momentOf(body.validFrom ?? '') ?? 0,
    valid_to: momentOf(body.validTo ?? '') ?? 0,
    active: body.isActive,
    total_cap: body.totalUsageCap,
    customer_cap: body.perCustomerCap,
    scope: body.productScope,
    scoped_variants: JSON.stringify([...new Set(body.scopedVariantIds.map((id) => id.toLowerCase()))]),
    min_order: body.minOrderValue === null ? null : hundredths(body.minOrderValue),
  }
}

function codePayload(row: DiscountCode): object {
  return {
    id: row.id,
    partnerId: row.partner_id,
    code: row.code,
    discountType: row.discount_type,
    value: row.value,
    validFrom: iso(row.valid_from),
    validTo: iso(row.valid_to),
    isActive: row.active === 1,
    totalUsageCap: row.total_cap,
    perCustomerCap: row.customer_cap,
    productScope: row.scope,
    scopedVariantIds: JSON.parse(row.scoped_variants),
    minOrderValue: sarOrNull(row.min_order),
    usageCount: row.usage_count,
    createdAt: iso(row.created_at),
    lastModifiedAt: iso(row.modified_at),
  }
}

export const rules = {listDiscountCodes, createDiscountCode, updateDiscountCode} satisfies Rules
