import type {OperationName} from '../../src/contract/api.ts'
import type {Code} from '../../src/contract/errors.ts'
import type {Sandbox} from '../support/types.ts'
import {type Answer, callerOf, control, variantOf} from './caller.ts'

/** One way to reach a refusal, and what its details must say. */
export interface Case {
  of: OperationName
  code: Code
  provoke: () => Promise<Answer>
  details?: () => unknown
  assume?: string[]
}

const long = 'x'.repeat(129)
const nobody = '00000000-0000-4000-8000-000000000000'

/** A discount code as a partner would send it. */
export const codeBody = {
  discountType: 'Percent',
  value: 12.5,
  validFrom: '2026-01-01',
  validTo: '2027-01-01T00:00:00+03:00',
  isActive: true,
  totalUsageCap: 100,
  perCustomerCap: 1,
  productScope: 'All',
  scopedVariantIds: [] as string[],
  minOrderValue: 200,
}

/** The refusals of the reads, and of what partners keep: wishlists and discount codes. */
export function readCases(at: () => {sandbox: Sandbox; caller: ReturnType<typeof callerOf>}): Case[] {
  const ask: ReturnType<typeof callerOf>['ask'] = (...request) => at().caller.ask(...request)
  const sales = (query: string) => () => ask('GET', '/scent/reports/sales/summary', {query})
  const wish = (ref: string, body: object) => () => ask('POST', `/scent/wishlist/${ref}/items`, {body})
  const over400Days = 'fromUtc=2025-01-01&toUtc=2026-02-05T00:00:00.001Z'
  const object = (status: string, reason: string) => async () => {
    const {items} = (await ask('GET', '/commission-periods', {query: `status=${status}`})).payload
    return ask('POST', `/commission-periods/${items[0].id}/objection`, {body: {reason}})
  }
  return [
    {of: 'readScent', code: 'NOT_FOUND_SCENT', provoke: () => ask('GET', `/scent/scents/${nobody}`)},
    {of: 'readBrand', code: 'NOT_FOUND_BRAND', provoke: () => ask('GET', '/scent/brands/x')},
    {
      of: 'listScents',
      code: 'VALIDATION_UNKNOWN_LOOKUP_CODE',
      provoke: () => ask('GET', '/scent/scents', {query: 'concentration=edp&audience=X'}),
      details: () => ({
        errors: {concentration: ['is not a known code'], audience: ['is not a known code']},
        list: 'concentration',
        value: 'edp',
      }),
    },
    {
      of: 'readWishlist',
      code: 'VALIDATION_CUSTOMER_REF_TOO_LONG',
      provoke: () => ask('GET', `/scent/wishlist/${long}`),
      details: () => ({errors: {customerRef: ['must not exceed 128 characters']}}),
    },
    {of: 'addWishlistItem', code: 'VALIDATION_ERRORS', provoke: wish('C-1', {variantId: 'x'})},
    {of: 'addWishlistItem', code: 'NOT_FOUND_VARIANT', provoke: wish('C-1', {variantId: nobody})},
    {
      of: 'addWishlistItem',
      code: 'VALIDATION_CUSTOMER_REF_TOO_LONG',
      provoke: wish(long, {variantId: nobody}),
    },
    {
      of: 'addWishlistItem',
      code: 'BUSINESS_VARIANT_UNAVAILABLE',
      provoke: () => wish('C-1', {variantId: variantOf(at().sandbox, 'SDR-HON-100')})(),
    },
    {
      of: 'removeWishlistItem',
      code: 'VALIDATION_CUSTOMER_REF_TOO_LONG',
      provoke: () => ask('DELETE', `/scent/wishlist/${long}/items/${nobody}`),
    },
    {
      of: 'removeWishlistItem',
      code: 'NOT_FOUND_VARIANT',
      provoke: () => ask('DELETE', '/scent/wishlist/C-1/items/x'),
    },
    {
      of: 'createDiscountCode',
      code: 'VALIDATION_ERRORS',
      provoke: () => ask('POST', '/scent/discount-codes', {body: {...codeBody, code: 'welcome10'}}),
      details: () => ({errors: {code: ['is taken']}}),
    },
    {
      of: 'updateDiscountCode',
      code: 'VALIDATION_ERRORS',
      provoke: () =>
        ask('PATCH', `/scent/discount-codes/${nobody}`, {body: {...codeBody, validTo: undefined}}),
      details: () => ({errors: {validTo: ['is required']}}),
    },
    {
      of: 'updateDiscountCode',
      code: 'NOT_FOUND_DISCOUNT_CODE',
      provoke: () => ask('PATCH', `/scent/discount-codes/${nobody}`, {body: codeBody}),
    },
    {
      of: 'readSalesReport',
      code: 'VALIDATION_INVALID_PERIOD',
      provoke: sales('fromUtc=2026-01-01&toUtc=2026-01-01T03:00:00%2B03:00'),
    },
    {
      of: 'readStatement',
      code: 'NOT_FOUND_STATEMENT',
      provoke: () => ask('GET', `/statements/${nobody}`),
    },
    {
      of: 'reportStatement',
      code: 'VALIDATION_MISSING_REPORT_RANGE',
      provoke: () => ask('GET', '/statements/report', {query: 'from=2026-13-01'}),
      details: () => ({errors: {to: ['is required']}}),
    },
    {
      of: 'listCommissionPeriods',
      code: 'VALIDATION_INVALID_COMMISSION_PERIOD_STATUS',
      provoke: () => ask('GET', '/commission-periods', {query: 'status=provisional'}),
      details: () => ({
        errors: {status: ['must be one of the allowed values']},
        allowedValues: {status: ['Provisional', 'Issued', 'Settled']},
      }),
    },
    {of: 'objectToCommission', code: 'VALIDATION_ERRORS', provoke: object('Provisional', 'x'.repeat(1001))},
    {
      of: 'objectToCommission',
      code: 'NOT_FOUND_COMMISSION_PERIOD',
      provoke: () => ask('POST', `/commission-periods/${nobody}/objection`, {body: {reason: 'x'}}),
    },
    {
      of: 'objectToCommission',
      code: 'CONFLICT_COMMISSION_PERIOD_ALREADY_OBJECTED',
      provoke: async () => {
        await object('Provisional', 'x')()
        return object('Provisional', 'y')()
      },
    },
    {
      of: 'objectToCommission',
      code: 'CONFLICT_COMMISSION_PERIOD_NOT_PROVISIONAL',
      provoke: object('Issued', 'x'),
    },
    {
      of: 'objectToCommission',
      code: 'CONFLICT_COMMISSION_PERIOD_PAST_ISSUE_DATE',
      provoke: async () => {
        const {items} = (await ask('GET', '/commission-periods', {query: 'status=Provisional'})).payload
        await control(at().sandbox, 'POST', 'clock', {to: items[0].issueDate})
        const again = callerOf(at().sandbox)
        return again.ask('POST', `/commission-periods/${items[0].id}/objection`, {body: {reason: 'x'}})
      },
    },
    {of: 'readSalesReport', code: 'VALIDATION_REPORT_WINDOW_TOO_LARGE', provoke: sales(over400Days)},
  ]
}
