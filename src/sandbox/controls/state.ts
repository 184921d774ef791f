import type {State} from '../core/state.ts'
import {type PeriodRow, periodPayload} from '../rules/commissions.ts'
import {sar} from '../rules/money.ts'
import {type NoticeRow, noticePayload} from '../rules/notices.ts'
import {globalIdOf} from '../rules/orders.ts'
import {allPartners} from '../rules/partners.ts'
import {listedReturn, type ReturnRow} from '../rules/returns.ts'
import {numberOf, type StatementRow} from '../rules/statements.ts'
import {type SubscriptionRow, subscriptionPayload} from '../rules/webhooks.ts'
import {iso, isoOrNull} from '../time/clock.ts'
import {partnerView} from './partners.ts'

const pendingOf = 'SELECT count(*) AS n FROM deliveries WHERE subscription_id = ? AND due_at IS NOT NULL'

/** Everything that tests and people assert on, over all partners. */
export function stateView(state: State): object {
  const {world} = state
  return {
    partners: allPartners(world).map(partnerView),
    carts: cartsOf(state),
    locks: locksOf(state),
    orders: ordersOf(state),
    ordersInFlight: state.inFlight,
    returns: world.all<ReturnRow>('SELECT * FROM returns ORDER BY n').map((row) => listedReturn(state, row)),
    notices: world.all<NoticeRow>('SELECT * FROM notices ORDER BY n').map((row) => noticePayload(world, row)),
    statements: statementsOf(state),
    commissionPeriods: world
      .all<PeriodRow>('SELECT * FROM commission_periods ORDER BY period_from, partner_id')
      .map((row) => ({partnerId: row.partner_id, ...periodPayload(world, row)})),
    subscriptions: world.all<SubscriptionRow>('SELECT * FROM subscriptions ORDER BY n').map((row) => ({
      ...subscriptionPayload(row),
      partnerId: row.partner_id,
      headers: JSON.parse(row.headers) as object,
      signingSecret: row.secret,
      pending: world.get<{n: number}>(pendingOf, row.id)?.n ?? 0,
    })),
    registrations: world.all(
      'SELECT id, partner_id AS partnerId, variant_id AS variantId, fired_at AS firedAt FROM registrations',
    ),
  }
}

/** L09: the API has no list of statements. */
function statementsOf({world}: State): object[] {
  return world.all<StatementRow>('SELECT * FROM statements ORDER BY period_from, partner_id').map((row) => ({
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
  return world
    .all<{id: string; partner_id: string; customer_ref: string}>(
      'SELECT * FROM carts ORDER BY partner_id, customer_ref',
    )
    .map((cart) => ({
      id: cart.id,
      partnerId: cart.partner_id,
      customerRef: cart.customer_ref || null,
      lines: lines
        .filter((line) => line.cart_id === cart.id)
        .map(({variant_id, sku, quantity}) => ({variantId: variant_id, sku, quantity})),
    }))
}

function locksOf({world}: State): object[] {
  return world
    .all<{id: string; partner_id: string; customer_ref: string; expires_at: number; order_id: string | null}>(
      'SELECT * FROM locks ORDER BY created_at, id',
    )
    .map((lock) => ({
      id: lock.id,
      partnerId: lock.partner_id,
      customerRef: lock.customer_ref || null,
      expiresAt: iso(lock.expires_at),
      orderId: lock.order_id,
    }))
}

interface OrderFacts {
  n: number
  id: string
  partner_id: string
  external_reference: string
  customer_ref: string
  status: string
  failure_reason: string | null
  charged: number
  created_at: number
  completed_at: number | null
}

function ordersOf({world}: State): object[] {
  const sql =
    'SELECT *, goods_net + goods_vat + shipping_net + shipping_vat AS charged FROM orders ORDER BY n'
  return world.all<OrderFacts>(sql).map((order) => ({
    id: order.id,
    orderGlobalId: globalIdOf(order.n),
    partnerId: order.partner_id,
    externalReference: order.external_reference,
    customerRef: order.customer_ref || null,
    status: order.status,
    failureReason: order.failure_reason,
    total: sar(order.charged),
    createdAt: iso(order.created_at),
    completedAt: isoOrNull(order.completed_at),
  }))
}
