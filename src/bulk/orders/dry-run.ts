import {Failure} from '../../contract/failure.ts'
import {digits} from '../../contract/money.ts'
import {minus} from '../../flows/order/price.ts'
import {span} from '../../terminal/cells.ts'
import {counted} from '../../terminal/text.ts'
import {follow, openBoard, openTicker} from '../board.ts'
import type {CheckedRows} from '../file/check.ts'
import type {Wish} from '../kind.ts'
import {ordersIn} from './file.ts'
import {aboveLimit, type DryRun, type OrderPlan, planOrders, type RefusedOrder} from './plan.ts'
import {type OrderPreviews, previewOrders} from './preview.ts'
import {planCard, refusedTables, shortText} from './screen.ts'

/** Plans a job without a record of it. Changes nothing at the service, unless its orders are to be priced by previews. */
export async function dryRun(wish: Wish): Promise<DryRun> {
  const {screen, options, preview} = wish
  const refused: RefusedOrder[] = []
  const {plan, rows} = await planOrders(wish, {append: async () => {}}, '', (order) => refused.push(order))
  const run = preview
    ? withPreviews(plan, await livePreviews(wish, rows, plan.orders))
    : {...plan, refused, total: null, baskets: null}
  screen.show(planCard(run), ...refusedTables(run))
  if (shortText(run)) screen.note(shortText(run))
  const failure = findingOf(run, options.maxTotal)
  if (failure) screen.finding(failure)
  return run
}

/** What live previews say in the place of the plan's own figures. */
function withPreviews(plan: OrderPlan, previews: OrderPreviews): DryRun {
  const amount = (value: string | null) => (value === null ? null : digits(value))
  const total = amount(previews.total)
  return {
    ...plan,
    ...previews,
    goods: amount(previews.goods),
    total,
    currency: plan.currency ?? previews.currency,
    walletAfter: plan.wallet === null || total === null ? null : minus(plan.wallet, total),
  }
}

/** The problem that an import would run into now, if any. */
function findingOf(run: DryRun, maxTotal: string | null | undefined): Failure | undefined {
  const {orders, refused} = run
  const above = aboveLimit('total', run, maxTotal) ?? aboveLimit('goods', run, maxTotal)
  if (above !== undefined || refused.length === 0) return above
  return new Failure('ROWS_REFUSED', {
    message: `${refused.length} of ${counted(orders, 'order')} can't be made at present. Nothing was ordered.`,
    hint: 'Correct their lines, or import the file without them.',
  })
}

/** A basket takes at least an add, its preview, and a request that empties the cart. */
const REQUESTS = 3

/** Prices the orders of a file by live previews, and shows how far that is. Says before what it puts into carts. */
async function livePreviews(
  {screen, session, file, concurrency}: Wish,
  rows: CheckedRows,
  total: number,
): Promise<OrderPreviews> {
  // The same names each time: a run takes out what one that was killed has left there.
  const name = `scent-dry-run-${file.hash.slice(0, 16)}`
  screen.note(`Prices baskets in carts of their own, ${name}-1 and up, and empties these again.`)
  const stop = screen.interrupts.during({
    story: () => 'Interrupted. Nothing was ordered.',
    holds: () => true,
    awaits: 'The carts that baskets are priced in are emptied',
  })
  const board = openBoard(process.stderr, 'Previews')
  session.showOn(board)
  const counts = {done: 0, total, refused: 0, unknown: 0, charged: null, currency: null}
  const work = {requestsEach: () => REQUESTS, counts: () => counts}
  const ticker = follow(board, openTicker(session, work, board, stop))
  const {client, ...time} = session.tools
  try {
    return await previewOrders({
      client,
      patience: {...time, stop},
      orders: ordersIn(rows.file, rows.checked, rows.found),
      carts: Array.from({length: concurrency}, (_, at) => `${name}-${at + 1}`),
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
