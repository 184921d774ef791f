import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {momentOf} from '../../contract/forms.ts'
import {lookAtBoth, type Sides, watchBoth} from '../../desk/deliveries/sides.ts'
import type {TimelineItem} from '../../desk/deliveries/timeline.ts'
import {
  bySubscription,
  NARROW,
  narrowLines,
  offLines,
  timelineColumns,
  timelineSummary,
} from '../../desk/screens/timeline.ts'
import {timelineWords} from '../../desk/screens/timeline-words.ts'
import {apiFlags, requireUuid} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {paintFor, roomOf} from '../../terminal/text.ts'
import {momentIn, timeFlag} from '../../terminal/times.ts'

const HOUR = 3_600_000
const EVERY_MS = 5_000

export default class WebhooksTimeline extends ScentCommand {
  static override summary = 'Compare what the service says it sent with what was received on this machine.'
  static override description =
    `One row for each event of a subscription, or of all that are known here: its attempts by the service's records, which are kept for 30 days, and the copies that \`webhooks listen\` received. Below the list stand what each finding means, and the next command.

Findings: delivered-not-here (a listener of this machine had the URL, and did not get what the service was told arrived), here-not-delivered (it is here, or was refused here, and the service says that it failed), here-only (it is here, and the service has no record of it), bodies-differ, late (more than 5 minutes), gap (the service's record of an attempt is missing). An event that went to another receiver is not a finding. It asks the service once for each 100 attempts.`
  static override examples = [
    '<%= config.bin %> webhooks timeline --missing',
    '<%= config.bin %> webhooks timeline aff5afa7-c6bd-4c04-b245-89e6b7e40128 --since 1d --failed',
    `<%= config.bin %> webhooks timeline --since 7d --query "items[?state=='dead'].eventId"`,
  ]
  static override args = {
    subscription: Args.string({description: 'Webhook id, a UUID. By default all that are known here.'}),
  }
  static override flags = {
    ...apiFlags,
    failed: Flags.boolean({summary: 'Only events of which an attempt failed.'}),
    missing: Flags.boolean({
      summary: 'Only events that one side lacks: not here, not delivered, or only here.',
    }),
    event: Flags.string({summary: 'Only this type of event.', helpValue: 'TYPE'}),
    id: Flags.string({summary: 'Only this event: its id, or its first 6 characters.', helpValue: 'EVENT_ID'}),
    since: timeFlag({summary: 'Only attempts of this time or later.'}),
    watch: Flags.boolean({
      summary: 'Show events of the last hour, or of --since, then each again when it changes, until Ctrl-C.',
      exclusive: ['json', 'query'],
    }),
  }

  async run(): Promise<Listing | undefined> {
    const {args, flags} = await this.parse(WebhooksTimeline)
    if (args.subscription !== undefined) requireUuid('SUBSCRIPTION', args.subscription)
    const session = await this.session(flags, {job: true})
    const since = momentOf(momentIn(flags.since, session.lastNow()) ?? '')
    const wanted = {
      ...{subscription: args.subscription, type: flags.event, id: flags.id},
      ...{since, isFailed: flags.failed, isMissing: flags.missing},
    }
    // One below the other, or in a narrow terminal, an event is a block of two lines.
    const isDrawn = this.inTerminal && flags.columns === undefined
    if (!flags.watch) return this.told(await lookAtBoth(session, wanted), isDrawn && this.room < NARROW)
    const {sleep} = session.time
    const look = () => lookAtBoth(session, {...wanted, since: since ?? session.lastNow() - HOUR})
    const news = watchBoth(look, {sleep, signal: this.interrupts.until(), everyMs: EVERY_MS})
    if (isDrawn) for await (const sides of news) this.draw(sides)
    else this.show({rows: itemsOf(news), columns: timelineColumns({rows: [], now: 0}, this.room), live: true})
    return undefined
  }

  private told(sides: Sides, isNarrow: boolean): Listing | undefined {
    const {rows, asked, gone, off} = sides
    const items = rows.map(({item}) => item)
    const summary =
      asked === 0
        ? 'No subscription is known here, so there is none to ask the service about: give the id of one.'
        : timelineSummary(sides)
    // Where there is no row, a terminal shows it in the place of the table.
    if (rows.length > 0 || !this.inTerminal) this.note(summary)
    for (const id of gone) this.note(`The service does not know the subscription ${id} any more.`)
    const below = [...timelineWords(sides), ...offLines(off)]
    if (isNarrow && rows.length > 0) return this.draw(sides, below)
    const columns = timelineColumns(sides, this.room)
    if (this.inTerminal && asked > 1 && rows.length > 0)
      this.show(...bySubscription(rows).map(({title, items}) => ({title, rows: items, columns})))
    else this.show({rows: items, columns, empty: summary})
    if (this.mode === 'json') return {items}
    for (const line of below)
      if (this.inTerminal) this.aside(line)
      else this.note(line)
    return {items}
  }

  private draw(
    sides: Pick<Sides, 'rows' | 'now' | 'asked' | 'here'>,
    below = timelineWords(sides),
  ): undefined {
    this.put(narrowLines(sides, this.room, paintFor(process.stdout)))
    for (const line of below) this.note(line)
  }

  private get room(): number {
    return roomOf(process.stdout)
  }
}

async function* itemsOf(news: AsyncIterable<Pick<Sides, 'rows'>>): AsyncGenerator<TimelineItem> {
  for await (const {rows} of news) for (const {item} of rows) yield item
}
