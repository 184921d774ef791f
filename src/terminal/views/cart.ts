import {type Cart, type CartItem, cartItem, type Registration, registration} from '../../contract/cart.ts'
import {type Preview, type PreviewLine, previewLine} from '../../contract/checkout.ts'
import {badge, money, unitOr} from '../cells.ts'
import {columns} from '../columns.ts'
import {type Card, card, type Table, type View} from '../table.ts'

/** A cart as whichever route has shown it: its own, or for the partner-level one the preview. None without a list of lines. */
export function cartViews(view: Cart | Preview): View[] {
  if (Array.isArray(view.lines)) return [previewTable(view as Preview)]
  return Array.isArray(view.items) ? [cartTable(view as Cart)] : []
}

/** Lines and totals of a cart. */
export function cartTable(cart: Cart): Table<CartItem> {
  const base = unitOr(cart.baseCurrency)
  const told = cart.totals?.display
  const display = typeof told === 'object' ? told : null
  const lines = `sku! SKU; variantId Variant; sizeMl- ml; quantity! Qty; pricing.unitPrice- Unit;
    pricing.line.totalWithVat Incl. VAT; pricing.currency+;
    pricing.display.line.totalWithVat${display ? '' : '?'} About; availability.state Stock;
    availability.availableQuantity? Available`
  const about = ({pricing}: CartItem) => money(pricing?.display?.line?.totalWithVat, display?.currency)
  return {
    rows: cart.items,
    empty: 'The cart is empty.',
    columns: columns(cartItem, lines, {'pricing.display.line.totalWithVat': about}, base),
    below: [
      {label: 'Shipping', cell: money(cart.totals?.shipping?.amountWithVat, base)},
      {label: 'Charged incl. VAT', cell: money(cart.totals?.chargedWithVat, base)},
      ...(display ? [{label: 'about', cell: money(display.chargedWithVat, display.currency)}] : []),
      {label: 'Commission incl. VAT', cell: money(cart.totals?.commissionWithVat, base)},
    ],
  }
}

const bad = (word: string) => badge(word, {[word]: 'bad'})

/** Lines, issues and totals of a checkout preview. */
export function previewTable(preview: Preview): Table<PreviewLine> {
  const base = unitOr(preview.lines[0]?.baseCurrency)
  const lines = `sku! SKU; variantId Variant; quantity! Qty; lineTotalWithVat Incl. VAT; baseCurrency+;
    availability- Stock; availableQuantity? Available; ok+; issue! Issue`
  return {
    rows: preview.lines,
    empty: 'The cart is empty.',
    columns: columns(
      previewLine,
      lines,
      {issue: ({ok, issue}) => (issue || ok === false ? bad(issue ?? 'NOT_OK') : null)},
      base,
    ),
    below: [
      ...(preview.cartIssue ? [{label: 'Cart issue', cell: bad(preview.cartIssue)}] : []),
      ...(preview.pendingOrderReference
        ? [{label: 'Pending order', cell: preview.pendingOrderReference}]
        : []),
      {label: 'Charged incl. VAT', cell: money(preview.chargedWithVat, base)},
      ...(preview.displayCurrency
        ? [{label: 'about', cell: money(preview.chargedWithVatDisplay, preview.displayCurrency)}]
        : []),
      {label: 'Commission incl. VAT', cell: money(preview.commissionWithVat, base)},
      {label: 'Can be ordered', cell: preview.canCheckout},
    ],
  }
}

/** A registration for a back-in-stock notice. */
export const registrationCard = (one: Registration): Card<Registration> =>
  card(one, columns(registration, 'id Registration; variantId Variant; createdAt Created; firedAt Told'))
