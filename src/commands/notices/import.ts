import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {Failure} from '../../contract/failure.ts'
import {type Desk, openDesk} from '../../desk/desk.ts'
import {textsApart} from '../../desk/notices/apart.ts'
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
    'Reads one JSON document, an array, or one document a line: bodies of deliveries, notices, lines of `scent webhooks listen --save` and of `scent webhooks events --output ndjson`, or what `scent notices inbox --json` prints. The API has no list of notices, so what other receivers keep is brought in this way. What is here already changes nothing. What `scent webhooks listen` refused is judged once more: `scent webhooks verify --stored` says first whether it fits now; what does not is taken in as unchecked, and closes nothing. A field that is not what it must be, such as a deadline that is not a time, is left out and named. --without-login takes in what was received and imported here before a login, which lies apart from the inbox of each login: it counts as what any import counts, and what was refused stays there. Sends nothing; only --without-login needs a profile, whose inbox it fills.'
  static override examples = [
    '<%= config.bin %> notices import deliveries.ndjson',
    'jq -r .body receiver.log | <%= config.bin %> notices import -',
    '<%= config.bin %> notices import --without-login',
  ]
  static override args = {
    file: Args.string({description: 'File of JSON, or - for stdin.'}),
  }
  static override flags = {
    ...apiFlags,
    'without-login': Flags.boolean({
      summary: 'Take in what was received here without a login, instead of a file.',
    }),
  }

  async run(): Promise<unknown> {
    const {args, flags} = await this.parse(NoticesImport)
    const desk = openDesk(flags)
    const {folders, identity} = desk
    const path = flags['without-login'] ? undefined : (args.file ?? (await this.asked()))
    const bytes = path === undefined ? apartOf(desk, args.file) : await readBytes(path)
    const {notices, hasSecret, ...counts} = await importNotices(desk, textIn(bytes, path ?? '-'))
    const every = knownNotices(folders, identity, {all: true}).items
    const items = every.filter(({id}) => notices.includes(id))
    const {imported, known, otherEvents, unreadable, leftOut, unchecked} = counts
    this.note(
      `${counted(imported, 'text')} taken in${otherText(imported, otherEvents)}; ${known} known before.`,
    )
    this.tellFirst(unreadable.map((bad) => `${placeText(bad)} ${bad.why}.`))
    this.tellFirst(leftOut.map((bad) => leftOutText(bad, every)))
    this.tellFirst(unchecked.map((one) => uncheckedText(one, hasSecret)))
    if (unreadable.length > 0) this.finding(new Failure('LINES_UNREADABLE'))
    this.show({rows: items, columns: inboxColumns, block: inboxBlock, empty: 'No new notice.'})
    return {...counts, items}
  }

  /** The file, if a person can be asked for it. Fails with MISSING_INPUT. */
  private async asked(): Promise<string> {
    const ask = await this.ask()
    if (ask.interactive)
      return ask.text({
        ...{message: 'File of JSON, or - for stdin (FILE)', flag: 'FILE'},
        check: (answer) => (answer === '' ? 'It is needed.' : undefined),
      })
    throw new Failure('MISSING_INPUT', {
      message: 'Nothing says what to take in.',
      hint: 'Give a FILE of JSON, - for stdin, or --without-login.',
    })
  }

  private tellFirst(texts: readonly string[]): void {
    for (const text of texts.slice(0, MOST_TOLD)) this.note(text)
    if (texts.length > MOST_TOLD) this.note(`And ${counted(texts.length - MOST_TOLD, 'other')}.`)
  }
}

const MOST_TOLD = 10

/** What was received here without a login. Fails with NO_CREDENTIALS if there is still none, and with NOTHING_MATCHED. */
function apartOf({folders, settings}: Desk, file: string | undefined): Buffer {
  if (file !== undefined)
    throw new Failure('INVALID_INPUT', {
      message: '--without-login takes in what was received here, and no file.',
      hint: 'Leave one of them out.',
    })
  if (settings === undefined) throw new Failure('NO_CREDENTIALS')
  const texts = textsApart(folders)
  if (texts === '')
    throw new Failure('NOTHING_MATCHED', {
      message: 'Nothing that tells of a notice was received here without a login.',
    })
  return Buffer.from(texts)
}

/** How many of the texts that were taken in tell of no notice. */
function otherText(imported: number, others: number): string {
  if (others === 0) return ''
  if (others === imported) return imported === 1 ? ', which tells of no notice' : ', which tell of no notice'
  return `, of which ${others} ${others === 1 ? 'tells' : 'tell'} of no notice`
}
