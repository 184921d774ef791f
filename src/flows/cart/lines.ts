import type {CallOptions} from '../../client/call.ts'
import type {Client} from '../../client/client.ts'
import {type Cart, readCart} from '../../contract/cart.ts'
import {type Preview, previewCheckout} from '../../contract/checkout.ts'
import {needed, oddAnswer} from '../../contract/operation.ts'

/** null stands for the bare, partner-level cart. */
export type CartRef = string | null

export interface CartLine {
  variantId: string
  quantity: number
}

/** A cart as whichever route could show it: its own, or for the bare cart the preview. */
export type CartView = Cart | Preview

/** Ids of variants are compared in lower case. */
export const idOf = (variantId: string) => variantId.toLowerCase()

/** Quantity by variant id, in lower case. */
export function quantities(lines: readonly CartLine[]): Map<string, number> {
  const held = new Map<string, number>()
  for (const {variantId, quantity} of lines)
    held.set(idOf(variantId), (held.get(idOf(variantId)) ?? 0) + quantity)
  return held
}

export function sameLines(a: readonly CartLine[], b: readonly CartLine[]): boolean {
  const left = quantities(a)
  const right = quantities(b)
  return left.size === right.size && [...left].every(([id, quantity]) => right.get(id) === quantity)
}

export function linesOf(view: CartView): CartLine[] {
  const lines = 'lines' in view ? (view as Preview).lines : (view as Cart).items
  return lines.map(({variantId, quantity}) => ({variantId, quantity}))
}

/** How many units of a variant a cart holds. */
export function heldOf(view: CartView, variantId: string): number {
  return quantities(linesOf(view)).get(idOf(variantId)) ?? 0
}

/**
 * A cart as the service shows it, in whatever shape. The bare cart has no route of its own to read it; the preview shows
 * its lines. Nor has the cart of a customer whose reference is the name of that route.
 */
export function showCart(client: Client, customerRef: CartRef): Promise<CartView> {
  return customerRef === null || hasNoRead(customerRef)
    ? previewOf(client, customerRef, {onlyShown: true})
    : client.call(readCart, {params: {customerRef}}, {onlyShown: true})
}

const previewOf = (client: Client, customerRef: CartRef, options: CallOptions = {}) =>
  client.call(previewCheckout, {query: customerRef === null ? {} : {customerRef}}, options)

const hasNoRead = (customerRef: CartRef) => customerRef === null || customerRef === 'checkout-preview'

/** The cart with its lines, to go on from. Fails with ODD_ANSWER if the answer does not show them. */
export function viewCart(client: Client, customerRef: CartRef): Promise<CartView> {
  return customerRef === null || hasNoRead(customerRef)
    ? previewOf(client, customerRef)
    : readLines(client, customerRef)
}

/** The cart of a customer with its lines. Fails with ODD_ANSWER if the answer is not that. */
export async function readLines(client: Client, customerRef: string): Promise<Cart> {
  const cart = needed(readCart, await client.call(readCart, {params: {customerRef}}))
  if (isOf(cart, customerRef)) return cart
  throw oddAnswer(readCart, 'The service answered with a cart that does not say whose it is.')
}

/** not shown: whether an empty cart repeats the reference it was asked by. */
export const isOf = (cart: Cart, customerRef: string) =>
  cart.items.length === 0 || cart.customerRef === customerRef
