import {exact} from '../../contract/money.ts'
import type {Call} from '../core/call.ts'
import {count, find} from '../core/rows.ts'
import {type DiscountCode, discountCodes} from '../core/schema.ts'
import type {World} from '../core/world.ts'
import {invalid} from '../door/reply.ts'
import type {Halalas} from './money.ts'
import type {LineAmounts} from './pricing.ts'

/** A discount as it is reported on an order (O15). It never changes what is charged. */
export interface Discount {
  id: string
  code: string
  amount: Halalas
}

interface Line {
  variantId: string
  amounts: LineAmounts
}

/** The discount of a code for these lines. O14: a refusal names the field: silence would hide a typo. */
export function discountOf(
  {world, partner, now}: Pick<Call, 'world' | 'partner' | 'now'>,
  code: string,
  ref: string,
  lines: Line[],
): Discount {
  const row = find(world, discountCodes, {partner_id: partner.id, code})
  const goods = sumNet(lines)
  const fault =
    row === undefined
      ? 'is not known'
      : // D08: from inclusive, to exclusive.
        !row.active || now < row.valid_from || now >= row.valid_to
        ? 'is not valid now'
        : isUsedUp(world, row, partner.id, ref)
          ? 'is used up'
          : goods < (row.min_order ?? 0)
            ? 'needs a larger order'
            : undefined
  if (row === undefined || fault !== undefined) invalid({discountCode: [fault ?? 'is not known']})
  const scoped = JSON.parse(row.scoped_variants) as string[]
  const base = row.scope === 'All' ? goods : sumNet(lines.filter((line) => scoped.includes(line.variantId)))
  const amount =
    row.discount_type === 'Percent'
      ? Number(exact(row.value).times(base).div(100).round())
      : Math.min(Math.round(row.value * 100), base)
  return {id: row.id, code: row.code, amount}
}

/** D07: customers are told apart by their customerRef; the bare cart is one of them. */
function isUsedUp(world: World, row: DiscountCode, partnerId: string, ref: string): boolean {
  if (row.total_cap !== null && row.usage_count >= row.total_cap) return true
  if (row.customer_cap === null) return false
  const from = `FROM orders
    WHERE partner_id = ? AND customer_ref = ? AND discount_id = ? AND status <> 'Failed'`
  return count(world, from, partnerId, ref, row.id) >= row.customer_cap
}

const sumNet = (lines: Line[]): Halalas => lines.reduce((sum, line) => sum + line.amounts.net, 0)

/** O16: what is refunded was still redeemed. */
export function redeem(world: World, id: string): void {
  world.run('UPDATE discount_codes SET usage_count = usage_count + 1 WHERE id = ?', id)
}
