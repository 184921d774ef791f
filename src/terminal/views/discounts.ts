import {type DiscountBody, type DiscountCode, discountCode} from '../../contract/discounts.ts'
import type {Digits} from '../../contract/money.ts'
import type {FieldChange} from '../../flows/discounts.ts'
import {bare, type Cell, money} from '../cells.ts'
import {columns, localColumns} from '../columns.ts'
import type {Table} from '../table.ts'

const worth = ({discountType, value}: Pick<DiscountCode, 'discountType' | 'value'>): Cell =>
  discountType === 'Percent' ? `${bare(value) ?? '-'} %` : money(value, 'SAR')

export const discountColumns = columns(
  discountCode,
  `id; code!; value Worth; discountType+; isActive Active; validFrom- From; validTo- To;
    usageCount- Used; totalUsageCap- Cap; perCustomerCap? Per customer; productScope? Scope;
    scopedVariantIds? Variants; minOrderValue? Least order`,
  {value: worth},
)

/** The fields that an update is about to change; `before` and `after` are the whole code. */
export function changeTable(
  rows: FieldChange[],
  codes: {before: DiscountCode; after: DiscountBody},
): Table<FieldChange> {
  const side = (name: 'before' | 'after') => (row: FieldChange) => {
    if (row.field === 'value') return worth(codes[name])
    return row.field === 'minOrderValue' ? money(row[name] as Digits | null, 'SAR') : bare(row[name])
  }
  const people = {before: side('before'), after: side('after')}
  const all = localColumns<FieldChange>('field!; before Now; after Then', people)
  return {title: 'What changes', rows, empty: 'Nothing changes.', columns: all}
}
