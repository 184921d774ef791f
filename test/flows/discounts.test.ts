import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {type DiscountBody, type DiscountCode, listDiscountCodes} from '../../src/contract/discounts.ts'
import {digits} from '../../src/contract/money.ts'
import {
  changesBetween,
  createDiscount,
  merged,
  readDiscount,
  replaceDiscount,
} from '../../src/flows/discounts.ts'
import {failureOf} from '../support/failure.ts'
import {losses, openShop, type Shop} from '../support/shop.ts'

let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})
afterEach(() => shop.close())

const codes = async () => (await shop.client.call(listDiscountCodes, {query: {pageSize: 100}})).items
const named = async (code: string) => {
  const found = (await codes()).find((one) => one.code === code)
  if (!found) throw new Error(`no code ${code}`)
  return found
}

const body: DiscountBody & {code: string} = {
  code: 'EID20',
  discountType: 'Percent',
  value: 20,
  validFrom: '2026-03-01',
  validTo: '2026-04-01T00:00:00+03:00',
  isActive: true,
  totalUsageCap: null,
  perCustomerCap: 1,
  productScope: 'All',
  scopedVariantIds: [],
  minOrderValue: digits('100.50'),
}

describe('an update', () => {
  test('to the whole catalog lists no variants any more', async () => {
    const before = await named('SAFFRON25')
    const variantId = await shop.variant()
    const scoped = {productScope: 'VariantList', scopedVariantIds: [variantId]}
    const narrow = await replaceDiscount(shop.client, before, scoped)
    expect(narrow.scopedVariantIds).toEqual([variantId])
    const wide = await replaceDiscount(shop.client, narrow, {productScope: 'All'})
    expect(wide.scopedVariantIds).toEqual([])
  })

  test('sends every field, with all that was not changed as it was', async () => {
    const before = await named('SAFFRON25')
    const after = await replaceDiscount(shop.client, before, {isActive: false})
    expect(after).toMatchObject({...fieldsOf(before), isActive: false})
    expect(changesBetween(before, after).map(({field}) => field)).toEqual(['isActive'])
  })

  test.each(losses)('whose answer is lost by $effect $when the commit ends as asked', async (fault) => {
    const before = await named('WELCOME10')
    shop.fault({...fault, match: {operation: 'updateDiscountCode'}, times: 1})
    await replaceDiscount(shop.client, before, {value: 15})
    expect(await named('WELCOME10')).toMatchObject({...fieldsOf(before), value: 15})
  })

  test('notices a field that somebody else changed meanwhile, and sends nothing', async () => {
    const seen = await named('WELCOME10')
    await replaceDiscount(shop.client, seen, {totalUsageCap: 7, minOrderValue: 50})
    shop.requests.length = 0
    const failure = await failureOf(replaceDiscount(shop.client, seen, {value: 15}))
    expect(failure).toMatchObject({
      code: 'CHANGED_MEANWHILE',
      exitCode: 8,
      message:
        'The code was changed elsewhere since it was read: totalUsageCap, minOrderValue. Nothing was sent.',
      facts: {
        details: {changed: [{field: 'totalUsageCap', before: null, after: 7}, {field: 'minOrderValue'}]},
      },
    })
    expect(shop.requests).toEqual(['GET /api/v1/scent/discount-codes'])
    expect((await named('WELCOME10')).value).toBe(10)
  })

  test('of a code that is not there says so', async () => {
    const failure = await failureOf(readDiscount(shop.client, '00000000-0000-4000-8000-000000000000'))
    expect(failure).toMatchObject({code: 'NOT_FOUND_DISCOUNT_CODE', exitCode: 5})
  })

  const fieldsOf = ({value, validFrom, validTo, totalUsageCap, scopedVariantIds, ...more}: DiscountCode) => ({
    ...{value, validFrom, validTo, totalUsageCap, scopedVariantIds},
    discountType: more.discountType,
    perCustomerCap: more.perCustomerCap,
    productScope: more.productScope,
    minOrderValue: more.minOrderValue,
  })
})

