import type {Client} from '../../client/client.ts'
import {
  addCartItem,
  type Cart,
  clearCart,
  removeCartItem,
  setCartItem,
  stepCartItem,
} from '../../contract/cart.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {hasShape} from '../../contract/operation.ts'
import {settleBy} from '../lost.ts'
import {type CartLine, type CartRef, type CartView, heldOf, isOf, showCart, viewCart} from './lines.ts'

/**
 * Adds lines to a cart, each exactly once. Costs one read and one request a line.
 * Fails with OUTCOME_UNKNOWN when the cart holds neither the old quantity nor the new one, or has no such line yet;
 * of several lines the failure says which were added.
 */
export async function addToCart(client: Client, customerRef: CartRef, lines: CartLine[]): Promise<CartView> {
  let view = await viewCart(client, customerRef)
  for (const [at, line] of lines.entries()) {
    try {
      view = await addOne(client, customerRef, line, heldOf(view, line.variantId))
    } catch (error) {
      if (!isFailure(error) || lines.length === 1) throw error
      throw cutShort(error, lines, at)
    }
  }
  return view
}

/** Of several lines, which are in the cart, which one was refused, and which were not tried. */
function cutShort(failure: Failure, lines: CartLine[], at: number): Failure {
  const names = (some: CartLine[]) => some.map(({variantId}) => variantId)
  const given = failure.facts.details
  const details = {
    ...(typeof given === 'object' ? given : {}),
    added: names(lines.slice(0, at)),
    stoppedAt: lines[at]?.variantId,
    notTried: names(lines.slice(at + 1)),
  }
  const message = `${failure.message.replace(/\.$/, '')}: ${lines[at]?.variantId}. ${at} of ${lines.length} lines were added before it.`
  const hint = `Repeat without the lines that were added, or they are added twice. ${failure.hint}`
  return new Failure(failure.code, {...failure.facts, message, details, hint}, {cause: failure.cause})
}

function addOne(client: Client, customerRef: CartRef, line: CartLine, before: number): Promise<CartView> {
  const {variantId, quantity} = line
  const add = () =>
    client.call(addCartItem, {query: customerRef === null ? {} : {customerRef}, body: {variantId, quantity}})
  // A line that does not exist no absolute step can make, and a second add may meet the first one on its way.
  const canSet = before > 0
  return changeOnce(client, customerRef, {variantId, before, target: before + quantity, canSet}, add)
}

/** How many units of a line there were, and are to be. */
interface Change {
  variantId: string
  before: number
  target: number
  /** Whether an absolute step can bring it there. */
  canSet: boolean
}

/**
 * Sends a change that must not arrive twice. After a lost answer the cart is read, and brought to the quantity it should
 * hold by an absolute step, if one can make it.
 */
async function changeOnce(
  client: Client,
  customerRef: CartRef,
  {variantId, before, target, canSet}: Change,
  change: () => Promise<CartView>,
): Promise<CartView> {
  try {
    return await change()
  } catch (error) {
    if (!isFailure(error, 'OUTCOME_UNKNOWN')) throw error
    const view = await settleBy(error, viewCart(client, customerRef))
    const now = heldOf(view, variantId)
    if (now === target) return view
    if (now !== before || customerRef === null || !canSet)
      throw unsettled(error, variantId, before, target, now)
    // Of a line that is not there, nothing can be taken: the service says so.
    return target <= 0
      ? takeLineOut(client, customerRef, variantId)
      : setQuantity(client, customerRef, {variantId, quantity: target})
  }
}

function unsettled(lost: Failure, variantId: string, before: number, target: number, now: number): Failure {
  const message =
    now === before
      ? `The answer was lost. The cart holds ${now} of ${variantId}, as before; the change may still arrive.`
      : `The answer was lost. The cart holds ${now} of ${variantId}; it held ${before}, and should hold ${target}. Somebody else changes this cart.`
  return new Failure(
    'OUTCOME_UNKNOWN',
    {...lost.facts, message, hint: 'Look at the cart with `scent cart show`, then add what is missing.'},
    {cause: lost},
  )
}

/** Sets a line to an absolute quantity of 1 or more. Safe to repeat. */
export function setQuantity(client: Client, customerRef: string, line: CartLine): Promise<Cart> {
  const params = {customerRef, variantId: line.variantId}
  return client.call(setCartItem, {params, body: {quantity: line.quantity}})
}

/**
 * Steps a line by one, exactly once. Costs a read before the step; after a lost answer the cart is read again.
 * Fails with OUTCOME_UNKNOWN when the line holds neither the old quantity nor the new one.
 */
export async function stepLine(
  client: Client,
  customerRef: string,
  variantId: string,
  action: 'increment' | 'decrement',
): Promise<CartView> {
  const before = heldOf(await viewCart(client, customerRef), variantId)
  const target = before + (action === 'increment' ? 1 : -1)
  const step = () => client.call(stepCartItem, {params: {customerRef, variantId}, body: {action}})
  return changeOnce(client, customerRef, {variantId, before, target, canSet: true}, step)
}

/** Removes a line, and returns the cart, which is read if the removal has not answered with it. */
export async function takeLineOut(client: Client, customerRef: string, variantId: string): Promise<CartView> {
  const after = await removeLine(client, customerRef, variantId)
  return hasShape(removeCartItem, after) && isOf(after as Cart, customerRef)
    ? after
    : viewCart(client, customerRef)
}

/**
 * Removes a line. A line that is gone after a lost answer was removed by it. Returns what the service answered, in
 * whatever shape.
 */
export async function removeLine(client: Client, customerRef: string, variantId: string): Promise<CartView> {
  try {
    return await client.call(removeCartItem, {params: {customerRef, variantId}})
  } catch (error) {
    // `unknown` on a refusal means that an earlier attempt of this very call may have run.
    const done = isFailure(error, 'NOT_FOUND_CART_ITEM') && error.facts.effect === 'unknown'
    if (!done) throw error
    return showCart(client, customerRef)
  }
}

export function emptyCart(client: Client, customerRef: string): Promise<Cart> {
  return client.call(clearCart, {params: {customerRef}})
}
