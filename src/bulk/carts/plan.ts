import type {Client} from '../../client/client.ts'
import {readLines} from '../../flows/cart/lines.ts'
import {heldIn, type ImportMode, stepsTo, type TargetLine, targetsOf} from '../../flows/cart/steps.ts'
import type {CheckedRows} from '../file/check.ts'
import {type RuledOut, readOffers, ruledOut} from '../offers.ts'
import type {WantedCart} from '../records.ts'
import {cartsIn} from './file.ts'

/** What a line is to hold, and why the catalog says that it can't; null if nothing speaks against it. */
export interface PlannedLine extends TargetLine {
  error: RuledOut | null
}

/** What an import would do with a cart as it is now. */
export interface CartPlan {
  customerRef: string
  lines: PlannedLine[]
  /** Requests that change something. */
  changes: number
}

/** A file of carts that was checked, and the customer of its rows that name none. */
export interface CheckedCarts extends CheckedRows {
  customer: string | undefined
}

/** Reads every cart, and tells what an import would do with it. */
export async function survey(client: Client, carts: CheckedCarts, mode: ImportMode): Promise<CartPlan[]> {
  const ids = new Set<string>()
  for await (const {lines} of wantedIn(carts, '')) for (const {variantId} of lines) ids.add(variantId)
  const offers = await readOffers(client, ids)
  const plans: CartPlan[] = []
  for await (const {customerRef, lines: wanted} of wantedIn(carts, '')) {
    const held = heldIn(await readLines(client, customerRef))
    const targets = targetsOf(mode, wanted, held)
    const changes = stepsTo(mode, targets, held).length
    // A variant that is gone can still be taken out, and be held in a smaller quantity.
    const errorOf = ({variantId, before, target}: TargetLine) =>
      (target > before ? ruledOut(variantId, offers) : undefined) ?? null
    const lines = targets.map((line) => ({
      ...line,
      sku: line.sku ?? offers.get(line.variantId)?.sku ?? null,
      error: errorOf(line),
    }))
    plans.push({customerRef, lines, changes})
  }
  return plans
}

/** The carts of a file as the journal keeps them. */
export async function* wantedIn(
  {file, checked, customer, found, names}: CheckedCarts,
  at: string,
): AsyncGenerator<WantedCart> {
  for await (const {customerRef, lines, rows} of cartsIn(file, checked, customer, found)) {
    const wanted = lines.map(({variantId: given = '', sku, quantity}, n) => {
      const variantId = given.toLowerCase()
      return {variantId, sku: sku ?? names.get(variantId)?.sku ?? null, quantity, row: rows[n] ?? 0}
    })
    yield {step: 'WANTED', at, customerRef, lines: wanted}
  }
}
