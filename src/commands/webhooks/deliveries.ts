import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {type Delivery, listDeliveries} from '../../contract/webhooks.ts'
import {answered, chosenDeliveries, watchDeliveries} from '../../flows/webhooks.ts'
import {apiFlags, listFlags} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {deliveryColumns} from '../../terminal/views/webhooks.ts'

export default class WebhooksDeliveries extends ScentCommand {
  static override summary = 'List the delivery attempts of a subscription, as far as they are kept: 30 days.'
  static override description =
    'The API filters nothing: --failed and --event read all pages and choose here. The same event id stands in the body of the delivery: use it to match and to dedupe.\n\n--watch looks every 3 seconds; for a program, take --output ndjson with it.'
  static override examples = [
    '<%= config.bin %> webhooks deliveries aff5afa7-c6bd-4c04-b245-89e6b7e40128 --failed',
    '<%= config.bin %> webhooks deliveries aff5afa7-c6bd-4c04-b245-89e6b7e40128 --watch',
    '<%= config.bin %> webhooks deliveries aff5afa7-c6bd-4c04-b245-89e6b7e40128 --event order.completed --limit 20 --columns sentAt,succeeded,httpStatus,nextAttemptAt',
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
    watch: Flags.boolean({
      summary: 'Show the last ten, then each new attempt as it comes, until Ctrl-C.',
      exclusive: ['page', 'page-size', 'all', 'json', 'query'],
    }),
  }

  async run(): Promise<Listing> {
    const {args, flags} = await this.parse(WebhooksDeliveries)
    const input = {params: {webhookId: args.id}, query: {pageSize: flags['page-size']}}
    const view = {columns: deliveryColumns, empty: 'No such delivery is kept.'}
    const filtered = flags.failed || flags.event !== undefined
    const {client, time, sawWebhook} = await this.session(flags, {job: flags.all || filtered})
    const seen = () => sawWebhook({id: args.id})
    const several = flags.all || flags.limit !== undefined || filtered
    if (!flags.watch && !several) {
      const page = await this.list(client, listDeliveries, input, flags, view)
      await seen()
      return page
    }
    const wanted = (one: Delivery | null) =>
      !(flags.failed && one?.succeeded === true) &&
      (flags.event === undefined || one?.eventType === flags.event)
    const all = flags.watch
      ? watchDeliveries(client, args.id, {sleep: time.sleep, signal: this.interrupts.until(), everyMs: 3_000})
      : client.pages(listDeliveries, input, {onlyShown: true})
    const rows = chosenDeliveries(answered(all, seen), wanted, flags.limit)
    this.show(flags.watch ? {...view, rows, live: true} : {...view, rows})
    return {items: rows}
  }
}
