import {ScentCommand} from '../../command.ts'
import {removeLine} from '../../flows/cart/edit.ts'
import type {CartView} from '../../flows/cart/lines.ts'
import {apiFlags, variantArg} from '../../terminal/flags.ts'
import {cartViews} from '../../terminal/views/cart.ts'
import {lineCustomer} from './set.ts'

export default class CartRemove extends ScentCommand {
  static override summary = 'Remove a line from a cart.'
  static override description =
    'The partner-level cart has no route that removes a line, which is why --customer is needed.'
  static override examples = ['<%= config.bin %> cart remove NJD-INC-002 --customer C-1042']
  static override args = {variant: variantArg}
  static override flags = {...apiFlags, customer: lineCustomer}

  async run(): Promise<CartView> {
    const {args, flags} = await this.parse(CartRemove)
    const customerRef = flags.customer
    const session = await this.session(flags)
    const variantId = await session.variant(args.variant)
    const cart = await removeLine(session.client, customerRef, variantId)
    await this.showAnswer(cart, cartViews)
    return cart
  }
}
