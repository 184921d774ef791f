import {Failure} from '../../contract/failure.ts'
import {counted} from '../../terminal/text.ts'
import type {JobFile} from '../journal.ts'
import type {Counts} from '../meter.ts'
import type {CartOutcome} from '../records.ts'
import {errorOf, type RowError, rowsRefused} from '../report.ts'
import type {JobCarts} from './fold.ts'

/** `pending`: not begun, or not ended yet. */
type Outcome = CartOutcome['outcome'] | 'pending'

/** What became of a line of an import. `before` and `target` are null as long as its cart was not read. */
interface CartLineRow {
  variantId: string
  sku: string | null
  before: number | null
  target: number | null
  outcome: Outcome
  error: RowError | null
}

/** What became of a cart of an import, as --json shows it. */
interface CartRow {
  customerRef: string
  outcome: Outcome
  lines: CartLineRow[]
}

/** One of its lines for people, with its line in the file; a line that only the cart held has none. */
export interface CartLineView extends CartLineRow {
  customerRef: string
  row: number | null
}

export interface CartSummary {
  done: number
  refused: number
  unknown: number
  /** Not begun, or not ended; only if there are any. */
  pending?: number
}

/** All carts of an import in the order of its plan, each read from the journal when it is asked for. */
export function* cartRowsOf(carts: JobCarts): Generator<CartRow> {
  for (let at = 0; at < carts.size; at++) yield cartRowOf(carts, at)
}

export function* lineViewsOf(carts: JobCarts): Generator<CartLineView> {
  for (let at = 0; at < carts.size; at++) {
    const rows = new Map(carts.planned(at).lines.map(({variantId, row}) => [variantId, row]))
    const {customerRef, lines} = cartRowOf(carts, at)
    for (const line of lines) yield {...line, customerRef, row: rows.get(line.variantId) ?? null}
  }
}

export function cartRowOf(carts: JobCarts, at: number): CartRow {
  const {customerRef, lines} = carts.planned(at)
  const said = carts.outcome(at)
  const targets = carts.target(at)?.lines
  const known = targets ?? lines.map((line) => ({...line, before: null, target: null}))
  return {
    customerRef,
    outcome: said?.outcome ?? 'pending',
    lines: [...known, ...strangers(said, known)].map(({variantId, sku, before, target}) => ({
      variantId,
      sku,
      before,
      target,
      ...outcomeOf(said, variantId),
    })),
  }
}

/** Lines that somebody else put there meanwhile, and that could not be removed. */
function strangers(said: CartOutcome | undefined, known: readonly {variantId: string}[]) {
  const failed = said?.failures.flatMap(({variantId}) => variantId ?? []) ?? []
  return failed
    .filter((id) => !known.some(({variantId}) => variantId === id))
    .map((variantId) => ({variantId, sku: null, before: null, target: 0}))
}

function outcomeOf(said: CartOutcome | undefined, line: string): Pick<CartLineRow, 'outcome' | 'error'> {
  if (said === undefined) return {outcome: 'pending', error: null}
  const failure = said.failures.find(({variantId}) => variantId === null || variantId === line)
  return failure === undefined
    ? {outcome: 'done', error: null}
    : {outcome: failure.outcome, error: errorOf(failure)}
}

export function cartSummaryOf(carts: JobCarts): CartSummary {
  const pending = carts.count('todo')
  return {
    done: carts.count('done'),
    refused: carts.count('refused'),
    unknown: carts.count('unknown'),
    ...(pending > 0 ? {pending} : {}),
  }
}

/**
 * What to correct and import again: with merge the lines that were refused. With replace a file says all that a cart is
 * to hold, so that there the carts with such lines come whole.
 */
export function* refusedLinesOf(carts: JobCarts, mode: string | null | undefined): Generator<object> {
  for (let at = 0; at < carts.size; at++) {
    const {customerRef, lines} = carts.planned(at)
    const failures = carts.state(at) === 'refused' ? (carts.outcome(at)?.failures ?? []) : []
    if (failures.length === 0) continue
    for (const {variantId, quantity} of lines) {
      const failure = failures.find((one) => one.variantId === null || one.variantId === variantId)
      const problem = failure === undefined ? '' : `${failure.state}: ${failure.message}`
      if (failure !== undefined || mode === 'replace') yield {customerRef, variantId, quantity, problem}
    }
  }
}

export function countsOf(carts: JobCarts): Counts {
  return {
    done: carts.count('done') + carts.count('refused'),
    total: carts.size,
    refused: carts.count('refused'),
    unknown: carts.count('unknown'),
    charged: null,
    currency: null,
  }
}

export function* undone(carts: JobCarts): Generator<CartLineView> {
  for (const line of lineViewsOf(carts)) if (line.outcome !== 'done') yield line
}

/** What the exit code tells: 12 before 11, since what is unknown matters more. */
export function verdictOn(carts: JobCarts, {head: {id}}: JobFile): Failure | undefined {
  const {refused, unknown, pending = 0} = cartSummaryOf(carts)
  const goOn = `Go on with \`scent jobs resume ${id}\`.`
  if (unknown > 0)
    return new Failure('ROWS_UNKNOWN', {
      message: `${counted(unknown, 'cart')} could not be settled: an add may still arrive.`,
      hint: `${goOn} It reads the cart first, and adds nothing twice.`,
    })
  if (pending > 0)
    return new Failure('BUSY', {
      message: `${counted(pending, 'cart')} could not be done: another process works there.`,
      hint: goOn,
    })
  if (refused === 0) return undefined
  return rowsRefused(id, `Lines of ${counted(refused, 'cart')} were refused; all others are done.`)
}
