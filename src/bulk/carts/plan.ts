import type {Client} from '../../client/client.ts'
import {readLines} from '../../flows/cart/lines.ts'
import {heldIn, type ImportMode, stepsTo, type TargetLine, targetsOf} from '../../flows/cart/steps.ts'
import type {CheckedRows} from '../file/check.ts'
import type {WantedCart} from '../records.ts'
import {cartsIn} from './file.ts'

/** What an import would do with a cart as it is now. */
export interface CartPlan {
  customerRef: string
  lines: TargetLine[]
  /** Requests that change something. */
  changes: number
}

/** A file of carts that was checked, and the customer of its rows that name none. */
export interface CheckedCarts extends CheckedRows {
  customer: string | undefined
}

/** Reads every cart, and tells what an import would do with it. */
export async function survey(client: Client, carts: CheckedCarts, mode: ImportMode): Promise<CartPlan[]> {
  const plans: CartPlan[] = []
  for await (const {customerRef, lines: wanted} of wantedIn(carts, '')) {
    const held = heldIn(await readLines(client, customerRef))
    const lines = targetsOf(mode, wanted, held)
    plans.push({customerRef, lines, changes: stepsTo(mode, lines, held).length})
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
