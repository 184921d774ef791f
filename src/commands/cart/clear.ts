import {ScentCommand} from '../../command.ts'
import type {Cart} from '../../contract/cart.ts'
import {emptyCart} from '../../flows/cart/edit.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {cartTable} from '../../terminal/views/cart.ts'
import {lineCustomer} from './set.ts'

export default class CartClear extends ScentCommand {
  static override confirms = true
  static override summary = 'Remove all lines of a cart.'
  static override description =
    'The partner-level cart has no route that clears it, which is why --customer is needed. Asks once; --yes answers.'
  static override examples = ['<%= config.bin %> cart clear --customer C-1042 --yes']
  static override flags = {...apiFlags, customer: lineCustomer}

  async run(): Promise<Cart> {
    const {flags} = await this.parse(CartClear)
    const customerRef = flags.customer
    await this.confirm(`Remove all lines of the cart of ${customerRef}?`)
    const {client} = await this.session(flags)
    const cart = await emptyCart(client, customerRef)
    this.show(cartTable(cart))
    return cart
  }
}
