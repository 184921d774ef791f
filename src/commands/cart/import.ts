import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {type ImportMode, importModes} from '../../flows/cart/steps.ts'
import {
  apiFlags,
  customerFlag,
  exportsText,
  refusedFlag,
  rowsArg,
  rowsArgIn,
  rowsFlags,
} from '../../terminal/flags.ts'

export default class CartImport extends ScentCommand {
  static override confirms = true
  static override shows = (flags: {'dry-run'?: boolean}) => (flags['dry-run'] ? undefined : columns())
  static override summary = 'Fill carts from a file, each line exactly once.'
  static override description =
    `FILE is CSV with the columns variantId (or sku), quantity and, unless --customer is given, customerRef, in any order; or NDJSON of the same. The whole file is checked first: if a line is bad, all bad lines are named and nothing is sent.

${exportsText}

With --mode merge the quantities come on top of what a cart holds at the start; other lines stay. With --mode replace each cart of the file ends up holding exactly the file, by the fewest changes: everything else in it is removed.

What each line is to hold is written down before the first change, and reached by absolute steps. After a lost answer, and after \`scent jobs resume JOB\`, nothing is added twice. A new line whose answer was lost is looked at again after a minute. Ctrl-C ends after the request under way.

The partner-level cart has no route that sets or removes its lines, so every line needs a customer.

--dry-run names the lines that can't be added because their variant is unknown, unavailable or without a price, and then ends with 11.

Exit codes: 0 every line is at its target, 11 some lines were refused, 12 some could not be settled.`
  static override examples = [
    '<%= config.bin %> cart import lines.csv --customer C-1042 --dry-run',
    '<%= config.bin %> cart import lines.csv --customer C-1042 --mode replace',
    '<%= config.bin %> cart import carts.csv --yes --refused refused.csv --json',
    "<%= config.bin %> cart import wishes.csv --map 'Client no=customerRef' --ignore-columns",
    'jq -c ".lines[]" wish.json | <%= config.bin %> cart import - --customer C-1042 --yes',
  ]
  static override args = {file: rowsArg}
  static override flags = {
    ...apiFlags,
    ...rowsFlags,
    customer: customerFlag,
    mode: Flags.option({options: importModes})({
      summary: 'Add to what a cart holds, or let it hold exactly the file.',
      default: 'merge' as ImportMode,
    }),
    refused: refusedFlag,
    'dry-run': Flags.boolean({summary: 'Show what would change in each cart; change nothing.'}),
  }

  async run(): Promise<unknown> {
    const {args, flags} = await this.parse({...CartImport, args: {file: rowsArgIn(this.argv)}})
    const {importFile, templateOf} = await import('../../bulk/begin.ts')
    if (flags.template) {
      this.put(templateOf('cart'))
      return undefined
    }
    return importFile(this, (how) => this.session(flags, how), {
      kind: 'cart',
      path: args.file,
      map: flags.map,
      ignoreColumns: flags['ignore-columns'],
      options: {mode: flags.mode, customer: flags.customer ?? null},
      program: this.config.version,
      dryRun: flags['dry-run'],
      yes: flags.yes,
      concurrency: 1,
      refused: flags.refused,
    })
  }
}

const columns = async () => (await import('../../bulk/carts/screen.ts')).importedTable([], '', '').columns
