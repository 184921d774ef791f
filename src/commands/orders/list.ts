import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {momentOf} from '../../contract/forms.ts'
import {apiFlags, recordFlags} from '../../terminal/flags.ts'
import {firstOf, type Listing} from '../../terminal/output.ts'
import {oneOf} from '../../terminal/parsing.ts'
import {momentIn, timeFlag, timeHelp} from '../../terminal/times.ts'
import {outcomeWords, recordedOrderColumns, statusWords} from '../../terminal/views/orders.ts'

export default class OrdersList extends ScentCommand {
  static override summary = 'List the orders made from this machine.'
  static override description =
    `The service has no list of orders: this is the local record of the profile in use, newest first, those of bulk jobs among them. Orders made elsewhere are not in it. A status is the one that the service told when the order was made; \`scent orders get\` reads it anew. ${timeHelp}`
  static override examples = [
    '<%= config.bin %> orders list',
    '<%= config.bin %> orders list --status refused --since 7d',
    '<%= config.bin %> orders list --customer C-1042 --all --output csv',
    '<%= config.bin %> orders list --status unknown --query "items[].externalReference"',
  ]
  static override flags = {
    ...apiFlags,
    ...recordFlags,
    status: Flags.string({
      summary: `What became of them (${outcomeWords.join(', ')}), or a status of the service, in any case.`,
      helpValue: 'S',
    }),
    customer: Flags.string({summary: 'Orders of this customer.', helpValue: 'REF'}),
    reference: Flags.string({summary: 'Part of the reference, in any case.', helpValue: 'TEXT'}),
    since: timeFlag({summary: 'Orders begun at this time or later.'}),
  }

  async run(): Promise<Listing> {
    const {flags} = await this.parse(OrdersList)
    const {status, customer, reference} = flags
    if (status !== undefined) oneOf('--status', status, [...outcomeWords, ...statusWords])
    // The record keeps this machine's times.
    const since = flags.since === undefined ? undefined : momentOf(momentIn(flags.since, Date.now()))
    const session = await this.session(flags)
    const {recordedOrders} = await import('../../bulk/orders/recorded.ts')
    const found = await recordedOrders(session, {status, customer, reference, since})
    const {items, told} = firstOf(found, flags, 'orders made from this machine')
    this.note(told)
    const isAny = [status, customer, reference, since].every((one) => one === undefined)
    const empty = isAny ? 'No order has been made from here.' : 'No order of the local record fits.'
    this.show({rows: items, columns: recordedOrderColumns, empty})
    return {items}
  }
}
