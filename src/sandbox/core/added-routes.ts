import * as z from 'zod/mini'
import {clearCart, readCart, removeCartItem, setCartItem, stepCartItem} from '../../contract/cart.ts'
import {takePriceLock} from '../../contract/checkout.ts'
import {discountCode, updateDiscountCode} from '../../contract/discounts.ts'
import {notice} from '../../contract/notices.ts'
import type {Operation} from '../../contract/operation.ts'
import {orderHeader} from '../../contract/orders.ts'
import {pageQuery, pageOf as pageSchema} from '../../contract/paging.ts'
import {createReturnSingular} from '../../contract/returns.ts'
import {statement} from '../../contract/statements.ts'
import {setWebhookActive, subscription} from '../../contract/webhooks.ts'
import {pageOf} from '../door/page.ts'
import {refuse} from '../door/reply.ts'
import {checkQuantity, emptyCart, moveLine} from '../rules/cart.ts'
import {cartPayload} from '../rules/cart-view.ts'
import {lockOf} from '../rules/checkout.ts'
import {codePayload, ownCode} from '../rules/discounts.ts'
import {sarOrNull} from '../rules/money.ts'
import {type NoticeRow, noticePayload} from '../rules/notices.ts'
import {type OrderRow, orderPayload} from '../rules/order-reads.ts'
import {createdReturn} from '../rules/returns.ts'
import {type StatementRow, statementHead} from '../rules/statements.ts'
import {type SubscriptionRow, serveSetWebhookActive, subscriptionPayload} from '../rules/webhooks.ts'
import type {Assumptions} from './assumptions.ts'
import type {Call, Handler} from './call.ts'
import type {Served} from './routes.ts'

/** Routes that the spec implies and does not document. They are served only when their assumption is turned. */
export function addedRoutes(assumptions: Assumptions): Served[] {
  return [
    ...(assumptions.R07 === 'singular' ? [singularReturns] : []),
    ...(assumptions.H21 === 'alias' ? [activeAlias] : []),
    ...(assumptions.C03 === 'serve' ? bareCartRoutes : []),
    ...(assumptions.G20 === 'serve' ? impliedReads : []),
  ]
}

function served<O extends Operation>(name: string, operation: O, path: string, handler: Handler<O>): Served {
  return {name, operation: {...operation, path}, handler: handler as unknown as Handler<Operation>}
}

const singularReturns: Served = served(
  'createReturnSingular',
  createReturnSingular,
  createReturnSingular.path,
  (call) => createdReturn(call),
)

const activeAlias = served(
  'setWebhookActiveAlias',
  setWebhookActive,
  '/api/v1/scent/webhooks/{webhookId}/active',
  serveSetWebhookActive,
)

const bare = '/api/v1/scent/cart'

const bareCartRoutes: Served[] = [
  served('readBareCart', readCart, bare, (call) => cartPayload(call, '')),
  served('clearBareCart', clearCart, `${bare}/items`, (call) => emptyCart(call, '')),
  served('setBareCartItem', setCartItem, `${bare}/items/{variantId}`, (call) => {
    checkQuantity(call.body.quantity)
    return moveLine(call, '', () => call.body.quantity)
  }),
  served('stepBareCartItem', stepCartItem, `${bare}/items/{variantId}`, (call) =>
    moveLine(call, '', (quantity) => quantity + (call.body.action === 'increment' ? 1 : -1)),
  ),
  served('removeBareCartItem', removeCartItem, `${bare}/items/{variantId}`, (call) =>
    moveLine(call, '', () => 0),
  ),
  served('takeBarePriceLock', takePriceLock, `${bare}/price-lock`, (call) => lockOf(call, '')),
]

const read = {method: 'GET', path: '', auth: 'bearer', repeat: 'freely', fails: []} as const

const listOrders = {
  ...read,
  summary: 'List the own orders, newest first.',
  query: pageQuery,
  payload: pageSchema(orderHeader),
} as const satisfies Operation

