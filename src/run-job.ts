import {Failure, isFailure} from './contract/failure.ts'
import {digits} from './contract/money.ts'
import {openBudget} from './flows/bulk-order.ts'
import {type BulkEvent, runBulkOrders} from './flows/bulk-orders.ts'
import {leastMs} from './flows/bulk-plan.ts'
import {
  type LedgerProof,
  type OrderVerdict,
  proveByLedger,
  rowOf,
  type Summary,
  summaryOf,
  verdictsOf,
} from './flows/job-report.ts'
import type {Session} from './session.ts'
import {type JobOrders, readJobOrders} from './store/job-orders.ts'
import type {JobFile} from './store/jobs.ts'
import {type Board, openBoard} from './terminal/board.ts'
import {money, span} from './terminal/cells.ts'
import {proofText, type RefusedRow, summaryFields, verdictTable, writeRefused} from './terminal/jobs.ts'
import type {View} from './terminal/output.ts'

export interface JobOptions {
  /** Orders under way at a time. */
  concurrency: number
  /** Where to write the refused rows; undefined for nowhere. */
  refused?: string | undefined
}

export interface ShowOptions {
  refused?: string | undefined
  /** Given where the job is followed until it ends; aborted where that is enough. */
  watch?: AbortSignal
}

/** Where a job shows itself. */
export interface JobScreen {
  stderr: NodeJS.WriteStream
  show(...views: View[]): void
  finding(failure: Failure): void
  note(text: string): void
  /** Writes a result at once, where results are written as they come. */
  event(document: object): Promise<void>
  inTerminal: boolean
  streams: boolean
  /** What an interrupt says, and the way on; the signal is aborted by the first one. */
  onInterrupt(story: string, hint: string): AbortSignal
}

/** Runs a job to its end, alone among all processes, and shows what became of it. Fails with BUSY where another runs it. */
export async function runJob(
  session: Session,
  job: JobFile,
  options: JobOptions,
  screen: JobScreen,
): Promise<unknown> {
  const release = job.run()
  const orders = readJobOrders(job)
  const board = openBoard(screen.stderr, 'Orders')
  session.showOn(board)
  try {
    await runOrders(session, job, orders, options, screen, board)
    const ledger = await ledgerOf(session, orders, screen)
    const summary = summaryOf(orders)
    await job.append({
      step: 'DONE',
      at: new Date().toISOString(),
      summary: {...summary},
      ...(ledger && {ledger}),
    })
    const report = await orderReport(job, orders, ledger, options, screen)
    judge(job.head.id, report.summary, screen)
    return report.document
  } finally {
    board.clear()
    release()
  }
}

/** Shows what is known of a job, from its journal alone. */
export async function showJob(
  session: Session,
  job: JobFile,
  {refused, watch}: ShowOptions,
  screen: JobScreen,
): Promise<unknown> {
  const orders = readJobOrders(job)
  if (watch) await watchJob(session, job, orders, watch, screen)
  const last = job.last()
  const ledger = (last?.step === 'DONE' && last.ledger) || null
  const {document} = await orderReport(job, orders, ledger, {refused}, screen)
  const {id} = job.head
  if (job.isRunning()) screen.note(`Job ${id} is running in another process.`)
  else if (orders.count('todo') + orders.count('unknown') > 0)
    screen.note(`Job ${id} is not finished: \`scent jobs resume ${id}\` goes on.`)
  return document
}

/** How often the journal of a job is looked into that another process runs. */
const LOOK_MS = 500

async function watchJob(
  session: Session,
  job: JobFile,
  orders: JobOrders,
  signal: AbortSignal,
  screen: JobScreen,
): Promise<void> {
  const board = openBoard(screen.stderr, 'Orders')
  session.showOn(board)
  const {time} = session
  const started = time.ticks()
  const first = orders.size - orders.count('todo') - orders.count('unknown')
  while (!signal.aborted) {
    const running = job.isRunning()
    if (orders.readOn()) await screen.event({event: 'progress', job: job.head.id, summary: summaryOf(orders)})
    const left = orders.count('todo') + orders.count('unknown')
    const elapsedMs = time.ticks() - started
    const {total, currency} = orders.charged()
    board.show({
      done: orders.size - left,
      total: orders.size,
      refused: orders.count('refused'),
      unknown: orders.count('unknown'),
      charged: total.toFixed(2),
      currency: currency ?? 'SAR',
      elapsedMs,
      leftMs: leftOf(elapsedMs, orders.size - left - first, left),
      waiting: null,
    })
    if (!running) break
    await time.sleep(LOOK_MS, signal)
  }
  board.end()
}

