import * as Args from '@oclif/core/args'
import {apiFlags, ScentCommand} from '../../command.ts'
import {type OrderTracking, trackOrder} from '../../contract/orders.ts'
import {trackingTable} from '../../terminal/orders.ts'

export default class OrdersTrack extends ScentCommand {
  static override summary = 'Show the fulfillment groups of an order.'
  static override description = 'Takes the Scent order id, which creating an order answers.'
  static override examples = ['<%= config.bin %> orders track 6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43']
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
