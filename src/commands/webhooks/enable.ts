import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {setWebhookActive} from '../../contract/webhooks.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {activeCard, type Switched} from '../../terminal/views/webhooks.ts'

export default class WebhooksEnable extends ScentCommand {
  static override summary = 'Activate a subscription.'
  static override description = 'At most 5 subscriptions may be active at a time.'
  static override examples = ['<%= config.bin %> webhooks enable aff5afa7-c6bd-4c04-b245-89e6b7e40128']
  static override args = {id: Args.string({description: 'Webhook id, a UUID.', required: true})}
  static override flags = {...apiFlags}

  async run(): Promise<Switched> {
    const {args, flags} = await this.parse(WebhooksEnable)
    const session = await this.session(flags)
    const body = {isActive: true}
    const switched = await session.client.call(setWebhookActive, {params: {webhookId: args.id}, body})
    await session.sawWebhook({...switched, id: args.id, isActive: switched.isActive ?? true})
    this.show(activeCard(switched))
    return switched
  }
}
