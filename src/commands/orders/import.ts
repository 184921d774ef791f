import * as Flags from '@oclif/core/flags'
import {ScentCommand} from '../../command.ts'
import {amountFlag, ratioFlag} from '../../terminal/amounts.ts'
import {
  apiFlags,
  concurrencyFlag,
  exportsText,
  refusedFlag,
  rowsArg,
  rowsArgIn,
  rowsFlags,
} from '../../terminal/flags.ts'

export default class OrdersImport extends ScentCommand {
  static override confirms = true
  static override shows = (flags: {'dry-run'?: boolean}) => (flags['dry-run'] ? undefined : columns())
  static override summary = 'Place the orders of a file, each exactly once.'
  static override description =
    `Checks the whole file first: if a line is bad, all bad lines are named and nothing is sent. Then it shows the plan, asks once, and works through the orders at the pace that the quota allows.

FILE is CSV with the columns externalReference, customerRef, variantId (or sku), quantity, recipient, line1, line2, city, nationalAddress, region, postalCode, countryCode, phone and discountCode, in any order; or NDJSON of order bodies with "lines". Rows with the same externalReference form one order.

${exportsText}

The plan knows what the records of this machine tell: which orders of the file stand already, as they are not sent again, and what shipping to a city cost before. Of orders that all stand nothing is asked.

Every step is written to a journal before it is sent. Whatever breaks, \`scent jobs resume JOB\` goes on where it stopped, under the same references: no order is made twice. After the first Ctrl-C no further order is sent, and those that were are brought to their end; a second one leaves at once.

An order whose goods cost more than in the plan is refused, unless --max-drift allows it. Shipping comes on top: its fee depends on the city, which the service learns only when the order is made. If the fee lifts the job above --max-total, that is told (exit code 8).

--dry-run changes nothing: it shows the plan at the prices of the catalog, and names the orders that can't be made because a variant is unknown, unavailable or without a price. With --preview it also prices each different basket by a live preview, which knows stock and shipping, in a cart of its own named scent-dry-run-… that is emptied again. Customers' carts are not touched, and no lock is taken. A dry run ends with 7 if the total is above --max-total, and with 11 if orders can't be made.

Exit codes: 0 every order was charged once, 11 some were refused and not charged, 12 some could not be settled.`
  static override examples = [
    '<%= config.bin %> orders import --template > orders.csv',
    '<%= config.bin %> orders import orders.csv --dry-run',
    '<%= config.bin %> orders import orders.csv --dry-run --preview',
    '<%= config.bin %> orders import orders.csv',
    '<%= config.bin %> orders import orders.csv --yes --max-total 250000 --max-drift 2% --refused refused.csv --json',
    "<%= config.bin %> orders import export.csv --map 'Order no=externalReference' --ignore-columns",
    'zcat orders.ndjson.gz | <%= config.bin %> orders import - --yes --output ndjson',
  ]
  static override args = {file: rowsArg}
  static override flags = {
    ...apiFlags,
    ...rowsFlags,
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
    'dry-run': Flags.boolean({summary: 'Check the file and show the plan; change nothing.'}),
    preview: Flags.boolean({
      summary: 'Price the baskets of a dry run by live previews, in carts of their own.',
      dependsOn: ['dry-run'],
    }),
  }

  async run(): Promise<unknown> {
    const {args, flags} = await this.parse({...OrdersImport, args: {file: rowsArgIn(this.argv)}})
    const {importFile, templateOf} = await import('../../bulk/begin.ts')
    if (flags.template) {
      this.put(templateOf('orders'))
      return undefined
    }
    const options = {
      cart: flags.cart,
      maxTotal: amountFlag('--max-total', flags['max-total']) ?? null,
      maxDrift: ratioFlag('--max-drift', flags['max-drift']) ?? null,
    }
    return importFile(this, (how) => this.session(flags, how), {
      kind: 'orders',
      path: args.file,
      map: flags.map,
      ignoreColumns: flags['ignore-columns'],
      options,
      program: this.config.version,
      dryRun: flags['dry-run'],
      preview: flags.preview,
      yes: flags.yes,
      concurrency: flags.concurrency,
      refused: flags.refused,
    })
  }
}

const columns = async () => (await import('../../bulk/orders/screen.ts')).verdictTable([], '', '').columns
