import {entryOf} from '../../contract/errors.ts'
import {Failure} from '../../contract/failure.ts'
import {amountText, type Digits, digits} from '../../contract/money.ts'
import type {Outcome} from '../../store/orders.ts'
import {counted} from '../../terminal/text.ts'
import type {JobFile} from '../journal.ts'
import type {Counts} from '../meter.ts'
import {errorOf, type RowError, rowsRefused} from '../report.ts'
import {orderColumns, PROBLEM} from './file.ts'
import type {JobOrders} from './fold.ts'

/** What became of one order of a job, as --json shows it. */
interface OrderRow {
  externalReference: string
  customerRef: string
  outcome: 'placed' | 'already-placed' | 'refused' | 'unknown' | 'pending'
  orderId: string | null
  total: Digits | null
  error: RowError | null
}

/** The verdict on it, for people: whether money moved, and why that is certain or what would settle it. */
export interface OrderVerdict extends OrderRow {
  verdict: 'CHARGED ONCE' | 'NOT CHARGED' | 'UNKNOWN' | 'UNDER WAY'
  why: string
  /** When it was planned, and when it got its last outcome. */
  startedAt: string
  updatedAt: string
  currency: string | null
  /** What the service called it last. */
  status: string | null
  /** Its lines in the file. */
  rows: number[]
}

export interface OrderSummary {
  placed: number
  alreadyPlaced: number
  refused: number
  unknown: number
  /** Not begun; only if there are any. */
  pending?: number
}

/** The verdicts on all orders of a job, in the order of its file, each read from the journal when it is needed. */
export function* verdictsOf(orders: JobOrders, job: JobFile): Generator<OrderVerdict> {
  const running = job.isRunning()
  for (let at = 0; at < orders.size; at++) {
    const row = verdictOf(orders, at, job.head.id)
    const isUnderWay = running && orders.isOpen(at)
    yield isUnderWay ? {...row, ...underWay} : row
  }
}

const underWay = {outcome: 'pending', verdict: 'UNDER WAY', why: 'Its answer is on its way.'} as const

function rowOf({externalReference, customerRef, outcome, orderId, total, error}: OrderVerdict): OrderRow {
  return {externalReference, customerRef, outcome, orderId, total, error}
}

function verdictOf(orders: JobOrders, at: number, jobId: string): OrderVerdict {
  const {reference, customerRef, rows, at: startedAt} = orders.planned(at)
  const said = orders.outcome(at)
  const outcome = outcomeOf(orders, at, said)
  const failed = outcome === 'refused' || (outcome === 'unknown' && said !== undefined)
  return {
    externalReference: reference,
    customerRef,
    outcome,
    orderId: outcome === 'pending' ? null : (said?.orderId ?? null),
    total: failed || said?.total == null ? null : digits(said.total),
    error: failed && said ? errorOf(said) : null,
    ...verdictText(orders, at, outcome, said, jobId),
    startedAt,
    updatedAt: said?.at ?? startedAt,
    currency: said?.currency ?? null,
    status: said?.status ?? null,
    rows,
  }
}

function outcomeOf(orders: JobOrders, at: number, said: Outcome | undefined): OrderRow['outcome'] {
  const state = orders.state(at)
  if (state !== 'todo') return state
  // Cut off between a submission and its answer.
  if (orders.isOpen(at)) return 'unknown'
  return said === undefined ? 'pending' : 'refused'
}

/** The verdict on an order: whether it was charged, and why that is certain or what would settle it. */
function verdictText(
  orders: JobOrders,
  at: number,
  outcome: OrderRow['outcome'],
  said: Outcome | undefined,
  jobId: string,
): Pick<OrderVerdict, 'verdict' | 'why'> {
  const resume = `scent jobs resume ${jobId}`
  const message = said?.message ?? ''
  switch (outcome) {
    case 'placed':
      return {verdict: 'CHARGED ONCE', why: `The order stands. ${message}`.trim()}
    case 'already-placed': {
      const why = `The service had this very order before; it was not charged again. ${message}`.trim()
      return {verdict: 'CHARGED ONCE', why}
    }
    case 'pending':
      return {verdict: 'NOT CHARGED', why: `Not begun; nothing was sent. \`${resume}\` goes on.`}
    case 'refused': {
      const again = orders.state(at) === 'todo' ? ` \`${resume}\` does it again.` : ''
      return {verdict: 'NOT CHARGED', why: `${refusedBy(orders, at, said)} ${message}${again}`}
    }
    case 'unknown': {
      const why = `${message || 'Cut off before its answer.'} ${settledBy(orders, at, said, resume)}`
      return {verdict: 'UNKNOWN', why}
    }
  }
}

