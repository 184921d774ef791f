import {Failure} from '../../contract/failure.ts'
import {digits} from '../../contract/money.ts'
import {minus} from '../../flows/order/price.ts'
import {span} from '../../terminal/cells.ts'
import {counted} from '../../terminal/text.ts'
import {follow, openBoard, openTicker} from '../board.ts'
import type {Wish} from '../kind.ts'
import {type FileOrder, ordersIn} from './file.ts'
import {aboveLimit, type DryRun, type OrderPlan, planOrders, type RefusedOrder} from './plan.ts'
import {type OrderPreviews, previewOrders} from './preview.ts'
import {oddText, placedText, planCard, refusedTables, shortText, unknownFees} from './screen.ts'

/** Plans a job without a record of it. Changes nothing at the service, unless its orders are to be priced by previews. */
export async function dryRun(wish: Wish): Promise<DryRun> {
  const {screen, options, preview} = wish
  const refused: RefusedOrder[] = []
  const planned = await planOrders(wish, {append: async () => {}}, '', (order) => refused.push(order))
  const {plan} = planned
  const run = preview
    ? withPreviews(plan, await livePreviews(wish, planned), refused)
    : {...plan, refused, baskets: null}
  screen.show(planCard(run), ...refusedTables(run))
  for (const text of [placedText(run), oddText(run), preview && unknownFees(run), shortText(run)])
    if (text) screen.note(text)
  const failure = findingOf(run, options.maxTotal)
  if (failure) screen.finding(failure)
  return run
}

/** What live previews say in the place of the plan's own figures. */
function withPreviews(plan: OrderPlan, previews: OrderPreviews, known: RefusedOrder[]): DryRun {
  const amount = (value: string | null) => (value === null ? null : digits(value))
  const total = amount(previews.total)
  const refused = [...known.filter(isTaken), ...previews.refused]
  return {
    ...plan,
    ...previews,
    refused: refused.sort((a, b) => (a.rows[0] ?? 0) - (b.rows[0] ?? 0)),
    goods: amount(previews.goods),
    total,
    currency: plan.currency ?? previews.currency,
    walletAfter: plan.wallet === null || total === null ? null : minus(plan.wallet, total),
  }
}

/** No preview would tell: the basket can be ordered, under another reference. */
const isTaken = ({state}: RefusedOrder) => state === 'ORDER_MISMATCH'

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

type Planned = Awaited<ReturnType<typeof planOrders>>

/** The orders under whose reference none stands. */
async function* ordersLeft(
  {file, checked, found}: Planned['rows'],
  earlier: Planned['earlier'],
): AsyncGenerator<FileOrder> {
  for await (const order of ordersIn(file, checked, found))
    if (!earlier.standing(order) && !earlier.taken(order)) yield order
}

/** A basket takes at least an add, its preview, and a request that empties the cart. */
const REQUESTS = 3

/** Prices the orders of a file by live previews, and shows how far that is. Says before what it puts into carts. */
async function livePreviews(
  {screen, session, file, concurrency}: Wish,
  {rows, earlier, plan}: Planned,
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
  const total = plan.orders - plan.alreadyPlaced
  const counts = {done: 0, total, refused: 0, unknown: 0, charged: null, currency: null}
  const work = {requestsEach: () => REQUESTS, counts: () => counts}
  const ticker = follow(board, openTicker(session, work, board, stop))
  const {client, ...time} = session.tools
  try {
    return await previewOrders({
      client,
      patience: {...time, stop},
      orders: ordersLeft(rows, earlier),
      feeOf: ({address}) => earlier.fees(address)?.fee,
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
