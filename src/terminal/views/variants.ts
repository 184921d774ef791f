import type {Variant} from '../../contract/variants.ts'
import {badge, money} from '../cells.ts'
import type {Card} from '../output.ts'
import type {Column} from '../table.ts'
import type {Tone} from '../text.ts'

export const stockTones: Record<string, Tone> = {Available: 'good', Limited: 'warn', Unavailable: 'bad'}

/** Columns of catalog variants; `display` adds those of the display currency. */
export function variantColumns(display: boolean): Column<Variant>[] {
  const shown = display ? {} : ({shown: 'asked'} as const)
  return [
    {key: 'id', header: 'Variant', whole: true, get: ({id}) => id},
    {key: 'sku', header: 'SKU', get: ({sku}) => sku},
    {key: 'size', header: 'ml', yields: true, get: ({sizeMl}) => sizeMl},
    {
      key: 'price',
      header: 'Price',
      yields: true,
      get: ({pricing}) => money(pricing?.unitPrice, pricing?.currency),
    },
    {
      key: 'total',
      header: 'Incl. VAT',
      get: ({pricing}) => money(pricing?.totalWithVat, pricing?.currency),
    },
    {key: 'currency', header: 'Currency', shown: 'plain', get: ({pricing}) => pricing?.currency},
    {
      key: 'price-display',
      header: 'Price, about',
      ...shown,
      get: ({pricing}) => money(pricing?.display?.unitPriceDisplay, pricing?.display?.displayCurrency),
    },
    {
      key: 'stock',
      header: 'Stock',
      yields: true,
      get: ({availability}) => badge(availability?.state, stockTones),
    },
    {
      key: 'available',
      header: 'Available',
      shown: 'asked',
      get: ({availability}) => availability?.availableQuantity,
    },
    {key: 'rrp', header: 'RRP', shown: 'asked', get: ({pricing}) => money(pricing?.rrp, pricing?.currency)},
    {key: 'barcode', header: 'Barcode', shown: 'asked', get: ({barcode}) => barcode},
    {key: 'scent', header: 'Scent', shown: 'asked', whole: true, get: ({scentId}) => scentId},
    {key: 'sample', header: 'Sample', shown: 'asked', get: ({isSample}) => isSample},
  ]
}

/** One variant, everything its list hides included. */
export function variantCard(variant: Variant, display: boolean): Card<Variant> {
  const columns = variantColumns(display).map(({shown, ...column}) =>
    shown === 'plain' || (shown === 'asked' && column.key.endsWith('-display')) ? {...column, shown} : column,
  )
  return {rows: [variant], upright: true, columns}
}
