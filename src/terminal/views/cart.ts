import type {Cart, CartItem, Registration} from '../../contract/cart.ts'
import type {Preview, PreviewLine} from '../../contract/checkout.ts'
import {badge, money, time} from '../cells.ts'
import type {Card} from '../output.ts'
import type {Table} from '../table.ts'
import {stockTones} from './variants.ts'

/** A cart as whichever route has shown it: its own, or for the partner-level one the preview. */
export function cartView(view: Cart | Preview): Table<CartItem> | Table<PreviewLine> {
  return 'lines' in view ? previewTable(view as Preview) : cartTable(view as Cart)
}

/** Lines and totals of a cart. */
export function cartTable(cart: Cart): Table<CartItem> {
  const base = cart.baseCurrency ?? 'SAR'
  const display = cart.totals?.display
  return {
    rows: cart.items,
    empty: 'The cart is empty.',
    columns: [
      {key: 'sku', header: 'SKU', get: ({sku}) => sku},
      {key: 'variant', header: 'Variant', whole: true, get: ({variantId}) => variantId},
      {key: 'size', header: 'ml', yields: true, get: ({sizeMl}) => sizeMl},
      {key: 'quantity', header: 'Qty', get: ({quantity}) => quantity},
      {
        key: 'unit',
        header: 'Unit',
        yields: true,
        get: ({pricing}) => money(pricing?.unitPrice, pricing?.currency ?? base),
      },
      {
        key: 'total',
        header: 'Incl. VAT',
        get: ({pricing}) => money(pricing?.line?.totalWithVat, pricing?.currency ?? base),
      },
      {key: 'currency', header: 'Currency', shown: 'plain', get: ({pricing}) => pricing?.currency ?? base},
      {
        key: 'total-display',
        header: 'About',
        ...(display ? {} : ({shown: 'asked'} as const)),
        get: ({pricing}) => money(pricing?.display?.line?.totalWithVat, display?.currency),
      },
      {key: 'stock', header: 'Stock', get: ({availability}) => badge(availability?.state, stockTones)},
      {
        key: 'available',
        header: 'Available',
        shown: 'asked',
        get: ({availability}) => availability?.availableQuantity,
      },
    ],
    below: [
      {label: 'Shipping', cell: money(cart.totals?.shipping?.amountWithVat, base)},
      {label: 'Charged incl. VAT', cell: money(cart.totals?.chargedWithVat, base)},
      ...(display ? [{label: 'about', cell: money(display.chargedWithVat, display.currency)}] : []),
      {label: 'Commission incl. VAT', cell: money(cart.totals?.commissionWithVat, base)},
    ],
  }
}

/** Lines, issues and totals of a checkout preview. */
export function previewTable(preview: Preview): Table<PreviewLine> {
  const base = preview.lines[0]?.baseCurrency ?? 'SAR'
  const issue = preview.cartIssue
  return {
    rows: preview.lines,
    empty: 'The cart is empty.',
    columns: [
      {key: 'sku', header: 'SKU', get: ({sku}) => sku},
      {key: 'variant', header: 'Variant', whole: true, yields: true, get: ({variantId}) => variantId},
      {key: 'quantity', header: 'Qty', get: ({quantity}) => quantity},
      {
        key: 'total',
        header: 'Incl. VAT',
        get: (line) => money(line.lineTotalWithVat, line.baseCurrency ?? base),
      },
      {key: 'currency', header: 'Currency', shown: 'plain', get: (line) => line.baseCurrency ?? base},
      {
        key: 'stock',
        header: 'Stock',
        yields: true,
        get: ({availability}) => badge(availability, stockTones),
      },
      {key: 'available', header: 'Available', shown: 'asked', get: (line) => line.availableQuantity},
      {
        key: 'issue',
        header: 'Issue',
        get: (line) => (line.ok ? null : badge(line.issue ?? 'NOT_OK', {[line.issue ?? 'NOT_OK']: 'bad'})),
      },
    ],
    below: [
      ...(issue ? [{label: 'Cart issue', cell: badge(issue, {[issue]: 'bad'})}] : []),
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
export function registrationCard(registration: Registration): Card<Registration> {
  return {
    rows: [registration],
    upright: true,
    columns: [
      {key: 'id', header: 'Registration', get: ({id}) => id},
      {key: 'variant', header: 'Variant', get: ({variantId}) => variantId},
      {key: 'created', header: 'Created', get: ({createdAt}) => time(createdAt)},
      {key: 'fired', header: 'Told', get: ({firedAt}) => time(firedAt)},
    ],
  }
}
