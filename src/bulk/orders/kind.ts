import type {Client} from '../../client/client.ts'
import {isFailure} from '../../contract/failure.ts'
import {digits} from '../../contract/money.ts'
import {money, span} from '../../terminal/cells.ts'
import {nextText} from '../../terminal/next.ts'
import type {JobDraft, JobFile} from '../journal.ts'
import {type Kind, type OpenJob, TOLD_MS, type Wish, type Work} from '../kind.ts'
import type {Ledger} from '../records.ts'
import type {Report} from '../report.ts'
import {dryRun} from './dry-run.ts'
import {checkOrderFile, orderColumns} from './file.ts'
import {type JobOrders, jobOrders} from './fold.ts'
import {proveByLedger} from './ledger.ts'
import {openBudget} from './one.ts'
import {aboveLimit, planOrders} from './plan.ts'
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
import {oddText, placedText, planCard, planQuestion, planText, summaryCard, verdictTable} from './screen.ts'

/** Orders of a file, each charged at most once. */
export const orderKind: Kind = {
  rows: 'orders',
  columns: orderColumns,
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
  const above = aboveLimit('goods', plan, options.maxTotal)
  if (above) throw above
  if (plan.alreadyPlaced === plan.orders) {
    screen.note(`${placedText(plan)} Nothing is left to be ordered.`)
    return
  }
  const odd = oddText(plan)
  if (odd) screen.note(odd)
  if (process.stderr.isTTY) await screen.screen(planCard(plan))
  else screen.note(planText(plan))
  await (await screen.ask()).confirm(planQuestion(plan))
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
    next: () => nextText('jobs', 'show', job.head.id, '--output', 'csv'),
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