function refusedBy(orders: JobOrders, at: number, said: Outcome | undefined): string {
  if (!orders.wasSubmitted(at)) return 'No order was sent by this job.'
  const {state = '', http} = said ?? {}
  const isOurs = entryOf(state, http ?? undefined).http === undefined
  return `${isOurs ? 'It was not ordered' : 'The service refused it'} (${state}).`
}

/** What settles an open order, and when. */
function settledBy(orders: JobOrders, at: number, said: Outcome | undefined, resume: string): string {
  if (said?.state === 'CONFLICT_ORDER_REQUIRES_INTERVENTION')
    return 'Only the account manager can settle it: give the reference.'
  if (!orders.wasSubmitted(at))
    return `\`${resume}\` orders under the same reference; only one of the two runs is charged. If there is no other run, take out of the cart what it holds, and resume then.`
  const end = orders.locksEnd(at)
  const sure = end === null ? '' : ` After ${end}, when its last lock has ended, the answer is final.`
  return `\`${resume}\` asks the service again with the same reference.${sure}`
}

export function summaryOf(orders: JobOrders): OrderSummary {
  const open = orders.openCount()
  const pending = orders.count('todo') - open - orders.reopenedCount()
  return {
    placed: orders.count('placed'),
    alreadyPlaced: orders.count('already-placed'),
    refused: orders.count('refused') + orders.reopenedCount(),
    unknown: orders.count('unknown') + open,
    ...(pending > 0 ? {pending} : {}),
  }
}

export function* notCharged(orders: JobOrders, job: JobFile): Generator<OrderVerdict> {
  for (const row of verdictsOf(orders, job)) if (row.verdict !== 'CHARGED ONCE') yield row
}

export function* documentRows(orders: JobOrders, job: JobFile): Generator<OrderRow> {
  for (const row of verdictsOf(orders, job)) yield rowOf(row)
}

export const refusalColumns = [...orderColumns.filter((name) => name !== 'sku'), PROBLEM]

/** Every line of every refused order, as the file has them, with its problem. */
export function* refusalsOf(orders: JobOrders): Generator<object> {
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

export function countsOf(orders: JobOrders): Counts {
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

/**
 * What the exit code tells: 12 before 11, since an unknown order matters more. `note` hears what is worth knowing
 * besides.
 */
export function verdictOn(
  orders: JobOrders,
  {head: {id, options}}: JobFile,
  note: (text: string) => void,
): Failure | undefined {
  const {refused, unknown} = summaryOf(orders)
  const others = orders.otherTotals()
  if (others > 0)
    note(
      `${were(others)} charged another total than the price lock said: the city decides the shipping fee, which no lock knows. \`scent jobs show ${id} --output csv\` names them.`,
    )
  if (unknown > 0) return unsettled(id, unknown, isForAPerson(orders))
  const it = refused === 1 ? 'it' : 'them'
  return (
    chargedAbove(orders, options.maxTotal ?? null) ??
    (refused > 0
      ? rowsRefused(id, `${were(refused)} refused, and this job charged nothing for ${it}.`)
      : undefined)
  )
}

const were = (count: number) => `${counted(count, 'order')} ${count === 1 ? 'was' : 'were'}`

function unsettled(id: string, unknown: number, forAPerson: boolean): Failure {
  const way = forAPerson
    ? 'Only the account manager can settle it: give the references'
    : `Go on with \`scent jobs resume ${id}\``
  return new Failure('ROWS_UNKNOWN', {
    message: `${counted(unknown, 'order')} could not be settled, and may have been charged; \`scent jobs show ${id}\` tells what would settle ${unknown === 1 ? 'it' : 'them'}.`,
    hint: `${way}. Never order them again under other references.`,
  })
}

/** What was charged above --max-total: the city, and with it the shipping fee, is known only when an order is made. */
function chargedAbove(orders: JobOrders, maxTotal: string | null): Failure | undefined {
  const {total, currency} = orders.charged()
  if (maxTotal === null || !total.gt(maxTotal)) return undefined
  return new Failure('CHARGED_ABOVE', {
    message: `The orders stand, and ${amountText(total.toFixed(), currency)} were charged for them, above the --max-total of ${amountText(maxTotal, currency)}.`,
    details: {total: total.toFixed(), maxTotal},
  })
}

/** Whether the service told to leave every unknown order to its account manager. */
function isForAPerson(orders: JobOrders): boolean {
  for (let at = 0; at < orders.size; at++) {
    if (orders.state(at) !== 'unknown') continue
    if (orders.outcome(at)?.state !== 'CONFLICT_ORDER_REQUIRES_INTERVENTION') return false
  }
  return true
}
