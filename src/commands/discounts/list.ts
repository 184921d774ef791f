import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {listDiscountCodes} from '../../contract/discounts.ts'
import {apiFlags, listFlags} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {discountColumns} from '../../terminal/views/discounts.ts'

export default class DiscountsList extends ScentCommand {
  static override summary = 'List your discount codes, newest first.'
  static override description =
    'With how often each was used. A code is for display and reporting: it never changes what an order is charged.'
  static override examples = [
    '<%= config.bin %> discounts list --active',
    '<%= config.bin %> discounts list --all --output csv',
  ]
  static override flags = {
    ...apiFlags,
    ...listFlags,
    active: Flags.boolean({summary: 'Active codes only.'}),
  }

  async run(): Promise<Listing> {
    const {flags} = await this.parse(DiscountsList)
    const {client} = await this.session(flags)
    const query = flags.active ? {activeOnly: true} : {}
    const view = {columns: discountColumns, empty: 'There is no such code.'}
    return this.list(client, listDiscountCodes, {query}, flags, view)
  }
}
