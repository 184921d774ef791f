import {type Preview, preview} from '../../contract/checkout.ts'
import {type Digits, digits} from '../../contract/money.ts'
import {type CreatedOrder, createdOrder} from '../../contract/orders.ts'
import type {Difference, Price} from '../../flows/order/price.ts'
import type {Offer, Walked} from '../../flows/order/walker.ts'
import {deadline, money, moneyText} from '../cells.ts'
import {columns, localColumns} from '../columns.ts'
import {type Card, card, type Table} from '../table.ts'

type Priced = Price & Pick<Offer, 'balance' | 'balanceAfter'>

/** The amounts that a lock will charge, and the wallet before and after. Amounts that are not known are left out. */
export function priceCard(price: Priced): Card<Priced> {
  const all: [keyof Priced, string][] = [
    ['goodsWithVat', 'Goods incl. VAT'],
    ['goodsVat', 'VAT on goods'],
    ['shipping', 'Shipping incl. VAT'],
    ['charged', 'To be charged'],
    ['commission', 'Commission incl. VAT'],
    ['balance', 'Wallet now'],
    ['balanceAfter', 'Wallet afterwards'],
  ]
  const known = all.filter(([key]) => price[key] !== null)
  const shown = known.map(([key, header]) => ({
    key,
    header,
    get: (row: Priced) => money(row[key] as Digits | null, row.currency),
  }))
  return card(price, shown, 'To be ordered')
}

export function differenceTable(rows: Difference[]): Table<Difference> {
  const all = localColumns<Difference>('what!; before; after Now')
  return {title: 'What changed', rows, empty: 'Nothing changed.', columns: all}
}

/** The lock of a preview. */
export function lockCard(locked: Preview): Card<Preview> {
  const currency = locked.lines.find((line) => line.baseCurrency)?.baseCurrency
  const lines =
    'lockId Lock; lockExpiresAt Expires; chargedWithVat To be charged; commissionWithVat Commission'
  const people = {lockExpiresAt: ({lockExpiresAt}: Preview) => deadline(lockExpiresAt)}
  return card(locked, columns(preview, lines, people, currency))
}

/** An order as its creation answered it. */
export function createdCard(order: CreatedOrder, title?: string): Card<CreatedOrder> {
  const lines = `id Order; externalReference Reference; customerRef Customer; status;
    pricing.total Charged incl. VAT; pricing.currency+; pricing.subtotal Goods ex VAT;
    pricing.vat VAT on goods; pricing.shippingFee.amountWithVat Shipping incl. VAT;
    pricing.commission.amountWithVat Commission incl. VAT; pricing.discount.code? Discount code`
  return card(order, columns(createdOrder, lines), title)
}

/** Why an order was charged another amount than its price lock said; undefined if it was not. */
export function chargedText({order, far}: Walked): string | undefined {
  const {differs, currency} = order
  if (!differs) return undefined
  const [charged, locked] = [
    moneyText(differs.charged, currency),
    moneyText(digits(String(differs.locked)), currency),
  ]
  if (far === undefined)
    return `Charged ${charged}, and the price lock had said ${locked}. The order stands; ask the account manager why.`
  return `Charged ${charged}, and the price lock had said ${locked}: it did not know the shipping fee of ${far}.`
}
