import {type DiscountCode, discountCode} from '../../contract/discounts.ts'
import type {FieldChange} from '../../flows/discounts.ts'
import {bare, type Cell, money} from '../cells.ts'
import {columns, localColumns} from '../columns.ts'
import type {Table} from '../table.ts'

const worth = ({discountType, value}: DiscountCode): Cell =>
  discountType === 'Percent' ? `${bare(value) ?? '-'} %` : money(value, 'SAR')

export const discountColumns = columns(
  discountCode,
  `id; code!; value Worth; discountType+; isActive Active; validFrom- From; validTo- To;
    usageCount- Used; totalUsageCap- Cap; perCustomerCap? Per customer; productScope? Scope;
    scopedVariantIds? Variants; minOrderValue? Least order`,
  {value: worth},
)

/** The fields that an update is about to change. */
export function changeTable(rows: FieldChange[]): Table<FieldChange> {
  const all = localColumns<FieldChange>('field!; before Now; after Then')
  return {title: 'What changes', rows, empty: 'Nothing changes.', columns: all}
}
