import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {openDesk} from '../../desk/desk.ts'
import {type Prunable, prunable, prune} from '../../desk/prune.ts'
import {localColumns} from '../../terminal/columns.ts'
import {apiFlags} from '../../terminal/flags.ts'
import {card} from '../../terminal/table.ts'
import {counted} from '../../terminal/text.ts'

const DAY_MS = 24 * 3_600_000

export default class WebhooksPrune extends ScentCommand {
  static override confirms = true
  static override shows = async () => columns
  static override summary = 'Remove old files of events that were received here.'
  static override description =
    'Only whole files go, of which nothing was written for so many days, and only if every notice in them was closed before. Nothing else ever removes what `webhooks listen` has kept. Asks once; --yes answers.'
  static override examples = [
    '<%= config.bin %> webhooks prune --older-than 90',
    '<%= config.bin %> webhooks prune --older-than 30 --yes --json',
  ]
  static override flags = {
    ...apiFlags,
    'older-than': Flags.integer({
      summary: 'Days without a new event, 14 or more. The service keeps its own records for 30.',
      helpValue: 'DAYS',
      required: true,
      // The inbox looks back so far.
      min: 14,
    }),
  }

  async run(): Promise<object> {
    const {flags} = await this.parse(WebhooksPrune)
    const found = prunable(openDesk(flags), Date.now() - flags['older-than'] * DAY_MS)
    const {paths, events, bytes, kept} = found
    if (paths.length > 0) {
      await this.confirm(
        `Remove ${counted(paths.length, 'file')} with ${counted(events, 'event')} (${megabytes(bytes)})? They can't be shown, verified or sent again after that.`,
      )
      prune(found)
    }
    const document = {files: paths.length, events, bytes, kept}
    const nothing = paths.length > 0 ? undefined : nothingText(flags['older-than'], kept)
    if (nothing && !this.inTerminal) this.note(nothing)
    // In a terminal it stands in the place of numbers that are all 0.
    this.show(nothing && this.inTerminal ? {rows: [], columns, empty: nothing} : card(document, columns))
    return document
  }
}

/** Why no file goes. */
function nothingText(days: number, kept: number): string {
  const old = `file of which nothing was written for ${days} days`
  if (kept === 0) return `Nothing to remove: there is no ${old}.`
  const [is, has] = kept === 1 ? ['is', 'it has'] : ['are', 'each has']
  return `Nothing to remove: ${counted(kept, 'old file')} ${is} kept, since ${has} a notice that may be needed, or is damaged.`
}

const megabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MiB`

type Pruned = Omit<Prunable, 'paths'> & {files: number}

const columns = localColumns<Pruned>(
  'files Files removed; events Events in them; bytes; kept Old files kept',
  {
    bytes: ({bytes}) => megabytes(bytes),
  },
)
