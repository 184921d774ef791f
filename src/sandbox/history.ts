import {deleteCart, serveAddCartItem} from './cart.ts'
import {cartOf} from './cart-view.ts'
import {lockOf} from './checkout.ts'
import {raiseNotice} from './notices.ts'
import {serveCreateOrder} from './orders.ts'
import {type Partner, partnerByClientId, partnerById} from './partners.ts'
import type {State} from './state.ts'
import {moveWallet} from './wallet.ts'

const day = 86_400_000

/** What Rimal Retail has done before today. Orders go through the same rules as any other. */
export function seedHistory(state: State): void {
  const {world, clock} = state
  const now = clock.now()
  const partner = partnerByClientId(world, 'rimal-retail')
  if (partner === undefined) return
  const closing = partner.wallet ?? 0
  world.run('UPDATE partners SET wallet = 1000000 WHERE id = ?', partner.id)
  const old = placeOrder(state, partner, 'HIST-0001', now - 22 * day, {'RML-SAF-050': 2, 'WRD-JAS-050': 1})
  deliver(state, old, now - 20 * day)
  const recent = placeOrder(state, partner, 'HIST-0002', now - 7 * day, {'NJD-LEA-050': 2, 'RML-TAI-050': 3})
  deliver(state, recent, now - 5 * day)
  const short = placeOrder(state, partner, 'HIST-0003', now - 2 * day, {'SDR-HON-050': 4})
  // 48 of its 72 hours are left.
  raiseNotice(state, short, {lineId: 'SDR-HON-050', availableQuantity: 3}, now - day)
  placeOrder(state, partner, 'HIST-0004', now - day, {'NJD-ROY-050': 20})
  const left = partnerById(world, partner.id)?.wallet ?? 0
  moveWallet(world, partner.id, closing - left, {type: 'TopUp', id: 'TOPUP-1'}, now - day / 2)
  seedDiscountCodes(state, partner, now)
  const soldOut = variantOf(state, 'SDR-HON-100')
  world.run(
    'INSERT INTO registrations VALUES (?, ?, ?, ?, NULL)',
    world.id('registration'),
    partner.id,
    soldOut,
    now - day,
  )
}

function variantOf({world}: State, sku: string): string {
  const found = world.get<{id: string}>('SELECT id FROM variants WHERE sku = ?', sku)
  if (found === undefined) throw new Error(`the demo data has no ${sku}`)
  return found.id
}

/** Orders at a past moment; answers the order's id. A cart that a failed order leaves behind is removed. */
function placeOrder(
  state: State,
  {id}: Partner,
  externalReference: string,
  at: number,
  lines: Record<string, number>,
): string {
  const {world} = state
  const customerRef = externalReference.toLowerCase()
  const partner = partnerById(world, id)
  if (partner === undefined) throw new Error('the partner is gone')
  const base = {state, world, partner, currency: null, now: at}
  for (const [sku, quantity] of Object.entries(lines)) {
    const body = {variantId: variantOf(state, sku), quantity}
    serveAddCartItem({...base, params: {}, query: {customerRef}, body})
  }
  const {lockId} = lockOf(base, customerRef) as {lockId: string}
  const body = {externalReference, customerRef, lockId, shippingAddress: demoAddress}
  const {payload} = serveCreateOrder({...base, params: {}, query: {}, body})
  const left = cartOf(world, id, customerRef)
  if (left !== undefined) deleteCart(world, left.id)
  return (payload as {id: string}).id
}

const demoAddress = {
  recipient: 'Noura Al-Harbi',
  line1: '7421 Olaya Street',
  city: 'Riyadh',
  nationalAddress: 'RHOA7421',
  countryCode: 'SAU',
  phone: '+966500000001',
}

function deliver({world}: State, orderId: string, at: number): void {
  world.run("UPDATE groups SET status = 'Delivered', delivered_at = ? WHERE order_id = ?", at, orderId)
}

// not shown: the name of the flat-amount discount type and of the variant-list scope.
function seedDiscountCodes(state: State, partner: Partner, now: number): void {
  const insert = 'INSERT INTO discount_codes VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, 0, ?, ?)'
  const since = now - 30 * day
  const {world} = state
  const welcome = [
    world.id('discount-code'),
    partner.id,
    'WELCOME10',
    'Percent',
    1_000,
    since,
    now + 300 * day,
  ]
  world.run(insert, ...welcome, null, 1, 'All', '[]', null, since, since)
  const scoped = JSON.stringify([variantOf(state, 'RML-SAF-050'), variantOf(state, 'RML-SAF-100')])
  const saffron = [
    world.id('discount-code'),
    partner.id,
    'SAFFRON25',
    'FixedAmount',
    2_500,
    since,
    now + 60 * day,
  ]
  world.run(insert, ...saffron, 100, null, 'VariantList', scoped, 20_000, since, since)
}
