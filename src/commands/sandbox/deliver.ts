import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {foldersOf} from '../../store/paths.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {type MovedOrder, movedOrderTable} from '../../terminal/views/sandbox.ts'

export default class SandboxDeliver extends ScentCommand {
  static override summary = 'Deliver an order of the sandbox.'
  static override description =
    'In the sandbox no order is delivered by itself. --ship only sends it on its way.'
  static override examples = [
    '<%= config.bin %> sandbox deliver SCN-0000000005',
    '<%= config.bin %> sandbox deliver PO-118 --ship',
  ]
  static override args = {
    order: Args.string({description: 'Order id, global id or external reference.', required: true}),
  }
  static override flags = {...outputFlags, ship: Flags.boolean({summary: 'Only ship it.'})}

  async run(): Promise<MovedOrder> {
    const {args, flags} = await this.parse(SandboxDeliver)
    const {callAdmin} = await import('../../sandbox/controls/remote.ts')
    const path = `orders/${encodeURIComponent(args.order)}/${flags.ship ? 'ship' : 'deliver'}`
    const moved = await callAdmin<MovedOrder>(requireSandbox(foldersOf()), 'POST', path)
    this.show(movedOrderTable(moved))
    return moved
  }
}
