import {resolve} from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {apiFlags, concurrencyFlag, refusedFlag, ScentCommand} from '../../command.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {type Digits, digits, exact} from '../../contract/money.ts'
import {planOrders, variantsIn} from '../../flows/bulk-plan.ts'
import {pricesOf, resolveSkus} from '../../flows/catalog.ts'
import {checkOrderFile, type OrderFile} from '../../flows/order-file.ts'
import {minus} from '../../flows/price.ts'
import {badFile} from '../../flows/rows.ts'
import {readBalance} from '../../flows/wallet.ts'
import type {Session} from '../../session.ts'
import type {JobDraft, JobFile} from '../../store/jobs.ts'
import {openRows, type RowFile} from '../../store/rows.ts'
import {amountFlag, ratioFlag} from '../../terminal/amounts.ts'
import {moneyText} from '../../terminal/cells.ts'
import {type PlanView, planCard, requireNew} from '../../terminal/jobs.ts'

export default class OrdersImport extends ScentCommand {
  static override summary = 'Place the orders of a file, each exactly once.'
  static override description =
    `Checks the whole file first: where a line is bad, all bad lines are named and nothing is sent. Then it shows the plan, asks once, and works through the orders at the pace that the quota allows.

FILE is CSV with the columns externalReference, customerRef, variantId (or sku), quantity, recipient, line1, line2, city, nationalAddress, region, postalCode, countryCode, phone and discountCode, in any order; or NDJSON of order bodies with "lines". Rows with the same externalReference form one order.

Every step is written to a journal before it is sent. Whatever breaks, \`scent jobs resume JOB\` goes on where it stopped, under the same references: no order is made twice. The first Ctrl-C brings the orders under way to their end; a second one leaves at once.

An order whose goods cost more than in the plan is refused, unless --max-drift allows it. Shipping comes on top: its fee depends on the city, which the service learns only when the order is made. Where the fee lifts the job above --max-total, that is told (exit code 8).

Exit codes: 0 every order was charged once, 11 some were refused and not charged, 12 some could not be settled.`
  static override examples = [
    '<%= config.bin %> orders import orders.csv --dry-run',
    '<%= config.bin %> orders import orders.csv',
    '<%= config.bin %> orders import orders.csv --yes --max-total 250000 --max-drift 2% --refused refused.csv --json',
    'zcat orders.ndjson.gz | <%= config.bin %> orders import - --yes --output ndjson',
  ]
  static override args = {file: Args.string({description: 'CSV or NDJSON, or - for stdin.', required: true})}
  static override flags = {
    ...apiFlags,
    concurrency: concurrencyFlag,
    'max-total': Flags.string({summary: 'The most that the whole job may charge, with VAT.', helpValue: 'D'}),
    'max-drift': Flags.string({
      summary: "By how much an order's goods may cost more than planned, such as 2%; without it by nothing.",
      helpValue: 'PERCENT',
    }),
    cart: Flags.option({options: ['require-empty', 'replace'] as const})({
      summary: 'What to do with a cart that holds something: refuse the order, or empty the cart.',
      default: 'require-empty',
    }),
    refused: refusedFlag,
    'dry-run': Flags.boolean({summary: 'Check the file and show the plan; change nothing.'}),
  }

  async run(): Promise<unknown> {
    await this.staySmall()
    const {args, flags} = await this.parse(OrdersImport)
    const maxTotal = amountFlag('--max-total', flags['max-total'])
    const maxDrift = ratioFlag('--max-drift', flags['max-drift'])
    if (flags.refused !== undefined) requireNew(flags.refused)
    const file = await openRows(args.file, process.stdin)
    try {
      const checked = await checkOrderFile(file)
      requireGood(args.file, checked)
      const session = await this.session(flags, {job: true, board: true})
      const same = {kind: 'orders', fileHash: file.hash} as const
      const earlier = flags['dry-run'] ? undefined : await this.goOn(session, same, flags)
      if (earlier) return earlier.document
      const about = {
        kind: 'orders',
        file: args.file === '-' ? '-' : resolve(args.file),
        fileHash: file.hash,
        program: this.config.version,
        options: {cart: flags.cart, maxTotal: maxTotal ?? null, maxDrift: maxDrift ?? null},
      } as const
      const draft = await (await session.jobs()).draft(about, new Date().toISOString())
      const job = await this.approve(session, draft, {
        file,
        checked,
        path: args.file,
        maxTotal,
        dryRun: flags['dry-run'],
        yes: flags.yes,
      })
      if (!('append' in job)) return job
      return await this.runJob(session, job, flags)
    } finally {
      await file.close()
    }
  }

