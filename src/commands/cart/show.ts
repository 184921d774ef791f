import * as Flags from '@oclif/core/flags'
import {apiFlags, ScentCommand} from '../../command.ts'
import {readCart} from '../../contract/cart.ts'
import {previewCheckout} from '../../contract/checkout.ts'
import {cartTable, previewTable} from '../../terminal/cart.ts'

export default class CartShow extends ScentCommand {
  static override summary = 'Show what a cart holds.'
  static override description =
    'Without --customer it is the partner-level cart. The service has no read of that one, so its lines come from the checkout preview, which prices them and names their issues.'
  static override examples = [
    '<%= config.bin %> cart show --customer C-1042',
    '<%= config.bin %> cart show --json --query totals.chargedWithVat --customer C-1042',
  ]
  static override flags = {
    ...apiFlags,
    customer: Flags.string({summary: "The customer's cart instead of the partner's.", helpValue: 'REF'}),
  }

  async run(): Promise<unknown> {
    const {flags} = await this.parse(CartShow)
    const {client} = await this.session(flags)
    if (flags.customer === undefined) {
      const preview = await client.call(previewCheckout, {})
      this.show(previewTable(preview))
      return preview
    }
    const cart = await client.call(readCart, {params: {customerRef: flags.customer}})
    this.show(cartTable(cart))
    return cart
  }
}
