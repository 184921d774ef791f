import {exact} from '../../contract/money.ts'
import {fold, type OrderEntry, type Outcome} from '../../store/orders.ts'
import {foldRows} from '../fold.ts'
import type {JobFile} from '../journal.ts'
import type {JobRecord, PlannedRow} from '../records.ts'

type State = 'placed' | 'already-placed' | 'refused' | 'unknown'
type Step = Extract<JobRecord, {step: 'LOCKED' | 'SUBMITTING' | 'OUTCOME'}>

interface Kept {
  /** Whether its cart may hold lines that were added for it. */
  filled: boolean
  /** Whether a create that could have charged was ever written down as sent. */
  submitted: boolean
  /** What was written of it after its plan, as long as it is not settled. */
  steps: readonly Step[]
}

const none: readonly Step[] = []

/** What the journal of an order import adds up to. `todo`: nothing that could charge is open, and nothing is decided. */
export type JobOrders = ReturnType<typeof jobOrders>

export function jobOrders(job: JobFile) {
  const sums = {charged: exact('0'), currency: null as string | null, others: 0, since: null as string | null}
  const keptOf = (): Kept => ({filled: false, submitted: false, steps: none})
  const base = foldRows<PlannedRow, Outcome, State, Kept>(job, keptOf, (row, record, turn) => {
    if (record.step === 'FILLING') row.filled = true
    if (record.step === 'CLEARED') row.filled = false
    if (record.step === 'SUBMITTING') row.submitted = true
    if (record.step === 'LOCKED') sums.since ??= record.pricedAt
    if (record.step === 'LOCKED' || record.step === 'SUBMITTING') row.steps = [...row.steps, record]
    if (record.step !== 'OUTCOME') return
    turn(record.again ? 'todo' : record.outcome === 'abandoned' ? 'refused' : record.outcome)
    row.steps = record.outcome === 'unknown' ? [...row.steps, record] : none
    if (record.outcome !== 'placed' || record.again) return
    // The order took its lines with it, if its own answer says so.
    if (record.state === 'CREATED') row.filled = false
    addCharge(sums, record)
  })
  const {rows} = base
  const isOpen = (at: number) =>
    rows[at]?.state === 'todo' && rows[at].steps.some(({step}) => step === 'SUBMITTING')
  const countTodo = (test: (at: number) => boolean) =>
    rows.reduce((sum, {state}, at) => (state === 'todo' && test(at) ? sum + 1 : sum), 0)
  return Object.assign(base, {
    wasSubmitted: (at: number) => rows[at]?.submitted === true,
    /** Whether a create of it was sent that has no answer yet. */
    isOpen,
    /** How many orders are to be done of which a create is open. */
    openCount: () => countTodo(isOpen),
    /** How many orders are to be done that were refused for the time being. */
    reopenedCount: () => countTodo((at) => !isOpen(at) && rows[at]?.outcome !== undefined),
    /** When the first lock of the job was priced, by the service's clock. */
    since: () => sums.since,
    isFilled: (at: number) => rows[at]?.filled === true,
    /** All that is known of an order that is not settled. */
    entry(at: number): OrderEntry {
      const plan = base.planned(at)
      const entries = new Map<string, OrderEntry>()
      for (const step of [plan, ...(rows[at]?.steps ?? none)]) fold(job.head.id, entries, step)
      return entries.get(plan.reference) as OrderEntry
    },
    /** How many placed orders were charged another total than their locks said. */
    otherTotals: () => sums.others,
    /** What all placed orders were charged. */
    charged: () => ({total: sums.charged, currency: sums.currency}),
    /** The latest moment at which a lock ends that an unsettled order was sent with. */
    locksEnd(at: number): string | null {
      const ends = (rows[at]?.steps ?? none).flatMap((step) =>
        step.step === 'LOCKED' && step.expiresAt !== null ? [step.expiresAt] : [],
      )
      return ends.sort().at(-1) ?? null
    },
  })
}

interface Sums {
  charged: ReturnType<typeof exact>
  currency: string | null
  others: number
}

function addCharge(sums: Sums, {message, total, currency}: Outcome): void {
  if (message !== undefined) sums.others += 1
  if (total !== null) sums.charged = sums.charged.plus(exact(total))
  sums.currency ??= currency
}
