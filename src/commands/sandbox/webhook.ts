import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import type {Delivery} from '../../contract/webhooks.ts'
import {foldersOf} from '../../store/paths.ts'
import {requireSandbox} from '../../store/sandbox.ts'
import {outputFlags} from '../../terminal/flags.ts'
import {card} from '../../terminal/table.ts'
import {type Rotated, rotatedCard} from '../../terminal/views/sandbox.ts'
import {deliveryColumns} from '../../terminal/views/webhooks.ts'

const actions = ['redeliver', 'duplicate', 'rotate'] as const
const paths = {redeliver: ['deliveries', 'redeliver'], duplicate: ['webhooks', 'duplicate']} as const

export default class SandboxWebhook extends ScentCommand {
  static override summary = 'Rehearse what may happen to the webhooks of the sandbox.'
  static override description =
    'redeliver sends an event again, with the same id and the same bytes; ID is that of a delivery, or of the event or the first 6 characters of it. duplicate sends the last event of a subscription a second time. rotate gives a subscription a new signing secret, which is shown this once: the next delivery is signed with it, and a listener that has the old one refuses it. `sandbox fault --delivery` spoils deliveries on their way, and `webhooks listen --answer 503` has them sent again.'
  static override examples = [
    '<%= config.bin %> sandbox webhook redeliver 9f2c41d0',
    '<%= config.bin %> sandbox webhook duplicate aff5afa7-c6bd-4c04-b245-89e6b7e40128',
    '<%= config.bin %> sandbox webhook rotate aff5afa7-c6bd-4c04-b245-89e6b7e40128 --query signingSecret',
  ]
  static override args = {
    action: Args.option({options: actions})({description: 'What happens.', required: true}),
    id: Args.string({
      description: 'Id of the subscription; to redeliver, of a delivery or event.',
      required: true,
    }),
  }
  static override flags = {...outputFlags}

  async run(): Promise<object> {
    const {args} = await this.parse(SandboxWebhook)
    const {callAdmin} = await import('../../sandbox/controls/remote.ts')
    const running = requireSandbox(foldersOf())
    const id = encodeURIComponent(args.id)
    if (args.action === 'rotate') {
      const rotated = await callAdmin<Rotated>(running, 'POST', `webhooks/${id}/rotate-secret`)
      this.show(rotatedCard(rotated))
      return rotated
    }
    const [noun, verb] = paths[args.action]
    const attempt = await callAdmin<Delivery>(running, 'POST', `${noun}/${id}/${verb}`)
    this.show(card(attempt, deliveryColumns))
    return attempt
  }
}
