import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import type {Delivery} from '../../contract/webhooks.ts'
import {fireTest} from '../../flows/webhooks.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {deliveryColumns} from '../../terminal/views/webhooks.ts'

export default class WebhooksTest extends ScentCommand {
  static override summary = 'Send a real signed delivery of an event type to a subscription.'
  static override description =
    'It goes the way of a real event: signed, delivered and retried. Sent once: a repeat would be a second delivery.'
  static override examples = [
    '<%= config.bin %> webhooks test aff5afa7-c6bd-4c04-b245-89e6b7e40128 --event order.completed',
  ]
  static override args = {id: Args.string({description: 'Webhook id, a UUID.', required: true})}
  static override flags = {
    ...apiFlags,
    event: Flags.string({summary: 'Event type the subscription holds.', helpValue: 'TYPE', required: true}),
  }

  async run(): Promise<Delivery> {
    const {args, flags} = await this.parse(WebhooksTest)
    const session = await this.session(flags)
    const delivery = await fireTest(session.client, args.id, flags.event)
    await session.sawWebhook({id: args.id})
    this.show({rows: [delivery], upright: true, columns: deliveryColumns})
    return delivery
  }
}
