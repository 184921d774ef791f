import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {type OrderTracking, trackOrder} from '../../contract/orders.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {trackingTable} from '../../terminal/views/orders.ts'

export default class OrdersTrack extends ScentCommand {
  static override summary = 'Show the fulfillment groups of an order.'
  static override description = 'Takes the Scent order id, which `orders create` prints.'
  static override examples = ['<%= config.bin %> orders track 90bae10f-2603-42ed-9e88-4cb7a414536e']
  static override args = {id: Args.string({description: 'Scent order id, a UUID.', required: true})}
  static override flags = {...apiFlags}

  async run(): Promise<OrderTracking> {
    const {args, flags} = await this.parse(OrdersTrack)
    const {client} = await this.session(flags)
    const tracking = await client.call(trackOrder, {params: {orderId: args.id}})
    await this.showMentioned(trackOrder, tracking, (one) =>
      Array.isArray(one.fulfillmentGroups) ? [trackingTable(one)] : [],
    )
    return tracking
  }
}
