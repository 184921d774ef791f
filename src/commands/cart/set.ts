import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {setQuantity, stepLine} from '../../flows/cart/edit.ts'
import type {CartView} from '../../flows/cart/lines.ts'
import {apiFlags, variantArg} from '../../terminal/flags.ts'
import {nextText} from '../../terminal/next.ts'
import {cartViews} from '../../terminal/views/cart.ts'

/** The service has no route that changes the lines of any other cart. */
export const lineCustomer = Flags.string({
  summary: "Customer whose cart it is; the partner's own can't be changed by line.",
  helpValue: 'REF',
  required: true,
})

const ways = ['quantity', 'increment', 'decrement'] as const

export default class CartSet extends ScentCommand {
  static override summary = 'Set the quantity of a cart line.'
  static override description =
    'Give one of --quantity, --increment and --decrement; in a terminal the quantity is asked for. The line must be in the cart already; a step down from 1 removes it. The partner-level cart has no route that changes a line, which is why --customer is needed.'
  static override examples = [
    '<%= config.bin %> cart set NJD-INC-002 --quantity 3 --customer C-1042',
    '<%= config.bin %> cart set NJD-INC-002 --increment --customer C-1042',
  ]
  static override args = {variant: variantArg}
  static override flags = {
    ...apiFlags,
    customer: lineCustomer,
    quantity: Flags.integer({summary: 'The new quantity.', helpValue: 'N', min: 1, exactlyOne: [...ways]}),
    increment: Flags.boolean({summary: 'One more.', exactlyOne: [...ways]}),
    decrement: Flags.boolean({summary: 'One less.', exactlyOne: [...ways]}),
  }

  async run(): Promise<CartView> {
    const {args, flags} = await this.parse(CartSet)
    const customerRef = flags.customer
    const session = await this.session(flags)
    const variantId = await session.variant(args.variant)
    const cart =
      flags.quantity === undefined
        ? await stepLine(session.client, customerRef, variantId, flags.increment ? 'increment' : 'decrement')
        : await setQuantity(session.client, customerRef, {variantId, quantity: flags.quantity})
    this.show(...cartViews(cart))
    this.aside(nextText('checkout', '--customer', customerRef))
    return cart
  }
}
