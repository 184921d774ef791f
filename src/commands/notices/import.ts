import * as Args from '@oclif/core/args'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {openDesk} from '../../desk/desk.ts'
import {importNotices, leftOutText, placeText, uncheckedText} from '../../desk/notices/import.ts'
import {knownNotices} from '../../desk/notices/known.ts'
import {inboxBlock, inboxColumns} from '../../desk/screens/inbox.ts'
import {readBytes, textIn} from '../../store/input.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {counted} from '../../terminal/text.ts'

export default class NoticesImport extends ScentCommand {
  static override shows = async () => inboxColumns
  static override summary = 'Take notices into the inbox out of saved deliveries.'
  static override description =
    'Reads one JSON document, an array, or one document a line: bodies of deliveries, notices, lines of `scent webhooks listen --save` and of `scent webhooks events --output ndjson`, or what `scent notices inbox --json` prints. The API has no list of notices, so what other receivers keep is brought in this way. What is here already changes nothing. What `scent webhooks listen` refused is judged once more: `scent webhooks verify --stored` says first whether it fits now; what does not is taken in as unchecked, and closes nothing. A field that is not what it must be, such as a deadline that is not a time, is left out and named. Sends nothing, and needs no credential.'
  static override examples = [
    '<%= config.bin %> notices import deliveries.ndjson',
    'jq -r .body receiver.log | <%= config.bin %> notices import -',
  ]
  static override args = {
    file: Args.string({description: 'File of JSON, or - for stdin.', required: true}),
  }
  static override flags = {...apiFlags}

  async run(): Promise<unknown> {
    const {args, flags} = await this.parse(NoticesImport)
    const desk = openDesk(flags)
    const {folders, identity} = desk
    const bytes = await readBytes(args.file)
    const {notices, ...counts} = await importNotices(desk, textIn(bytes, args.file), bytes)
    const every = knownNotices(folders, identity, {all: true}).items
    const items = every.filter(({id}) => notices.includes(id))
    const {imported, known, otherEvents, unreadable, leftOut, unchecked} = counts
    this.note(
      `${counted(imported, 'text')} taken in${otherText(imported, otherEvents)}; ${known} known before.`,
    )
    this.tellFirst(unreadable.map((bad) => `${placeText(bad)} ${bad.why}.`))
    this.tellFirst(leftOut.map((bad) => leftOutText(bad, every)))
    this.tellFirst(unchecked.map(uncheckedText))
    if (unreadable.length > 0) this.finding(new Failure('LINES_UNREADABLE'))
    this.show({rows: items, columns: inboxColumns, block: inboxBlock, empty: 'No new notice.'})
    return {...counts, items}
  }

  private tellFirst(texts: readonly string[]): void {
    for (const text of texts.slice(0, MOST_TOLD)) this.note(text)
    if (texts.length > MOST_TOLD) this.note(`And ${counted(texts.length - MOST_TOLD, 'other')}.`)
  }
}

const MOST_TOLD = 10

/** How many of the texts that were taken in tell of no notice. */
function otherText(imported: number, others: number): string {
  if (others === 0) return ''
  if (others === imported) return imported === 1 ? ', which tells of no notice' : ', which tell of no notice'
  return `, of which ${others} ${others === 1 ? 'tells' : 'tell'} of no notice`
}
