import * as Flags from '@oclif/core/flags'
import {orderNames} from '../../bulk/orders/names.ts'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {listOrderReturns, listReturns} from '../../contract/returns.ts'
import {scentIdOf, withOrder} from '../../flows/order/named.ts'
import {apiFlags, listFlags} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {returnColumns} from '../../terminal/views/returns.ts'

export default class ReturnsList extends ScentCommand {
  static override summary = 'List return requests, newest first.'
  static override description =
    'With --order those of one order, whatever their status; else all of the account, with --status those of one status.'
  static override examples = [
    '<%= config.bin %> returns list --status Requested',
    '<%= config.bin %> returns list --order PO-118 --all',
  ]
  static override flags = {
    ...apiFlags,
    ...listFlags,
    order: Flags.string({summary: 'Order, by its reference or id.', helpValue: 'ORDER'}),
    status: Flags.option({options: listReturns.query.status.values})({summary: 'Those of one status.'}),
  }

  async run(): Promise<Listing> {
    const {flags} = await this.parse(ReturnsList)
    if (flags.order !== undefined && flags.status !== undefined) {
      const message = 'The API filters by status over all orders only: give --order or --status.'
      throw new Failure('INVALID_INPUT', {message})
    }
    const session = await this.session(flags)
    const {client} = session
    const view = {columns: returnColumns, empty: 'There is no such return request.'}
    if (flags.order !== undefined) {
      const names = orderNames(session, (text) => this.note(text))
      return withOrder(names, flags.order, async (order) => {
        const params = {orderId: await scentIdOf(client, order)}
        return this.list(client, listOrderReturns, {params}, flags, view)
      })
    }
    return this.list(client, listReturns, {query: {status: flags.status}}, flags, view)
  }
}
