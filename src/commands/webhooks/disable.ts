import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {setWebhookActive} from '../../contract/webhooks.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {activeCard, type Switched} from '../../terminal/views/webhooks.ts'

export default class WebhooksDisable extends ScentCommand {
  static override summary = 'Deactivate a subscription.'
  static override description = 'No new events are sent to it until it is enabled again.'
  static override examples = ['<%= config.bin %> webhooks disable aff5afa7-c6bd-4c04-b245-89e6b7e40128']
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
