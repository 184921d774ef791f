import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {removeWishlistItem, type Wishlist} from '../../contract/wishlist.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {wishlistTable} from '../../terminal/views/wishlist.ts'
import {wisher} from './show.ts'

export default class WishlistRemove extends ScentCommand {
  static override summary = "Remove a variant from a customer's wishlist."
  static override description = 'Removing one that is not there is not an error.'
  static override examples = [
    '<%= config.bin %> wishlist remove d2d38be7-ed73-4a47-bba0-44575c832aa4 --customer C-1042',
  ]
  static override args = {variant: Args.string({description: 'Variant id, a UUID.', required: true})}
  static override flags = {...apiFlags, customer: wisher}

  async run(): Promise<Wishlist> {
    const {args, flags} = await this.parse(WishlistRemove)
    const {client} = await this.session(flags)
    const params = {customerRef: flags.customer, variantId: args.variant}
    const wishlist = await client.call(removeWishlistItem, {params})
    this.show(wishlistTable(wishlist))
    return wishlist
  }
}
