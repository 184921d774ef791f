import {apiFlags, ScentCommand} from '../../command.ts'
import type {SeenSubscription} from '../../store/webhooks.ts'
import {time} from '../../terminal/cells.ts'
import type {Listing} from '../../terminal/output.ts'

export default class WebhooksList extends ScentCommand {
  static override summary = 'List the subscriptions made or touched from this machine.'
  static override description =
    'The API has no list of subscriptions: this is the local record of the profile in use, as the last answers told it. A field that none of them told is a dash, in JSON null.'
  static override examples = ['<%= config.bin %> webhooks list', '<%= config.bin %> webhooks list --json']
  static override flags = {...apiFlags}

  async run(): Promise<Listing> {
    const {flags} = await this.parse(WebhooksList)
    const session = await this.session(flags)
    const items = await (await session.webhooks()).all()
    this.note('Local record: the API has no list of subscriptions. These were made or touched from here.')
    this.show({
      rows: items,
      empty: 'No subscription has been made or touched from here.',
      columns: [
        {key: 'id', header: 'Webhook', whole: true, get: ({id}: SeenSubscription) => id},
        {key: 'url', header: 'URL', get: ({url}: SeenSubscription) => url},
        {key: 'events', header: 'Events', get: ({eventTypes}: SeenSubscription) => eventTypes?.join(', ')},
        {key: 'active', header: 'Active', get: ({isActive}: SeenSubscription) => isActive},
        {key: 'seen', header: 'As of', yields: true, get: ({at}: SeenSubscription) => time(at)},
      ],
    })
    return {items}
  }
}
