import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {type Answer, callerOf, control, variantOf} from '../sandbox/caller.ts'
import {codeBody} from '../sandbox/read-refusals.ts'
import {address} from '../support/address.ts'
import {serve} from '../support/server.ts'
import type {Sandbox} from '../support/types.ts'
import type {ResourceName} from './resources.ts'

export type Answers = {[Name in ResourceName]: unknown[]}
type Caller = ReturnType<typeof callerOf>

/** Real answers of a sandbox, of every resource in as many of its forms as there are. */
export async function gather(): Promise<Answers> {
  const answers = {} as Answers
  const keep = (name: ResourceName, ...payloads: unknown[]) => {
    answers[name] = [...(answers[name] ?? []), ...payloads]
  }
  const sandbox = await createSandbox({limits: false})
  const synced = await createSandbox({limits: false, assume: ['O20=synced']})
  await gatherReads(sandbox, keep)
  await gatherCarts(sandbox, keep)
  await gatherOrders(sandbox, synced, keep)
  await gatherReturns(sandbox, keep)
  await gatherNotices(sandbox, keep)
  await gatherWebhooks(sandbox, keep)
  await gatherStatements(sandbox, keep)
  await Promise.all([sandbox.close(), synced.close()])
  return answers
}

type Keep = (name: ResourceName, ...payloads: unknown[]) => void

const dinar = {headers: {'x-partner-currency': 'KWD'}}
const payloadOf = async (answer: Promise<Answer>) => {
  const {status, state, payload, details} = await answer
  if (status >= 400) throw new Error(`${state} ${JSON.stringify(details)}`)
  return payload
}

/** Asks twice: without a display currency, and with one. */
async function both({ask}: Caller, path: string, query = ''): Promise<unknown[]> {
  return [await payloadOf(ask('GET', path, {query})), await payloadOf(ask('GET', path, {query, ...dinar}))]
}
const items = (pages: unknown[]) => pages.flatMap((page) => (page as {items: unknown[]}).items)

async function gatherReads(sandbox: Sandbox, keep: Keep): Promise<void> {
  const caller = callerOf(sandbox)
  const {ask} = caller
  const [credential] = sandbox.credentials
  const {clientId, clientSecret} = credential ?? {}
  keep('token', await payloadOf(ask('POST', '/auth/token', {body: {clientId, clientSecret}})))
  const all = 'pageSize=100&activeOnly=false&include=pricing,availability,tax'
  keep('variant', ...items(await both(caller, '/scent/variants', all)))
  keep('variant', ...items(await both(callerOf(sandbox, 'warda-boutique'), '/scent/variants')))
  keep('wishlist', await payloadOf(ask('GET', '/scent/wishlist/CUST-1001')))
  const soldOut = variantOf(sandbox, 'NJD-LEA-100')
  keep('registration', await payloadOf(ask('POST', `/scent/cart/notify/${soldOut}`)))
  keep('discountCode', ...items([await payloadOf(ask('GET', '/scent/discount-codes'))]))
  const scoped = {productScope: 'VariantList', scopedVariantIds: [soldOut], totalUsageCap: null}
  const body = {...codeBody, ...scoped, code: 'NEW'}
  const created = await payloadOf(ask('POST', '/scent/discount-codes', {body}))
  keep('discountCode', created)
  keep('discountCode', await payloadOf(ask('PATCH', `/scent/discount-codes/${created.id}`, {body: codeBody})))
  keep('walletTransaction', ...items(await both(caller, '/wallet/transactions')))
  const {statements} = (await control(sandbox, 'GET', 'state')).payload
  const statement = await payloadOf(ask('GET', `/statements/${statements[0].id}`))
  keep('statement', statement)
  keep('statementDocument', statement.document)
  const report = {query: 'from=2000-01-01&to=2100-01-01'}
  for (const who of ['rimal-retail', 'warda-boutique']) {
    keep(
      'statementDocument',
      await payloadOf(callerOf(sandbox, who).ask('GET', '/statements/report', report)),
    )
  }
}

const goods = (sandbox: Sandbox, lines: Record<string, number>) =>
  Object.fromEntries(Object.entries(lines).map(([sku, quantity]) => [variantOf(sandbox, sku), quantity]))

