import type {Interfaces} from '@oclif/core'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {type NoticeChoice, noticeChoices} from '../../contract/notices.ts'
import {type Desk, openDesk} from '../../desk/desk.ts'
import {type Cost, readCosts} from '../../desk/notices/cost.ts'
import type {InboxItem} from '../../desk/notices/inbox.ts'
import {knownNotices, lookAt, noticeNamed} from '../../desk/notices/known.ts'
import {answerNotice} from '../../desk/notices/respond.ts'
import {type Wanted, wantedBy, wantedIn} from '../../desk/notices/wanted.ts'
import {answerColumns, answerMany, showAnswers} from '../../desk/screens/answers.ts'
import {consequence} from '../../desk/screens/choice.ts'
import {blindLines, inboxCard, NOTHING_OPEN} from '../../desk/screens/inbox.ts'
import type {Session} from '../../session.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {secondsFlag} from '../../terminal/times.ts'
import {noticeCard} from '../../terminal/views/notices.ts'

type Given = Interfaces.InferredFlags<typeof NoticesRespond.flags>

const filters = ['due-within', 'sku', 'reason', 'all-open'] as const

export default class NoticesRespond extends ScentCommand {
  static override confirms = true
  static override shows = async () => [...noticeCard({} as never).columns, ...answerColumns]
  static override summary = 'Answer unfulfillable-line notices: one, many, or all that wait.'
  static override description =
    `CancelWhole cancels the whole outstanding line with a full refund. ShipAvailable ships what is available and refunds the shortfall; a Lost shipment is cancelled whole either way. A notice is open for 72 hours, then the service decides. \`scent notices inbox\` lists what waits.

Alone in a terminal it goes through the notices that wait: one key chooses and shows what that does, Enter sends, any other key takes it back; with --yes the key alone sends. With an ID it shows what is known of the notice and what each choice comes to, and asks once; --choice with --yes asks nothing. The choice is written down before it is sent. After a lost answer the same choice is sent again; a notice that is closed by then is exit 12, because nothing tells what closed it.

--file takes a CSV file with the columns notice and choice, in any order, with others or without a header; or NDJSON of the same. It is checked whole first: if a line is bad, all bad lines are named and nothing is sent. --choice with --due-within, --sku, --reason or --all-open answers what waits and fits all of them; what was sent before without an outcome is left out, and named. Both say what the answers come to, ask once, and send them one after another. Run again, they answer only what is left.

Exit codes of many: 0 all are answered, 11 some are not, 12 what became of some is not known, 5 nothing fits.`
  static override examples = [
    '<%= config.bin %> notices respond',
    '<%= config.bin %> notices respond c6c0dd6c-5d76-4b5d-9eff-250400d2b556 --choice ShipAvailable',
    '<%= config.bin %> notices respond c6c0dd6c-5d76-4b5d-9eff-250400d2b556 --choice CancelWhole --yes --json',
    '<%= config.bin %> notices respond --file choices.csv',
    '<%= config.bin %> notices respond --choice ShipAvailable --due-within 6h --yes --json',
  ]
  static override args = {
    id: Args.string({
      description: 'Notice id, or at least 6 characters of the beginning of one that is known here.',
    }),
  }
  static override flags = {
    ...apiFlags,
    choice: Flags.option({options: noticeChoices})({
      summary: 'What to do with the line; asked for in a terminal.',
    }),
    file: Flags.string({
      summary: 'Answer the notices of a file: CSV or NDJSON, or - for stdin.',
      helpValue: 'FILE',
      exclusive: ['choice', ...filters],
    }),
    'due-within': secondsFlag({
      summary: 'Answer those that are due within this time.',
      min: 1,
      dependsOn: ['choice'],
    }),
    sku: Flags.string({summary: 'Answer those of this SKU.', helpValue: 'SKU', dependsOn: ['choice']}),
    reason: Flags.string({
      summary: 'Answer those raised for this reason, such as OutOfStock.',
      helpValue: 'REASON',
      dependsOn: ['choice'],
    }),
    'all-open': Flags.boolean({
      summary: 'Answer all that wait.',
      dependsOn: ['choice'],
      exclusive: ['due-within', 'sku', 'reason'],
    }),
  }

