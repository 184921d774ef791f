import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {addToCart} from '../../flows/cart/edit.ts'
import {type CartLine, type CartView, linesOf, sameLines} from '../../flows/cart/lines.ts'
import {apiFlags, customerFlag} from '../../terminal/flags.ts'
import {flagWords, nextText} from '../../terminal/next.ts'
import {cartViews} from '../../terminal/views/cart.ts'

export default class CartAdd extends ScentCommand {
  static override summary = 'Add variants to a cart.'
  static override description =
    'A variant that the cart holds already gets the quantity on top. Each VARIANT is added by one request, in the order given.'
  static override examples = [
    '<%= config.bin %> cart add RML-SAF-050 --customer C-1042',
    '<%= config.bin %> cart add RML-SAF-050=2 NJD-INC-002=3 --customer C-1042',
    '<%= config.bin %> cart add d2d38be7-ed73-4a47-bba0-44575c832aa4',
  ]
  static override strict = false
  static override args = {
    variant: Args.string({
      name: 'VARIANT[=QTY]',
      description: 'SKU or id of a variant; =QTY behind it for more than one unit. Several may be given.',
      required: true,
    }),
  }
  static override flags = {...apiFlags, customer: customerFlag}

  async run(): Promise<CartView> {
    const {argv, flags} = await this.parse(CartAdd)
    const lines = argv.map((text) => lineOf(String(text)))
    const session = await this.session(flags)
    const ids = await session.variants(lines.map(({variantId}) => variantId))
    const named = lines.map(({quantity}, at) => ({variantId: ids[at] ?? '', quantity}))
    const cart = await addToCart(session.client, flags.customer ?? null, named)
    // It was empty: once it is filled, this is no news.
    if (flags.customer === undefined && sameLines(linesOf(cart), named)) this.note(BARE)
    this.show(...cartViews(cart))
    this.aside(nextText('checkout', ...flagWords('--customer', flags.customer)))
    return cart
  }
}

const BARE =
  "This is the partner's own cart: the API has no route that changes a line of it, or empties it. Use --customer REF for a cart that can be changed."

/** A line of which the variant may still be named by its SKU. */
function lineOf(text: string): CartLine {
  const [, variantId = '', quantity = '1'] = /^(.*?)(?:=([^=]*))?$/s.exec(text) ?? []
  if (variantId.trim() === '') {
    throw new Failure('INVALID_INPUT', {
      message: `"${text}" does not name a variant.`,
      hint: 'Give the SKU or id of a variant, or SKU=QUANTITY; see `scent catalog variants`.',
    })
  }
  if (!/^[1-9]\d{0,8}$/.test(quantity)) {
    throw new Failure('INVALID_INPUT', {
      message: `"${quantity}" is not a valid quantity.`,
      hint: 'Give a whole number of 1 or more, such as RML-SAF-050=2.',
    })
  }
  return {variantId: variantId.trim(), quantity: Number(quantity)}
}
