import {ScentCommand} from '../../command.ts'
import {type CartView, showCart} from '../../flows/cart/lines.ts'
import {apiFlags, customerFlag} from '../../terminal/flags.ts'
import {cartViews} from '../../terminal/views/cart.ts'

export default class CartShow extends ScentCommand {
  static override summary = 'Show what a cart holds.'
  static override description =
    'Without --customer it is the partner-level cart. The service has no read of that one, so its lines come from the checkout preview, which prices them and names their issues.'
  static override examples = [
    '<%= config.bin %> cart show --customer C-1042',
    '<%= config.bin %> cart show --json --query totals.chargedWithVat --customer C-1042',
  ]
  static override flags = {...apiFlags, customer: customerFlag}

  async run(): Promise<CartView> {
    const {flags} = await this.parse(CartShow)
    const {client} = await this.session(flags)
    const cart = await showCart(client, flags.customer ?? null)
    await this.showAnswer(cart, cartViews)
    return cart
  }
}
