import {ScentCommand} from '../../command.ts'
import type {Wishlist} from '../../contract/wishlist.ts'
import {addToWishlist} from '../../flows/wishlist.ts'
import {apiFlags, variantArg} from '../../terminal/flags.ts'
import {wishlistViews} from '../../terminal/views/wishlist.ts'
import {wisher} from './show.ts'

export default class WishlistAdd extends ScentCommand {
  static override summary = "Add a variant to a customer's wishlist."
  static override description = 'After a lost answer the wishlist is read: the variant is added once.'
  static override examples = ['<%= config.bin %> wishlist add RML-SAF-050 --customer C-1042']
  static override args = {variant: variantArg}
  static override flags = {...apiFlags, customer: wisher}

  async run(): Promise<Wishlist> {
    const {args, flags} = await this.parse(WishlistAdd)
    const session = await this.session(flags)
    const variantId = await session.variant(args.variant)
    const wishlist = await addToWishlist(session.client, flags.customer, variantId)
    await this.showAnswer(wishlist, wishlistViews)
    return wishlist
  }
}
