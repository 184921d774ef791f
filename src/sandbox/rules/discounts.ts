import {type DiscountBody, discountType, productScope} from '../../contract/discounts.ts'
import {momentOf} from '../../contract/forms.ts'
import {exact} from '../../contract/money.ts'
import {type Call, type CallOf, Created, type Rules} from '../core/call.ts'
import {count, find, insert, update} from '../core/rows.ts'
import {type DiscountCode, discountCodes} from '../core/schema.ts'
import type {World} from '../core/world.ts'
import {pageOfRows} from '../door/page.ts'
import {invalid, refuse, refuseFaults} from '../door/reply.ts'
import {iso} from '../time/clock.ts'
import {sar, sarOrNull} from './money.ts'

/** D06: activeOnly looks at the flag alone, not at the dates or the usage. */
function listDiscountCodes(call: CallOf<'listDiscountCodes'>): unknown {
  const from = 'FROM discount_codes WHERE partner_id = ?1 AND (active OR NOT ?2)'
  const values = [call.partner.id, call.query.activeOnly === true]
  return pageOfRows(call, {from, values, order: 'created_at DESC, id DESC', ends: true}, codePayload)
}

/** D02. not shown: path, body and answer of the create, and the refusal of a code that is taken. */
function createDiscountCode(call: CallOf<'createDiscountCode'>): unknown {
  const {world, partner, body, now} = call
  const errors = faultsOf(call, body)
  if (!/^[\w-]{3,40}$/.test(body.code))
    errors.code = ['must be 3 to 40 letters, digits, hyphens or underscores']
  else if (isTaken(world, partner.id, body.code)) errors.code = ['is taken']
  refuseFaults(errors)
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
  const {world, partner, body, now, sent} = call
  const errors = faultsOf(call, body)
  refuseFaults(errors)
  const row = ownCode(world, partner.id, call.params.discountCodeId.toLowerCase())
  if (sent?.code !== undefined && sent.code !== row.code) invalid({code: ['cannot be changed']})
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

type Errors = Record<string, string[]>

/** The faults of the fields, beyond their types. D01: the names of the second type and scope are made up. */
function faultsOf({world, partner}: Pick<Call, 'world' | 'partner'>, body: DiscountBody): Errors {
  const scoped = body.scopedVariantIds.map((id) => id.toLowerCase())
  const from = momentOf(body.validFrom)
  const to = momentOf(body.validTo)
  const faults: Record<string, string | undefined> = {
    discountType: discountType.known.includes(body.discountType as 'Percent')
      ? undefined
      : `must be one of ${discountType.known.join(', ')}`,
    value: valueFault(body),
    validFrom: from === undefined ? 'must be an ISO 8601 date-time' : undefined,
    validTo: to === undefined ? 'must be an ISO 8601 date-time' : undefined,
    productScope: productScope.known.includes(body.productScope as 'All')
      ? undefined
      : `must be one of ${productScope.known.join(', ')}`,
    scopedVariantIds: scopeFault(world, partner.id, body.productScope, scoped),
    minOrderValue: body.minOrderValue === null ? undefined : amountFault(String(body.minOrderValue), 0),
    totalUsageCap:
      body.totalUsageCap !== null && body.totalUsageCap < 1 ? 'must be null or at least 1' : undefined,
    // D04. not shown: which of the two caps takes null or 1 only.
    perCustomerCap:
      body.perCustomerCap !== null && body.perCustomerCap !== 1 ? 'must be null or exactly 1' : undefined,
  }
  if (from !== undefined && to !== undefined && from >= to) faults.validTo = 'must be after validFrom'
  return Object.fromEntries(
    Object.entries(faults).flatMap(([name, fault]) => (fault === undefined ? [] : [[name, [fault]]])),
  )
}

/** D05: a percentage in (0, 100], or a positive amount. */
function valueFault({discountType: type, value}: DiscountBody): string | undefined {
  if (type === 'Percent' && exact(value).gt(100)) return 'must be more than 0 and at most 100'
  return amountFault(String(value), 0.01)
}

function amountFault(text: string, least: number): string | undefined {
  const value = exact(text)
  if (value.lt(least) || value.gt(1_000_000_000)) return `must be at least ${least}`
  return value.eq(value.round(2)) ? undefined : 'must have at most two decimals'
}

function scopeFault(world: World, partnerId: string, scope: string, ids: string[]): string | undefined {
  if (scope !== 'VariantList' && scope !== 'All') return undefined
  if (scope === 'All') return ids.length === 0 ? undefined : 'must be empty for the whole catalog'
  if (ids.length === 0) return 'must name at least one variant'
  const from = 'FROM assortment WHERE partner_id = ? AND variant_id IN (SELECT value FROM json_each(?))'
  const found = count(world, from, partnerId, JSON.stringify(ids))
  return found === new Set(ids).size ? undefined : 'names a variant that is not known'
}

const hundredths = (value: DiscountBody['value']): number => Number(exact(value).times(100))

function storedOf(body: DiscountBody) {
  return {
    discount_type: body.discountType,
    value: hundredths(body.value),
    valid_from: momentOf(body.validFrom) ?? 0,
    valid_to: momentOf(body.validTo) ?? 0,
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
    value: sar(row.value),
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
