import {ScentCommand} from '../../command.ts'
import {notifyBackInStock, type Registration} from '../../contract/cart.ts'
import {apiFlags, variantArg} from '../../terminal/flags.ts'
import {registrationCard} from '../../terminal/views/cart.ts'

export default class CartNotify extends ScentCommand {
  static override summary = 'Ask to be told when a variant is back in stock.'
  static override description =
    'Takes a variant that is unavailable at present; the service refuses one that can be bought. Sent once: whether a repeat would make a second registration is not documented.'
  static override examples = ['<%= config.bin %> cart notify NJD-LEA-100']
  static override args = {variant: variantArg}
  static override flags = {...apiFlags}

  async run(): Promise<Registration> {
    const {args, flags} = await this.parse(CartNotify)
    const session = await this.session(flags)
    const variantId = await session.variant(args.variant)
    const registration = await session.client.call(notifyBackInStock, {params: {variantId}})
    this.show(registrationCard(registration))
    return registration
  }
}
