import {addressText} from '../../contract/address.ts'
import {type Preview, type PreviewLine, preview} from '../../contract/checkout.ts'
import {type Digits, digits} from '../../contract/money.ts'
import {type CreatedOrder, createdOrder} from '../../contract/orders.ts'
import type {CheckedCode} from '../../flows/order/code.ts'
import type {Difference} from '../../flows/order/price.ts'
import type {Offer, Walked} from '../../flows/order/walker.ts'
import {type Cell, deadline, money, moneyText} from '../cells.ts'
import {columns, localColumns} from '../columns.ts'
import {type Card, card, rowsOf, type Table} from '../table.ts'
import {counted, cut, safe} from '../text.ts'

/** Lines of an order that its card shows. */
const MOST_LINES = 20

/** What is about to be ordered: its lines, where it goes, and what it costs. Amounts that are not known are left out. */
export function offerCard(offer: Offer): Card<Offer> {
  const {price, locked, far, code} = offer
  const {lines} = locked.preview
  const facts: [string, Cell][] = [
    ...lines.slice(0, MOST_LINES).map(lineFact),
    ...(lines.length > MOST_LINES ? [['and', counted(lines.length - MOST_LINES, 'more line')] as Fact] : []),
    ['Ship to', addressText(offer.address)],
    ['Discount code', code ? codeText(code) : null],
    ...amounts.map(([key, header]): Fact => [header, money(price[key], price.currency)]),
    [`With the fee of ${far?.city}`, money(far?.expected, price.currency)],
    ['Commission incl. VAT', money(price.commission, price.currency)],
    ['Wallet now', money(offer.balance, price.currency)],
    ['Wallet afterwards', money(offer.balanceAfter, price.currency)],
  ]
  const known = facts.filter(([, cell]) => cell !== null)
  const shown = known.map(([header, cell], at) => ({key: String(at), header: safe(header), get: () => cell}))
  return card(offer, shown, 'To be ordered')
}

type Fact = [header: string, cell: Cell]

const amounts: ['goodsWithVat' | 'goodsVat' | 'shipping' | 'charged', string][] = [
  ['goodsWithVat', 'Goods incl. VAT'],
  ['goodsVat', 'VAT on goods'],
  ['shipping', 'Shipping incl. VAT'],
  ['charged', 'To be charged'],
]

function lineFact({quantity, sku, variantId, lineTotalWithVat, baseCurrency}: PreviewLine): Fact {
  const name = sku ?? variantId
  return [`${quantity} × ${cut(safe(name), 24)}`, money(lineTotalWithVat, baseCurrency ?? 'SAR') ?? '-']
}

/** A code with what it takes off. It is applied to the reports only (spec, Create scent order). */
function codeText({text, found, problem}: CheckedCode): string {
  if (problem) return `${text}, which ${problem}`
  const off =
    found?.discountType === 'Percent' ? `${found.value} %` : found && moneyText(found.value as Digits, 'SAR')
  return `${text}${off ? `, ${off} off` : ''}: for your reports, the charge stays`
}

export function differenceTable(rows: Difference[]): Table<Difference> {
  const side = (name: 'before' | 'after') => (row: Difference) =>
    row.currency === null ? row[name] : money(row[name], row.currency)
  const all = localColumns<Difference>('what!; before; after Now', {
    before: side('before'),
    after: side('after'),
  })
  return {title: 'What changed', rows, empty: 'Nothing changed.', columns: all}
}

/** The lock of a preview. */
export function lockCard(locked: Preview): Card<Preview> {
  const currency = rowsOf(locked.lines).find((line) => line?.baseCurrency)?.baseCurrency
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
