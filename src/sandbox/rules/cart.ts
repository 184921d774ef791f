import type {Call, CallOf, FieldRules, Judging, Rules} from '../core/call.ts'
import {count, find, insert, insertAndRead} from '../core/rows.ts'
import {type Cart, cartLines, carts, type Partner, registrations} from '../core/schema.ts'
import type {Row} from '../core/table.ts'
import type {World} from '../core/world.ts'
import type {FieldFault} from '../door/body.ts'
import {invalid, refuse} from '../door/reply.ts'
import {iso} from '../time/clock.ts'
import {cartOf, cartPayload, checkedRef} from './cart-view.ts'
import {assortedVariant, availabilityOf} from './stock.ts'

// C05. not shown: the largest quantity of a line, whether sent or merged.
const maxQuantity = 9_999

function readCart(call: CallOf<'readCart'>): unknown {
  return cartPayload(call, checkedRef(call.params.customerRef))
}

/** C07: the checks in their order. C12: an order that is being made stops no edit. */
export function addCartItem(call: CallOf<'addCartItem'>): unknown {
  const {world, partner, body} = call
  const ref = call.query.customerRef === undefined ? '' : checkedRef(call.query.customerRef)
  refuseUnlessActive(partner)
  const variantId = body.variantId.toLowerCase()
  refuseUnlessSellable(world, partner, variantId)
  const cart = cartOf(world, partner.id, ref) ?? openCart(world, partner.id, ref)
  const line = lineOf(world, cart, variantId)
  if (line === undefined) insertLine(world, cart, variantId, body.quantity)
  else {
    checkQuantity(line.quantity + body.quantity)
    setLine(world, cart, variantId, line.quantity + body.quantity)
  }
  return cartPayload(call, ref)
}

function setCartItem(call: CallOf<'setCartItem'>): unknown {
  return moveLine(call, checkedRef(call.params.customerRef), () => call.body.quantity)
}

function stepCartItem(call: CallOf<'stepCartItem'>): unknown {
  const step = call.body.action === 'increment' ? 1 : -1
  return moveLine(call, checkedRef(call.params.customerRef), (quantity) => quantity + step)
}

function removeCartItem(call: CallOf<'removeCartItem'>): unknown {
  return moveLine(call, checkedRef(call.params.customerRef), () => 0)
}

function clearCart(call: CallOf<'clearCart'>): unknown {
  return emptyCart(call, checkedRef(call.params.customerRef))
}

type CartCall = Pick<Call, 'world' | 'partner' | 'currency' | 'now'>

/** C10: a cart that is not there is empty already. */
function emptyCart(call: CartCall, ref: string): unknown {
  const cart = cartOf(call.world, call.partner.id, ref)
  if (cart !== undefined) deleteCart(call.world, cart.id)
  return cartPayload(call, ref)
}

/**
 * Brings an existing line to a new quantity. Only an increase is checked again: a decrease can never oversell
 * (C09). A line that is not there has nothing to move (C10).
 */
function moveLine(
  call: CartCall & {params: {variantId: string}},
  ref: string,
  target: (quantity: number) => number,
): unknown {
  const {world, partner, params} = call
  const variantId = params.variantId.toLowerCase()
  const cart = cartOf(world, partner.id, ref)
  const line = cart && lineOf(world, cart, variantId)
  if (cart === undefined || line === undefined) refuse('NOT_FOUND_CART_ITEM')
  const quantity = target(line.quantity)
  if (quantity > line.quantity) {
    checkQuantity(quantity)
    refuseUnlessActive(partner)
    refuseUnlessSellable(world, partner, variantId)
  }
  if (quantity === 0) removeLine(world, cart, variantId)
  else if (quantity !== line.quantity) setLine(world, cart, variantId, quantity)
  return cartPayload(call, ref)
}

const quantityRule = `must be from 1 to ${maxQuantity}`
const isQuantity = (quantity: number) => quantity >= 1 && quantity <= maxQuantity

function faultsOfQuantity({body: {quantity = 1}}: Judging<'addCartItem' | 'setCartItem'>): FieldFault[] {
  return isQuantity(quantity) ? [] : [{name: 'quantity', message: quantityRule}]
}

function checkQuantity(quantity: number): void {
  if (!isQuantity(quantity)) invalid({quantity: [quantityRule]})
}

