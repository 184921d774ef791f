import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {openDesk} from '../../desk/desk.ts'
import {bytesOf} from '../../desk/receipts/body.ts'
import {findCopies, recordedEvents} from '../../desk/receipts/recorded.ts'
import {referenceOf} from '../../desk/receipts/reference.ts'
import {wholeEvents} from '../../desk/receipts/whole.ts'
import {eventFilters, filterOf} from '../../desk/screens/filters.ts'
import {missedLines} from '../../desk/screens/handed.ts'
import {copyColumns, eventColumns, headerColumns} from '../../desk/screens/receipts.ts'
import {typeText} from '../../terminal/cells.ts'
import {apiFlags} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {roomOf} from '../../terminal/text.ts'

export default class WebhooksEvents extends ScentCommand {
  static override summary = 'Show the events that were received on this machine.'
  static override description =
    'From the local record of `webhooks listen`, newest first; with an id, or the first 6 characters of one, that event with its copies. An event without an id is listed by the name of its receipt, such as r-9f2c41d07be3: this names one copy wherever an id is taken, and --json and --copies show it of each. --problems shows what was refused, came too late, differs, or was not taken by the receiver of --forward-to; `webhooks replay --problems` sends the last of these again. --body prints the exact bytes of the copy that counts. With --output ndjson each event is one line with its headers and body, which `notices import` and `webhooks verify` take on another machine. Sends nothing, and needs no credential.'
  static override examples = [
    '<%= config.bin %> webhooks events --since 3d',
    '<%= config.bin %> webhooks events --trust refused --json',
    '<%= config.bin %> webhooks events --problems --since 1h',
    '<%= config.bin %> webhooks events --notice c6c0dd6c-5d76-4b5d-9eff-250400d2b556 --output ndjson',
  ]
  static override args = {
    event: Args.string({description: 'Event id, its beginning, or the name of a receipt.'}),
  }
  static override flags = {
    ...apiFlags,
    ...eventFilters,
    limit: Flags.integer({summary: 'At most this many.', min: 1, default: 100, helpValue: 'N'}),
    body: Flags.boolean({summary: 'Print the exact bytes of one event.', exclusive: ['headers', 'copies']}),
    headers: Flags.boolean({summary: 'Show the headers of one event.', exclusive: ['copies']}),
    copies: Flags.boolean({summary: 'Show each copy of one event.'}),
  }

  async run(): Promise<Listing | object | undefined> {
    const {args, flags} = await this.parse(WebhooksEvents)
    const {folders, identity} = openDesk(flags)
    if (args.event !== undefined) return this.one(findCopies(folders, identity, args.event), flags)
    if (flags.body || flags.headers || flags.copies)
      throw new Failure('MISSING_INPUT', {message: 'Which event?', hint: 'Give its id.'})
    const {items, count} = recordedEvents(folders, identity, filterOf(flags), flags.limit)
    if (items.length === 0)
      throw new Failure('NOTHING_MATCHED', {
        message: 'No event that was received here fits.',
        hint: typesHere(recordedEvents(folders, identity, filterOf({})).items),
      })
    // Who copies them elsewhere must not lose the older ones without a word.
    if (count > items.length)
      this.note(`${count} fit, and the newest ${items.length} are here; --limit takes more.`)
    for (const line of missedLines(items)) this.aside(line)
    const rows = this.streams ? wholeEvents(folders, identity, items) : items
    this.show({rows, columns: eventColumns(items, roomOf(process.stdout))})
    return {items}
  }

  private one(
    copies: ReturnType<typeof findCopies>,
    flags: {body: boolean; headers: boolean},
  ): object | undefined {
    const [best] = copies
    if (best === undefined)
      throw new Failure('NOTHING_MATCHED', {message: 'No such event was received here.'})
    if (flags.body) {
      this.put(bytesOf(best.record))
      return undefined
    }
    const headers = best.record.headers.map(([name, value]) => ({name, value}))
    const rows = copies.map(({record: {headers: _, ...record}, segment: __, place: ___, ...facts}) => ({
      receipt: referenceOf(record),
      ...record,
      ...facts,
    }))
    if (flags.headers) this.show({rows: headers, columns: headerColumns})
    else this.show({rows, columns: copyColumns})
    return {eventId: best.record.eventId, headers, copies: rows}
  }
}

function typesHere(events: {eventType: string | null}[]): string {
  if (events.length === 0) return 'Nothing was received here yet: `scent webhooks listen` receives.'
  const types = new Set(events.map(({eventType}) => typeText(eventType) ?? 'events without a type'))
  return `Received here: ${[...types].sort().slice(0, 8).join(', ')}${types.size > 8 ? ' …' : ''}; see also --since and --trust.`
}
