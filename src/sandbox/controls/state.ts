import {count, findAll} from '../core/rows.ts'
import {
  carts,
  commissionPeriods,
  locks,
  notices,
  type Order,
  orders,
  registrations,
  returns,
  statements,
  subscriptions,
} from '../core/schema.ts'
import type {State} from '../core/state.ts'
import {periodPayload} from '../rules/commissions.ts'
import {sar} from '../rules/money.ts'
import {noticePayload} from '../rules/notices.ts'
import {globalIdOf} from '../rules/orders.ts'
import {allPartners} from '../rules/partners.ts'
import {listedReturn} from '../rules/returns.ts'
import {numberOf} from '../rules/statements.ts'
import {subscriptionPayload} from '../rules/webhooks.ts'
import {iso, isoOrNull} from '../time/clock.ts'
import {partnerView} from './partners.ts'

const pending = 'FROM deliveries WHERE subscription_id = ? AND due_at IS NOT NULL'

/** Everything that tests and people assert on, over all partners. */
export function stateView(state: State): object {
  const {world} = state
  return {
    partners: allPartners(world).map(partnerView),
    carts: cartsOf(state),
    locks: locksOf(state),
    orders: ordersOf(state),
    ordersInFlight: state.inFlight,
    returns: findAll(world, returns, {}, 'n').map((row) => listedReturn(state, row)),
    notices: findAll(world, notices, {}, 'n').map((row) => noticePayload(world, row)),
    statements: statementsOf(state),
    commissionPeriods: findAll(world, commissionPeriods, {}, 'period_from, partner_id').map((row) => ({
      partnerId: row.partner_id,
      ...periodPayload(world, row),
    })),
    subscriptions: findAll(world, subscriptions, {}, 'n').map((row) => ({
      ...subscriptionPayload(row),
      partnerId: row.partner_id,
      headers: JSON.parse(row.headers) as object,
      signingSecret: row.secret,
      pending: count(world, pending, row.id),
    })),
    registrations: findAll(world, registrations, {}, 'id').map((row) => ({
      id: row.id,
      partnerId: row.partner_id,
      variantId: row.variant_id,
      firedAt: row.fired_at,
    })),
  }
}

/** L09: the API has no list of statements. */
function statementsOf({world}: State): object[] {
  return findAll(world, statements, {}, 'period_from, partner_id').map((row) => ({
    id: row.id,
    partnerId: row.partner_id,
    statementNumber: numberOf(row.sequence),
    periodFrom: iso(row.period_from),
    periodTo: iso(row.period_to),
  }))
}

function cartsOf({world}: State): object[] {
  const lines = world.all<{cart_id: string; variant_id: string; quantity: number; sku: string}>(
    `SELECT l.cart_id, l.variant_id, l.quantity, v.sku FROM cart_lines l JOIN variants v ON v.id = l.variant_id
     ORDER BY l.cart_id, l.position`,
  )
  return findAll(world, carts, {}, 'partner_id, customer_ref').map((cart) => ({
    id: cart.id,
    partnerId: cart.partner_id,
    customerRef: cart.customer_ref || null,
    lines: lines
      .filter((line) => line.cart_id === cart.id)
      .map(({variant_id, sku, quantity}) => ({variantId: variant_id, sku, quantity})),
  }))
}

function locksOf({world}: State): object[] {
  return findAll(world, locks, {}, 'created_at, id').map((lock) => ({
    id: lock.id,
    partnerId: lock.partner_id,
    customerRef: lock.customer_ref || null,
    expiresAt: iso(lock.expires_at),
    orderId: lock.order_id,
  }))
}

function ordersOf({world}: State): object[] {
  return findAll(world, orders, {}, 'n').map((order) => ({
    id: order.id,
    orderGlobalId: globalIdOf(order.n),
    partnerId: order.partner_id,
    externalReference: order.external_reference,
    customerRef: order.customer_ref || null,
    status: order.status,
    failureReason: order.failure_reason,
    total: sar(chargedFor(order)),
    createdAt: iso(order.created_at),
    completedAt: isoOrNull(order.completed_at),
  }))
}

const chargedFor = ({goods_net, goods_vat, shipping_net, shipping_vat}: Order) =>
  goods_net + goods_vat + shipping_net + shipping_vat