async function gatherCarts(sandbox: Sandbox, keep: Keep): Promise<void> {
  const caller = callerOf(sandbox)
  const {ask} = caller
  keep('cart', ...(await both(caller, '/scent/cart/nobody')))
  keep('preview', ...(await both(caller, '/scent/cart/checkout-preview')))
  // One line of each mode, one that runs short, one that loses its price.
  const lines = goods(sandbox, {'RML-SAF-050': 1, 'NJD-LEA-050': 1, 'RML-NIG-050': 1, 'WRD-JAS-050': 1})
  await caller.filled('C-1', lines)
  await control(sandbox, 'PATCH', 'variants/RML-NIG-050', {stock: 0})
  await control(sandbox, 'PATCH', 'variants/WRD-JAS-050', {price: null})
  keep('cart', ...(await both(caller, '/scent/cart/C-1')))
  keep('preview', ...(await both(caller, '/scent/cart/C-1/checkout-preview')))
  await control(sandbox, 'PATCH', 'partners/rimal-retail', {productAccess: false})
  keep('preview', await payloadOf(ask('GET', '/scent/cart/C-1/checkout-preview')))
  await control(sandbox, 'PATCH', 'partners/rimal-retail', {productAccess: true})
  await caller.filled('C-2', goods(sandbox, {'RML-SAF-050': 1}))
  keep('preview', ...(await both(caller, '/scent/cart/C-2/checkout-preview', 'lock=true')))
  const body = {variantId: variantOf(sandbox, 'RML-SAF-050'), quantity: 1}
  keep('cart', await payloadOf(ask('POST', '/scent/cart/items', {body})))
  await gatherPending(sandbox, keep)
  const warda = callerOf(sandbox, 'warda-boutique')
  await warda.filled('C-1', goods(sandbox, {'RML-SAF-050': 1}))
  keep('cart', ...(await both(warda, '/scent/cart/C-1')))
  keep('preview', ...(await both(warda, '/scent/cart/C-1/checkout-preview')))
}

/** A preview while an order of its cart is being made. */
async function gatherPending(sandbox: Sandbox, keep: Keep): Promise<void> {
  const caller = callerOf(sandbox)
  const {lockId} = (await caller.filled('C-3', goods(sandbox, {'RML-SAF-050': 1}))).payload
  await control(sandbox, 'POST', 'faults', {match: {operation: 'createOrder'}, effect: 'slow', delayMs: 300})
  const making = caller.order('PO-SLOW', lockId, 'C-3')
  while (sandbox.state.inFlight.length === 0) await new Promise((turn) => setTimeout(turn, 5))
  keep('preview', await payloadOf(caller.ask('GET', '/scent/cart/C-3/checkout-preview')))
  await making
}

async function gatherOrders(sandbox: Sandbox, synced: Sandbox, keep: Keep): Promise<void> {
  const caller = callerOf(sandbox)
  const lines = goods(sandbox, {'RML-SAF-050': 1, 'NJD-LEA-050': 1})
  const place = async (who: Caller, ref: string, more: object = {}) => {
    const {lockId} = (await who.filled(ref, lines)).payload
    return payloadOf(who.order(`PO-${ref}`, lockId, ref, more))
  }
  const plain = await place(caller, 'O-1')
  const discounted = await place(caller, 'O-2', {discountCode: 'WELCOME10'})
  const failed = await place(callerOf(sandbox, 'warda-boutique'), 'O-3')
  const body = {variantId: variantOf(sandbox, 'RML-SAF-050'), quantity: 1}
  await caller.ask('POST', '/scent/cart/items', {body})
  const query = 'lock=true'
  const {lockId} = (await caller.ask('GET', '/scent/cart/checkout-preview', {query})).payload
  const bare = await payloadOf(
    caller.ask('POST', '/scent/orders', {
      body: {externalReference: 'PO-BARE', lockId, shippingAddress: address},
    }),
  )
  keep('createdOrder', plain, discounted, failed, bare)
  for (const {id} of [plain, bare]) keep('order', ...(await both(caller, `/scent/orders/${id}`)))
  keep('order', ...(await both(callerOf(sandbox, 'warda-boutique'), `/scent/orders/${failed.id}`)))
  const other = callerOf(synced)
  const completed = await place(other, 'O-1')
  await control(synced, 'POST', `orders/${completed.id}/deliver`)
  keep('order', await payloadOf(other.ask('GET', `/scent/orders/${completed.id}`)))
}

/** The order of the demo data with that reference. */
async function demoOrder(sandbox: Sandbox, reference: string) {
  const {orders} = (await control(sandbox, 'GET', 'state')).payload
  const {id} = orders.find((order: {externalReference: string}) => order.externalReference === reference)
  return (await callerOf(sandbox).ask('GET', `/scent/orders/${id}`)).payload.scentDetail
}

/** A small order of now, delivered: its shipping fee was charged. */
async function deliveredOrder(sandbox: Sandbox) {
  const caller = callerOf(sandbox)
  const {lockId} = (await caller.filled('R-1', goods(sandbox, {'RML-SAF-050': 2}))).payload
  const {id} = await payloadOf(caller.order('PO-R-1', lockId, 'R-1'))
  await control(sandbox, 'POST', `orders/${id}/deliver`)
  return (await caller.ask('GET', `/scent/orders/${id}`)).payload.scentDetail
}

async function gatherReturns(sandbox: Sandbox, keep: Keep): Promise<void> {
  await returnsOf(sandbox, keep, await demoOrder(sandbox, 'HIST-0002'))
  await returnsOf(sandbox, keep, await deliveredOrder(sandbox))
}

type Detail = Awaited<ReturnType<typeof demoOrder>>

/** The items of a list carry all that the request itself does, and more. */
function requestOf(item: Record<string, unknown>): object {
  const {scentOrderId, orderGlobalId, partnerId, requestedAt, decidedAt, decidedByUserId, ...request} = item
  return request
}

