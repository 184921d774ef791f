import type {Client} from '../../client/client.ts'
import {readLines} from '../../flows/cart/lines.ts'
import {heldIn, type ImportMode, stepsTo, type TargetLine, targetsOf} from '../../flows/cart/steps.ts'
import type {CheckedRows} from '../file/check.ts'
import type {JobDraft, WantedCart} from '../journal.ts'
import {cartsIn} from './file.ts'

/** What an import would do with a cart as it is now. */
export interface CartPlan {
  customerRef: string
  lines: TargetLine[]
  /** Requests that change something. */
  changes: number
}

/** A file of carts that was checked, and the variants that its SKUs stand for. */
export interface CheckedCarts extends CheckedRows {
  customer: string | undefined
}

const BATCH = 500

/** Writes every cart of a checked file into the draft of a job. */
export async function planCarts(
  carts: CheckedCarts,
  draft: Pick<JobDraft, 'append'>,
  at: string,
): Promise<void> {
  let batch: WantedCart[] = []
  const flush = async () => {
    await draft.append(batch)
    batch = []
  }
  for await (const cart of wantedIn(carts, at)) {
    batch.push(cart)
    if (batch.length === BATCH) await flush()
  }
  await flush()
}

/** Reads every cart of a checked file, and tells what an import would do with it. Changes nothing. */
export async function* surveyCarts(
  client: Client,
  carts: CheckedCarts,
  mode: ImportMode,
): AsyncGenerator<CartPlan> {
  for await (const {customerRef, lines: wanted} of wantedIn(carts, '')) {
    const held = heldIn(await readLines(client, customerRef))
    const lines = targetsOf(mode, wanted, held)
    yield {customerRef, lines, changes: stepsTo(mode, lines, held).length}
  }
}

async function* wantedIn(
  {file, checked, customer, found, names}: CheckedCarts,
  at: string,
): AsyncGenerator<WantedCart> {
  for await (const {customerRef, lines, rows} of cartsIn(file, checked, customer, found)) {
    const wanted = lines.map(({variantId: given = '', sku, quantity}, n) => {
      const variantId = given.toLowerCase()
      return {variantId, sku: sku ?? names.get(variantId) ?? null, quantity, row: rows[n] ?? 0}
    })
    yield {step: 'WANTED', at, customerRef, lines: wanted}
  }
}
