import {ScentCommand} from '../../command.ts'
import type {Subscription} from '../../contract/webhooks.ts'
import {subscribe} from '../../flows/webhooks.ts'
import {apiFlags, needed} from '../../terminal/flags.ts'
import {nextText} from '../../terminal/next.ts'
import {subscriptionCard} from '../../terminal/views/webhooks.ts'
import {headersOf, webhookFlags} from '../../terminal/webhook-flags.ts'

export default class WebhooksCreate extends ScentCommand {
  static override summary = 'Subscribe a URL to event types.'
  static override description =
    'Needs --url and at least one --event. The URL must be https and public; the sandbox takes one of this machine too, unless it is --strict. At most 5 subscriptions may be active. If the answer holds a signing secret, it is shown this once and kept nowhere. Sent once: after a lost answer there is no list to look it up in.'
  static override examples = [
    '<%= config.bin %> webhooks create --url https://hooks.example.com/scent --event order.completed',
    '<%= config.bin %> webhooks create --url https://hooks.example.com/scent --event order.completed --header X-Team=ops --json',
  ]
  static override flags = {
    ...apiFlags,
    ...webhookFlags,
    url: needed(webhookFlags.url),
    event: needed(webhookFlags.event),
  }

  async run(): Promise<Subscription> {
    const {flags} = await this.parse(WebhooksCreate)
    const headers = headersOf(flags.header)
    const session = await this.session(flags)
    const body = {url: flags.url, eventTypes: flags.event, ...(headers && {headers})}
    const created = await subscribe(session.client, body)
    // Without its id nothing can be kept of it.
    if (typeof created?.id === 'string') await session.sawWebhook(created)
    if ((created as {signingSecret?: unknown} | null)?.signingSecret !== undefined)
      this.note('Keep the signing secret: it is shown this once.')
    await this.showAnswer(created, (one) => [subscriptionCard(one)])
    this.aside(nextText('webhooks', 'test', created?.id, '--event', flags.event[0]))
    return created
  }
}
