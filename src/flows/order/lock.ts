import {type Preview, type PreviewLine, previewCheckout, takePriceLock} from '../../contract/checkout.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {millis} from '../../contract/forms.ts'
import type {Digits} from '../../contract/money.ts'
import {type CartLine, type CartRef, linesOf, sameLines} from '../cart/lines.ts'
import {OUTAGE_MS} from '../outage.ts'
import {type Open, type OrderOutcome, refusedOrUnknown} from './machine.ts'
import {isAbove, priceOf} from './price.ts'
import {note, type OrderIntent, type OrderTools, type PriceLock} from './records.ts'
import {cartQuery, submitLock} from './submit.ts'

/** A create is not started with less of its lock left than this: a lost answer needs time to be asked again. */
const LOCK_RESERVE_MS = 60_000

const LOCK_RACES = 5

/** A preview that took a lock, as the flow and its screen need it. */
export interface Locked {
  lock: PriceLock & {total: Digits}
  preview: Preview
  lines: CartLine[]
  /** Monotonic milliseconds at which the service drops the lock; null if it did not say. */
  endsAt: number | null
}

type LockOutcome = {kind: 'locked'; locked: Locked} | {kind: 'blocked'; preview: Preview}

type Clocked = Pick<OrderTools, 'client' | 'now' | 'sleep' | 'random' | 'signal'>

/**
 * Prices a cart and takes a lock if it can be checked out. A lost race for the lock is tried again, five times. The
 * end of the lock is counted from the service's own times, not from this machine's clock.
 * Fails with ODD_ANSWER when a lock comes without what an order needs to be safe.
 */
export async function lockCart(tools: Clocked, customerRef: CartRef): Promise<LockOutcome> {
  const query = {lock: true, ...cartQuery(customerRef)}
  const preview = await raced(tools, () => tools.client.call(previewCheckout, {query}))
  return preview.canCheckout ? {kind: 'locked', locked: asLocked(tools, preview)} : {kind: 'blocked', preview}
}

/**
 * Takes a lock by the operation of its own, which refuses a cart that can't be checked out. Returns what the service
 * did, in whatever shape: nothing is ordered with it here.
 */
export function lockByRoute(tools: Clocked, customerRef: string): Promise<Preview> {
  return raced(tools, () => tools.client.call(takePriceLock, {params: {customerRef}}))
}

async function raced(tools: Clocked, take: () => Promise<Preview>): Promise<Preview> {
  for (let race = 1; ; race++) {
    try {
      return await take()
    } catch (error) {
      if (!isFailure(error, 'CONFLICT_PRICE_LOCK_CREATE_RACE') || race === LOCK_RACES) throw error
      await tools.sleep(200 * 2 ** race * tools.random(), tools.signal)
    }
  }
}

function asLocked(tools: Clocked, preview: Preview): Locked {
  const {lockId, chargedWithVat: total} = preview
  const missing = !lockId ? 'lockId' : total === null || total === undefined ? 'chargedWithVat' : undefined
  if (missing || !lockId || total === null || total === undefined) {
    const message = `The service says that the cart can be checked out, and sends a lock without ${missing}.`
    throw new Failure('ODD_ANSWER', {message})
  }
  const lasts = lifetime(preview)
  const endsAt = lasts === null ? null : tools.now() + lasts
  const usableUntil = endsAt === null ? null : endsAt - LOCK_RESERVE_MS
  return {lock: {lockId, total, usableUntil}, preview, lines: linesOf(preview), endsAt}
}

/** Milliseconds from the service's pricing to the end of its lock, by its own clock. */
function lifetime(preview: Preview): number | null {
  const lasts = millis(String(preview.lockExpiresAt)) - millis(String(preview.pricedAt))
  return Number.isFinite(lasts) ? lasts : null
}

/** What can be done about a line that stops a checkout. */
export interface LineIssue {
  line: PreviewLine
  issue: string
  /** Units that could be taken instead; absent if none can. */
  take?: number
}

export function issuesOf(preview: Preview): LineIssue[] {
  return preview.lines
    .filter((line) => !line.ok)
    .map((line) => {
      const issue = line.issue ?? 'UNKNOWN'
      const some = issue === 'INSUFFICIENT_STOCK' ? Number(line.availableQuantity ?? 0) : 0
      return some > 0 ? {line, issue, take: some} : {line, issue}
    })
}

