import {addCartItem, deleteCart} from '../rules/cart.ts'
import {cartOf} from '../rules/cart-view.ts'
import {lockOf} from '../rules/checkout.ts'
import {issueHour, issuePeriod, openPeriod, settlePeriod} from '../rules/commissions.ts'
import {raiseNotice} from '../rules/notices.ts'
import {createOrder} from '../rules/orders.ts'
import {partnerByClientId, partnerById} from '../rules/partners.ts'
import {closeStatement} from '../rules/statements.ts'
import {moveWallet} from '../rules/wallet.ts'
import {monthStart} from '../time/month.ts'
import {find, insert, update} from './rows.ts'
import type {Partner} from './schema.ts'
import {commissionPeriods, discountCodes, registrations, variants, wishlistItems} from './schema.ts'
import type {State} from './state.ts'
import type {World} from './world.ts'

const day = 86_400_000

/** The history of Rimal Retail before today. Its orders go through the same rules as any other. */
export function seedHistory(sandbox: State, bulkEntries = 0): void {
  // One order failed for want of money, whatever is assumed of overdrafts.
  const state: State = {...sandbox, assumptions: {...sandbox.assumptions, L04: 'refused'}}
  const {world, clock} = state
  const now = clock.now()
  const partner = partnerByClientId(world, 'rimal-retail')
  if (partner === undefined) return
  const closing = partner.wallet ?? 0
  const month = monthStart(now)
  const [before, last] = [monthStart(now, -2), monthStart(now, -1)]
  world.run('UPDATE partners SET wallet = ? WHERE id = ?', opening, partner.id)
  if (bulkEntries > 0) seedLedger(world, partner.id, bulkEntries, before)
  const oldest = placeOrder(state, partner, 'OLD-0001', before + 11.5 * day, {'RML-SAF-050': 4})
  deliver(state, oldest, before + 14 * day)
  moveWallet(world, partner.id, 200_000, {type: 'TopUp', id: 'TOPUP-HIST-1'}, last + 2.4 * day)
  const older = placeOrder(state, partner, 'OLD-0002', last + 4.5 * day, {'RML-TAI-050': 2})
  deliver(state, older, last + 7 * day)
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
  closeStatement(world, partner.id, last, month)
  seedPeriods(world, partner.id, now)
  seedDiscountCodes(state, partner, now)
  seedWishes(state, partner, now)
}

/** The balance before the ledger begins (L03), in halalas. */
const opening = 1_000_000

/**
 * Entries of one second each before `until`, that leave the wallet where it was: pairs of a debit and a credit. One
 * statement makes them, so that a million takes seconds.
 */
function seedLedger(world: World, partnerId: string, count: number, until: number): void {
  world.run(
    `WITH RECURSIVE entry (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM entry WHERE i < ?2),
       priced AS (SELECT i, i % 2 = ?2 % 2 AS debit, 100 + ((?2 - i) / 2 * 37) % 9000 AS amount FROM entry)
     INSERT INTO ledger
       (partner_id, seq, type, amount, balance_before, balance_after, reference_type, reference_id, at)
     SELECT ?1, i, CASE WHEN debit THEN 'Debit' ELSE 'Credit' END, amount,
       ?3 + CASE WHEN debit THEN amount ELSE 0 END, ?3 + CASE WHEN debit THEN 0 ELSE amount END,
       CASE WHEN debit THEN 'Order' ELSE 'TopUp' END, 'BULK-' || i, ?4 - (?2 - i + 1) * 1000 FROM priced`,
    partnerId,
    count,
    opening,
    until,
  )
}

/** The period before the last one is Settled, the last one Issued, whatever day of the month it is. */
function seedPeriods(world: World, partnerId: string, now: number): void {
  const month = monthStart(now)
  const [settled, issued] = [monthStart(now, -2), monthStart(now, -1)].map((at) =>
    openPeriod(world, partnerId, at),
  )
  const issueDate = month + Math.min(7 * day, (now - month) / 2)
  const settleDate = Math.max(month + 14 * day, now + 7 * day)
  const dates = {issue_date: Math.floor(issueDate), settle_date: settleDate}
  update(world, commissionPeriods, {id: issued ?? ''}, dates)
  issuePeriod(world, issued ?? '', Math.min(Math.floor(issueDate) + issueHour, now))
  const before = monthStart(now, -1)
  issuePeriod(world, settled ?? '', before + 7 * day + issueHour)
  settlePeriod(world, settled ?? '', before + 14 * day)
}

function seedWishes(state: State, partner: Partner, now: number): void {
  const {world} = state
  const soldOut = variantOf(state, 'SDR-HON-100')
  insert(world, registrations, {
    id: world.id('registration'),
    partner_id: partner.id,
    variant_id: soldOut,
    created_at: now - day,
  })
  ;['RML-SAF-050', 'NJD-ROY-050', 'SDR-HON-100'].forEach((sku, i) => {
    const item = {customer_ref: 'CUST-1001', variant_id: variantOf(state, sku), added_at: now - (9 - i) * day}
    insert(world, wishlistItems, {...item, partner_id: partner.id})
  })
}

function variantOf({world}: State, sku: string): string {
  const found = find(world, variants, {sku})
  if (found === undefined) throw new Error(`the demo data has no ${sku}`)
  return found.id
}

/** Orders at a past moment and returns the order's id. A cart that a failed order leaves behind is removed. */
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
    addCartItem({...base, params: {}, query: {customerRef}, body})
  }
  const {lockId} = lockOf(base, customerRef) as {lockId: string}
  const body = {externalReference, customerRef, lockId, shippingAddress: demoAddress}
  const {payload} = createOrder({...base, params: {}, query: {}, body})
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
  const {world} = state
  const since = now - 30 * day
  const always = {partner_id: partner.id, valid_from: since, active: 1, created_at: since, modified_at: since}
  insert(world, discountCodes, {
    ...always,
    id: world.id('discount-code'),
    code: 'WELCOME10',
    discount_type: 'Percent',
    value: 10,
    valid_to: now + 300 * day,
    customer_cap: 1,
    scope: 'All',
    scoped_variants: '[]',
  })
  const scoped = [variantOf(state, 'RML-SAF-050'), variantOf(state, 'RML-SAF-100')]
  insert(world, discountCodes, {
    ...always,
    id: world.id('discount-code'),
    code: 'SAFFRON25',
    discount_type: 'FixedAmount',
    value: 25,
    valid_to: now + 60 * day,
    total_cap: 100,
    scope: 'VariantList',
    scoped_variants: JSON.stringify(scoped),
    min_order: 20_000,
  })
}
