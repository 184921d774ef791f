import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {setQuantity, stepLine} from '../../flows/cart/edit.ts'
import type {CartView} from '../../flows/cart/lines.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {cartView} from '../../terminal/views/cart.ts'

/** The service has no route for the lines of any other cart; without it requireCustomer() says so. */
export const lineCustomer = Flags.string({summary: 'Customer whose cart it is (needed).', helpValue: 'REF'})

const ways = ['quantity', 'increment', 'decrement'] as const

export default class CartSet extends ScentCommand {
  static override summary = 'Set the quantity of a cart line.'
  static override description =
    'Give one of --quantity, --increment and --decrement. The line must be in the cart already; a step down from 1 removes it. The partner-level cart has no route that changes a line, which is why --customer is needed.'
  static override examples = [
    '<%= config.bin %> cart set d2d38be7-ed73-4a47-bba0-44575c832aa4 --quantity 3 --customer C-1042',
    '<%= config.bin %> cart set d2d38be7-ed73-4a47-bba0-44575c832aa4 --increment --customer C-1042',
  ]
  static override args = {variant: Args.string({description: 'Variant id, a UUID.', required: true})}
  static override flags = {
    ...apiFlags,
    customer: lineCustomer,
    quantity: Flags.integer({summary: 'The new quantity.', helpValue: 'N', min: 1, exactlyOne: [...ways]}),
    increment: Flags.boolean({summary: 'One more.', exactlyOne: [...ways]}),
    decrement: Flags.boolean({summary: 'One less.', exactlyOne: [...ways]}),
  }

  async run(): Promise<CartView> {
    const {args, flags} = await this.parse(CartSet)
    const customerRef = requireCustomer(flags.customer)
    const {client} = await this.session(flags)
    const cart =
      flags.quantity === undefined
        ? await stepLine(client, customerRef, args.variant, flags.increment ? 'increment' : 'decrement')
        : await setQuantity(client, customerRef, {variantId: args.variant, quantity: flags.quantity})
    this.show(cartView(cart))
    return cart
  }
}

/** The cart of a customer; the spec has routes that change lines for these only. */
export function requireCustomer(customer: string | undefined): string {
  if (customer !== undefined) return customer
  throw new Failure('MISSING_INPUT', {
    message:
      "Which cart? The service can change the lines of a customer's cart only, not of the partner-level one.",
    hint: 'Give --customer REF.',
  })
}
