import {isUuid} from '../../contract/forms.ts'
import type {Call, CallOf, Rules} from '../core/call.ts'
import {find, insert} from '../core/rows.ts'
import {type Variant, wishlistItems} from '../core/schema.ts'
import {refuse} from '../door/reply.ts'
import {iso} from '../time/clock.ts'
import {checkedRef} from './cart-view.ts'
import {sar} from './money.ts'
import {assortedVariant, availabilityOf, type StockFacts} from './stock.ts'

type ItemRow = Pick<Variant, 'sku' | 'size_ml' | 'price'> &
  StockFacts & {
    variant_id: string
    scent_name: string
    brand_name: string
    image_url: string
    added_at: number
  }

type WishlistCall = Pick<Call, 'world' | 'partner'>

/** W04: the bare cart has no wishlist; the path needs a customerRef. */
function readWishlist(call: CallOf<'readWishlist'>): unknown {
  return wishlistPayload(call, checkedRef(call.params.customerRef))
}

/** W01. not shown: path, body and answer of the add. A repeat changes nothing, even if the variant is lost by now. */
function addWishlistItem(call: CallOf<'addWishlistItem'>): unknown {
  const {world, partner, now} = call
  const ref = checkedRef(call.params.customerRef)
  const variantId = call.body.variantId.toLowerCase()
  const facts = assortedVariant(world, partner.id, variantId)
  if (facts === undefined) refuse('NOT_FOUND_VARIANT')
  const item = {partner_id: partner.id, customer_ref: ref, variant_id: variantId}
  const known = find(world, wishlistItems, item)
  if (known !== undefined) return wishlistPayload(call, ref)
  if (availabilityOf(facts).state === 'Unavailable') refuse('BUSINESS_VARIANT_UNAVAILABLE')
  insert(world, wishlistItems, {...item, added_at: now})
  return wishlistPayload(call, ref)
}

/** W03: removing what is not there succeeds, but only a UUID can name a variant. */
function removeWishlistItem(call: CallOf<'removeWishlistItem'>): unknown {
  const ref = checkedRef(call.params.customerRef)
  const variantId = call.params.variantId.toLowerCase()
  if (!isUuid(variantId)) refuse('NOT_FOUND_VARIANT')
  call.world.run(
    'DELETE FROM wishlist_items WHERE partner_id = ? AND customer_ref = ? AND variant_id = ?',
    call.partner.id,
    ref,
    variantId,
  )
  return wishlistPayload(call, ref)
}

/** W02: newest first; what left the assortment is hidden, and comes back with it. */
function wishlistPayload({world, partner}: WishlistCall, ref: string): object {
  const rows = world.all<ItemRow>(
    `SELECT w.variant_id, w.added_at, v.sku, v.size_ml, v.price, v.stock, v.withheld, v.active,
       s.name AS scent_name, s.image_url, b.name AS brand_name
     FROM wishlist_items w JOIN assortment a ON a.partner_id = w.partner_id AND a.variant_id = w.variant_id
     JOIN variants v ON v.id = w.variant_id JOIN scents s ON s.id = v.scent_id JOIN brands b ON b.id = s.brand_id
     WHERE w.partner_id = ? AND w.customer_ref = ? ORDER BY w.n DESC`,
    partner.id,
    ref,
  )
  return {items: rows.map(itemPayload)}
}

function itemPayload(row: ItemRow): object {
  return {
    variantId: row.variant_id,
    sku: row.sku,
    sizeMl: row.size_ml,
    scentName: row.scent_name,
    brandName: row.brand_name,
    imageUrl: row.image_url,
    currentPrice: sar(row.price),
    availability: {state: availabilityOf(row).state},
    addedAt: iso(row.added_at),
  }
}

export const rules = {readWishlist, addWishlistItem, removeWishlistItem} satisfies Rules
