import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {uuid} from '../../contract/wire.ts'
import {addToCart} from '../../flows/cart/edit.ts'
import type {CartLine, CartView} from '../../flows/cart/lines.ts'
import {apiFlags, customerFlag} from '../../terminal/flags.ts'
import {cartView} from '../../terminal/views/cart.ts'

export default class CartAdd extends ScentCommand {
  static override summary = 'Add variants to a cart.'
  static override description =
    'A variant that the cart holds already gets the quantity on top. Each VARIANT is added by one request, in the order given.'
  static override examples = [
    '<%= config.bin %> cart add d2d38be7-ed73-4a47-bba0-44575c832aa4 --customer C-1042',
    '<%= config.bin %> cart add d2d38be7-ed73-4a47-bba0-44575c832aa4=2 8e40cd38-314c-44c8-9dc8-e36c431ac47e=3',
  ]
  static override strict = false
  static override args = {
    variant: Args.string({
      name: 'VARIANT[=QTY]',
      description: 'Variant id, a UUID; =QTY behind it for more than one unit. Several may be given.',
      required: true,
    }),
  }
  static override flags = {...apiFlags, customer: customerFlag}

  async run(): Promise<CartView> {
    const {argv, flags} = await this.parse(CartAdd)
    const lines = argv.map((text) => lineOf(String(text)))
    const {client} = await this.session(flags)
    const cart = await addToCart(client, flags.customer ?? null, lines)
    this.show(cartView(cart))
    return cart
  }
}

function lineOf(text: string): CartLine {
  const [variantId = '', quantity = '1', ...rest] = text.split('=')
  if (!uuid.safeParse(variantId).success || rest.length > 0) {
    throw new Failure('INVALID_INPUT', {
      message: `"${text}" is not a valid variant id.`,
      hint: 'Give the id of a variant, a UUID, or UUID=QUANTITY; see `scent catalog variants`.',
    })
  }
  if (!/^[1-9]\d{0,8}$/.test(quantity)) {
    throw new Failure('INVALID_INPUT', {
      message: `"${quantity}" is not a valid quantity.`,
      hint: 'Give a whole number of 1 or more: UUID=QUANTITY.',
    })
  }
  return {variantId, quantity: Number(quantity)}
}
