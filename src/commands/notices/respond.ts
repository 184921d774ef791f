import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {type Notice, type NoticeChoice, noticeChoices} from '../../contract/notices.ts'
import {respond} from '../../flows/notices.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {noticeCard} from '../../terminal/views/notices.ts'

const costs: Record<NoticeChoice, string> = {
  CancelWhole: 'cancels the whole line and refunds it in full',
  ShipAvailable: 'ships what is available, and cancels and refunds the shortfall',
}

export default class NoticesRespond extends ScentCommand {
  static override confirms = true
  static override summary = 'Answer an unfulfillable-line notice.'
  static override description =
    `CancelWhole cancels the whole outstanding line with a full refund. ShipAvailable ships what is available and refunds the shortfall; a Lost shipment is cancelled whole either way. A notice is open for 72 hours, then the service decides.

Asks once; --yes answers. After a lost answer the same choice is sent again; a notice that is closed by then is exit 12, because nothing tells what closed it.`
  static override examples = [
    '<%= config.bin %> notices respond c6c0dd6c-5d76-4b5d-9eff-250400d2b556 --choice ShipAvailable',
    '<%= config.bin %> notices respond c6c0dd6c-5d76-4b5d-9eff-250400d2b556 --choice CancelWhole --yes --json',
  ]
  static override args = {id: Args.string({description: 'Notice id, a UUID.', required: true})}
  static override flags = {
    ...apiFlags,
    choice: Flags.option({options: noticeChoices})({
      summary: 'What to do with the line; asked for in a terminal.',
    }),
  }

  async run(): Promise<Notice> {
    const {args, flags} = await this.parse(NoticesRespond)
    const choice = flags.choice ?? (await this.chosen())
    await this.confirm(`Answer notice ${args.id} with ${choice}? It ${costs[choice]}.`)
    const {client} = await this.session(flags)
    const notice = await respond(client, args.id, choice)
    this.show(noticeCard(notice))
    return notice
  }

  private async chosen(): Promise<NoticeChoice> {
    const choices = noticeChoices.map((value) => ({name: value, value, description: costs[value]}))
    return (await this.ask()).choose({message: 'Which choice?', flag: '--choice', choices})
  }
}
