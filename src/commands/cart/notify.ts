import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {notifyBackInStock, type Registration} from '../../contract/cart.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {registrationCard} from '../../terminal/views/cart.ts'

export default class CartNotify extends ScentCommand {
  static override summary = 'Ask to be told when a variant is back in stock.'
  static override description =
    'Takes a variant that is unavailable at present; the service refuses one that can be bought. Sent once: whether a repeat would make a second registration is not documented.'
  static override examples = ['<%= config.bin %> cart notify 21a27be4-4486-4e22-b786-48ab92ba603a']
  static override args = {variant: Args.string({description: 'Variant id, a UUID.', required: true})}
  static override flags = {...apiFlags}

  async run(): Promise<Registration> {
    const {args, flags} = await this.parse(CartNotify)
    const {client} = await this.session(flags)
    const registration = await client.call(notifyBackInStock, {params: {variantId: args.variant}})
    this.show(registrationCard(registration))
    return registration
  }
}
