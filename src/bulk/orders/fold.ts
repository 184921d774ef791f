import type Big from 'big.js'
import {exact} from '../../contract/money.ts'
import {fold, type OrderEntry, type Outcome} from '../../store/orders.ts'
import {type JobFile, type JobRecord, type PlannedRow, readerOf} from '../journal.ts'

/** `todo`: nothing that could charge is open, and nothing has been decided. */
export type RowState = 'todo' | 'placed' | 'already-placed' | 'refused' | 'unknown'

type Step = Extract<JobRecord, {step: 'LOCKED' | 'SUBMITTING' | 'OUTCOME'}>

/**
 * What the journal of an order import adds up to, a few numbers for each order: what is wanted and what became of it
 * stays on disk, and is read where it is needed. Orders are numbered from 0 in the order of the file.
 */
export interface JobOrders {
  /** Takes in what was appended since; true where something was. */
  readOn(): boolean
  readonly size: number
  /** How many lines all of them have. */
  readonly lines: number
  state(order: number): RowState
  count(state: RowState): number
  planned(order: number): PlannedRow
  /** The last outcome, also of an order that is to be done again. */
  outcome(order: number): Outcome | undefined
  /** Whether a create that could have charged was ever written down as sent. */
  wasSubmitted(order: number): boolean
  /** Whether a create of it was sent that has no answer yet. */
  isOpen(order: number): boolean
  /** How many orders are to be done of which a create is open; and how many that were refused for the time being. */
  openCount(): number
  reopenedCount(): number
  /** When the first lock of the job was priced, by the service's clock. */
  since(): string | null
  /** Whether the cart of the order may hold lines that were added for it. */
  isFilled(order: number): boolean
  /** All that is known of an order that is not settled. */
  entry(order: number): OrderEntry
  /** How many placed orders were charged another total than their locks said. */
  otherTotals(): number
  /** What all placed orders were charged, and the currency. */
  charged(): {total: Big; currency: string | null}
  /** The latest moment at which a lock ends that an unsettled order was sent with. */
  locksEnd(order: number): string | null
}

/** All that the journal says by now. */
export function readJobOrders(job: JobFile): JobOrders {
  const orders = jobOrders(job)
  orders.readOn()
  return orders
}

export function jobOrders(job: JobFile): JobOrders {
  const numbers = new Map<string, number>()
  const places: number[] = []
  const outcomes: number[] = []
  const states: RowState[] = []
  const submitted: boolean[] = []
  const filled: boolean[] = []
  /** What was written of orders that are not settled, after their plan. */
  const live = new Map<number, Step[]>()
  const counts: Record<RowState, number> = {
    todo: 0,
    placed: 0,
    'already-placed': 0,
    refused: 0,
    unknown: 0,
  }
  let lines = 0
  let charged = exact('0')
  let currency: string | null = null
  let otherTotals = 0
  let since: string | null = null

  const turn = (order: number, state: RowState) => {
    const before = states[order]
    if (before) counts[before] -= 1
    states[order] = state
    counts[state] += 1
  }
  const isOpen = (order: number) =>
    states[order] === 'todo' && (live.get(order) ?? []).some(({step}) => step === 'SUBMITTING')
  const countTodo = (test: (order: number) => boolean) =>
    [...live.keys()].filter((order) => states[order] === 'todo' && test(order)).length
  const planned = (order: number) => job.at(places[order] as number) as PlannedRow

  function take(record: JobRecord, place: number): void {
    if (record.step === 'PLANNED') {
      numbers.set(record.reference, places.length)
      turn(places.length, 'todo')
      places.push(place)
      lines += record.lines.length
      return
    }
    const order = 'reference' in record ? numbers.get(record.reference) : undefined
    if (order === undefined) return
    if (record.step === 'FILLING') filled[order] = true
    if (record.step === 'CLEARED') filled[order] = false
    if (record.step === 'LOCKED') since ??= record.pricedAt
    if (record.step === 'SUBMITTING') submitted[order] = true
    if (record.step === 'LOCKED' || record.step === 'SUBMITTING' || record.step === 'OUTCOME') {
      live.set(order, [...(live.get(order) ?? []), record])
    }
    if (record.step === 'OUTCOME') settle(order, record, place)
  }

  function settle(order: number, step: Outcome, place: number): void {
    outcomes[order] = place
    turn(order, step.again ? 'todo' : step.outcome === 'abandoned' ? 'refused' : step.outcome)
    if (step.outcome === 'unknown') return
    if (step.again) live.set(order, [])
    else live.delete(order)
    if (step.outcome !== 'placed') return
    // The order took its lines with it, where its own answer says so.
    if (step.state === 'CREATED') filled[order] = false
    if (step.message !== undefined) otherTotals += 1
    if (step.total !== null) charged = charged.plus(exact(step.total))
    currency ??= step.currency
  }

  return {
    readOn: readerOf(job, take),
    get size() {
      return places.length
    },
    get lines() {
      return lines
    },
    state: (order) => states[order] ?? 'todo',
    count: (state) => counts[state],
    planned,
    outcome(order) {
      const place = outcomes[order]
      return place === undefined ? undefined : (job.at(place) as Outcome)
    },
    wasSubmitted: (order) => submitted[order] === true,
    isOpen,
    openCount: () => countTodo(isOpen),
    reopenedCount: () => countTodo((order) => !isOpen(order) && outcomes[order] !== undefined),
    since: () => since,
    isFilled: (order) => filled[order] === true,
    entry(order) {
      const plan = planned(order)
      const entries = new Map<string, OrderEntry>()
      fold(job.head.id, entries, plan)
      for (const step of live.get(order) ?? []) fold(job.head.id, entries, step)
      return entries.get(plan.reference) as OrderEntry
    },
    otherTotals: () => otherTotals,
    charged: () => ({total: charged, currency}),
    locksEnd(order) {
      const ends = (live.get(order) ?? []).flatMap((step) =>
        step.step === 'LOCKED' && step.expiresAt !== null ? [step.expiresAt] : [],
      )
      return ends.sort().at(-1) ?? null
    },
  }
}