describe('a difference', () => {
  test('is one of meaning, not of writing', async () => {
    const code = await named('SAFFRON25')
    const same = merged(code, {
      value: digits('25.00'),
      validTo: new Date(String(code.validTo)).toISOString().replace('Z', '+00:00'),
      scopedVariantIds: [...(code.scopedVariantIds ?? [])].reverse(),
    })
    expect(changesBetween(code, same)).toEqual([])
    expect(changesBetween(code, {...same, value: digits('25.01')})).toMatchObject([{field: 'value'}])
  })
})

describe('a code of which something is missing', () => {
  const {validTo: _, ...endless} = {...body, id: 'e', code: 'E', validTo: null}

  test('keeps a null that was read', () => {
    expect(merged({...body, validTo: null}, {value: 20})).toMatchObject({validTo: null, value: 20})
  })

  test('is not replaced, and says what is missing', async () => {
    expect(() => merged(endless, {value: 20})).toThrow('does not tell the validTo of this code')
    expect(() => merged({...body, isActive: 'yes'} as never, {value: 20})).toThrow('isActive')
    expect(merged(endless, {validTo: body.validTo})).toMatchObject({validTo: body.validTo})
  })
})

describe('a new code', () => {
  const create = (wanted = body) => createDiscount(shop.client, wanted, () => performance.now())
  const ofCreate = {match: {operation: 'createDiscountCode'}, times: 1}

  test('costs one request', async () => {
    shop.requests.length = 0
    await create()
    expect(shop.requests.filter((one) => !one.endsWith('/auth/token'))).toEqual([
      'POST /api/v1/scent/discount-codes',
    ])
  })

  test.each(losses.filter(({when}) => when === 'after'))(
    'whose answer is lost by $effect is found in the list',
    async (fault) => {
      shop.fault({...fault, ...ofCreate})
      const created = await create()
      expect((await codes()).filter(({code}) => code === 'EID20')).toEqual([created])
    },
  )

  test.each(losses.filter(({when}) => when === 'before'))(
    'lost by $effect before it ran is unknown, and not sent again',
    async (fault) => {
      shop.fault({...fault, ...ofCreate})
      const failure = await failureOf(create())
      expect(failure).toMatchObject({
        code: 'OUTCOME_UNKNOWN',
        message: expect.stringContaining('no code EID20 with these fields'),
      })
      expect((await codes()).filter(({code}) => code === 'EID20')).toEqual([])
    },
  )

  // A fault that follows the work leaves a refusal as it is.
  test.each(losses.filter(({effect, when}) => effect !== 'status' || when === 'before'))(
    'does not take an older one with the same fields for its own: $effect $when',
    async (fault) => {
      const older = await create()
      shop.later(60)
      shop.fault({...fault, ...ofCreate})
      expect(await failureOf(create())).toMatchObject({
        code: 'OUTCOME_UNKNOWN',
        exitCode: 12,
        message: expect.stringContaining('may have been there before'),
        facts: {details: {id: older.id, createdAt: older.createdAt}},
      })
    },
  )

  test.each(['previewCheckout', 'listDiscountCodes'])('is not certain where %s fails', async (operation) => {
    shop.fault({effect: 'reset', when: 'after', ...ofCreate})
    shop.fault({effect: 'status', state: 'FORBIDDEN', match: {operation}})
    expect(await failureOf(create())).toMatchObject({code: 'OUTCOME_UNKNOWN'})
  })

  test('does not take another code of the same name for its own', async () => {
    await create()
    shop.fault({effect: 'reset', when: 'before', ...ofCreate})
    const failure = await failureOf(create({...body, value: 30}))
    expect(failure).toMatchObject({code: 'OUTCOME_UNKNOWN', message: expect.stringContaining('no code')})
  })
})
