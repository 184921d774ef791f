import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {openDesk} from '../../desk/desk.ts'
import type {Blindness} from '../../desk/notices/blindness.ts'
import {clearAt} from '../../desk/notices/coverage.ts'
import type {InboxItem} from '../../desk/notices/inbox.ts'
import {blindnessOf, knownNotices} from '../../desk/notices/known.ts'
import {askSent, type Sent} from '../../desk/notices/sent.ts'
import {blindLines, inboxColumns, passedLine, summaryOf} from '../../desk/screens/inbox.ts'
import {apiFlags, type SessionFlags} from '../../terminal/flags.ts'
import {counted} from '../../terminal/text.ts'
import {secondsFlag} from '../../terminal/times.ts'

export default class NoticesInbox extends ScentCommand {
  static override summary = 'List the notices that wait for an answer, the soonest deadline first.'
  static override description =
    `The API has no list of notices: this is what webhooks listen received, what was imported, and what was answered from here. It says what the service does if nobody answers, and why it may not know of every notice. --check asks the service what it has sent within 72 hours, one request for each subscription that is known here, and compares.

With --due-within it is a check for cron: exit 11 if a notice is due within that time, 12 if none is known but some may be missing, 0 if all is well. Without --check it sends nothing, and needs no credential.`
  static override examples = [
    '<%= config.bin %> notices inbox',
    '<%= config.bin %> notices inbox --check',
    '<%= config.bin %> notices inbox --due-within 6h --json',
    `<%= config.bin %> notices inbox --all --query "items[?desk.state=='overdue'].id"`,
  ]
  static override flags = {
    ...apiFlags,
    all: Flags.boolean({summary: 'Also those that are answered, expired or closed.'}),
    check: Flags.boolean({
      summary: 'Ask the service first which events it has sent, and say which of them are not here.',
    }),
    'due-within': secondsFlag({summary: 'Only those that are due within this time.', min: 1}),
  }

  async run(): Promise<{items: InboxItem[]; blind: Blindness[]}> {
    const {flags} = await this.parse(NoticesInbox)
    const within = flags['due-within'] === undefined ? undefined : flags['due-within'] * 1000
    const {folders, identity} = openDesk(flags)
    const sent = flags.check ? await this.askService(flags) : undefined
    const {items: known, every, evidence} = knownNotices(folders, identity, {all: flags.all})
    const blind = await blindnessOf(folders, identity, evidence, sent)
    const items =
      within === undefined ? known : known.filter(({desk: {leftMs}}) => leftMs !== null && leftMs < within)
    this.note(summaryOf(every))
    this.show({
      rows: items,
      columns: inboxColumns,
      empty: 'No notice that is known here waits for an answer.',
    })
    const passed = passedLine(every)
    this.tellBelow([...blindLines(blind), ...(passed && !flags.all ? [passed] : [])])
    if (within !== undefined) this.judge(items, blind)
    return {items, blind}
  }

  /** What the service says that it sent. */
  private async askService(flags: SessionFlags): Promise<Sent> {
    const {client, folders, identity, serviceNow} = await this.session(flags)
    const sent = await askSent({folders, identity}, client, serviceNow)
    this.note(
      sent.asked === 0
        ? 'No subscription is known here, so there is none to ask the service about.'
        : `Compared with what the service sent to ${counted(sent.asked, 'subscription')} within 72 hours.`,
    )
    return sent
  }

  /** Below the list; a pipe gets the list alone, so there it is told beside it. A document holds it. */
  private tellBelow(lines: readonly string[]): void {
    if (this.mode === 'json') return
    for (const line of lines)
      if (this.inTerminal) this.aside(line)
      else this.note(line)
  }

  /** The exit code is for a script that is to wake somebody. */
  private judge(items: readonly InboxItem[], blind: readonly Blindness[]): void {
    if (items.length > 0) this.finding(new Failure('NOTICE_DUE'))
    else if (blind.length > 0) {
      const from = clearAt(blind)
      const hint = from && `If the listener runs on, all will be known from ${from} on.`
      this.finding(new Failure('INBOX_BLIND', {details: {clearAt: from}, ...(hint && {hint})}))
    }
  }
}