  /** Plans the job, shows it and asks once. The job, or for a dry run its plan. */
  private async approve(session: Session, draft: JobDraft, wish: Wish): Promise<JobFile | PlanView> {
    try {
      const plan = await this.plan(session, draft, wish)
      if (wish.dryRun) {
        this.show(planCard(plan))
        draft.drop()
        return plan
      }
      requireWithin(plan, wish.maxTotal)
      if (process.stderr.isTTY) await this.screen(planCard(plan))
      await this.confirm(question(plan))
      const job = draft.keep()
      this.note(`Job ${job.head.id}. If it is cut off: \`scent jobs resume ${job.head.id}\`.`)
      return job
    } catch (error) {
      draft.drop()
      throw error
    }
  }

  private async plan(session: Session, draft: JobDraft, {file, checked, path}: Wish): Promise<PlanView> {
    const {client} = session
    session.progress.say('Reading the catalog …')
    const found = await resolveSkus(
      {client, cache: await session.catalog(), now: session.time.now},
      checked.skus,
    )
    checked.checkSkus(found)
    requireGood(path, checked)
    const variants = await variantsIn(file, checked, found)
    const prices = await ifOpen(pricesOf(client, variants))
    session.progress.say('Planning …')
    const plan = await planOrders(file, checked, found, prices ?? new Map(), draft, new Date().toISOString())
    const wallet = (await ifOpen(readBalance(client)))?.balance ?? null
    session.progress.clear()
    const goods = plan.goods === null ? null : digits(plan.goods)
    return {file: path, ...plan, goods, wallet, walletAfter: after(wallet, goods)}
  }
}

/** What a plan can do without: undefined where this credential may not read it, or the service has none of it. */
async function ifOpen<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    const {httpStatus = 0} = isFailure(error) ? error.facts : {}
    if (httpStatus === 403 || httpStatus === 404) return undefined
    throw error
  }
}

interface Wish {
  file: RowFile
  checked: OrderFile
  path: string
  maxTotal: string | undefined
  dryRun: boolean
  yes: boolean
}

function requireGood(path: string, {problems, problemCount}: OrderFile): void {
  if (problemCount > 0) throw badFile(path, problems, problemCount)
}

function requireWithin({goods, currency}: PlanView, maxTotal: string | undefined): void {
  if (maxTotal === undefined || goods === null || !exact(goods).gt(exact(maxTotal))) return
  throw new Failure('LIMIT_EXCEEDED', {
    message: `The goods of the file cost ${goods} ${currency ?? ''}, above the --max-total of ${maxTotal}. Nothing was sent.`,
    hint: 'Approve the new amount with --max-total, or import less.',
    details: {goods: String(goods), maxTotal},
  })
}

function after(wallet: Digits | null, goods: Digits | null): Digits | null {
  return wallet === null || goods === null ? null : minus(wallet, goods)
}

function question({orders, goods, currency, walletAfter}: PlanView): string {
  const cost =
    goods === null ? 'at the prices of their locks' : `for ${moneyText(goods, currency)} plus shipping`
  const short = walletAfter !== null && exact(walletAfter).lt(0) ? ' The wallet does not cover it.' : ''
  return `Place ${orders} ${orders === 1 ? 'order' : 'orders'} ${cost}?${short}`
}
