import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {type OrderRead, readOrder} from '../../contract/orders.ts'
import {isScentOrderId, readOneOrder} from '../../flows/order/read.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {orderCard, orderLines} from '../../terminal/views/orders.ts'

export default class OrdersGet extends ScentCommand {
  static override summary = 'Show an order.'
  static override description =
    'A UUID is read as the Scent order id, which `orders create` prints. Anything else, or any id with --global, is read as the global id.'
  static override examples = [
    '<%= config.bin %> orders get 90bae10f-2603-42ed-9e88-4cb7a414536e',
    '<%= config.bin %> orders get SCN-0000000004 --json',
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
