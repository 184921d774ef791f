import {Failure} from '../../contract/failure.ts'
import type {Session} from '../../session.ts'
import {span} from '../../terminal/cells.ts'
import type {JobFile} from '../journal.ts'
import {refusedCartColumns, writeRefused} from '../orders/screen.ts'
import type {Counts, JobScreen, JobWork} from '../run.ts'
import {type JobCarts, jobCarts} from './fold.ts'
import {
  type CartSummary,
  cartRowOf,
  cartRowsOf,
  cartSummaryOf,
  lineViewsOf,
  refusedLinesOf,
} from './report.ts'
import {type CartImportEvent, runCartImport} from './run.ts'
import {importedTable, importSummary} from './screen.ts'

/** A job that brings the carts of a file to what they are to hold. */
export function openCartJob(session: Session, job: JobFile, screen: JobScreen): JobWork {
  const carts = jobCarts(job)
  const {id} = job.head
  return {
    rows: 'carts',
    promise: 'nothing is added twice',
    requestsEach: () => 1 + carts.lines / carts.size,
    readOn: carts.readOn,
    counts: () => countsOf(carts),
    summary: () => ({...cartSummaryOf(carts)}),
    run: (stop, say, changed) =>
      runCartImport({
        job,
        carts,
        tools: session.jobTools(() => {}),
        stop,
        alone: (customerRef, work) => session.alone(customerRef, work, {say, stop}),
        tell(event) {
          const text = textOf(event)
          if (text !== undefined) say(text)
          carts.readOn()
          changed()
          if (event.kind === 'cart-done') void screen.event({event: 'cart', ...cartRowOf(carts, event.cart)})
        },
      }),
    proof: async () => ({}),
    report: (refused) => report(job, carts, refused, screen),
    verdict: () => verdictOf(id, cartSummaryOf(carts)),
  }
}

function countsOf(carts: JobCarts): Counts {
  return {
    done: carts.count('done') + carts.count('refused'),
    total: carts.size,
    refused: carts.count('refused'),
    unknown: carts.count('unknown'),
    charged: null,
    currency: null,
  }
}

function textOf(event: CartImportEvent): string | undefined {
  if (event.kind === 'cart-left')
    return `The cart of ${event.customerRef} is left for a resume: ${event.failure.message}`
  if (event.kind === 'waiting')
    return `An answer was lost; ${some(event.carts)} to be looked at again in ${span(event.inMs)}, when what was lost has had its time to arrive.`
  if (event.kind === 'asking-again' && event.inMs > 2_000)
    return `No usable answer for ${event.customerRef} (${event.code}); asking again in ${span(event.inMs)}.`
  return undefined
}

const some = (count: number) => (count === 1 ? '1 cart' : `${count} carts`)

/** Carts whose lines are all shown to a person; of more of them, those that are not as they should be. */
const SHOWN_WHOLE = 20

/** Shows what became of the carts of a job, and returns the document of it. */
async function report(
  job: JobFile,
  carts: JobCarts,
  refused: string | undefined,
  screen: JobScreen,
): Promise<unknown> {
  const {id, options} = job.head
  const summary = cartSummaryOf(carts)
  if (refused !== undefined)
    screen.note(await writeRefused(refused, refusedLinesOf(carts, options.mode), refusedCartColumns))
  if (screen.streams) {
    await screen.event({event: 'summary', job: id, summary})
    screen.show({columns: [], rows: []})
  } else {
    const all = !screen.inTerminal || carts.size <= SHOWN_WHOLE
    const lines = all ? lineViewsOf(carts) : undone(carts)
    const title = all ? `Lines of job ${id}` : `Lines of job ${id} that are not done`
    screen.show(importedTable(lines, title, 'Every line is at its target.'), importSummary(summary))
  }
  return {job: id, carts: {[Symbol.iterator]: () => cartRowsOf(carts)}, summary}
}

function* undone(carts: JobCarts) {
  for (const line of lineViewsOf(carts)) if (line.outcome !== 'done') yield line
}

/** What the exit code tells: 12 before 11, since what is unknown matters more. */
function verdictOf(id: string, {refused, unknown, pending = 0}: CartSummary): Failure | undefined {
  const goOn = `Go on with \`scent jobs resume ${id}\`.`
  if (unknown > 0) {
    return new Failure('ROWS_UNKNOWN', {
      message: `${some(unknown)} could not be settled: an add may still arrive.`,
      hint: `${goOn} It reads the cart first, and adds nothing twice.`,
    })
  }
  if (pending > 0)
    return new Failure('BUSY', {
      message: `${some(pending)} could not be done: another process works there.`,
      hint: goOn,
    })
  if (refused === 0) return undefined
  return new Failure('ROWS_REFUSED', {
    message: `Lines of ${some(refused)} were refused; all others are done.`,
    hint: `\`scent jobs show ${id}\` tells why; \`scent jobs show ${id} --refused FILE\` writes them as a file to correct and import again.`,
  })
}
