import {Failure, isFailure} from '../../contract/failure.ts'
import {digits} from '../../contract/money.ts'
import type {Session} from '../../session.ts'
import {money, span} from '../../terminal/cells.ts'
import type {JobFile} from '../journal.ts'
import type {Counts, JobScreen, JobWork} from '../run.ts'
import {type JobOrders, jobOrders} from './fold.ts'
import {openBudget} from './one.ts'
import {
  type LedgerProof,
  type OrderVerdict,
  proveByLedger,
  rowOf,
  type Summary,
  summaryOf,
  verdictsOf,
} from './report.ts'
import {type BulkEvent, runBulkOrders} from './run.ts'
import {proofText, type RefusedRow, summaryFields, verdictTable, writeRefused} from './screen.ts'

/** A job of orders; `concurrency` of them are under way at a time. */
export function openOrderJob(
  session: Session,
  job: JobFile,
  concurrency: number,
  screen: JobScreen,
): JobWork {
  const orders = jobOrders(job)
  const {options, id} = job.head
  const last = job.last()
  let ledger = (last?.step === 'DONE' && last.ledger) || null
  let live: ReturnType<typeof countOn> | undefined
  return {
    rows: 'orders',
    promise: 'no order is made twice',
    requestsEach: () => 2 + orders.lines / orders.size,
    readOn: orders.readOn,
    counts: () => live?.counts() ?? countsOf(orders),
    summary: () => ({...summaryOf(orders)}),
    async run(stop, say, changed) {
      const ticker = countOn(orders)
      live = ticker
      await runBulkOrders({
        job,
        orders,
        tools: session.jobTools((event) => {
          if (event.kind === 'asking-again' && event.inMs > 2_000)
            say(
              `No final answer for ${event.reference} (${event.code}); asking again in ${span(event.inMs)}.`,
            )
        }),
        rules: {
          cart: options.cart === 'replace' ? 'replace' : 'require-empty',
          maxDrift: options.maxDrift ?? null,
          budget: openBudget(options.maxTotal ?? null, orders.charged().total.toFixed()),
        },
        concurrency,
        stop,
        alone: (customerRef, work) => session.alone(customerRef, work, {say, stop}),
        tell(event) {
          ticker.take(event)
          changed()
          if (event.kind === 'row-done') void screen.event(eventOf(event))
        },
      })
    },
    async proof() {
      ledger = await ledgerOf(session, orders, screen)
      return ledger === null ? {} : {ledger}
    },
    report: (refused) => orderReport(job, orders, ledger, refused, screen),
    verdict() {
      const others = orders.otherTotals()
      if (others > 0)
        screen.note(
          `${others === 1 ? '1 order was' : `${others} orders were`} charged another total than the price lock said: the city decides the shipping fee, which no lock knows. \`scent jobs show ${id} --output csv\` names them.`,
        )
      const above = chargedAbove(orders, options.maxTotal ?? null)
      return verdictOf(id, summaryOf(orders), above, isForAPerson(orders))
    },
  }
}

function countsOf(orders: JobOrders): Counts {
  const {total, currency} = orders.charged()
  return {
    done: orders.size - orders.count('todo') - orders.count('unknown'),
    total: orders.size,
    refused: orders.count('refused'),
    unknown: orders.count('unknown'),
    charged: total.toFixed(2),
    currency: currency ?? 'SAR',
  }
}

/** Counts on from what the journal says by what a run tells: orders that a run works on are not read meanwhile. */
function countOn(orders: JobOrders) {
  const {total: before, currency} = orders.charged()
  const total = orders.size
  let charged = before
  let refused = orders.count('refused')
  const unknown = new Set<string>()
  let done = orders.count('placed') + orders.count('already-placed') + refused
  return {
    take(event: BulkEvent) {
      if (event.kind !== 'row-done') return
      unknown.delete(event.reference)
      if (event.outcome === 'unknown') unknown.add(event.reference)
      else done += 1
      if (event.outcome === 'refused') refused += 1
      if (event.outcome === 'placed' && event.total !== null) charged = charged.plus(String(event.total))
    },
    counts: (): Counts => ({
      done,
      total,
      refused,
      unknown: unknown.size,
      charged: charged.toFixed(2),
      currency: currency ?? 'SAR',
    }),
  }
}

function eventOf({kind: _, failure, outcome, ...row}: Extract<BulkEvent, {kind: 'row-done'}>): object {
  const {reference: externalReference, customerRef, orderId, total} = row
  const error = failure && {state: failure.code, message: failure.message, hint: failure.hint}
  return {event: 'order', externalReference, customerRef, outcome, orderId, total, error}
}

