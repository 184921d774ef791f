import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {foldersOf} from '../../store/paths.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {commandText} from '../../terminal/next.ts'
import {sentCard, unsent} from '../../terminal/views/sandbox.ts'

export default class SandboxEvent extends ScentCommand {
  static override summary = 'Send an event to the webhook subscriptions of the sandbox.'
  static override description =
    'To all active subscriptions that have its type, or to --webhook whatever its types are. The type may be any word, and the data any JSON object: a receiver must bear what it does not know. `sandbox notice` and others send the events of what really happens.'
  static override examples = [
    '<%= config.bin %> sandbox event order.completed',
    '<%= config.bin %> sandbox event something.new --data data.json --json',
  ]
  static override args = {
    type: Args.string({description: 'Type of the event, such as order.completed.', required: true}),
  }
  static override flags = {
    ...outputFlags,
    data: Flags.string({summary: 'File with its data, a JSON object; - reads stdin.', helpValue: 'FILE|-'}),
    webhook: Flags.string({summary: 'Only to this subscription.', helpValue: 'ID'}),
  }

  async run(): Promise<object> {
    const {args, flags} = await this.parse(SandboxEvent)
    const {callAdmin} = await import('../../sandbox/controls/remote.ts')
    const {readJson} = await import('../../store/input.ts')
    const data = flags.data === undefined ? undefined : await readJson(flags.data)
    const {webhook} = flags
    const order = {
      type: args.type,
      ...(data !== undefined && {data}),
      ...(webhook !== undefined && {webhook}),
    }
    const sent = await callAdmin<{event: {eventId: string} | null; deliveries: number}>(
      requireSandbox(foldersOf()),
      'POST',
      'events',
      order,
    )
    if (sent.deliveries > 0) this.show(sentCard(sent))
    else {
      const empty = `Nothing was sent: no active subscription of the sandbox has the type ${args.type}. ${commandText('webhooks', 'listen', '--subscribe')} subscribes this machine to all types that the sandbox knows; ${commandText('sandbox', 'event', args.type, '--webhook', 'ID')} sends it to a subscription whatever its types are.`
      this.show({...unsent, empty})
      if (!this.inTerminal) this.note(empty)
    }
    return sent
  }
}
