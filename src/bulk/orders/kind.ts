import type {Client} from '../../client/client.ts'
import {isFailure} from '../../contract/failure.ts'
import {digits} from '../../contract/money.ts'
import type {Session} from '../../session.ts'
import {money, span} from '../../terminal/cells.ts'
import {follow, openBoard, openTicker} from '../board.ts'
import type {JobDraft, JobFile} from '../journal.ts'
import {type Kind, type OpenJob, TOLD_MS, type Wish, type Work} from '../kind.ts'
import type {Ledger} from '../records.ts'
import type {Report} from '../report.ts'
import {checkOrderFile, type FileOrder, ordersIn} from './file.ts'
import {type JobOrders, jobOrders} from './fold.ts'
import {proveByLedger} from './ledger.ts'
import {openBudget} from './one.ts'
import {type DryRun, findingOf, planOrders, requireWithin, withPreviews} from './plan.ts'
import {type OrderPreviews, previewOrders} from './preview.ts'
import {
  countsOf,
  documentRows,
  notCharged,
  refusalColumns,
  refusalsOf,
  summaryOf,
  verdictOn,
  verdictsOf,
} from './report.ts'
import {type BulkEvent, runBulkOrders} from './run.ts'
import {
  planCard,
  planQuestion,
  planText,
  refusedPreviews,
  shortText,
  summaryCard,
  verdictTable,
} from './screen.ts'

/** Orders of a file, each charged at most once. */
export const orderKind: Kind = {
  rows: 'orders',
  promise: 'no order is made twice',
  sameBy: [],
  check: (file, _options, found) => checkOrderFile(file, found),
  dryRun,
  plan: planJob,
  open,
}

async function planJob(wish: Wish, draft: Pick<JobDraft, 'append'>, at: string): Promise<void> {
  const {screen, options} = wish
  const {plan} = await planOrders(wish, draft, at)
  requireWithin(plan, options.maxTotal)
  if (process.stderr.isTTY) await screen.screen(planCard(plan))
  else screen.note(planText(plan))
  await (await screen.ask()).confirm(planQuestion(plan))
}

/** Plans a job without a record of it, and prices its orders by live previews. */
async function dryRun(wish: Wish): Promise<DryRun> {
  const {screen, session, options} = wish
  const {plan, rows} = await planOrders(wish, {append: async () => {}}, '')
  const stop = screen.interrupts.during({
    story: () => 'Interrupted. Nothing was ordered.',
    holds: () => true,
    awaits: 'The carts that baskets are priced in are emptied',
  })
  const orders = ordersIn(rows.file, rows.checked, rows.found)
  const previews = await runPreviews(session, {...wish, orders, total: plan.orders, stop})
  const view = withPreviews(plan, previews)
  screen.show(planCard(view), ...refusedPreviews(view))
  if (shortText(view)) screen.note(shortText(view))
  const failure = findingOf(view, options.maxTotal)
  if (failure) screen.finding(failure)
  return view
}

interface PreviewJob extends Pick<Wish, 'file' | 'concurrency'> {
  orders: AsyncGenerator<FileOrder>
  /** How many they are. */
  total: number
  /** Ends it with the baskets under way. */
  stop: AbortSignal
}

/** A basket takes at least an add, its preview, and a request that empties the cart. */
const REQUESTS = 3

/** Prices the orders of a file by live previews, and shows how far that is. */
async function runPreviews(session: Session, job: PreviewJob): Promise<OrderPreviews> {
  const {orders, total, file, concurrency, stop} = job
  const board = openBoard(process.stderr, 'Previews')
  session.showOn(board)
  const counts = {done: 0, total, refused: 0, unknown: 0, charged: null, currency: null}
  const work = {requestsEach: () => REQUESTS, counts: () => counts}
  const ticker = follow(board, openTicker(session, work, board, stop))
  const {client, ...time} = session.tools
  // The same names each time: a run takes out what one that was killed has left there.
  const nameOf = (_: unknown, at: number) => `scent-dry-run-${file.hash.slice(0, 16)}-${at + 1}`
  try {
    return await previewOrders({
      client,
      patience: {...time, stop},
      orders,
      carts: Array.from({length: concurrency}, nameOf),
      tell(event) {
        if (event.kind === 'asking-again')
          return board.say(`No usable answer (${event.code}); asking again in ${span(event.inMs)}.`)
        counts.done += 1
        if (event.refused) counts.refused += 1
        ticker.show()
      },
    })
  } finally {
    ticker.end()
  }
}

