import {Failure} from '../../contract/failure.ts'
import type {ImportMode} from '../../flows/cart/steps.ts'
import {span} from '../../terminal/cells.ts'
import {nextText} from '../../terminal/next.ts'
import {counted} from '../../terminal/text.ts'
import {lookUpSkus} from '../file/check.ts'
import {appendAll, type JobDraft, type JobFile} from '../journal.ts'
import {type Kind, type OpenJob, TOLD_MS, type Wish, type Work} from '../kind.ts'
import type {Report} from '../report.ts'
import {cartColumns, checkCartFile} from './file.ts'
import {type JobCarts, jobCarts} from './fold.ts'
import {type CheckedCarts, survey, wantedIn} from './plan.ts'
import {
  cartRowOf,
  cartRowsOf,
  cartSummaryOf,
  countsOf,
  lineViewsOf,
  refusedLinesOf,
  undone,
  verdictOn,
} from './report.ts'
import {type CartImportEvent, runCartImport} from './run.ts'
import {cartPlanTable, importedTable, importQuestion, importSummary} from './screen.ts'

/** Carts of a file, each brought to what it is to hold. */
export const cartKind: Kind = {
  rows: 'carts',
  columns: cartColumns,
  promise: 'nothing is added twice',
  sameBy: ['customer'],
  check: (file, {customer}, found) => checkCartFile(file, customer ?? undefined, found),
  dryRun,
  plan: planJob,
  open,
}

/** Carts that are read before the question; of more of them it tells the number. */
const READ_FIRST = 20

/** Shows what will change, as far as that can be read in a moment, asks once, and writes every cart into the draft. */
async function planJob(wish: Wish, draft: Pick<JobDraft, 'append'>, at: string): Promise<void> {
  const {screen, session, checked, yes} = wish
  const mode = modeOf(wish)
  const ask = await screen.ask()
  if (!ask.interactive) await ask.confirm(importQuestion(mode, checked))
  const carts = await cartsOf(wish)
  if (!yes) {
    const plans = checked.groups <= READ_FIRST ? await survey(session.client, carts, mode) : []
    if (plans.length > 0) await screen.screen(cartPlanTable(plans))
    await ask.confirm(importQuestion(mode, checked, plans))
  }
  await appendAll(draft, wantedIn(carts, at))
}

/** Reads every cart, and shows what an import would do with it. */
async function dryRun(wish: Wish): Promise<unknown> {
  const {screen, session} = wish
  const plans = await survey(session.client, await cartsOf(wish), modeOf(wish))
  screen.show(cartPlanTable(plans))
  const changes = plans.reduce((sum, plan) => sum + plan.changes, 0)
  const lines = plans.flatMap((plan) => plan.lines)
  const refused = lines.filter(({error}) => error !== null).length
  if (refused > 0)
    screen.finding(
      new Failure('ROWS_REFUSED', {
        message: `${refused} of ${counted(lines.length, 'line')} can't be put into a cart at present. Nothing was changed.`,
        hint: 'Correct these lines, or import the file without them.',
      }),
    )
  return {carts: plans, summary: {carts: plans.length, changes, refused}}
}

const modeOf = ({options}: Wish) => options.mode as ImportMode

async function cartsOf(wish: Wish): Promise<CheckedCarts> {
  const {checked, options, session} = wish
  if (checked.skus.length > 0) session.progress.say('Reading the catalog …')
  const known = await lookUpSkus(wish, await session.catalogTools())
  session.progress.clear()
  return {...known, customer: options.customer ?? undefined}
}

function open(job: JobFile): OpenJob {
  const carts = jobCarts(job)
  return {
    requestsEach: () => 1 + carts.lines / carts.size,
    readOn: carts.readOn,
    counts: () => countsOf(carts),
    summary: () => ({...cartSummaryOf(carts)}),
    run: (work) => runCarts(job, carts, work),
    report: () => reportOf(carts, job),
    verdict: () => verdictOn(carts, job),
    next: () => nextText('checkout', '--customer', [...cartRowsOf(carts)][0]?.customerRef),
  }
}

function runCarts(job: JobFile, carts: JobCarts, {session, stop, say, alone, changed}: Work): Promise<void> {
  return runCartImport({
    ...{job, carts, stop, alone},
    tools: session.tools,
    tell(event) {
      const text = textOf(event)
      if (text !== undefined) say(text)
      changed()
      if (event.kind === 'cart-done') changed({event: 'cart', ...cartRowOf(carts, event.cart)})
    },
  })
}

function textOf(event: CartImportEvent): string | undefined {
  if (event.kind === 'cart-left')
    return `The cart of ${event.customerRef} is left for a resume: ${event.failure.message}`
  if (event.kind === 'waiting')
    return `An answer was lost. Checking ${counted(event.carts, 'cart')} again in ${span(event.inMs)}, when a late request would have arrived.`
  if (event.kind === 'asking-again' && event.inMs > TOLD_MS)
    return `No usable answer for ${event.customerRef} (${event.code}); asking again in ${span(event.inMs)}.`
  return undefined
}

/** Carts whose lines are all shown to a person; of more of them, those that are not as they should be. */
const SHOWN_WHOLE = 20

/** What became of the carts of a job. */
function reportOf(carts: JobCarts, {head: {id, options}}: JobFile): Report {
  return {
    rows: {[Symbol.iterator]: () => cartRowsOf(carts)},
    refusals: {
      columns: ['customerRef', 'variantId', 'quantity', 'problem'],
      rows: refusedLinesOf(carts, options.mode),
    },
    views(inTerminal) {
      const all = !inTerminal || carts.size <= SHOWN_WHOLE
      const title = all ? `Lines of job ${id}` : `Lines of job ${id} that are not done`
      const lines = all ? lineViewsOf(carts) : undone(carts)
      const table = importedTable(lines, title, 'Every line is at its target.')
      return [table, importSummary(cartSummaryOf(carts))]
    },
  }
}