/** C24: asked before new activity: an add, an increase, a lock, an order. The rest goes on. */
export function refuseUnlessActive(partner: Partner): void {
  if (!partner.product_access) refuse('BUSINESS_PRODUCT_ACCESS_DISABLED')
}

/** C06: a line may ask for more than there is. C08: an inactive variant is unavailable, not unknown. */
function refuseUnlessSellable(world: World, partner: Partner, variantId: string): void {
  const facts = assortedVariant(world, partner.id, variantId)
  if (facts === undefined) refuse('NOT_FOUND_VARIANT')
  if (availabilityOf(facts).state === 'Unavailable') refuse('BUSINESS_VARIANT_UNAVAILABLE')
  if (facts.price === null) refuse('BUSINESS_VARIANT_NOT_PRICED')
}

/** C14: a cart never expires. */
function openCart(world: World, partnerId: string, ref: string): Cart {
  const cart = {id: world.id('cart'), partner_id: partnerId, customer_ref: ref, version: 0, lock_id: null}
  insert(world, carts, cart)
  return cart
}

function lineOf(world: World, cart: Cart, variantId: string): {quantity: number} | undefined {
  return find(world, cartLines, {cart_id: cart.id, variant_id: variantId})
}

/** C11: lines stay in the order in which they came; a merge keeps its place. */
function insertLine(world: World, cart: Cart, variantId: string, quantity: number): void {
  world.run(
    `INSERT INTO cart_lines SELECT ?1, ?2, coalesce(max(position), 0) + 1, ?3 FROM cart_lines WHERE cart_id = ?1`,
    cart.id,
    variantId,
    quantity,
  )
  touch(world, cart)
}

function setLine(world: World, cart: Cart, variantId: string, quantity: number): void {
  const sql = 'UPDATE cart_lines SET quantity = ? WHERE cart_id = ? AND variant_id = ?'
  world.run(sql, quantity, cart.id, variantId)
  touch(world, cart)
}

function removeLine(world: World, cart: Cart, variantId: string): void {
  world.run('DELETE FROM cart_lines WHERE cart_id = ? AND variant_id = ?', cart.id, variantId)
  if (count(world, 'FROM cart_lines WHERE cart_id = ?', cart.id) === 0) deleteCart(world, cart.id)
  else touch(world, cart)
}

/** P12: counts a mutation: a lock of an earlier version is unusable, even if the change is undone. */
function touch(world: World, cart: Cart): void {
  world.run('UPDATE carts SET version = version + 1 WHERE id = ?', cart.id)
}

export function deleteCart(world: World, cartId: string): void {
  world.run('DELETE FROM cart_lines WHERE cart_id = ?', cartId)
  world.run('DELETE FROM carts WHERE id = ?', cartId)
}

function notifyBackInStock(call: CallOf<'notifyBackInStock'>): unknown {
  const {world, partner, now} = call
  const variantId = call.params.variantId.toLowerCase()
  const facts = assortedVariant(world, partner.id, variantId)
  if (facts === undefined) refuse('NOT_FOUND_VARIANT')
  if (!partner.notify_enabled) refuse('BUSINESS_NOTIFY_DISABLED') // W08: a flag of the partner
  if (availabilityOf(facts).state !== 'Unavailable') {
    refuse(`BUSINESS_VARIANT_${call.state.assumptions.W06}`)
  }
  // W05. not shown: whether a repeat registers again. Here it is the same one until it has fired.
  const open = 'SELECT * FROM registrations WHERE partner_id = ? AND variant_id = ? AND fired_at IS NULL'
  const {id, created_at} =
    world.get<Row<typeof registrations>>(open, partner.id, variantId) ??
    insertAndRead(world, registrations, {
      id: world.id('registration'),
      partner_id: partner.id,
      variant_id: variantId,
      created_at: now,
    })
  return {id, variantId, partnerId: partner.id, createdAt: iso(created_at), firedAt: null}
}

export const fieldRules = {addCartItem: faultsOfQuantity, setCartItem: faultsOfQuantity} satisfies FieldRules

export const rules = {
  readCart,
  addCartItem,
  setCartItem,
  stepCartItem,
  removeCartItem,
  clearCart,
  notifyBackInStock,
} satisfies Rules