/** Reading the ledger changes nothing: where it can't be read the orders stand all the same. */
async function ledgerOf(session: Session, orders: JobOrders, screen: JobScreen): Promise<LedgerProof | null> {
  if (orders.count('placed') === 0) return null
  try {
    return await proveByLedger(session.client, orders)
  } catch (error) {
    if (!isFailure(error)) throw error
    screen.note(`The ledger could not be read (${error.code}); the orders stand all the same.`)
    return null
  }
}

/** Shows what became of the orders of a job, and returns the document of it. */
async function orderReport(
  job: JobFile,
  orders: JobOrders,
  ledger: LedgerProof | null,
  refused: string | undefined,
  screen: JobScreen,
): Promise<unknown> {
  const {id} = job.head
  const summary = summaryOf(orders)
  const {total, currency} = orders.charged()
  if (refused !== undefined) screen.note(await writeRefused(refused, refusedRows(orders)))
  if (screen.streams) {
    await screen.event({event: 'summary', job: id, summary, ...(ledger && {ledger})})
    screen.show({columns: [], rows: []})
  } else {
    const shown = screen.inTerminal ? unplaced(orders, job) : verdictsOf(orders, job)
    const charged = money(digits(total.toFixed()), currency ?? 'SAR')
    const fields = summaryFields(summary, charged, ledger && proofText(ledger))
    const all = summary.placed + summary.alreadyPlaced === orders.size
    screen.show(
      verdictTable(
        shown,
        all ? '' : `Job ${id}: what was not charged`,
        `Job ${id}: ${orders.size === 1 ? 'the order was' : `all ${orders.size} orders were`} charged once.`,
      ),
      {
        columns: fields.map(({label, cell}) => ({key: label, header: label, get: () => cell})),
        rows: [summary],
        upright: true,
      },
    )
  }
  const rows = {[Symbol.iterator]: () => documentRows(orders, job)}
  return {job: id, orders: rows, summary, ...(ledger && {ledger})}
}

function* unplaced(orders: JobOrders, job: JobFile): Generator<OrderVerdict> {
  for (const row of verdictsOf(orders, job)) if (row.verdict !== 'CHARGED ONCE') yield row
}

function* documentRows(orders: JobOrders, job: JobFile) {
  for (const row of verdictsOf(orders, job)) yield rowOf(row)
}

/** Every line of every refused order, as the file has them, with its problem. */
function* refusedRows(orders: JobOrders): Generator<RefusedRow> {
  for (let at = 0; at < orders.size; at++) {
    const said = orders.outcome(at)
    if (orders.state(at) !== 'refused' || said === undefined) continue
    const {reference, customerRef, lines, address, discountCode} = orders.planned(at)
    for (const {variantId, quantity} of lines) {
      const problem = `${said.state}: ${said.message ?? ''}`
      yield {
        externalReference: reference,
        customerRef,
        variantId,
        quantity,
        ...address,
        discountCode,
        problem,
      }
    }
  }
}

const some = (count: number) => (count === 1 ? '1 order was' : `${count} orders were`)

/** What was charged above --max-total: the city, and with it the shipping fee, is known only when an order is made. */
function chargedAbove(orders: JobOrders, maxTotal: string | null): Failure | undefined {
  const {total, currency} = orders.charged()
  if (maxTotal === null || !total.gt(maxTotal)) return undefined
  return new Failure('CHARGED_ABOVE', {
    message: `The orders stand, and ${total.toFixed()} ${currency ?? ''} were charged for them, above the --max-total of ${maxTotal}.`,
    details: {total: total.toFixed(), maxTotal},
  })
}

/** Whether all that is unknown is what the service told to leave to its account manager. */
function isForAPerson(orders: JobOrders): boolean {
  for (let at = 0; at < orders.size; at++) {
    if (orders.state(at) !== 'unknown') continue
    if (orders.outcome(at)?.state !== 'CONFLICT_ORDER_REQUIRES_INTERVENTION') return false
  }
  return true
}

/** What the exit code tells: 12 before 11, since what is unknown matters more. */
function verdictOf(
  id: string,
  {refused, unknown}: Summary,
  above: Failure | undefined,
  forAPerson: boolean,
): Failure | undefined {
  const how = `\`scent jobs show ${id}\``
  if (unknown > 0) {
    return new Failure('ROWS_UNKNOWN', {
      message: `${unknown === 1 ? '1 order' : `${unknown} orders`} could not be settled, and may have been charged; ${how} tells what would settle ${unknown === 1 ? 'it' : 'them'}.`,
      hint: `${forAPerson ? 'Only the account manager can settle it: give the references' : `Go on with \`scent jobs resume ${id}\``}. Never order them again under other references.`,
    })
  }
  if (above) return above
  if (refused > 0) {
    return new Failure('ROWS_REFUSED', {
      message: `${some(refused)} refused, and nothing was charged for ${refused === 1 ? 'it' : 'them'}.`,
      hint: `${how} tells why; \`scent jobs show ${id} --refused FILE\` writes them as a file to correct and import again.`,
    })
  }
  return undefined
}
