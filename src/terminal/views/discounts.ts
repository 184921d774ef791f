import type {DiscountCode} from '../../contract/discounts.ts'
import {isDigits, printJson} from '../../contract/money.ts'
import {type Cell, joined, money, time} from '../cells.ts'
import type {Card} from '../output.ts'
import type {Column, Table} from '../table.ts'

const worth = ({discountType, value}: DiscountCode): Cell =>
  discountType === 'Percent' ? `${value} %` : money(value, 'SAR')

/** Columns of discount codes. */
export const discountColumns: Column<DiscountCode>[] = [
  {key: 'id', header: 'Id', whole: true, get: ({id}) => id},
  {key: 'code', header: 'Code', get: ({code}) => code},
  {key: 'worth', header: 'Worth', get: worth},
  {key: 'active', header: 'Active', get: ({isActive}) => isActive},
  {key: 'from', header: 'From', yields: true, get: ({validFrom}) => time(validFrom)},
  {key: 'to', header: 'To', yields: true, get: ({validTo}) => time(validTo)},
  {key: 'used', header: 'Used', yields: true, get: ({usageCount}) => usageCount},
  {key: 'cap', header: 'Cap', yields: true, get: ({totalUsageCap}) => totalUsageCap},
  {key: 'per-customer', header: 'Per customer', shown: 'asked', get: ({perCustomerCap}) => perCustomerCap},
  {key: 'scope', header: 'Scope', shown: 'asked', get: ({productScope}) => productScope},
  {
    key: 'variants',
    header: 'Variants',
    shown: 'asked',
    get: ({scopedVariantIds}) => joined(scopedVariantIds, ' '),
  },
  {
    key: 'min-order',
    header: 'Least order',
    shown: 'asked',
    get: ({minOrderValue}) => money(minOrderValue, null),
  },
]

/** Everything of one code. */
export function discountCard(one: DiscountCode): Card<DiscountCode> {
  return {rows: [one], upright: true, columns: discountColumns.map(({shown, ...column}) => column)}
}

interface Change {
  field: string
  before: unknown
  after: unknown
}

const shownAs = (value: unknown): Cell =>
  typeof value === 'string' || isDigits(value) ? value : value === null ? null : printJson(value, 0)

/** What an update is about to change. */
export function changeTable(rows: Change[]): Table<Change> {
  return {
    title: 'What changes',
    rows,
    empty: 'Nothing changes.',
    columns: [
      {key: 'field', header: 'Field', get: ({field}) => field},
      {key: 'before', header: 'Now', get: ({before}) => shownAs(before)},
      {key: 'after', header: 'Then', get: ({after}) => shownAs(after)},
    ],
  }
}
