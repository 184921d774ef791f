import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {listCommissionPeriods} from '../../contract/commissions.ts'
import {apiFlags, listFlags} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {commissionColumns} from '../../terminal/views/commissions.ts'

export default class CommissionsList extends ScentCommand {
  static override summary = 'List the commission periods.'
  static override description =
    'A provisional period can be objected to until its issue date. Which fields a period has is not documented: --json prints it as it came.'
  static override examples = [
    '<%= config.bin %> commissions list --status Provisional',
    '<%= config.bin %> commissions list --all --output csv',
  ]
  static override flags = {
    ...apiFlags,
    ...listFlags,
    status: Flags.option({options: listCommissionPeriods.query.status.values})({
      summary: 'Those of one status.',
    }),
  }

  async run(): Promise<Listing> {
    const {flags} = await this.parse(CommissionsList)
    const {client} = await this.session(flags)
    const query = {status: flags.status}
    const view = {columns: commissionColumns, empty: 'There is no such period.'}
    return this.list(client, listCommissionPeriods, {query}, flags, view)
  }
}