  async run(): Promise<unknown> {
    const {args, flags} = await this.parse(NoticesRespond)
    const isFiltered = filters.some((name) => flags[name] !== undefined)
    if (args.id !== undefined && (isFiltered || flags.file !== undefined)) throw both()
    const isAlone = args.id === undefined && !isFiltered && flags.file === undefined
    const desk = openDesk(flags)
    if (isAlone) return this.worklist(desk, flags)
    if (args.id !== undefined) return this.one(noticeNamed(desk, args.id), desk, flags)
    const wanted = await this.wanted(desk, flags)
    const session = await this.session(flags, {job: true})
    return answerMany(this, session, wanted, {isAgreed: flags.yes})
  }

  /** All that wait, one after another. */
  private async worklist(desk: Desk, flags: Given): Promise<unknown> {
    if (flags.choice !== undefined || !(await this.ask()).interactive) throw nothingNamed()
    const {items, blind} = await lookAt(desk, {})
    if (items.length === 0) {
      this.note(NOTHING_OPEN)
      for (const line of blindLines(blind)) this.note(line)
      return undefined
    }
    const {workThrough} = await import('../../desk/screens/work.ts')
    const session = await this.session(flags, {board: true})
    const document = await workThrough(this, session, {isAgreed: flags.yes})
    if (this.inTerminal) return undefined
    showAnswers(this, document.answers)
    return document
  }

  /** The notices that a file names, or that the filters find. */
  private async wanted({folders, identity}: Desk, flags: Given): Promise<Wanted[]> {
    const {every} = knownNotices(folders, identity, {all: true})
    if (flags.file !== undefined) return wantedIn(flags.file, every)
    const {choice, sku, reason, 'due-within': within} = flags
    const filter = {sku, reason, withinMs: within === undefined ? undefined : within * 1000}
    const {wanted, unsettled} = wantedBy(filter, choice ?? 'CancelWhole', every)
    for (const {id, desk} of unsettled)
      this.note(
        `Notice ${id} is left out: ${desk.answer?.choice} was sent, and its answer was lost. To send it again: \`scent notices respond ${id} --choice ${desk.answer?.choice}\`.`,
      )
    if (wanted.length > 0) return wanted
    const message = 'No notice that is known here waits for an answer and fits.'
    throw new Failure('NOTHING_MATCHED', {message, hint: 'See what waits: `scent notices inbox`.'})
  }

  private async one(id: string, desk: Desk, flags: Given): Promise<unknown> {
    if (flags.choice === undefined && !(await this.ask()).interactive) throw missing(flags.yes)
    const {folders, identity} = desk
    const session = await this.session(flags)
    const item = knownNotices(folders, identity, {all: true}).every.find((one) => one.id === id)
    const choice = await this.decided(session, id, item, flags.choice)
    const notice = await answerNotice({folders, identity, client: session.client}, {id, choice, item})
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
      this.note(
        `${sent} was sent before, and its answer was lost. If it was taken, the service refuses any other choice, and nothing changes.`,
      )
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
    return readCosts(session.client, item)
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

function both(): Failure {
  const message = 'An ID goes with neither --file nor a filter: these say which notices are meant.'
  return new Failure('INVALID_INPUT', {message, hint: WAYS})
}

const WAYS =
  'Give an ID with --choice, a file with --file, or --choice with --due-within, --sku, --reason or --all-open. Alone in a terminal it shows what waits, one after another.'

function nothingNamed(): Failure {
  return new Failure('MISSING_INPUT', {message: 'Nothing says which notices to answer.', hint: WAYS})
}

function missing(agreed: boolean): Failure {
  const flags = agreed ? '--choice' : '--choice and --yes'
  return new Failure('MISSING_INPUT', {message: `Nobody can be asked what to do: missing ${flags}.`})
}
