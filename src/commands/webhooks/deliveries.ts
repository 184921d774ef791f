import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {momentOf} from '../../contract/forms.ts'
import {type Delivery, listDeliveries} from '../../contract/webhooks.ts'
import {answered, chosenDeliveries, deliveriesSince, watchDeliveries} from '../../flows/webhooks.ts'
import {apiFlags, listFlags} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {momentIn, timeFlag} from '../../terminal/times.ts'
import {deliveryColumns} from '../../terminal/views/webhooks.ts'

export default class WebhooksDeliveries extends ScentCommand {
  static override summary = 'List the delivery attempts of a subscription, as far as they are kept: 30 days.'
  static override description =
    'The API filters nothing: --failed, --event and --id read all pages and choose here, --since those up to that time. The same event id stands in the body of the delivery: use it to match and to dedupe.\n\n--watch looks every 3 seconds; for a program, take --output ndjson with it.'
  static override examples = [
    '<%= config.bin %> webhooks deliveries aff5afa7-c6bd-4c04-b245-89e6b7e40128 --failed',
    '<%= config.bin %> webhooks deliveries aff5afa7-c6bd-4c04-b245-89e6b7e40128 --watch',
    '<%= config.bin %> webhooks deliveries aff5afa7-c6bd-4c04-b245-89e6b7e40128 --since 6h --id 9f2c41d0',
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
    since: timeFlag({summary: 'Attempts of this time or later only.', exclusive: ['page']}),
    id: Flags.string({
      summary: 'Attempts of this event only: its id, or its first 6 characters.',
      helpValue: 'EVENT_ID',
      exclusive: ['page'],
    }),
    watch: Flags.boolean({
      summary: 'Show the last ten, then each new attempt as it comes, until Ctrl-C.',
      exclusive: ['page', 'page-size', 'all', 'json', 'query', 'since', 'id'],
    }),
  }

  async run(): Promise<Listing> {
    const {args, flags} = await this.parse(WebhooksDeliveries)
    const input = {params: {webhookId: args.id}, query: {pageSize: flags['page-size']}}
    const view = {columns: deliveryColumns, empty: 'No such delivery is kept.'}
    const {id} = flags
    const filtered = flags.failed || [flags.event, flags.since, id].some((value) => value !== undefined)
    const {client, time, sawWebhook, lastNow, folders, identity} = await this.session(flags, {
      job: flags.all || filtered,
    })
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
    const since = momentOf(momentIn(flags.since, lastNow()) ?? '') ?? 0
    const read = flags.watch
      ? watchDeliveries(client, args.id, {sleep: time.sleep, signal: this.interrupts.until(), everyMs: 3_000})
      : since > 0
        ? deliveriesSince(client, args.id, () => since, flags['page-size'])
        : client.pages(listDeliveries, input, {onlyShown: true})
    const {attemptsOfOne} = await import('../../desk/deliveries/sides.ts')
    const all = id === undefined ? read : attemptsOfOne({folders, identity}, read, id, since > 0)
    const rows = chosenDeliveries(answered(all, seen), wanted, flags.limit)
    this.show(flags.watch ? {...view, rows, live: true} : {...view, rows})
    return {items: rows}
  }
}
