import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {addressesOf} from '../../client/addresses.ts'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import type {Subscription} from '../../contract/webhooks.ts'
import {urlNote} from '../../flows/webhook-url.ts'
import {changeSubscription} from '../../flows/webhooks.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {subscriptionCard} from '../../terminal/views/webhooks.ts'
import {headersOf, webhookFlags} from '../../terminal/webhook-flags.ts'

export default class WebhooksUpdate extends ScentCommand {
  static override summary = 'Change the URL, the event types or the headers of a subscription.'
  static override description =
    "What is left out stays as it is; what is given replaces all event types, or all headers. Headers can't be read back: give all that should be sent. --clear-headers removes them all."
  static override examples = [
    '<%= config.bin %> webhooks update aff5afa7-c6bd-4c04-b245-89e6b7e40128 --url https://hooks.example.com/v2',
    '<%= config.bin %> webhooks update aff5afa7-c6bd-4c04-b245-89e6b7e40128 --clear-headers',
  ]
  static override args = {id: Args.string({description: 'Webhook id, a UUID.', required: true})}
  static override flags = {
    ...apiFlags,
    ...webhookFlags,
    'clear-headers': Flags.boolean({summary: 'Send no headers of your own any more.', exclusive: ['header']}),
  }

  async run(): Promise<Subscription> {
    const {args, flags} = await this.parse(WebhooksUpdate)
    const headers = flags['clear-headers'] ? {} : headersOf(flags.header)
    const body = {
      ...(flags.url !== undefined && {url: flags.url}),
      ...(flags.event && {eventTypes: flags.event}),
      ...(headers && {headers}),
    }
    if (Object.keys(body).length === 0)
      throw new Failure('MISSING_INPUT', {
        message: 'Nothing to change was given.',
        hint: 'Give --url, --event, --header or --clear-headers.',
      })
    const session = await this.session(flags)
    const updated = await changeSubscription(session.client, args.id, body, addressesOf)
    await session.sawWebhook(updated)
    const note = urlNote(flags.url)
    if (note) this.note(note)
    if (headers) this.note(replacedText(Object.keys(headers).length))
    this.show(subscriptionCard(updated))
    return updated
  }
}

/** The API never shows headers: what was sent is all that is known of them. */
function replacedText(count: number): string {
  if (count === 0) return 'No headers of your own are sent any more.'
  return `The ${count === 1 ? 'header' : 'headers'} given replaced all that were set before.`
}
