import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import type {Preview} from '../../contract/checkout.ts'
import {lockByRoute} from '../../flows/order/lock.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {nextText} from '../../terminal/next.ts'
import {cartViews} from '../../terminal/views/cart.ts'
import {lockCard} from '../../terminal/views/checkout.ts'

export default class CheckoutLock extends ScentCommand {
  static override summary = "Hold the prices of a customer's cart."
  static override description =
    "Fails if the cart can't be checked out. The API locks the partner-level cart through the preview only: `scent checkout preview --lock`. A newer lock of the same cart may end this one, and so does any change of the cart."
  static override examples = [
    '<%= config.bin %> checkout lock --customer C-1042',
    '<%= config.bin %> checkout lock --customer C-1042 --query lockId',
  ]
  static override flags = {
    ...apiFlags,
    customer: Flags.string({summary: 'Customer whose cart it is.', helpValue: 'REF', required: true}),
  }

  async run(): Promise<Preview> {
    const {flags} = await this.parse(CheckoutLock)
    const session = await this.session(flags)
    const preview = await lockByRoute(await session.orderTools(), flags.customer)
    // not shown: the answer. One that does not say so when the lock ends is shown as it came.
    await this.showAnswer(preview, (one) =>
      one.lockExpiresAt === undefined ? [] : [lockCard(one), ...cartViews(one)],
    )
    // not shown: the answer; a lock is taken whatever it holds.
    const {lockId} = preview ?? {}
    const order = ['--customer', flags.customer, '--reference', 'EXTREF', '--address', 'FILE']
    if (typeof lockId === 'string') this.aside(nextText('orders', 'create', '--lock', lockId, ...order))
    return preview
  }
}
