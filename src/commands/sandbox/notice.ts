import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import type {Notice} from '../../contract/notices.ts'
import {foldersOf} from '../../store/paths.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {commandText} from '../../terminal/next.ts'
import {noticeCard} from '../../terminal/views/notices.ts'

interface Raised {
  notice: Notice
  /** The event as the partner's subscriptions receive it. */
  event: object
  /** How many subscriptions receive it. */
  deliveries: number
}

export default class SandboxNotice extends ScentCommand {
  static override summary = 'Raise a notice on a line of an order of the sandbox.'
  static override description =
    "Says that units of it can't be shipped, and prints the notice with the event that subscriptions receive. The partner has 72 hours: `sandbox clock --advance 72h` lets them pass."
  static override examples = [
    '<%= config.bin %> sandbox notice PO-118 --line NJD-INC-002 --available 1',
    '<%= config.bin %> sandbox notice PO-118 --line NJD-INC-002 --reason Lost --departed',
  ]
  static override args = {
    order: Args.string({description: 'Order id, global id or external reference.', required: true}),
  }
  static override flags = {
    ...outputFlags,
    line: Flags.string({summary: 'Line id, or SKU.', required: true, helpValue: 'LINE'}),
    available: Flags.integer({
      summary: 'Units that can still be shipped; 0 by default.',
      min: 0,
      default: 0,
      helpValue: 'N',
    }),
    reason: Flags.option({options: ['OutOfStock', 'Lost'] as const})({
      summary: 'What happened; OutOfStock by default.',
    }),
    departed: Flags.boolean({
      summary: 'Whether the shipment has left; as the order stands by default.',
      allowNo: true,
    }),
  }

  async run(): Promise<Raised> {
    const {args, flags} = await this.parse(SandboxNotice)
    const {callAdmin} = await import('../../sandbox/controls/remote.ts')
    const path = `orders/${encodeURIComponent(args.order)}/notices`
    const raised = await callAdmin<Raised>(requireSandbox(foldersOf()), 'POST', path, {
      lineId: flags.line,
      availableQuantity: flags.available,
      ...(flags.reason === undefined ? {} : {reason: flags.reason}),
      ...(flags.departed === undefined ? {} : {departed: flags.departed}),
    })
    this.show(noticeCard(raised.notice))
    if (raised.deliveries === 0 && this.mode !== 'json')
      this.note(
        `Nobody is told of it: no active subscription has the type notice.raised. ${commandText('webhooks', 'listen', '--subscribe')} receives the next one here; of this one, ${commandText('notices', 'import')} takes what \`--query event\` prints.`,
      )
    return raised
  }
}