async function returnsOf(sandbox: Sandbox, keep: Keep, detail: Detail): Promise<void> {
  const {ask} = callerOf(sandbox)
  const path = `/scent/orders/${detail.id}/return-requests`
  const step = async (id: string, verb: string, body: object = {}) => {
    await control(sandbox, 'POST', `returns/${id}/${verb}`, body)
    const listed = items([await payloadOf(ask('GET', path))]) as Record<string, unknown>[]
    keep('listedReturn', ...listed)
    keep('returnRequest', ...listed.map(requestOf))
  }
  const request = async (line: {id: string}) => {
    const lines = [{scentOrderLineId: line.id, quantity: 1, reasonCode: 'Damaged'}]
    const body = {fulfillmentGroupId: detail.fulfillmentGroups[0].id, lines}
    const created = await payloadOf(ask('POST', path, {body}))
    keep('returnRequest', created)
    return created.id as string
  }
  for (const line of detail.lines) {
    const id = await request(line)
    for (const verb of ['accept', 'dispatch', 'receive', 'refund']) await step(id, verb)
    await step(await request(line), 'reject', {reason: 'Worn.'})
  }
  const id = await request(detail.lines[0])
  keep('returnRequest', await payloadOf(ask('PATCH', `/scent/return-requests/${id}/withdraw`)))
  keep('listedReturn', ...items([await payloadOf(ask('GET', path))]))
}

async function gatherNotices(sandbox: Sandbox, keep: Keep): Promise<void> {
  const caller = callerOf(sandbox)
  for (const choice of ['CancelWhole', 'ShipAvailable']) {
    for (const [sku, quantity] of [
      ['RML-SAF-050', 2],
      ['NJD-ROY-050', 2],
    ] as const) {
      const ref = `N-${choice}-${sku}`
      const {lockId} = (await caller.filled(ref, goods(sandbox, {[sku]: quantity}))).payload
      const {id} = await payloadOf(caller.order(ref, lockId, ref))
      const availableQuantity = sku === 'RML-SAF-050' ? 0 : 1
      const notice = {lineId: sku, reason: 'OutOfStock', availableQuantity, departed: false}
      await control(sandbox, 'POST', `orders/${id}/notices`, notice)
    }
    const {notices} = (await control(sandbox, 'GET', 'state')).payload
    for (const {id, status} of notices) {
      if (status !== 'AwaitingPartnerResponse') continue
      const respond = `/scent/unfulfillable-notices/${id}/respond`
      keep('notice', await payloadOf(caller.ask('PATCH', respond, {body: {choice}})))
    }
  }
  // A notice that is open, and one that expired, are known to their receiver only.
  const {lockId} = (await caller.filled('N-OPEN', goods(sandbox, {'RML-SAF-050': 2}))).payload
  const {id} = await payloadOf(caller.order('N-OPEN', lockId, 'N-OPEN'))
  const lost = {lineId: 'RML-SAF-050', reason: 'Lost', availableQuantity: 0, departed: true}
  await control(sandbox, 'POST', `orders/${id}/notices`, lost)
  keep('notice', ...(await control(sandbox, 'GET', 'state')).payload.notices)
}

async function gatherWebhooks(sandbox: Sandbox, keep: Keep): Promise<void> {
  let status = 200
  const receiver = await serve((_, response) => response.writeHead(status).end())
  let caller = callerOf(sandbox)
  const body = {url: receiver.url, eventTypes: ['order.completed']}
  const {signingSecret: _, ...created} = await payloadOf(caller.ask('POST', '/scent/webhooks', {body}))
  keep('subscription', created)
  const path = `/scent/webhooks/${created.id}`
  keep(
    'activation',
    await payloadOf(caller.ask('PATCH', `/webhooks/${created.id}/active`, {body: {isActive: true}})),
  )
  const fire = () => caller.ask('POST', `${path}/test-fire`, {body: {eventType: 'order.completed'}})
  keep('delivery', await payloadOf(fire()))
  keep('subscription', await payloadOf(caller.ask('PUT', path, {body: {}})))
  status = 500
  keep('delivery', await payloadOf(fire()))
  await receiver.close()
  keep('delivery', await payloadOf(fire()))
  await control(sandbox, 'POST', 'clock', {advanceSeconds: 2 * 86_400})
  caller = callerOf(sandbox)
  keep(
    'delivery',
    ...items([await payloadOf(caller.ask('GET', `${path}/deliveries`, {query: 'pageSize=100'}))]),
  )
}

/** The statements of the month's end, of partners with a tax number and without. */
async function gatherStatements(sandbox: Sandbox, keep: Keep): Promise<void> {
  await control(sandbox, 'POST', 'clock', {advanceSeconds: 31 * 86_400})
  const {statements} = (await control(sandbox, 'GET', 'state')).payload
  for (const {clientId, partnerId} of sandbox.credentials.slice(0, 3)) {
    const {id} = statements.findLast((one: {partnerId: string}) => one.partnerId === partnerId)
    const statement = await payloadOf(callerOf(sandbox, clientId).ask('GET', `/statements/${id}`))
    keep('statement', statement)
    keep('statementDocument', statement.document)
  }
}
