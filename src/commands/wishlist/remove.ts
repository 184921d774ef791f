import {ScentCommand} from '../../command.ts'
import {removeWishlistItem, type Wishlist} from '../../contract/wishlist.ts'
import {apiFlags, variantArg} from '../../terminal/flags.ts'
import {wishlistViews} from '../../terminal/views/wishlist.ts'
import {wisher} from './show.ts'

export default class WishlistRemove extends ScentCommand {
  static override summary = "Remove a variant from a customer's wishlist."
  static override description = 'Removing one that is not there is not an error.'
  static override examples = ['<%= config.bin %> wishlist remove RML-SAF-050 --customer C-1042']
  static override args = {variant: variantArg}
  static override flags = {...apiFlags, customer: wisher}

  async run(): Promise<Wishlist> {
    const {args, flags} = await this.parse(WishlistRemove)
    const session = await this.session(flags)
    const variantId = await session.variant(args.variant)
    const params = {customerRef: flags.customer, variantId: variantId}
    const wishlist = await session.client.call(removeWishlistItem, {params})
    await this.showAnswer(wishlist, wishlistViews)
    return wishlist
  }
}
