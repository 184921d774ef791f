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
 * Whose lines a cart may hold: nobody's, as far as is known; `ours`, of this order and added by this job; or those that
 * `another` run of the same order has added, which are only taken over if they are just the lines of this order.
 */
type Holder = 'nobody' | 'ours' | 'another'

/**
 * Fills a cart with exactly these lines, one request a line if nothing goes wrong: each answer is the cart. What may hold
 * lines is read first, and what is there already is not added again.
 * Only a line that is not there after a lost answer is added again: should the first add still arrive, the cart no
 * longer equals its lock, and is not ordered. Returns false if somebody else changes the lines again and again. Fails
 * with CART_NOT_EMPTY if the cart held something and the rule is to leave it (see heldBefore).
 */
export async function fillExactly(
  client: Client,
  wanted: Wanted,
  rule: CartRule,
  holder: Holder,
): Promise<boolean> {
  const {customerRef, lines} = wanted
  let isFirst = holder === 'nobody'
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
    const before = holder === 'nobody' ? unread : await readLines(client, customerRef)
    if (holder === 'another' && rule === 'require-empty') requirePart(before, wanted)
    const {view} = await bringToTarget(tools, workOf(wanted, rule), before)
    const others = foreignTo(view, lines)
    if (others.length === 0) return true
    const there = quantities(holder === 'ours' ? [] : linesOf(before))
    await takeBack(client, {customerRef, lines: lines.filter(({variantId}) => !there.has(idOf(variantId)))})
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
    if (now !== 0 && now !== quantity) throw heldAlready(customerRef, [{variantId, quantity: now}], true)
    return
  }
  const before = now - quantity
  const others = foreignTo(view, [line])
  if (before <= 0 && others.length === 0) return
  // The line is gone if somebody else has emptied the cart meanwhile.
  await (before > 0
    ? setQuantity(client, customerRef, {variantId, quantity: before})
    : removeLine(client, customerRef, variantId)
  ).catch(unlessGone)
  throw heldAlready(customerRef, before > 0 ? [{variantId, quantity: before}, ...others] : others)
}

const unlessGone = (error: unknown) => {
  if (!isFailure(error, 'NOT_FOUND_CART_ITEM')) throw error
}

/** Lines that another run has added are those of the order, or some of them, each as often as the order has it. */
function requirePart(view: CartView, {customerRef, lines}: Wanted): void {
  const wanted = quantities(lines)
  const held = linesOf(view)
  if (held.every(({variantId, quantity}) => wanted.get(idOf(variantId)) === quantity)) return
  throw heldAlready(customerRef, held)
}

/** What a cart held before it was filled, and whether lines that were added to it may still be there. */
interface HeldBefore {
  lines: CartLine[]
  mayHoldOurs: boolean
}

function heldAlready(customerRef: string, lines: CartLine[], mayHoldOurs = false): Failure {
  const told = lines.map(({variantId, quantity}) => `${quantity} of ${variantId}`).join(', ')
  const details: HeldBefore = {lines, mayHoldOurs}
  return new Failure('CART_NOT_EMPTY', {
    message: `The cart of ${customerRef} holds ${told}, which this run did not put there.`,
    details,
  })
}

/** What a cart held that could not be filled for it; undefined of any other failure. */
export function heldBefore(failure: Failure): HeldBefore | undefined {
  return failure.code === 'CART_NOT_EMPTY' ? (failure.facts.details as HeldBefore) : undefined
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
    await removeLine(client, customerRef, variantId).catch(unlessGone)
  }
}

function foreignTo(view: CartView, lines: CartLine[]): CartLine[] {
  const wanted = quantities(lines)
  return linesOf(view).filter(({variantId}) => !wanted.has(idOf(variantId)))
}