/** The refusal of a cart as it stands, with the facts a script needs to mend it. */
export function notReady(preview: Preview): Failure {
  if (preview.cartIssue === 'PRODUCT_ACCESS_DISABLED') return new Failure('BUSINESS_PRODUCT_ACCESS_DISABLED')
  if (preview.cartIssue === 'CART_HAS_PENDING_ORDER') {
    const details = {cartIssue: preview.cartIssue, pendingOrderReference: preview.pendingOrderReference}
    return new Failure('CONFLICT_CART_HAS_PENDING_ORDER', {details})
  }
  if (preview.lines.length === 0) {
    const {customerRef} = preview
    const whose = typeof customerRef === 'string' ? ` --customer ${customerRef}` : ''
    return new Failure('BUSINESS_CART_NOT_CHECKOUT_READY', {
      message: 'The cart is empty.',
      hint: `Fill it: \`scent cart add SKU${whose}\`.`,
      details: {lines: []},
    })
  }
  const lines = issuesOf(preview).map(({line, issue}) => ({
    variantId: line.variantId,
    sku: line.sku ?? null,
    quantity: line.quantity,
    issue,
    availableQuantity: line.availableQuantity ?? null,
  }))
  return new Failure('BUSINESS_CART_NOT_CHECKOUT_READY', {
    details: {cartIssue: preview.cartIssue ?? null, lines},
    ...(preview.customerRef === null && {
      hint: 'The API has no route that changes the partner-level cart. Build it again for a customer: `scent cart add SKU` and `scent checkout` with --customer REF.',
    }),
  })
}

/** How long an order of somebody else is waited for to leave a cart, and the longest pause between two looks at it. */
const CART_BUSY_MS = 120_000
const LONGEST_PAUSE_MS = 15_000

export const isBusy = ({cartIssue}: Preview) => cartIssue === 'CART_HAS_PENDING_ORDER'

/**
 * Waits while an order is in flight on a cart: for one of this `reference` as long as an outage is waited for, for one
 * of somebody else two minutes. Then it fails as the cart does; and with INTERRUPTED as soon as the user stops waiting
 * for somebody else.
 */
export async function waitForCart(
  tools: Clocked & Pick<OrderTools, 'stop'>,
  {customerRef, reference}: Partial<OrderIntent> & Pick<OrderIntent, 'customerRef'>,
  blocked: Preview,
  pausing: (preview: Preview, forMs: number, ours: boolean) => Promise<void>,
): Promise<void> {
  const began = tools.now()
  let preview = blocked
  for (let pause = 1000; isBusy(preview); pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const ours = reference !== undefined && preview.pendingOrderReference === reference
    if (tools.now() + pause - began > (ours ? OUTAGE_MS : CART_BUSY_MS)) throw notReady(preview)
    await pausing(preview, pause, ours)
    const signal = ours ? undefined : (tools.stop ?? tools.signal)
    await tools.sleep(pause, signal)
    if (signal?.aborted) throw new Failure('INTERRUPTED', {effect: 'none'})
    preview = await tools.client.call(previewCheckout, {query: cartQuery(customerRef)})
  }
}

type CheckoutOutcome =
  | OrderOutcome
  | {kind: 'blocked'; preview: Preview}
  /** The total went above the approved one, or the lines changed: decide on `locked` and come again. */
  | {kind: 'changed'; locked: Locked}

/**
 * Orders what `locked`, whose lock is on disk already, holds, charging at most `approved`. A lock that runs out on the
 * way is taken again; the order goes on by itself as long as the lines are the same and the total is not above the
 * approved. `before` are the attempts that were open already. One that this run leaves open is for another run to settle.
 */
export async function orderLocked(
  tools: OrderTools,
  intent: OrderIntent,
  first: Locked,
  approved: Digits | string,
  before: Open = [],
): Promise<CheckoutOutcome> {
  let locked = first
  let open = before
  for (let tries = 0; ; tries++) {
    if (tries > 0 || outOfTime(tools, locked)) {
      const again = await lockAgain(tools, intent, approved)
      if (again.kind !== 'locked') return again
      locked = again.locked
      await noteLock(tools, intent, locked)
    }
    const outcome = await submitLock(tools, intent, locked.lock, open)
    if (outcome.kind !== 'relock') return outcome
    open = outcome.open
    const isOurs = before.length === 0 && open.length > 0
    if (isOurs || tries === LOCK_RACES)
      return open.length > 0 ? refusedOrUnknown(outcome.failure, open) : outcome
  }
}

export function outOfTime(tools: Pick<OrderTools, 'now'>, {lock}: Locked): boolean {
  return lock.usableUntil !== null && tools.now() >= lock.usableUntil
}

/** A new lock on the cart of an order, which is `changed` if it holds other lines or costs more than approved. */
export async function lockAgain(
  tools: OrderTools,
  {customerRef, lines}: OrderIntent,
  approved: Digits | string,
): Promise<LockOutcome | {kind: 'changed'; locked: Locked}> {
  const again = await lockCart(tools, customerRef)
  if (again.kind === 'blocked') return again
  const same = lines === null || sameLines(lines, again.locked.lines)
  return same && !isAbove(again.locked.lock.total, approved) ? again : {kind: 'changed', locked: again.locked}
}

/** Writes a lock down, before anything is submitted with it. */
export function noteLock(
  tools: OrderTools,
  {reference}: OrderIntent,
  {lock, preview, lines}: Locked,
): Promise<void> {
  const {lockExpiresAt: expiresAt = null, pricedAt = null} = preview
  const {shipping} = priceOf(preview)
  return note(tools, {
    step: 'LOCKED',
    reference,
    lockId: lock.lockId,
    expiresAt,
    pricedAt,
    total: String(lock.total),
    ...(shipping === null ? {} : {shipping: String(shipping)}),
    lines,
  })
}
