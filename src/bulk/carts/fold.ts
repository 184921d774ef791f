import {
  type CartOutcome,
  type CartSending,
  type CartTarget,
  type JobFile,
  type JobRecord,
  readerOf,
  type WantedCart,
} from '../journal.ts'

/** `todo`: begun or not, nothing has been decided. */
export type CartState = 'todo' | CartOutcome['outcome']

/**
 * What the journal of a cart import adds up to, a few numbers for each cart: what is wanted and what became of it stays
 * on disk, and is read where it is needed. Carts are numbered from 0 in the order of the plan.
 */
export interface JobCarts {
  /** Takes in what was appended since; true where something was. */
  readOn(): boolean
  readonly size: number
  /** How many lines of the file they are to hold. */
  readonly lines: number
  state(cart: number): CartState
  count(state: CartState): number
  wanted(cart: number): WantedCart
  /** Undefined as long as the cart was not read. */
  target(cart: number): CartTarget | undefined
  /** The last outcome. */
  outcome(cart: number): CartOutcome | undefined
  /** Changes of a cart that is not settled which were written down as leaving, and may still arrive. */
  sent(cart: number): CartSending[]
}

/** All that the journal says by now. */
export function readJobCarts(job: JobFile): JobCarts {
  const carts = jobCarts(job)
  carts.readOn()
  return carts
}

export function jobCarts(job: JobFile): JobCarts {
  const numbers = new Map<string, number>()
  const places: number[] = []
  const targets: number[] = []
  const outcomes: number[] = []
  const states: CartState[] = []
  const sent = new Map<number, CartSending[]>()
  let lines = 0
  const counts: Record<CartState, number> = {todo: 0, done: 0, refused: 0, unknown: 0}

  const turn = (cart: number, state: CartState) => {
    const before = states[cart]
    if (before) counts[before] -= 1
    states[cart] = state
    counts[state] += 1
  }

  function take(record: JobRecord, place: number): void {
    if (record.step === 'WANTED') {
      numbers.set(record.customerRef, places.length)
      turn(places.length, 'todo')
      places.push(place)
      lines += record.lines.length
      return
    }
    const cart = 'customerRef' in record ? numbers.get(record.customerRef) : undefined
    if (cart === undefined) return
    if (record.step === 'TARGET') targets[cart] = place
    if (record.step === 'SENDING') sent.set(cart, [...(sent.get(cart) ?? []), record])
    if (record.step !== 'CART') return
    outcomes[cart] = place
    turn(cart, record.outcome)
    if (record.outcome !== 'unknown') sent.delete(cart)
  }

  const read = <R>(place: number | undefined) =>
    place === undefined ? undefined : (job.at(place) as R | undefined)
  return {
    readOn: readerOf(job, take),
    get size() {
      return places.length
    },
    get lines() {
      return lines
    },
    state: (cart) => states[cart] ?? 'todo',
    count: (state) => counts[state],
    wanted: (cart) => job.at(places[cart] as number) as WantedCart,
    target: (cart) => read<CartTarget>(targets[cart]),
    outcome: (cart) => read<CartOutcome>(outcomes[cart]),
    sent: (cart) => sent.get(cart) ?? [],
  }
}
