import type {Preview} from '../../contract/checkout.ts'
import type {Digits} from '../../contract/money.ts'
import type {CreatedOrder} from '../../contract/orders.ts'
import {badge, type Cell, money} from '../cells.ts'
import type {Card} from '../output.ts'
import type {Table} from '../table.ts'
import {orderTones} from './orders.ts'

/** What a lock will charge, and what the wallet holds after it. Amounts that are not known are left out. */
export interface PriceView {
  currency: string
  goodsWithVat: Digits | null
  goodsVat: Digits | null
  shipping: Digits | null
  charged: Digits | null
  commission: Digits | null
  balance: Digits | null
  balanceAfter: Digits | null
}

export function priceCard(price: PriceView): Card<PriceView> {
  const amount = (key: keyof PriceView, header: string, label: string) => ({
    key: label,
    header,
    get: (row: PriceView): Cell => money(row[key] as Digits | null, row.currency),
  })
  const columns = [
    amount('goodsWithVat', 'Goods incl. VAT', 'goods'),
    amount('goodsVat', 'VAT on goods', 'vat'),
    amount('shipping', 'Shipping incl. VAT', 'shipping'),
    amount('charged', 'To be charged', 'charged'),
    amount('commission', 'Commission incl. VAT', 'commission'),
    amount('balance', 'Wallet now', 'wallet'),
    amount('balanceAfter', 'Wallet afterwards', 'wallet-after'),
  ].filter(({get}) => get(price) !== null)
  return {rows: [price], upright: true, columns}
}

export interface DifferenceView {
  what: string
  before: Digits | null
  after: Digits | null
}

export function differenceTable(rows: DifferenceView[]): Table<DifferenceView> {
  return {
    title: 'What changed',
    rows,
    empty: 'Nothing changed.',
    columns: [
      {key: 'what', header: 'What', get: ({what}) => what},
      {key: 'before', header: 'Before', get: ({before}) => before},
      {key: 'after', header: 'Now', get: ({after}) => after},
    ],
  }
}

/** The lock of a preview. */
export function lockCard(preview: Preview): Card<Preview> {
  const currency = preview.lines.find((line) => line.baseCurrency)?.baseCurrency ?? 'SAR'
  return {
    rows: [preview],
    upright: true,
    columns: [
      {key: 'lock', header: 'Lock', get: ({lockId}) => lockId},
      {
        key: 'expires',
        header: 'Expires',
        get: ({lockExpiresAt}) => (lockExpiresAt ? {kind: 'deadline', at: lockExpiresAt} : null),
      },
      {key: 'charged', header: 'To be charged', get: ({chargedWithVat}) => money(chargedWithVat, currency)},
      {key: 'currency', header: 'Currency', shown: 'plain', get: () => currency},
      {key: 'commission', header: 'Commission', get: (row) => money(row.commissionWithVat, currency)},
    ],
  }
}

/** An order as its creation answered it. */
export function createdCard(order: CreatedOrder): Card<CreatedOrder> {
  const {currency, subtotal, vat, shippingFee, commission, discount} = order.pricing
  const unit = currency
  return {
    rows: [order],
    upright: true,
    columns: [
      {key: 'id', header: 'Order', get: ({id}) => id},
      {key: 'reference', header: 'Reference', get: ({externalReference}) => externalReference},
      {key: 'customer', header: 'Customer', get: ({customerRef}) => customerRef},
      {key: 'status', header: 'Status', get: ({status}) => badge(status, orderTones)},
      {key: 'total', header: 'Charged incl. VAT', get: ({pricing}) => money(pricing.total, unit)},
      {key: 'currency', header: 'Currency', shown: 'plain', get: () => unit},
      {key: 'goods', header: 'Goods ex VAT', get: () => money(subtotal, unit)},
      {key: 'vat', header: 'VAT on goods', get: () => money(vat, unit)},
      {key: 'shipping', header: 'Shipping incl. VAT', get: () => money(shippingFee?.amountWithVat, unit)},
      {key: 'commission', header: 'Commission incl. VAT', get: () => money(commission?.amountWithVat, unit)},
      ...(discount?.code ? [{key: 'discount', header: 'Discount code', get: () => discount.code}] : []),
    ],
  }
}

/** The alert of an order that was charged another amount than its lock had said. */
export function differsText({locked, charged}: {locked: Digits | string; charged: Digits}): string {
  return `Charged ${charged}, and the price lock had said ${locked}. The order stands; ask the account manager why.`
}
