import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {mentionedCart} from '../../contract/checkout.ts'
import {removeLine} from '../../flows/cart/edit.ts'
import type {CartView} from '../../flows/cart/lines.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {cartView} from '../../terminal/views/cart.ts'
import {lineCustomer} from './set.ts'

export default class CartRemove extends ScentCommand {
  static override summary = 'Remove a line from a cart.'
  static override description =
    'The partner-level cart has no route that removes a line, which is why --customer is needed.'
  static override examples = [
    '<%= config.bin %> cart remove d2d38be7-ed73-4a47-bba0-44575c832aa4 --customer C-1042',
  ]
  static override args = {variant: Args.string({description: 'Variant id, a UUID.', required: true})}
  static override flags = {...apiFlags, customer: lineCustomer}

  async run(): Promise<CartView> {
    const {args, flags} = await this.parse(CartRemove)
    const customerRef = flags.customer
    const {client} = await this.session(flags)
    const cart = await removeLine(client, customerRef, args.variant)
    await this.showMentioned(mentionedCart, cart, (one) => [cartView(one)])
    return cart
  }
}
