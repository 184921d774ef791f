import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {apiFlags, ScentCommand} from '../../command.ts'
import {type OrderRead, readOrder} from '../../contract/orders.ts'
import {isScentOrderId, readOneOrder} from '../../flows/read-order.ts'
import {orderCard, orderLines} from '../../terminal/orders.ts'

export default class OrdersGet extends ScentCommand {
  static override summary = 'Show an order.'
  static override description =
    'A UUID is read as the Scent order id, which creating an order answers. Anything else, or any id with --global, is read as the global id.'
  static override examples = [
    '<%= config.bin %> orders get 6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43',
    '<%= config.bin %> orders get SCN-2026-000042 --json',
  ]
  static override args = {id: Args.string({description: 'Scent order id or global id.', required: true})}
  static override flags = {
    ...apiFlags,
    global: Flags.boolean({summary: 'Read ID as the global id, whatever it looks like.'}),
  }

  async run(): Promise<OrderRead> {
    const {args, flags} = await this.parse(OrdersGet)
    const {client} = await this.session(flags)
    const order = await readOneOrder(client, args.id, flags.global || !isScentOrderId(args.id))
    await this.showMentioned(readOrder, order, (one) => [orderCard(one), orderLines(one)])
    return order
  }
}
