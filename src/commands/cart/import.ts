import {resolve} from 'node:path'
import * as Flags from '@oclif/core/flags'
import {checkCartFile} from '../../bulk/carts/file.ts'
import {type CartPlan, type CheckedCarts, planCarts, surveyCarts} from '../../bulk/carts/plan.ts'
import {cartPlanTable, importQuestion} from '../../bulk/carts/screen.ts'
import {requireGoodRows, requireGoodSkus} from '../../bulk/file/check.ts'
import type {RowsFile} from '../../bulk/file/groups.ts'
import type {VariantsBySku} from '../../bulk/file/rows.ts'
import type {JobFile, Jobs} from '../../bulk/journal.ts'
import {requireNew} from '../../bulk/orders/screen.ts'
import type {SameJob} from '../../bulk/standing.ts'
import {apiFlags, customerFlag, refusedFlag, rowsArg, ScentCommand} from '../../command.ts'
import {type ImportMode, importModes} from '../../flows/cart/steps.ts'
import type {Session} from '../../session.ts'

/** Carts that are read before the question; of more of them it tells the number. */
const READ_FIRST = 20

export default class CartImport extends ScentCommand {
  static override summary = 'Fill carts from a file, each line exactly once.'
  static override description =
    `FILE is CSV with the columns variantId (or sku), quantity and, unless --customer is given, customerRef, in any order; or NDJSON of the same. The whole file is checked first: where a line is bad, all bad lines are named and nothing is sent.

With --mode merge the quantities come on top of what a cart holds at the start; other lines stay. With --mode replace each cart of the file ends up holding exactly the file, by the fewest changes: everything else in it is removed.

What each line is to hold is written down before the first change, and reached by absolute steps. After a lost answer, and after \`scent jobs resume JOB\`, nothing is added twice. A new line whose answer was lost is looked at again after a minute. Ctrl-C ends after the request under way.

The partner-level cart has no route that sets or removes its lines, so every line needs a customer.

Exit codes: 0 every line is at its target, 11 some lines were refused, 12 some could not be settled.`
  static override examples = [
    '<%= config.bin %> cart import lines.csv --customer C-1042 --dry-run',
    '<%= config.bin %> cart import lines.csv --customer C-1042 --mode replace',
    '<%= config.bin %> cart import carts.csv --yes --refused refused.csv --json',
    'jq -c ".lines[]" wish.json | <%= config.bin %> cart import - --customer C-1042 --yes',
  ]
  static override args = {file: rowsArg}
  static override flags = {
    ...apiFlags,
    customer: customerFlag,
    mode: Flags.option({options: importModes})({
      summary: 'Add to what a cart holds, or let it hold exactly the file.',
      default: 'merge' as ImportMode,
    }),
    refused: refusedFlag,
    'dry-run': Flags.boolean({summary: 'Show what would change in each cart; change nothing.'}),
  }

  async run(): Promise<unknown> {
    await this.staySmall()
    const {args, flags} = await this.parse(CartImport)
    const {mode, customer} = flags
    if (flags.refused !== undefined) requireNew(flags.refused)
    const file = await this.rows(args.file)
    const source = {
      path: args.file,
      check: (found?: VariantsBySku) => checkCartFile(file, customer, found),
    }
    const checked = await requireGoodRows(source, () => this.catalog(flags))
    const options = {concurrency: 1, refused: flags.refused}
    const session = await this.session(flags, {job: true, board: true})
    const same = {kind: 'cart', fileHash: file.hash, options: {customer: customer ?? null}} as const
    const earlier = flags['dry-run'] ? undefined : await this.goOn(session, same, options)
    if (earlier) return earlier.document
    const ask = await this.ask()
    if (!flags['dry-run'] && !ask.interactive) await ask.confirm(importQuestion(mode, checked))
    if (checked.skus.length > 0) session.progress.say('Reading the catalog …')
    const known = await requireGoodSkus(source, checked, await session.catalogTools())
    session.progress.clear()
    const carts = {file, checked, customer, ...known}
    if (flags['dry-run']) return this.dryRun(session, carts, mode)
    if (!flags.yes) await this.approve(session, carts, checked, mode)
    const about = {
      kind: 'cart',
      file: args.file === '-' ? '-' : resolve(args.file),
      fileHash: file.hash,
      program: this.config.version,
      options: {mode, customer: customer ?? null},
    } as const
    const job = await this.keep(session, about, carts, same)
    return this.runJob(session, job, options)
  }

  private async dryRun({client}: Session, carts: CheckedCarts, mode: ImportMode): Promise<unknown> {
    const plans: CartPlan[] = []
    for await (const plan of surveyCarts(client, carts, mode)) plans.push(plan)
    this.show(cartPlanTable(plans))
    const changes = plans.reduce((sum, plan) => sum + plan.changes, 0)
    return {carts: plans, summary: {carts: plans.length, changes}}
  }

  /** Shows what will change, as far as that can be read in a moment, and asks once. */
  private async approve(
    {client}: Session,
    carts: CheckedCarts,
    checked: RowsFile,
    mode: ImportMode,
  ): Promise<void> {
    const plans: CartPlan[] = []
    if (checked.groups <= READ_FIRST) {
      for await (const plan of surveyCarts(client, carts, mode)) plans.push(plan)
      await this.screen(cartPlanTable(plans))
    }
    await this.confirm(importQuestion(mode, checked, plans))
  }

  private async keep(
    session: Session,
    about: Parameters<Jobs['draft']>[0],
    carts: CheckedCarts,
    same: SameJob,
  ): Promise<JobFile> {
    const at = new Date().toISOString()
    const draft = await (await session.jobs()).draft(about, at)
    try {
      await planCarts(carts, draft, at)
      return await this.begin(session, draft, same)
    } catch (error) {
      draft.drop()
      throw error
    }
  }
}