async function runOrders(
  session: Session,
  job: JobFile,
  orders: JobOrders,
  {concurrency}: JobOptions,
  screen: JobScreen,
  board: Board,
): Promise<void> {
  const {id, options} = job.head
  const ticker = follow(session, orders, board)
  const stop = screen.onInterrupt(`Interrupted. No further order of job ${id} is started.`, goOn(id))
  try {
    await runBulkOrders({
      job,
      orders,
      tools: session.jobTools((event) => {
        if (event.kind === 'asking-again' && event.inMs > 2_000)
          board.say(
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
      alone: (customerRef, work) => session.alone(customerRef, work, board.say),
      tell(event) {
        ticker.take(event)
        if (event.kind === 'row-done') void screen.event(eventOf(event))
      },
    })
  } catch (error) {
    throw isFailure(error) ? stopped(error, id, ticker.progress()) : error
  } finally {
    ticker.end()
  }
  if (stop.aborted) throw interrupted(id, ticker.progress())
}

function eventOf({kind: _, failure, outcome, ...row}: Extract<BulkEvent, {kind: 'row-done'}>): object {
  const {reference: externalReference, customerRef, orderId, total} = row
  const error = failure && {state: failure.code, message: failure.message, hint: failure.hint}
  return {event: 'order', externalReference, customerRef, outcome, orderId, total, error}
}

const goOn = (id: string) => `Go on: \`scent jobs resume ${id}\`; no order is made twice.`

function stopped(failure: Failure, id: string, progress: string): Failure {
  const hint = `${failure.hint} Then go on: \`scent jobs resume ${id}\`; no order is made twice.`
  const message = `${failure.message} Job ${id} has stopped; ${progress}.`
  return new Failure(failure.code, {...failure.facts, message, hint}, {cause: failure.cause})
}

function interrupted(id: string, progress: string): Failure {
  return new Failure('INTERRUPTED', {
    message: `Interrupted. Job ${id} has stopped; ${progress}.`,
    hint: goOn(id),
  })
}

/** Keeps the board up to date. */
function follow(session: Session, orders: JobOrders, board: Board) {
  const {total: before, currency} = orders.charged()
  const started = session.time.ticks()
  const total = orders.size
  let charged = before
  let refused = orders.count('refused')
  const unknown = new Set<string>()
  let done = orders.count('placed') + orders.count('already-placed') + refused
  const first = done
  let waitedMs = 0
  let lookedAt = started
  const show = () => {
    const waiting = session.waiting()
    const now = session.time.ticks()
    if (waiting) waitedMs += now - lookedAt
    lookedAt = now
    const elapsedMs = now - started
    board.show({
      done,
      total,
      refused,
      unknown: unknown.size,
      charged: charged.toFixed(2),
      currency: currency ?? 'SAR',
      elapsedMs,
      leftMs: leftOf(elapsedMs - waitedMs, done - first, total - done, waiting?.ms),
      waiting: waiting === null ? null : `${waitText[waiting.why] ?? waiting.why} ${span(waiting.ms)}`,
    })
  }
  const timer = setInterval(show, 250)
  show()
  return {
    take(event: BulkEvent) {
      if (event.kind !== 'row-done') return
      unknown.delete(event.reference)
      if (event.outcome === 'unknown') unknown.add(event.reference)
      else done += 1
      if (event.outcome === 'refused') refused += 1
      if (event.outcome === 'placed' && event.total !== null) charged = charged.plus(String(event.total))
      show()
    },
    progress: () => `${done} of ${total} orders are done`,
    end() {
      clearInterval(timer)
      board.end()
    },
  }
}

const waitText: Record<string, string> = {
  quota: 'quota used up, goes on in',
  'rate-limit': 'rate limited, goes on in',
  'token-quota': 'token quota used up, goes on in',
  retry: 'no usable answer, tries again in',
}

/** The time that `left` orders take at the pace of those done, and that the quota makes them wait at three requests each. */
function leftOf(workedMs: number, done: number, left: number, waitMs = 0): number | null {
  return done === 0 ? null : (workedMs / done) * left + waitMs + leastMs(left * 3)
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
export async function orderReport(
  job: JobFile,
  orders: JobOrders,
  ledger: LedgerProof | null,
  {refused}: Pick<JobOptions, 'refused'>,
  screen: Pick<JobScreen, 'show' | 'note' | 'event' | 'inTerminal' | 'streams'>,
): Promise<{document: unknown; summary: Summary}> {
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
    screen.show(
      verdictTable(
        shown,
        `Job ${id}: what was not charged`,
        `Job ${id}: all ${orders.size} orders were charged once.`,
      ),
      {
        columns: fields.map(({label, cell}) => ({key: label, header: label, get: () => cell})),
        rows: [summary],
        upright: true,
      },
    )
  }
  const rows = {[Symbol.iterator]: () => documentRows(orders, job)}
  return {document: {job: id, orders: rows, summary, ...(ledger && {ledger})}, summary}
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

/** What the exit code tells: 12 before 11, since what is unknown matters more. */
function judge(id: string, {refused, unknown}: Summary, screen: JobScreen): void {
  const how = `\`scent jobs show ${id}\``
  if (unknown > 0) {
    screen.finding(
      new Failure('ROWS_UNKNOWN', {
        message: `${unknown === 1 ? '1 order' : `${unknown} orders`} could not be settled, and may have been charged; ${how} tells what would settle ${unknown === 1 ? 'it' : 'them'}.`,
        hint: `Go on with \`scent jobs resume ${id}\`. Never order them again under other references.`,
      }),
    )
  } else if (refused > 0) {
    screen.finding(
      new Failure('ROWS_REFUSED', {
        message: `${some(refused)} refused, and nothing was charged for ${refused === 1 ? 'it' : 'them'}.`,
        hint: `${how} tells why; \`scent jobs show ${id} --refused FILE\` writes them as a file to correct and import again.`,
      }),
    )
  }
}
