import * as Flags from '@oclif/core/flags'
import {realTime} from '../../client/time.ts'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {type Desk, openDesk} from '../../desk/desk.ts'
import type {Blindness} from '../../desk/notices/blindness.ts'
import {type Change, changesOf} from '../../desk/notices/changes.ts'
import {clearAt} from '../../desk/notices/coverage.ts'
import type {InboxItem} from '../../desk/notices/inbox.ts'
import {type Look, lookAt} from '../../desk/notices/known.ts'
import {askSent, type Sent} from '../../desk/notices/sent.ts'
import {watchInbox} from '../../desk/notices/watch.ts'
import {
  belowLines,
  blindLines,
  changeColumns,
  emptyText,
  inboxBlock,
  inboxColumns,
  summaryOf,
} from '../../desk/screens/inbox.ts'
import {SOON_MS} from '../../desk/screens/left.ts'
import {openPicture} from '../../desk/screens/watch.ts'
import {apiFlags, type SessionFlags} from '../../terminal/flags.ts'
import type {Mode} from '../../terminal/output.ts'
import {movesCursor} from '../../terminal/progress.ts'
import {counted} from '../../terminal/text.ts'
import {secondsFlag} from '../../terminal/times.ts'

export default class NoticesInbox extends ScentCommand {
  static override summary = 'List the notices that wait for an answer, the soonest deadline first.'
  static override description =
    `The API has no list of notices: this is what webhooks listen received, what was imported, and what was answered from here. It says what the service does if nobody answers, and why it may not know of every notice. --check asks the service what it has sent within 72 hours, one request for each subscription that is known here, and compares; what it misses is said from then on, until it is here.

With --due-within it is a check for cron: exit 11 if a notice is due within that time, 12 if none is known but some may be missing, 0 if all is well. Without --check it sends nothing, and needs no credential.`
  static override examples = [
    '<%= config.bin %> notices inbox',
    '<%= config.bin %> notices inbox --check',
    '<%= config.bin %> notices inbox --watch',
    '<%= config.bin %> notices inbox --due-within 6h --json',
    `<%= config.bin %> notices inbox --all --query "items[?desk.state=='overdue'].id"`,
  ]
  static override flags = {
    ...apiFlags,
    all: Flags.boolean({summary: 'Also those that are answered, expired or closed.'}),
    check: Flags.boolean({
      summary: 'Ask the service first which events it has sent, and say which of them are not here.',
    }),
    watch: Flags.boolean({
      summary: 'Keep the list up to date until Ctrl-C; in a pipe, a line of JSON for each piece of news.',
      exclusive: ['check', 'json', 'query'],
    }),
    'due-within': secondsFlag({summary: 'Only those that are due within this time.', min: 1}),
  }

  /** Whether it goes on: news are lines of JSON wherever no person looks on. */
  private watching = false

  async run(): Promise<Pick<Look, 'items' | 'blind'> | undefined> {
    const {flags} = await this.parse(NoticesInbox)
    const withinMs = flags['due-within'] === undefined ? undefined : flags['due-within'] * 1_000
    const desk = openDesk(flags)
    if (flags.watch) return this.watch(desk, flags.all, withinMs)
    const sent = flags.check ? await this.askService(flags) : undefined
    const look = await lookAt(desk, {all: flags.all, withinMs, sent})
    const {items, blind} = look
    if (sent) this.note(checkedText(sent, blind))
    this.showLook(look, flags.all)
    if (withinMs !== undefined) this.judge(items, blind)
    return {items, blind}
  }

  private showLook({items, every, blind, now}: Look, all: boolean): void {
    this.note(summaryOf({items, every}))
    this.show({rows: items, columns: inboxColumns, block: inboxBlock, empty: emptyText({every})})
    this.tellBelow([...belowLines({items, every, now}, all), ...blindLines(blind)])
  }

  /** Until Ctrl-C: a picture that is drawn over itself, else news, one below the other. */
  private async watch(desk: Desk, all: boolean, withinMs: number | undefined): Promise<undefined> {
    this.watching = true
    const signal = this.interrupts.until()
    const looks = watchInbox(desk, {all, withinMs, sleep: realTime.sleep, signal})
    if (!this.inTerminal || !movesCursor(process.stdout)) {
      this.show({rows: newsOf(looks, withinMs ?? SOON_MS), columns: changeColumns, live: true})
      return undefined
    }
    this.clearLine()
    const picture = openPicture(process.stdout)
    let last: Look | undefined
    try {
      for await (const look of looks) {
        last = look
        await picture.draw(look)
      }
    } finally {
      picture.close()
    }
    if (last) this.showLook(last, all)
    return undefined
  }

  protected override get mode(): Mode {
    const asked = super.mode
    const isLines = asked === 'json' || (asked === 'table' && process.stdout.isTTY !== true)
    return this.watching && isLines ? 'ndjson' : asked
  }

  /** What the service says that it sent. */
  private async askService(flags: SessionFlags): Promise<Sent> {
    const {client, folders, identity, serviceNow} = await this.session(flags)
    return askSent({folders, identity}, client, serviceNow)
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

/** What came of asking the service. */
function checkedText({asked, gone}: Sent, blind: readonly Blindness[]): string {
  if (asked === 0) return 'No subscription is known here, so there is none to ask the service about.'
  const isWhole = gone.length < asked && !blind.some(({code}) => code === 'missing')
  const found = isWhole ? ': all that may tell of a notice is here' : ''
  return `Compared with what the service sent to ${counted(asked, 'subscription')} within 72 hours${found}.`
}

/** What each look brings that the one before did not have. */
async function* newsOf(looks: AsyncIterable<Look>, dueMs: number): AsyncGenerator<Change> {
  let last: Look | undefined
  for await (const look of looks) {
    yield* changesOf(last, look, dueMs)
    last = look
  }
}
