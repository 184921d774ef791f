import {foldRows} from '../fold.ts'
import type {JobFile} from '../journal.ts'
import type {CartOutcome, CartSending, CartTarget, WantedCart} from '../records.ts'

interface Kept {
  /** Where its target stands in the journal; undefined as long as the cart was not read. */
  target?: number
  /** Changes of a cart that is not settled which were written down as leaving, and may still arrive. */
  sent: readonly CartSending[]
}

const none: readonly CartSending[] = []

/** What the journal of a cart import adds up to. `todo`: begun or not, nothing is decided. */
export type JobCarts = ReturnType<typeof jobCarts>

export function jobCarts(job: JobFile) {
  const keptOf = (): Kept => ({sent: none})
  const base = foldRows<WantedCart, CartOutcome, CartOutcome['outcome'], Kept>(
    job,
    keptOf,
    (row, record, turn, place) => {
      if (record.step === 'TARGET') row.target = place
      if (record.step === 'SENDING') row.sent = [...row.sent, record]
      if (record.step !== 'CART') return
      turn(record.outcome)
      if (record.outcome !== 'unknown') row.sent = none
    },
  )
  return Object.assign(base, {
    /** What its lines are to hold; undefined as long as the cart was not read. */
    target(at: number): CartTarget | undefined {
      const place = base.rows[at]?.target
      return place === undefined ? undefined : (job.at(place) as CartTarget)
    },
    sent: (at: number) => base.rows[at]?.sent ?? none,
  })
}
