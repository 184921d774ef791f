import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {addWishlistItem, type Wishlist} from '../../contract/wishlist.ts'
import {addToWishlist} from '../../flows/wishlist.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {wishlistTable} from '../../terminal/views/wishlist.ts'
import {wisher} from './show.ts'

export default class WishlistAdd extends ScentCommand {
  static override summary = "Add a variant to a customer's wishlist."
  static override description = 'After a lost answer the wishlist is read: the variant is added once.'
  static override examples = [
    '<%= config.bin %> wishlist add d2d38be7-ed73-4a47-bba0-44575c832aa4 --customer C-1042',
  ]
  static override args = {variant: Args.string({description: 'Variant id, a UUID.', required: true})}
  static override flags = {...apiFlags, customer: wisher}

  async run(): Promise<Wishlist> {
    const {args, flags} = await this.parse(WishlistAdd)
    const {client} = await this.session(flags)
    const wishlist = await addToWishlist(client, flags.customer, args.variant)
    await this.showMentioned(addWishlistItem, wishlist, (one) => [wishlistTable(one)])
    return wishlist
  }
}
