import {type Wishlist, type WishlistItem, wishlistItem} from '../../contract/wishlist.ts'
import {columns} from '../columns.ts'
import type {Table} from '../table.ts'

export const itemColumns = columns(
  wishlistItem,
  `variantId Variant; sku! SKU; scentName Scent; brandName- Brand; sizeMl- ml; currentPrice Price;
    availability.state Stock; addedAt- Added; imageUrl? Image`,
)

/** The rows of a wishlist; none without a list of them. */
export const wishlistViews = ({items}: Wishlist): Table<WishlistItem>[] =>
  Array.isArray(items) ? [{rows: items, empty: 'The wishlist is empty.', columns: itemColumns}] : []
