import * as Flags from '@oclif/core/flags'
import {orderNames} from '../../bulk/orders/names.ts'
import {ScentCommand} from '../../command.ts'
import type {OrderRead} from '../../contract/orders.ts'
import type {VariantNames} from '../../flows/names.ts'
import {type NamedOrder, withOrder} from '../../flows/order/named.ts'
import {factsOf, readOneOrder} from '../../flows/order/read.ts'
import type {Session} from '../../session.ts'
import {apiFlags, orderArg} from '../../terminal/flags.ts'
import {orderCard, orderLines} from '../../terminal/views/orders.ts'

export default class OrdersGet extends ScentCommand {
  static override summary = 'Show an order.'
  static override description =
    'An order that was made from this machine is found by its reference, or by the beginning of its Scent id. Any other is found by its Scent id, a UUID, which `orders create` prints, or by its global id; --global reads ID as the global id, whatever it looks like.'
  static override examples = [
    '<%= config.bin %> orders get PO-118',
    '<%= config.bin %> orders get 90bae10f-2603-42ed-9e88-4cb7a414536e',
    '<%= config.bin %> orders get SCN-0000000004 --json',
  ]
  static override args = {id: orderArg}
  static override flags = {
    ...apiFlags,
    global: Flags.boolean({summary: 'Read ID as the global id, whatever it looks like.'}),
  }

  async run(): Promise<OrderRead> {
    const {args, flags} = await this.parse(OrdersGet)
    const session = await this.session(flags)
    const {client} = session
    const read = ({id, isGlobal}: NamedOrder) => readOneOrder(client, id, isGlobal)
    const names = orderNames(session, (text) => this.note(text))
    const order = await (flags.global ? read({id: args.id, isGlobal: true}) : withOrder(names, args.id, read))
    const called = this.inTerminal ? await this.namesIn(session, order) : undefined
    await this.showAnswer(order, (one) => [orderCard(one), orderLines(one, called)])
    return order
  }
  /** What people call the variants of an order. */
  private async namesIn(session: Session, order: OrderRead): Promise<VariantNames> {
    const {openNames} = await import('../../flows/names.ts')
    const names = openNames(await session.catalogTools())
    await names.learn(factsOf(order).lines?.map(({variantId}) => variantId) ?? [])
    return names
  }
}
