import * as Flags from '@oclif/core/flags'
import {type DiscountBody, discountType, productScope} from '../contract/discounts.ts'
import {Failure} from '../contract/failure.ts'
import {momentOf} from '../contract/forms.ts'
import {type Digits, digits} from '../contract/money.ts'
import {inAnyCase} from './parsing.ts'
import {momentIn, timeFlag} from './times.ts'

const group = {helpGroup: 'CODE'}

/** The fields of a discount code as flags; `none` clears what may be empty. */
export const discountFlags = {
  type: Flags.string({
    summary: 'Percent, or the name of the flat-amount type, which is not documented.',
    helpValue: 'TYPE',
    ...group,
  }),
  value: Flags.string({summary: 'Percentage, or amount in SAR.', helpValue: 'D', ...group}),
  'valid-from': timeFlag({summary: 'First moment.', ...group}),
  'valid-to': timeFlag({summary: 'Last moment; a span such as 30d counts from now on.', ...group}),
  active: Flags.boolean({summary: 'Whether it can be used.', allowNo: true, ...group}),
  'total-cap': Flags.string({summary: 'Uses in all; none lifts the cap.', helpValue: 'N|none', ...group}),
  'customer-cap': Flags.string({
    summary: 'Uses for each customer; none lifts the cap.',
    helpValue: 'N|none',
    ...group,
  }),
  scope: Flags.string({
    summary: 'All, or the name of the variant-list scope, which is not documented.',
    helpValue: 'SCOPE',
    ...group,
  }),
  variant: Flags.string({
    summary: 'Variant in scope, by SKU or id; repeatable.',
    helpValue: 'VARIANT',
    multiple: true,
    multipleNonGreedy: true,
    ...group,
  }),
  'min-order': Flags.string({
    summary: 'Least order value in SAR; none for any.',
    helpValue: 'D|none',
    ...group,
  }),
}

interface Given {
  type?: string | undefined
  value?: string | undefined
  'valid-from'?: string | undefined
  'valid-to'?: string | undefined
  active?: boolean | undefined
  'total-cap'?: string | undefined
  'customer-cap'?: string | undefined
  scope?: string | undefined
  variant?: string[] | undefined
  'min-order'?: string | undefined
}

/** A field takes a date-time in UTC (spec, Resources, Conventions); a date alone, or an offset, is for filters. */
function whole(text: string | undefined): string | undefined {
  const moment = text === undefined ? undefined : momentOf(text)
  return moment === undefined ? text : new Date(moment).toISOString()
}

/** The fields that the flags name; spans are counted from `now`, and variants may still be named by SKU. Fails with INVALID_INPUT. */
export function discountChanges(flags: Given, now: number): Partial<DiscountBody> {
  const changes = {
    discountType: flags.type && (inAnyCase(flags.type, discountType.known) ?? flags.type),
    value: flags.value === undefined ? undefined : amount('--value', flags.value),
    validFrom: whole(momentIn(flags['valid-from'], now, {isAhead: true})),
    validTo: whole(momentIn(flags['valid-to'], now, {isAhead: true})),
    isActive: flags.active,
    totalUsageCap: cap('--total-cap', flags['total-cap']),
    perCustomerCap: cap('--customer-cap', flags['customer-cap']),
    productScope: flags.scope && (inAnyCase(flags.scope, productScope.known) ?? flags.scope),
    scopedVariantIds: flags.variant,
    minOrderValue:
      flags['min-order'] === 'none'
        ? null
        : flags['min-order'] === undefined
          ? undefined
          : amount('--min-order', flags['min-order']),
  }
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Partial<DiscountBody>
}

function amount(flag: string, text: string): Digits {
  if (/^\d{1,12}(\.\d{1,6})?$/.test(text)) return digits(text)
  throw new Failure('INVALID_INPUT', {message: `${flag} "${text}" is not a valid amount, such as 12.50.`})
}

function cap(flag: string, text: string | undefined): number | null | undefined {
  if (text === undefined || text === 'none') return text === undefined ? undefined : null
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Failure('INVALID_INPUT', {
    message: `${flag} "${text}" is not a whole number of 1 or more, nor the word none.`,
  })
}
