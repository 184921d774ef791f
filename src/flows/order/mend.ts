import {type Preview, previewCheckout} from '../../contract/checkout.ts'
import {Failure} from '../../contract/failure.ts'
import {addToCart, removeLine, setQuantity} from '../cart/edit.ts'
import {type CartRef, linesOf, viewCart} from '../cart/lines.ts'
import {isBusy, issuesOf, type LineIssue, type Locked, lockCart, notReady, waitForCart} from './lock.ts'
import {cartQuery} from './submit.ts'
import type {Walker, WalkRequest, WalkTools} from './walker.ts'

/**
 * Shows the cart and mends it, line by line, until it can be checked out. Returns the customer in whose cart it was built
 * again instead: the API has no route that changes the partner-level one.
 */
export async function mendCart(
  tools: WalkTools,
  customerRef: CartRef,
  walker: Walker,
): Promise<string | undefined> {
  for (;;) {
    const preview = await tools.client.call(previewCheckout, {query: cartQuery(customerRef)})
    await walker.tell({kind: 'cart', preview})
    if (preview.canCheckout) return undefined
    if (await waitedForCart(tools, customerRef, preview, walker)) continue
    const issues = issuesOf(preview)
    if (preview.cartIssue || issues.length === 0) throw notReady(preview)
    if (customerRef === null) return buildAgain(tools, preview, walker)
    for (const issue of issues) await mendLine(tools, customerRef, issue, walker)
  }
}

async function mendLine(
  tools: WalkTools,
  customerRef: string,
  issue: LineIssue,
  walker: Walker,
): Promise<void> {
  const choice = await walker.mend(issue)
  if (choice === 'cancel')
    throw new Failure('DECLINED', {message: 'Cancelled. Nothing was ordered; the cart stays as it is.'})
  const {variantId} = issue.line
  if (choice === 'take' && issue.take !== undefined)
    await setQuantity(tools.client, customerRef, {variantId, quantity: issue.take})
  else await removeLine(tools.client, customerRef, variantId)
}

/** Puts what can be ordered of the partner-level cart into the empty cart of a customer. That one stays as it is. */
async function buildAgain(tools: WalkTools, preview: Preview, walker: Walker): Promise<string> {
  const issues = issuesOf(preview)
  const takes = new Map(issues.map(({line, take = 0}) => [line.variantId, take]))
  const lines = linesOf(preview)
    .map(({variantId, quantity}) => ({variantId, quantity: takes.get(variantId) ?? quantity}))
    .filter(({quantity}) => quantity > 0)
  // Where nothing can be ordered there is nothing to choose.
  if (lines.length === 0) throw notReady(preview)
  for (let taken: string | undefined; ; ) {
    const customerRef = await walker.buildAgain(issues, taken)
    if (customerRef === undefined) throw notReady(preview)
    if (linesOf(await viewCart(tools.client, customerRef)).length === 0) {
      await addToCart(tools.client, customerRef, lines)
      return customerRef
    }
    taken = customerRef
  }
}

/** Waits while another order is in flight on this cart. False if there is none. */
async function waitedForCart(tools: WalkTools, customerRef: CartRef, preview: Preview, walker: Walker) {
  if (!isBusy(preview)) return false
  await waitForCart(tools, {customerRef}, preview, ({pendingOrderReference: reference = null}, forMs) =>
    walker.tell({kind: 'cart-busy', reference, forMs}),
  )
  return true
}

/** A lock on a cart that can be checked out, mended if somebody is there to do it. */
export async function lockReady(tools: WalkTools, request: WalkRequest, walker: Walker): Promise<Locked> {
  const {customerRef} = request
  for (;;) {
    const outcome = await lockCart(tools, customerRef)
    if (outcome.kind === 'locked') return outcome.locked
    if (await waitedForCart(tools, customerRef, outcome.preview, walker)) continue
    if (!request.interactive || customerRef === null) throw notReady(outcome.preview)
    await mendCart(tools, customerRef, walker)
  }
}