const listCarts = {
  ...listOrders,
  summary: 'List the own carts.',
  payload: pageSchema(z.looseObject({})),
} as const
const listStatements = {
  ...listOrders,
  summary: 'List the own statements, newest first.',
  payload: pageSchema(statement),
} as const
const readDiscountCode = {
  ...read,
  summary: 'Read one discount code.',
  payload: discountCode,
  path: updateDiscountCode.path,
} as const
const listNotices = {
  ...listOrders,
  summary: 'List the own notices, newest first.',
  payload: pageSchema(notice),
} as const
const readNotice = {...read, summary: 'Read a notice.', payload: notice} as const
const listWebhooks = {
  ...listOrders,
  summary: 'List the own subscriptions, newest first.',
  payload: pageSchema(subscription),
} as const
const readWallet = {...read, summary: 'Read the own wallet.', payload: z.looseObject({})} as const

const impliedReads: Served[] = [
  served('listOrders', listOrders, '/api/v1/scent/orders', (call) =>
    paged(call, 'orders', 'ORDER BY n DESC', (row) => orderPayload(call, row as unknown as OrderRow)),
  ),
  served('listCarts', listCarts, '/api/v1/scent/carts', (call) =>
    paged(call, 'carts', 'ORDER BY customer_ref', ({customer_ref}) =>
      cartPayload(call, String(customer_ref)),
    ),
  ),
  served('listStatements', listStatements, '/api/v1/statements', (call) =>
    paged(call, 'statements', 'ORDER BY sequence DESC', (row) =>
      statementHead(call.partner, row as unknown as StatementRow),
    ),
  ),
  served('readDiscountCode', readDiscountCode, readDiscountCode.path, ({world, partner, params}) =>
    codePayload(ownCode(world, partner.id, params.discountCodeId.toLowerCase())),
  ),
  served('listNotices', listNotices, '/api/v1/scent/unfulfillable-notices', (call) =>
    paged(call, 'notices', 'ORDER BY n DESC', (row) =>
      noticePayload(call.world, row as unknown as NoticeRow),
    ),
  ),
  served('readNotice', readNotice, '/api/v1/scent/unfulfillable-notices/{noticeId}', (call) => {
    const {noticeId = ''} = call.params as {noticeId?: string}
    const sql = 'SELECT * FROM notices WHERE id = ? AND partner_id = ?'
    const row = call.world.get<NoticeRow>(sql, noticeId.toLowerCase(), call.partner.id)
    return row === undefined ? refuse('NOT_FOUND_UNFULFILLABLE_NOTICE') : noticePayload(call.world, row)
  }),
  served('listWebhooks', listWebhooks, '/api/v1/scent/webhooks', (call) =>
    paged(call, 'subscriptions', 'ORDER BY n DESC', (row) =>
      subscriptionPayload(row as unknown as SubscriptionRow),
    ),
  ),
  served('readWallet', readWallet, '/api/v1/wallet', ({partner}) =>
    partner.wallet === null
      ? refuse('NOT_FOUND_WALLET')
      : {partnerId: partner.id, balance: sarOrNull(partner.wallet), currency: 'SAR'},
  ),
]

function paged(
  {world, partner, query}: Call<typeof listOrders>,
  table: 'orders' | 'carts' | 'statements' | 'notices' | 'subscriptions',
  order: string,
  show: (row: Record<string, unknown>) => unknown,
): unknown {
  const total =
    world.get<{n: number}>(`SELECT count(*) AS n FROM ${table} WHERE partner_id = ?`, partner.id)?.n ?? 0
  const sql = `SELECT * FROM ${table} WHERE partner_id = ? ${order} LIMIT ? OFFSET ?`
  return pageOf(query, total, {ends: false}, (limit, offset) =>
    world.all<Record<string, unknown>>(sql, partner.id, limit, offset).map(show),
  )
}
