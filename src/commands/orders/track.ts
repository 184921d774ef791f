import {orderNames} from '../../bulk/orders/names.ts'
import {ScentCommand} from '../../command.ts'
import {type OrderTracking, trackOrder} from '../../contract/orders.ts'
import {scentIdOf, withOrder} from '../../flows/order/named.ts'
import {apiFlags, orderArg} from '../../terminal/flags.ts'
import {trackingTable} from '../../terminal/views/orders.ts'

export default class OrdersTrack extends ScentCommand {
  static override summary = 'Show the fulfillment groups of an order.'
  static override description =
    'An order that was made from this machine is found by its reference too, any by its Scent id or its global id.'
  static override examples = [
    '<%= config.bin %> orders track PO-118',
    '<%= config.bin %> orders track 90bae10f-2603-42ed-9e88-4cb7a414536e',
  ]
  static override args = {id: orderArg}
  static override flags = {...apiFlags}

  async run(): Promise<OrderTracking> {
    const {args, flags} = await this.parse(OrdersTrack)
    const session = await this.session(flags)
    const {client} = session
    const names = orderNames(session, (text) => this.note(text))
    const tracking = await withOrder(names, args.id, async (order) =>
      client.call(trackOrder, {params: {orderId: await scentIdOf(client, order)}}),
    )
    await this.showAnswer(tracking, (one) =>
      Array.isArray(one.fulfillmentGroups) ? [trackingTable(one)] : [],
    )
    return tracking
  }
}
