import {resolve} from 'node:path'
import * as Flags from '@oclif/core/flags'
import {type NamedFile, requireGoodRows, requireGoodSkus} from '../../bulk/file/check.ts'
import type {RowsFile} from '../../bulk/file/groups.ts'
import type {VariantsBySku} from '../../bulk/file/rows.ts'
import type {JobDraft, JobFile} from '../../bulk/journal.ts'
import {checkOrderFile, ordersIn} from '../../bulk/orders/file.ts'
import {findingOf, planOrders, requireWithin, withPreviews} from '../../bulk/orders/plan.ts'
import {
  type DryRunView,
  planCard,
  planQuestion,
  planText,
  refusedPreviews,
  shortText,
} from '../../bulk/orders/plan-screen.ts'
import {requireNew} from '../../bulk/orders/screen.ts'
import type {SameJob} from '../../bulk/standing.ts'
import {apiFlags, concurrencyFlag, refusedFlag, rowsArg, ScentCommand} from '../../command.ts'
import type {Session} from '../../session.ts'
import type {RowFile} from '../../store/rows.ts'
import {amountFlag, ratioFlag} from '../../terminal/amounts.ts'

export default class OrdersImport extends ScentCommand {
  static override summary = 'Place the orders of a file, each exactly once.'
  static override description =
    `Checks the whole file first: where a line is bad, all bad lines are named and nothing is sent. Then it shows the plan, asks once, and works through the orders at the pace that the quota allows.

FILE is CSV with the columns externalReference, customerRef, variantId (or sku), quantity, recipient, line1, line2, city, nationalAddress, region, postalCode, countryCode, phone and discountCode, in any order; or NDJSON of order bodies with "lines". Rows with the same externalReference form one order.

Every step is written to a journal before it is sent. Whatever breaks, \`scent jobs resume JOB\` goes on where it stopped, under the same references: no order is made twice. After the first Ctrl-C no further order is sent, and those that were are brought to their end; a second one leaves at once.

An order whose goods cost more than in the plan is refused, unless --max-drift allows it. Shipping comes on top: its fee depends on the city, which the service learns only when the order is made. Where the fee lifts the job above --max-total, that is told (exit code 8).

--dry-run shows the plan with what the orders would be charged, shipping included, and names those that can't be made. A basket is priced by its preview, in a cart of its own named scent-dry-run-…, which is emptied again; equal baskets are priced once. Customers' carts are not touched, and no lock is taken. It ends with 7 where the total is above --max-total, and with 11 where orders can't be made.

Exit codes: 0 every order was charged once, 11 some were refused and not charged, 12 some could not be settled.`
  static override examples = [
    '<%= config.bin %> orders import orders.csv --dry-run',
    '<%= config.bin %> orders import orders.csv',
    '<%= config.bin %> orders import orders.csv --yes --max-total 250000 --max-drift 2% --refused refused.csv --json',
    'zcat orders.ndjson.gz | <%= config.bin %> orders import - --yes --output ndjson',
  ]
  static override args = {file: rowsArg}
  static override flags = {
    ...apiFlags,
    concurrency: concurrencyFlag,
    'max-total': Flags.string({summary: 'The most that the whole job may charge, with VAT.', helpValue: 'D'}),
    'max-drift': Flags.string({
      summary: "By how much an order's goods may cost more than planned, such as 2%; without it by nothing.",
      helpValue: 'PERCENT',
    }),
    cart: Flags.option({options: ['require-empty', 'replace'] as const})({
      summary: 'What to do with a cart that holds what is not of the order: refuse it, or empty the cart.',
      default: 'require-empty',
    }),
    refused: refusedFlag,
    'dry-run': Flags.boolean({
      summary: 'Check the file, price its orders by live previews and show the plan; order nothing.',
    }),
  }

  async run(): Promise<unknown> {
    await this.staySmall()
    const {args, flags} = await this.parse(OrdersImport)
    const maxTotal = amountFlag('--max-total', flags['max-total'])
    const maxDrift = ratioFlag('--max-drift', flags['max-drift'])
    if (flags.refused !== undefined) requireNew(flags.refused)
    const file = await this.rows(args.file)
    const source = {path: args.file, check: (found?: VariantsBySku) => checkOrderFile(file, found)}
    const checked = await requireGoodRows(source, () => this.catalog(flags))
    const session = await this.session(flags, {job: true, board: true})
    const wish = {file, checked, source, maxTotal}
    if (flags['dry-run']) return this.dryRun(session, wish, flags.concurrency)
    const same = {kind: 'orders', fileHash: file.hash} as const
    const earlier = await this.goOn(session, same, flags)
    if (earlier) return earlier.document
    const about = {
      kind: 'orders',
      file: args.file === '-' ? '-' : resolve(args.file),
      fileHash: file.hash,
      program: this.config.version,
      options: {cart: flags.cart, maxTotal: maxTotal ?? null, maxDrift: maxDrift ?? null},
    } as const
    const draft = await (await session.jobs()).draft(about, new Date().toISOString())
    return this.runJob(session, await this.approve(session, draft, wish, same), flags)
  }

  /** Plans the job, shows it and asks once. */
  private async approve(session: Session, draft: JobDraft, wish: Wish, same: SameJob): Promise<JobFile> {
    try {
      const {plan} = await this.plan(session, draft, wish)
      requireWithin(plan, wish.maxTotal)
      if (process.stderr.isTTY) await this.screen(planCard(plan))
      else this.note(planText(plan))
      await this.confirm(planQuestion(plan))
      return await this.begin(session, draft, same)
    } catch (error) {
      draft.drop()
      throw error
    }
  }

  /** Plans the job without a record of it, and prices its orders by live previews. */
  private async dryRun(session: Session, wish: Wish, concurrency: number): Promise<DryRunView> {
    const {plan, orders} = await this.plan(session, {append: async () => {}}, wish)
    const stop = this.interrupts.during({
      story: () => 'Interrupted. Nothing was ordered.',
      holds: () => true,
      awaits: 'The carts that baskets are priced in are emptied',
    })
    const {runPreviews} = await import('../../bulk/orders/preview-screen.ts')
    const previews = await runPreviews(session, {
      orders: ordersIn(orders.file, orders.checked, orders.found),
      total: plan.orders,
      fileHash: wish.file.hash,
      concurrency,
      stderr: process.stderr,
      stop,
    })
    const view = {...plan, ...withPreviews(plan, previews)}
    this.show(planCard(view), ...refusedPreviews(view))
    if (shortText(view)) this.note(shortText(view))
    const failure = findingOf(view, wish.maxTotal)
    if (failure) this.finding(failure)
    return view
  }

  private async plan(session: Session, draft: Pick<JobDraft, 'append'>, {file, checked, source}: Wish) {
    const {client, progress} = session
    progress.say('Reading the catalog …')
    const known = await requireGoodSkus(source, checked, await session.catalogTools())
    progress.say('Planning …')
    const orders = {file, checked, ...known}
    const plan = await planOrders(client, orders, draft, new Date().toISOString())
    progress.clear()
    return {plan: {file: source.path, ...plan}, orders}
  }
}

interface Wish {
  file: RowFile
  checked: RowsFile
  source: NamedFile
  maxTotal: string | undefined
}
