import {type Wishlist, type WishlistItem, wishlistItem} from '../../contract/wishlist.ts'
import {columns} from '../columns.ts'
import type {Table} from '../table.ts'

const itemColumns = columns(
  wishlistItem,
  `variantId Variant; sku! SKU; scentName Scent; brandName- Brand; sizeMl- ml; currentPrice Price;
    availability.state Stock; addedAt- Added; imageUrl? Image`,
)

export const wishlistTable = ({items}: Wishlist): Table<WishlistItem> => ({
  rows: items,
  empty: 'The wishlist is empty.',
  columns: itemColumns,
})
