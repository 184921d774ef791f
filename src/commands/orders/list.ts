import {type JobFile, openJobs} from '../../bulk/journal.ts'
import {jobOrders} from '../../bulk/orders/fold.ts'
import {verdictsOf} from '../../bulk/orders/report.ts'
import {ScentCommand} from '../../command.ts'
import {digits} from '../../contract/money.ts'
import type {OrderEntry} from '../../store/orders.ts'
import {apiFlags} from '../../terminal/flags.ts'
import type {Listing} from '../../terminal/output.ts'
import {type RecordedOrder, recordedOrderColumns} from '../../terminal/views/orders.ts'

export default class OrdersList extends ScentCommand {
  static override summary = 'List the orders made from this machine.'
  static override description =
    'The service has no list of orders: this is the local record of the profile in use, newest first, those of bulk jobs among them. Orders made elsewhere are not in it.'
  static override examples = [
    '<%= config.bin %> orders list',
    `<%= config.bin %> orders list --query "items[?outcome=='unknown'].externalReference"`,
  ]
  static override flags = {...apiFlags}

  async run(): Promise<Listing> {
    const {flags} = await this.parse(OrdersList)
    const session = await this.session(flags)
    const entries = await (await session.orders()).all()
    const bulk = openJobs(session.folders, session.identity)
      .list()
      .flatMap((job) => [...bulkOrders(job)])
    const items = [...entries.map(recorded), ...bulk].sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
    this.note('Local record: orders made from this machine under this profile.')
    this.show({rows: items, columns: recordedOrderColumns, empty: 'No order has been made from here.'})
    return {items}
  }
}

/** The orders of a job that were begun. */
function* bulkOrders(job: JobFile): Generator<RecordedOrder> {
  if (job.head.kind !== 'orders') return
  const orders = jobOrders(job)
  for (const row of verdictsOf(orders, job)) {
    if (row.outcome === 'pending' && row.verdict !== 'UNDER WAY') continue
    const {externalReference, customerRef, orderId, total, currency, startedAt, updatedAt} = row
    const outcome = row.outcome === 'pending' ? 'open' : row.outcome
    yield {
      externalReference,
      customerRef,
      outcome,
      orderId,
      total,
      currency,
      status: null,
      startedAt,
      updatedAt,
    }
  }
}

/** The document of a recorded order; the address stays in the record. */
function recorded(entry: OrderEntry): RecordedOrder {
  const {outcome} = entry
  return {
    externalReference: entry.reference,
    customerRef: entry.customerRef,
    outcome: outcome?.outcome ?? 'open',
    orderId: outcome?.orderId ?? null,
    total: outcome?.total == null ? null : digits(outcome.total),
    currency: outcome?.currency ?? null,
    status: outcome?.status ?? null,
    startedAt: entry.startedAt,
    updatedAt: entry.updatedAt,
  }
}
