import {type Preview, previewCheckout} from '../../contract/checkout.ts'
import {Failure} from '../../contract/failure.ts'
import {removeLine, setQuantity} from '../cart/edit.ts'
import type {CartRef} from '../cart/lines.ts'
import {isBusy, issuesOf, type LineIssue, type Locked, lockCart, notReady, waitForCart} from './lock.ts'
import {cartQuery} from './submit.ts'
import type {Walker, WalkRequest, WalkTools} from './walker.ts'

/** Shows the cart and mends it, line by line, until it can be checked out. */
export async function mendCart(tools: WalkTools, customerRef: CartRef, walker: Walker): Promise<void> {
  for (;;) {
    const preview = await tools.client.call(previewCheckout, {query: cartQuery(customerRef)})
    await walker.tell({kind: 'cart', preview})
    if (preview.canCheckout) return
    if (await waitedForCart(tools, customerRef, preview, walker)) continue
    const issues = issuesOf(preview)
    if (preview.cartIssue || issues.length === 0) throw notReady(preview)
    for (const issue of issues) await mendLine(tools, customerRef, issue, walker)
  }
}

async function mendLine(
  tools: WalkTools,
  customerRef: CartRef,
  issue: LineIssue,
  walker: Walker,
): Promise<void> {
  const choice = await walker.mend(issue, customerRef !== null)
  if (choice === 'cancel' || customerRef === null)
    throw new Failure('DECLINED', {message: 'Cancelled. Nothing was ordered; the cart stays as it is.'})
  const {variantId} = issue.line
  if (choice === 'take' && issue.take !== undefined)
    await setQuantity(tools.client, customerRef, {variantId, quantity: issue.take})
  else await removeLine(tools.client, customerRef, variantId)
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
    if (!request.interactive) throw notReady(outcome.preview)
    await mendCart(tools, customerRef, walker)
  }
}
