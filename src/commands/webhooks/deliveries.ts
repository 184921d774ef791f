import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {apiFlags, listFlags, ScentCommand} from '../../command.ts'
import {type Delivery, listDeliveries} from '../../contract/webhooks.ts'
import {chosenDeliveries} from '../../flows/webhooks.ts'
import type {Listing} from '../../terminal/output.ts'
import {deliveryColumns} from '../../terminal/webhooks.ts'

export default class WebhooksDeliveries extends ScentCommand {
  static override summary = 'List the delivery attempts of a subscription, as far as they are kept: 30 days.'
  static override description =
    'The API filters nothing: --failed and --event read all pages and choose here. The same event id stands in the body of the delivery: use it to match and to dedupe.'
  static override examples = [
    '<%= config.bin %> webhooks deliveries 6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43 --failed',
    '<%= config.bin %> webhooks deliveries 6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43 --event order.completed --limit 20 --columns sent,result,status,next',
  ]
  static override args = {id: Args.string({description: 'Webhook id, a UUID.', required: true})}
  static override flags = {
    ...apiFlags,
    ...listFlags,
    failed: Flags.boolean({summary: 'Attempts that failed only.', exclusive: ['page']}),
    event: Flags.string({
      summary: 'Attempts of this event type only.',
      helpValue: 'TYPE',
      exclusive: ['page'],
    }),
  }

  async run(): Promise<Listing> {
    const {args, flags} = await this.parse(WebhooksDeliveries)
    const {client} = await this.session(flags)
    const input = {params: {webhookId: args.id}}
    const view = {columns: deliveryColumns, empty: 'No such delivery is kept.'}
    if (!flags.failed && flags.event === undefined)
      return this.list(client, listDeliveries, input, flags, view)
    const wanted = ({succeeded, eventType}: Delivery) =>
      !(flags.failed && succeeded === true) && (flags.event === undefined || eventType === flags.event)
    const rows = chosenDeliveries(client.pages(listDeliveries, input), wanted, flags.limit)
    this.show({...view, rows})
    return {items: rows}
  }
}
