import type {Client} from '../client/client.ts'
import {isFailure} from '../contract/failure.ts'
import {addWishlistItem, readWishlist, type Wishlist} from '../contract/wishlist.ts'
import {settleBy} from './lost.ts'

/** Adds a variant once: after a lost answer it reads the list, and adds the variant again only if it is missing. */
export async function addToWishlist(
  client: Client,
  customerRef: string,
  variantId: string,
): Promise<Wishlist> {
  const add = () => client.call(addWishlistItem, {params: {customerRef}, body: {variantId}})
  try {
    return await add()
  } catch (error) {
    if (!isFailure(error, 'OUTCOME_UNKNOWN')) throw error
    const now = await settleBy(error, client.call(readWishlist, {params: {customerRef}}))
    const there = now.items.some((item) => item.variantId.toLowerCase() === variantId.toLowerCase())
    return there ? now : add()
  }
}
