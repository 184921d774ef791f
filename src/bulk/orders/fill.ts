import type {Client} from '../../client/client.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {emptyCart, removeLine, setQuantity} from '../../flows/cart/edit.ts'
import {bringToTarget, type CartTools, type CartWork} from '../../flows/cart/goal.ts'
import {
  type CartLine,
  type CartView,
  heldOf,
  idOf,
  linesOf,
  quantities,
  readLines,
} from '../../flows/cart/lines.ts'

/** What a job does with a cart that already holds something: leave it and refuse the order, or empty it. */
export type CartRule = 'require-empty' | 'replace'

interface Wanted {
  customerRef: string
  lines: CartLine[]
}

/** A cart that nothing was read of yet. */
const unread = {items: []} as unknown as CartView

/**
 * Fills a cart with exactly these lines, one request a line if nothing goes wrong: each answer is the cart. `ours`
 * says that an earlier run may have begun it; then it is read first, and what is there already is not added again.
 * Only a line that is not there after a lost answer is added again: should the first add still arrive, the cart no
 * longer equals its lock, and is not ordered. Returns false if somebody else changes the lines again and again. Fails
 * with CART_NOT_EMPTY, with what was added taken back, if the cart held something and the rule is to leave it (see
 * asAnotherRun).
 */
export async function fillExactly(
  client: Client,
  wanted: Wanted,
  rule: CartRule,
  ours: boolean,
): Promise<boolean> {
  const {customerRef, lines} = wanted
  let isFirst = !ours
  const tools: CartTools = {
    client,
    now: () => 0,
    lostAdds: 'again',
    async seen(view, step, isLost) {
      if (isFirst && rule === 'require-empty' && step.do === 'add')
        await requireEmpty(client, customerRef, view, step, isLost)
      isFirst = false
    },
  }
  try {
    const {view} = await bringToTarget(tools, workOf(wanted, rule), ours ? undefined : unread)
    const others = foreignTo(view, lines)
    if (others.length === 0) return true
    await takeBack(client, wanted)
    throw heldAlready(customerRef, others)
  } catch (error) {
    if (isFailure(error, 'CHANGED_MEANWHILE')) return false
    throw error
  }
}

function workOf({customerRef, lines}: Wanted, rule: CartRule): CartWork {
  const targets = [...quantities(lines)].map(([variantId, target]) => ({
    variantId,
    sku: null,
    before: 0,
    target,
  }))
  const mode = rule === 'replace' ? 'replace' : 'merge'
  const known = {lost: new Map(), tries: new Map(), failures: new Map()}
  return {customerRef, mode, wanted: [], targets, ...known}
}

/** The first look at a cart, after the first add to it, shows what it held before. */
async function requireEmpty(
  client: Client,
  customerRef: string,
  view: CartView,
  line: CartLine,
  isLost: boolean,
): Promise<void> {
  const {variantId, quantity} = line
  const now = heldOf(view, variantId)
  if (isLost) {
    if (now !== 0 && now !== quantity) throw heldAlready(customerRef, [{variantId, quantity: now}])
    return
  }
  const before = now - quantity
  const others = foreignTo(view, [line])
  if (before <= 0 && others.length === 0) return
  if (before > 0) await setQuantity(client, customerRef, {variantId, quantity: before})
  else await removeLine(client, customerRef, variantId)
  throw heldAlready(customerRef, before > 0 ? [{variantId, quantity: before}, ...others] : others)
}

function heldAlready(customerRef: string, lines: CartLine[]): Failure {
  const told = lines.map(({variantId, quantity}) => `${quantity} of ${variantId}`).join(', ')
  return new Failure('CART_NOT_EMPTY', {
    message: `The cart of ${customerRef} holds ${told}, which this run did not put there.`,
    details: {lines},
  })
}

/**
 * What CART_NOT_EMPTY says of an order whose own lines are all that its cart holds, each as often: another run may have
 * put them there, and charge the order yet. Undefined if the cart holds anything else.
 */
export function asAnotherRun(failure: Failure, {customerRef, lines}: Wanted): Failure | undefined {
  if (failure.code !== 'CART_NOT_EMPTY') return undefined
  const wanted = quantities(lines)
  const held = (failure.facts.details as {lines: CartLine[]}).lines
  if (!held.every(({variantId, quantity}) => wanted.get(idOf(variantId)) === quantity)) return undefined
  const message = `The cart of ${customerRef} holds lines of this very order already: another run of it may be under way, or was cut off.`
  return new Failure('OUTCOME_UNKNOWN', {message, effect: 'unknown'}, {cause: failure})
}

/**
 * Takes the lines of an order that is not to be out of its cart. What somebody else put there stays: other variants,
 * and more of ours than the order wanted.
 */
export async function takeBack(client: Client, {customerRef, lines}: Wanted): Promise<void> {
  const view = await readLines(client, customerRef)
  const wanted = quantities(lines)
  const held = linesOf(view)
  const ours = held.filter(({variantId, quantity}) => quantity <= (wanted.get(idOf(variantId)) ?? 0))
  if (ours.length === 0) return
  if (ours.length === held.length) {
    await emptyCart(client, customerRef)
    return
  }
  for (const {variantId} of ours) {
    await removeLine(client, customerRef, variantId).catch((error: unknown) => {
      if (!isFailure(error, 'NOT_FOUND_CART_ITEM')) throw error
    })
  }
}

function foreignTo(view: CartView, lines: CartLine[]): CartLine[] {
  const wanted = quantities(lines)
  return linesOf(view).filter(({variantId}) => !wanted.has(idOf(variantId)))
}
