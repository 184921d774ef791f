import {jobCarts} from '../../bulk/carts/fold.ts'
import {jobOrders} from '../../bulk/orders/fold.ts'
import {jobColumns} from '../../bulk/orders/screen.ts'
import {jobStanding} from '../../bulk/standing.ts'
import {apiFlags, ScentCommand} from '../../command.ts'
import type {Listing} from '../../terminal/output.ts'

export default class JobsList extends ScentCommand {
  static override summary = 'List the bulk jobs of this machine.'
  static override description =
    "A job is `running` in a process, `interrupted` and to be resumed, `unsettled` where rows are unknown, `finished`, or `damaged` where its records can't be read. This is the local record of the profile in use, newest first."
  static override examples = [
    '<%= config.bin %> jobs list',
    `<%= config.bin %> jobs list --query "items[?state=='interrupted'].id"`,
  ]
  static override flags = {...apiFlags}

  async run(): Promise<Listing> {
    const {flags} = await this.parse(JobsList)
    const session = await this.session(flags)
    const read = {orders: jobOrders, cart: jobCarts}
    const items = (await session.jobs()).list().map((job) => jobStanding(job, read))
    this.note('Local record: jobs of this machine under this profile.')
    this.show({rows: items, columns: jobColumns, empty: 'No job has been run from here.'})
    return {items}
  }
}
