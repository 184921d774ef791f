import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import type {CreatedOrder} from '../../contract/orders.ts'
import {orderByLock} from '../../flows/order/take-up.ts'
import {readJson} from '../../store/input.ts'
import {addressFlags, addressOf, askAddress, doubtOf, partOf} from '../../terminal/address.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {nextText} from '../../terminal/next.ts'
import {createdCard} from '../../terminal/views/checkout.ts'
import {openStory} from '../../terminal/views/story.ts'

export default class OrdersCreate extends ScentCommand {
  static override summary = 'Order a locked cart.'
  static override description =
    `Charges the locked total to the wallet, once: a lost answer is asked for again with the same reference, lock and body, and the order that exists is read and compared. The step before it is written to the local records first, so that after a crash the same command goes on where it stopped.

--reference is your key for this order. Never use a new one because an answer was lost.`
  static override examples = [
    '<%= config.bin %> orders create --lock b6f46ae9-becd-4df9-ab56-3f1d77f31c8a --reference PO-119 --customer C-1042 --address riyadh.json',
    'jq .shippingAddress order.json | <%= config.bin %> orders create --lock b6f46ae9-becd-4df9-ab56-3f1d77f31c8a --reference PO-119 --customer C-1042 --address - --json',
  ]
  static override flags = {
    ...apiFlags,
    lock: Flags.string({summary: 'Price lock to order from.', helpValue: 'UUID', required: true}),
    reference: Flags.string({summary: 'Your key for this order.', helpValue: 'EXTREF', required: true}),
    customer: Flags.string({summary: "The customer's cart instead of the partner's.", helpValue: 'REF'}),
    'discount-code': Flags.string({summary: 'Discount code, for reporting only.', helpValue: 'C'}),
    ...addressFlags,
  }

  async run(): Promise<CreatedOrder> {
    const {flags} = await this.parse(OrdersCreate)
    const ask = await this.ask()
    const part = ask.interactive ? partOf(flags) : undefined
    const address = part ? undefined : await addressOf(flags, readJson)
    if (!address && !ask.interactive)
      throw new Failure('MISSING_INPUT', {message: 'The order needs a shipping address: --address FILE.'})
    const doubt = doubtOf(address)
    if (doubt) this.note(doubt)
    const session = await this.session(flags)
    const order = openStory(
      (text) => this.note(text),
      'Run the same command again: the same reference never orders twice.',
    )
    const tools = await session.orderTools(order.progress, this.interrupts.during(order))
    const intent = {
      reference: flags.reference,
      customerRef: flags.customer ?? null,
      lines: null,
      address: address ?? (await askAddress(ask, await tools.savedAddresses(), undefined, part)),
      discountCode: flags['discount-code'],
    }
    const place = () => orderByLock(tools, intent, flags.lock)
    const {document} = await session.alone(intent.customerRef, place)
    this.show(createdCard(document))
    this.aside(nextText('orders', 'track', document.id))
    return document
  }
}
