import * as Args from '@oclif/core/args'
import {apiFlags, ScentCommand} from '../../command.ts'
import {setWebhookActive} from '../../contract/webhooks.ts'
import {activeCard, type Switched} from '../../terminal/webhooks.ts'

export default class WebhooksDisable extends ScentCommand {
  static override summary = 'Deactivate a subscription.'
  static override description = 'No new events are sent to it until it is enabled again.'
  static override examples = ['<%= config.bin %> webhooks disable 6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43']
  static override args = {id: Args.string({description: 'Webhook id, a UUID.', required: true})}
  static override flags = {...apiFlags}

  async run(): Promise<Switched> {
    const {args, flags} = await this.parse(WebhooksDisable)
    const session = await this.session(flags)
    const body = {isActive: false}
    const switched = await session.client.call(setWebhookActive, {params: {webhookId: args.id}, body})
    await session.sawWebhook({...switched, id: args.id, isActive: switched.isActive ?? false})
    this.show(activeCard(switched))
    return switched
  }
}
