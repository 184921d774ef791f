import {ScentCommand} from '../../command.ts'
import {apiFlags} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {seenColumns} from '../../terminal/views/webhooks.ts'

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
      columns: seenColumns,
      empty: 'No subscription has been made or touched from here.',
    })
    return {items}
  }
}