/** A job of orders, each charged at most once. */
function open(job: JobFile): OpenJob {
  const orders = jobOrders(job)
  return {
    requestsEach: () => 2 + orders.lines / orders.size,
    readOn: orders.readOn,
    counts: () => countsOf(orders),
    summary: () => ({...summaryOf(orders)}),
    run: (work) => runOrders(job, orders, work),
    proof: ({client}, note) => proofOf(client, orders, note),
    report: () => reportOf(orders, job),
    verdict: (note) => verdictOn(orders, job, note),
  }
}

function runOrders(job: JobFile, orders: JobOrders, work: Work): Promise<void> {
  const {session, concurrency, stop, say, alone, changed} = work
  const {options} = job.head
  return runBulkOrders({
    ...{job, orders, concurrency, stop, alone},
    tools: {
      ...session.tools,
      tell(event) {
        if (event.kind === 'asking-again' && event.inMs > TOLD_MS)
          say(`No final answer for ${event.reference} (${event.code}); asking again in ${span(event.inMs)}.`)
      },
    },
    rules: {
      cart: options.cart === 'replace' ? 'replace' : 'require-empty',
      maxDrift: options.maxDrift ?? null,
      budget: openBudget(options.maxTotal ?? null, orders.charged().total.toFixed()),
    },
    tell: (event) => changed(event.kind === 'row-done' ? eventOf(event) : undefined),
  })
}

function eventOf({kind: _, failure, outcome, ...row}: Extract<BulkEvent, {kind: 'row-done'}>): object {
  const {reference: externalReference, customerRef, orderId, total} = row
  const error = failure && {state: failure.code, message: failure.message, hint: failure.hint}
  return {event: 'order', externalReference, customerRef, outcome, orderId, total, error}
}

/** Reading the ledger changes nothing: the orders stand even if it can't be read. */
async function proofOf(
  client: Client,
  orders: JobOrders,
  note: (text: string) => void,
): Promise<{ledger?: Ledger}> {
  if (orders.count('placed') === 0) return {}
  try {
    return {ledger: await proveByLedger(client, orders)}
  } catch (error) {
    if (!isFailure(error)) throw error
    note(`The ledger could not be read (${error.code}); the orders stand all the same.`)
    return {}
  }
}

/** What became of the orders of a job. */
function reportOf(orders: JobOrders, job: JobFile): Report {
  const last = job.last()
  const ledger = last?.step === 'DONE' ? last.ledger : undefined
  return {
    rows: {[Symbol.iterator]: () => documentRows(orders, job)},
    more: ledger && {ledger},
    refusals: {columns: refusalColumns, rows: refusalsOf(orders)},
    views: (inTerminal) => viewsOf(orders, job, ledger, inTerminal),
  }
}

function viewsOf(orders: JobOrders, job: JobFile, ledger: Ledger | undefined, inTerminal: boolean) {
  const {id} = job.head
  const {size} = orders
  const {total, currency} = orders.charged()
  const summary = summaryOf(orders)
  const all = summary.placed + summary.alreadyPlaced === size
  return [
    verdictTable(
      inTerminal ? notCharged(orders, job) : verdictsOf(orders, job),
      all ? '' : `Job ${id}: what was not charged`,
      `Job ${id}: ${size === 1 ? 'the order was' : `all ${size} orders were`} charged once.`,
    ),
    summaryCard(summary, money(digits(total.toFixed()), currency ?? 'SAR'), ledger),
  ]
}
