import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {readWishlist, type Wishlist} from '../../contract/wishlist.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {wishlistViews} from '../../terminal/views/wishlist.ts'

/** Every wishlist is a customer's: the API has none of the partner itself. */
export const wisher = Flags.string({
  summary: 'Customer whose wishlist it is.',
  helpValue: 'REF',
  required: true,
})

export default class WishlistShow extends ScentCommand {
  static override summary = "Show a customer's wishlist."
  static override description = 'A customer without a wishlist has an empty one.'
  static override examples = ['<%= config.bin %> wishlist show --customer C-1042']
  static override flags = {...apiFlags, customer: wisher}

  async run(): Promise<Wishlist> {
    const {flags} = await this.parse(WishlistShow)
    const {client} = await this.session(flags)
    const wishlist = await client.call(
      readWishlist,
      {params: {customerRef: flags.customer}},
      {onlyShown: true},
    )
    await this.showAnswer(wishlist, wishlistViews)
    return wishlist
  }
}
