import type {Wishlist, WishlistItem} from '../../contract/wishlist.ts'
import {badge, money, time} from '../cells.ts'
import type {Table} from '../table.ts'
import {stockTones} from './variants.ts'

export function wishlistTable({items}: Wishlist): Table<WishlistItem> {
  return {
    rows: items,
    empty: 'The wishlist is empty.',
    columns: [
      {key: 'variant', header: 'Variant', whole: true, get: ({variantId}) => variantId},
      {key: 'sku', header: 'SKU', get: ({sku}) => sku},
      {key: 'scent', header: 'Scent', get: ({scentName}) => scentName},
      {key: 'brand', header: 'Brand', yields: true, get: ({brandName}) => brandName},
      {key: 'size', header: 'ml', yields: true, get: ({sizeMl}) => sizeMl},
      {key: 'price', header: 'Price', get: ({currentPrice}) => money(currentPrice, 'SAR')},
      {key: 'stock', header: 'Stock', get: ({availability}) => badge(availability?.state, stockTones)},
      {key: 'added', header: 'Added', yields: true, get: ({addedAt}) => time(addedAt)},
      {key: 'image', header: 'Image', shown: 'asked', get: ({imageUrl}) => imageUrl},
    ],
  }
}
