import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {type Preview, previewCheckout} from '../../contract/checkout.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {flagWords, nextText} from '../../terminal/next.ts'
import {cartViews} from '../../terminal/views/cart.ts'
import {lockCard} from '../../terminal/views/checkout.ts'

export default class CheckoutPreview extends ScentCommand {
  static override summary = 'Price a cart and name what stops its checkout.'
  static override description =
    'With --lock the prices are held, 15 minutes by default, if the cart can be checked out. A lock reserves no stock, and one that is not used only expires.'
  static override examples = [
    '<%= config.bin %> checkout preview --customer C-1042',
    '<%= config.bin %> checkout preview --customer C-1042 --lock --query lockId',
  ]
  static override flags = {
    ...apiFlags,
    customer: Flags.string({summary: "The customer's cart instead of the partner's.", helpValue: 'REF'}),
    lock: Flags.boolean({summary: 'Take a price lock if the cart can be checked out.'}),
  }

  async run(): Promise<Preview> {
    const {flags} = await this.parse(CheckoutPreview)
    const {client} = await this.session(flags)
    const query = {customerRef: flags.customer, ...(flags.lock ? {lock: true} : {})}
    const preview = await client.call(previewCheckout, {query}, {onlyShown: true})
    await this.showAnswer(preview, (one) => [...cartViews(one), ...(one.lockId ? [lockCard(one)] : [])])
    const customer = flagWords('--customer', flags.customer)
    const {lockId, canCheckout} = preview ?? {}
    if (typeof lockId === 'string')
      this.aside(
        nextText(
          'orders',
          'create',
          '--lock',
          lockId,
          ...customer,
          '--reference',
          'EXTREF',
          '--address',
          'FILE',
        ),
      )
    else if (canCheckout === true) this.aside(nextText('checkout', ...customer))
    return preview
  }
}
