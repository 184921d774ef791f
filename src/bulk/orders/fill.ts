import type {Client} from '../../client/client.ts'
import {addCartItem} from '../../contract/cart.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {emptyCart, removeLine, setQuantity, takeLineOut} from '../../flows/cart/edit.ts'
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

/** How often a line is added whose answers get lost. */
const ADDS = 3

/**
 * Fills a cart with exactly these lines, one request a line where nothing goes wrong: each answer is the cart. `ours`
 * says that an earlier run may have begun it; then it is read first, and what is there already is not added again.
 * After a lost answer the cart is read and brought to the wanted quantity by an absolute step. Only a line that is not
 * there is added again: should the first add still arrive, the cart no longer equals its lock, and is not ordered.
 * Answers false where somebody else took a line out meanwhile. Fails with CART_NOT_EMPTY, what was added taken back, where the cart held something and the rule is to leave it (see asAnotherRun).
 */
export async function fillExactly(
  client: Client,
  {customerRef, lines}: Wanted,
  rule: CartRule,
  ours: boolean,
): Promise<boolean> {
  try {
    let view: CartView | undefined = ours ? await readLines(client, customerRef) : undefined
    for (const line of lines) view = await fillLine(client, customerRef, line, view, rule)
    for (const line of foreignTo(view, lines)) {
      if (rule === 'require-empty') throw await notEmpty(client, {customerRef, lines}, view)
      view = await takeLineOut(client, customerRef, line.variantId)
    }
    return true
  } catch (error) {
    if (isFailure(error, 'NOT_FOUND_CART_ITEM')) return false
    throw error
  }
}

async function fillLine(
  client: Client,
  customerRef: string,
  line: CartLine,
  known: CartView | undefined,
  rule: CartRule,
): Promise<CartView> {
  let view = known
  for (let adds = 0; ; ) {
    const held = view === undefined ? 0 : heldOf(view, line.variantId)
    if (view !== undefined && held === line.quantity) return view
    if (held > 0) return setQuantity(client, customerRef, line)
    try {
      adds += 1
      const after = await client.call(addCartItem, {query: {customerRef}, body: {...line}})
      if (view === undefined) await requireAlone(client, customerRef, line, after, rule)
      view = after
      if (heldOf(view, line.variantId) === 0) throw lostLine(line)
    } catch (error) {
      if (!isFailure(error, 'OUTCOME_UNKNOWN') || adds === ADDS) throw error
      const first = view === undefined
      view = await readLines(client, customerRef)
      const now = heldOf(view, line.variantId)
      const explained = now % line.quantity === 0 && now <= adds * line.quantity
      if (first && rule === 'require-empty' && !explained)
        throw heldAlready(customerRef, [{...line, quantity: now}])
    }
  }
}

function lostLine({variantId}: CartLine): Failure {
  return new Failure('ODD_ANSWER', {
    message: `The service added ${variantId}, and its cart does not hold it.`,
  })
}

/** The first answer shows what the cart held before. */
async function requireAlone(
  client: Client,
  customerRef: string,
  line: CartLine,
  view: CartView,
  rule: CartRule,
): Promise<void> {
  const before = heldOf(view, line.variantId) - line.quantity
  const others = foreignTo(view, [line])
  if (rule === 'replace' || (before <= 0 && others.length === 0)) return
  if (before > 0) await setQuantity(client, customerRef, {...line, quantity: before})
  else await removeLine(client, customerRef, line.variantId)
  throw heldAlready(customerRef, before > 0 ? [{...line, quantity: before}, ...others] : others)
}

async function notEmpty(client: Client, wanted: Wanted, view: CartView | undefined): Promise<Failure> {
  const others = foreignTo(view, wanted.lines)
  await takeBack(client, wanted)
  return heldAlready(wanted.customerRef, others)
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
 * put them there, and charge the order yet. undefined where the cart holds anything else.
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

function foreignTo(view: CartView | undefined, lines: CartLine[]): CartLine[] {
  const wanted = quantities(lines)
  return view === undefined ? [] : linesOf(view).filter(({variantId}) => !wanted.has(idOf(variantId)))
}
