import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {type Notice, type NoticeChoice, noticeChoices} from '../../contract/notices.ts'
import {openDesk} from '../../desk/desk.ts'
import {type Cost, costsOf} from '../../desk/notices/cost.ts'
import type {InboxItem} from '../../desk/notices/inbox.ts'
import {knownNotices} from '../../desk/notices/known.ts'
import {answerNotice} from '../../desk/notices/respond.ts'
import {consequence} from '../../desk/screens/choice.ts'
import {inboxCard} from '../../desk/screens/inbox.ts'
import {readNamedOrder} from '../../flows/order/read.ts'
import type {Session} from '../../session.ts'
import {apiFlags, requireUuid} from '../../terminal/flags.ts'
import {noticeCard} from '../../terminal/views/notices.ts'

export default class NoticesRespond extends ScentCommand {
  static override confirms = true
  static override summary = 'Answer an unfulfillable-line notice.'
  static override description =
    `CancelWhole cancels the whole outstanding line with a full refund. ShipAvailable ships what is available and refunds the shortfall; a Lost shipment is cancelled whole either way. A notice is open for 72 hours, then the service decides. \`scent notices inbox\` lists what waits.

In a terminal it shows what is known of the notice and what each choice comes to, and asks once; --choice with --yes asks nothing. The choice is written down before it is sent. After a lost answer the same choice is sent again; a notice that is closed by then is exit 12, because nothing tells what closed it.`
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
    requireUuid('ID', args.id)
    if (flags.choice === undefined && !(await this.ask()).interactive) throw missing(flags.yes)
    const id = args.id.toLowerCase()
    const session = await this.session(flags)
    const {folders, identity} = openDesk(flags)
    const item = knownNotices(folders, identity, {all: true}).every.find((one) => one.id === id)
    const choice = await this.decided(session, id, item, flags.choice)
    const notice = await answerNotice({folders, identity, client: session.client}, id, choice)
    this.show(noticeCard(notice))
    return notice
  }

  /** The choice, agreed to once: chosen from what each comes to, or given and confirmed. */
  private async decided(
    session: Session,
    id: string,
    item: InboxItem | undefined,
    given: NoticeChoice | undefined,
  ): Promise<NoticeChoice> {
    const ask = await this.ask()
    const costs = ask.interactive ? await this.told(session, item) : undefined
    const sent = item?.desk.state === 'unsettled' ? item.desk.answer?.choice : undefined
    if (sent !== undefined && sent !== given)
      this.note(`${sent} was sent before, and its answer was lost: it may have been taken.`)
    if (given === undefined) return this.chosen(costs)
    await this.confirm(`Answer notice ${id} with ${given}? It ${consequence(given, costs)}.`)
    return given
  }

  /** Shows what is known of a notice, and reads what each choice comes to. */
  private async told(session: Session, item: InboxItem | undefined): Promise<Cost[] | undefined> {
    if (item === undefined) {
      this.note('Nothing is known of this notice here: the API shows no notice before it is answered.')
      return undefined
    }
    await this.screen(inboxCard(item))
    const order = item.scentOrderId
    if (!order) return costsOf(item)
    try {
      return costsOf(item, await readNamedOrder(session.client, order))
    } catch (error) {
      // Units are told by the notice itself.
      if (!isFailure(error) || error.code === 'INTERRUPTED') throw error
      return costsOf(item)
    }
  }

  /** Nothing is preselected but to leave it as it is. */
  private async chosen(costs: Cost[] | undefined): Promise<NoticeChoice> {
    const leave = {name: 'Leave it unanswered for now', value: undefined}
    const choices = noticeChoices.map((value) => ({name: `${value}: ${consequence(value, costs)}`, value}))
    const choice = await (await this.ask()).choose<NoticeChoice | undefined>({
      message: 'Which choice?',
      flag: '--choice',
      choices: [leave, ...choices],
    })
    if (choice === undefined) throw new Failure('DECLINED')
    return choice
  }
}

function missing(agreed: boolean): Failure {
  const flags = agreed ? '--choice' : '--choice and --yes'
  return new Failure('MISSING_INPUT', {message: `Nobody can be asked what to do: missing ${flags}.`})
}
