import {expect, test} from 'vitest'
import type {Sandbox} from '../support/types.ts'
import {type Answer, callerOf, control, useSandbox, variantOf} from './caller.ts'
import {historic} from './event-refusals.ts'

let sandbox: Sandbox
const reopen = useSandbox(
  (opened) => {
    sandbox = opened
  },
  {limits: false},
)

// A caller of its own for each request: tokens run out while the clock is moved.
const ask: ReturnType<typeof callerOf>['ask'] = (...request) => callerOf(sandbox).ask(...request)
const operate = (path: string, body?: object) => control(sandbox, 'POST', path, body)
const later = (seconds: number) => operate('clock', {advanceSeconds: seconds})
const v = (sku: string) => variantOf(sandbox, sku)
const set = (sku: string, change: object) => control(sandbox, 'PATCH', `variants/${sku}`, change)

const everything = async () => (await control(sandbox, 'GET', 'state')).payload
const wallet = async () => (await everything()).partners[0].wallet
const cartRow = async () =>
  (await everything()).carts.find(({customerRef}: {customerRef: string}) => customerRef === 'C')
const found = async (kind: 'locks' | 'notices' | 'returns' | 'subscriptions', id: string) =>
  (await everything())[kind].find((one: {id: string}) => one.id === id)

const add = (sku = 'RML-SAF-050', quantity = 2) =>
  ask('POST', '/scent/cart/items', {query: 'customerRef=C', body: {variantId: v(sku), quantity}})
const put = (body: object, sku = 'RML-SAF-050') => ask('PUT', `/scent/cart/C/items/${v(sku)}`, {body})
const drop = (sku = 'RML-SAF-050') => ask('DELETE', `/scent/cart/C/items/${v(sku)}`)
const clear = () => ask('DELETE', '/scent/cart/C/items')
const preview = () => ask('GET', '/scent/cart/C/checkout-preview', {query: 'lock=true'})
const takeLock = () => ask('POST', '/scent/cart/C/price-lock')
const order = (lockId: string, reference = 'PO-1') => callerOf(sandbox).order(reference, lockId, 'C')
const locked = async () => {
  await add()
  return (await preview()).payload.lockId as string
}
const ordered = async (reference = 'PO-1') => (await order(await locked(), reference)).payload

/** Asks for one unit of a line of HIST-0002, which was delivered 5 days ago. */
const giveBack = (quantity = 1, reference = 'HIST-0002') => {
  const {id, group, lines} = historic(sandbox, reference)
  const line = {scentOrderLineId: lines[0], quantity, reasonCode: 'Damaged'}
  const body = {fulfillmentGroupId: group, lines: [line]}
  return ask('POST', `/scent/orders/${id}/return-requests`, {body})
}
const withdraw = (id: string) => ask('PATCH', `/scent/return-requests/${id}/withdraw`)

const notice = async (terms: object = {}, reference = 'PO-1') => {
  const {id} = await ordered(reference)
  const raised = await operate(`orders/${id}/notices`, {
    lineId: 'RML-SAF-050',
    availableQuantity: 1,
    ...terms,
  })
  expect(raised.payload.notice.status).toBe('AwaitingPartnerResponse')
  return raised.payload.notice.id as string
}
const respond = (id: string, choice = 'CancelWhole') =>
  ask('PATCH', `/scent/unfulfillable-notices/${id}/respond`, {body: {choice}})
const window = 72 * 3_600

/** What a refused request must leave as it was: the orders, the money and what each lock has made. */
const unmoved = async (refusal: () => Promise<Answer>) => {
  const facts = async () => {
    const {orders, partners, locks} = await everything()
    return {orders, wallet: partners[0].wallet, used: locks.map(({orderId}: {orderId: string}) => orderId)}
  }
  const before = await facts()
  const answer = await refusal()
  expect(answer.payload).toBeNull()
  expect(await facts()).toEqual(before)
  return answer
}

/** The rows as the spec words them: subject, state, moved by, condition, next state, also happens. */
const rows: Record<string, () => Promise<void>> = {
  'Cart | none (no row) | add item | variant is sellable and priced | Open | cart row created': async () => {
    expect((await ask('GET', '/scent/cart/C')).payload).toMatchObject({id: null, status: 'None'})
    for (const sku of ['SDR-HON-100', 'NJD-INC-100']) expect((await add(sku)).status).toBe(422)
    expect(await cartRow()).toBeUndefined()
    const {payload} = await add()
    expect(payload.status).toBe('Open')
    expect(await cartRow()).toMatchObject({id: payload.id, lines: [{sku: 'RML-SAF-050', quantity: 2}]})
  },
  'Cart | Open | decrement or set that removes the last line, or clear cart | cart becomes empty | no row (reads as status None) | cart row deleted':
    async () => {
      for (const empty of [() => put({action: 'decrement'}), drop, clear]) {
        await add('RML-SAF-050', 1)
        await add('RML-TAI-050', 1)
        expect((await drop('RML-TAI-050')).payload.status).toBe('Open')
        expect((await put({quantity: 0})).state).toBe('VALIDATION_ERRORS')
        expect(await cartRow()).toBeDefined()
        expect((await empty()).payload).toMatchObject({id: null, status: 'None', items: []})
        expect(await cartRow()).toBeUndefined()
      }
    },
  'Price lock | none | preview with lock=true, or the price-lock operation | canCheckout is true | active | lockId issued, lifetime 15 minutes by default':
    async () => {
      expect((await preview()).payload).toMatchObject({canCheckout: false, lockId: null})
      expect((await takeLock()).state).toBe('BUSINESS_CART_NOT_CHECKOUT_READY')
      await add()
      for (const take of [preview, takeLock]) {
        const {payload} = await take()
        expect(Date.parse(payload.lockExpiresAt) - Date.parse(payload.pricedAt)).toBe(15 * 60_000)
        expect(await found('locks', payload.lockId)).toMatchObject({orderId: null})
      }
      await set('RML-SAF-050', {stock: 1})
      expect((await preview()).payload).toMatchObject({canCheckout: false, lockId: null})
      expect((await takeLock()).state).toBe('BUSINESS_CART_NOT_CHECKOUT_READY')
      expect(
        (await everything()).locks.filter((one: {customerRef: string}) => one.customerRef === 'C'),
      ).toHaveLength(2)
    },
  'Price lock | active | order create with lockId | cart unchanged, not expired | consumed (single-use) | order created at the locked prices':
    async () => {
      await operate('clock', {freeze: true})
      const lockId = await locked()
      await set('RML-SAF-050', {price: 999})
      await later(15 * 60 - 0.001)
      const {payload} = await order(lockId)
      expect(payload.pricing).toMatchObject({subtotal: 241, total: 305.9})
      expect(await found('locks', lockId)).toMatchObject({orderId: payload.id})
    },
  'Price lock | active | order create | lifetime passed | expired | 400 VALIDATION_PRICE_LOCK_EXPIRED':
    async () => {
      await operate('clock', {freeze: true})
      const lockId = await locked()
      await later(15 * 60)
      const refused = await unmoved(() => order(lockId))
      expect(refused).toMatchObject({status: 400, state: 'VALIDATION_PRICE_LOCK_EXPIRED'})
      expect((await cartRow()).lines).toHaveLength(1)
    },
  'Price lock | active | cart mutated after lock | order create attempted | unusable | 400 VALIDATION_PRICE_LOCK_INVALID':
    async () => {
      const mutations: (() => Promise<unknown>)[] = [
        () => put({action: 'increment'}),
        () => put({quantity: 9}),
        () => add('RML-TAI-050', 1),
        () => drop('RML-TAI-050'),
        clear,
        // Even one that is undone.
        async () => [await put({action: 'increment'}), await put({action: 'decrement'})],
      ]
      for (const mutate of mutations) {
        const lockId = await locked()
        await mutate()
        const refused = await unmoved(() => order(lockId))
        expect(refused).toMatchObject({status: 400, state: 'VALIDATION_PRICE_LOCK_INVALID'})
      }
    },
  'Price lock | consumed | order create with same lockId | always | consumed | 409 CONFLICT_PRICE_LOCK_ALREADY_USED with details.orderId':
    async () => {
      const lockId = await locked()
      const {payload} = await order(lockId)
      const used = {status: 409, state: 'CONFLICT_PRICE_LOCK_ALREADY_USED', details: {orderId: payload.id}}
      expect(await unmoved(() => order(lockId, 'PO-2'))).toMatchObject(used)
      // Always: with a new cart of that name, and long after its lifetime.
      await add()
      expect(await unmoved(() => order(lockId, 'PO-2'))).toMatchObject(used)
      await later(86_400)
      expect(await unmoved(() => order(lockId, 'PO-2'))).toMatchObject(used)
    },
  'Order | none | order create | success | Processing (as in the create response sample) | wallet charged; Location header points at the order':
    async () => {
      const stock = async () => (await control(sandbox, 'GET', 'variants/RML-SAF-050')).payload.stock
      const [money, units] = [await wallet(), await stock()]
      const {headers, payload} = await order(await locked())
      expect(payload.status).toBe('Processing')
      expect([await wallet(), await stock()]).toEqual([Math.round((money - 305.9) * 100) / 100, units - 2])
      const path = new URL(headers.location ?? '').pathname.slice('/api/v1'.length)
      expect((await ask('GET', path)).payload.header).toMatchObject({
        productOrderId: payload.id,
        status: 'Processing',
      })
      // Its lines were the cart's.
      expect(await cartRow()).toBeUndefined()
    },
  'Order | (none) | order create | lock, reference or cart rejected | no order exists | create-time reject codes, see Errors':
    async () => {
      await ordered('PO-0')
      const lockId = await locked()
      const refused = async (attempt: () => Promise<Answer>) => (await unmoved(attempt)).state
      expect(await refused(() => order(crypto.randomUUID()))).toBe('VALIDATION_PRICE_LOCK_INVALID')
      expect(await refused(() => order(lockId, 'PO-0'))).toBe('CONFLICT_ORDER_DUPLICATE_REFERENCE')
      await set('RML-SAF-050', {price: null})
      expect(await refused(() => order(lockId))).toBe('BUSINESS_PRICE_NOT_AVAILABLE')
      await set('RML-SAF-050', {assortment: false})
      expect(await refused(() => order(lockId))).toBe('BUSINESS_CART_NOT_CHECKOUT_READY')
      await control(sandbox, 'PATCH', 'partners/rimal-retail', {productAccess: false})
      expect(await refused(() => order(lockId))).toBe('BUSINESS_PRODUCT_ACCESS_DISABLED')
    },
  'Return request | none | create return request | group is Delivered, quantities within remaining returnable amount, inside return window, no unresolved Requested request on the line | Requested | no money moves':
    async () => {
      const money = await wallet()
      expect((await giveBack(1, 'HIST-0003')).state).toBe('BUSINESS_RETURN_REQUEST_GROUP_NOT_DELIVERED')
      expect((await giveBack(3)).state).toBe('BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING')
      expect((await giveBack(1, 'HIST-0001')).state).toBe('BUSINESS_RETURN_REQUEST_WINDOW_EXPIRED')
      expect((await everything()).returns).toEqual([])
      const {payload} = await giveBack()
      expect(await found('returns', payload.id)).toMatchObject({status: 'Requested', refund: null})
      expect((await giveBack()).state).toBe('BUSINESS_RETURN_REQUEST_DUPLICATE_LINE')
      expect((await everything()).returns).toHaveLength(1)
      expect(await wallet()).toBe(money)
    },
  'Return request | Requested | partner withdraw | request is still Requested | Withdrawn |': async () => {
    const money = await wallet()
    const {id} = (await giveBack()).payload
    expect((await withdraw(id)).payload).toMatchObject({id, status: 'Withdrawn'})
    expect(await found('returns', id)).toMatchObject({status: 'Withdrawn', refund: null})
    expect(await wallet()).toBe(money)
  },
  'Return request | any state other than Requested | partner withdraw |  | unchanged | 422 BUSINESS_RETURN_REQUEST_NOT_PENDING; withdrawal is locked out permanently':
    async () => {
      const ways: [string, (id: string) => Promise<Answer>][] = [
        ['Withdrawn', withdraw],
        ['Accepted', (id) => operate(`returns/${id}/accept`)],
        ['Processing', (id) => operate(`returns/${id}/receive`)],
        ['Rejected', (id) => operate(`returns/${id}/reject`)],
        ['Refunded', (id) => operate(`returns/${id}/refund`)],
      ]
      for (const [status, lead] of ways) {
        const {id: orderId} = await ordered(status)
        await operate(`orders/${orderId}/deliver`)
        const {id} = (await giveBack(1, status)).payload
        await lead(id)
        for (const days of [0, 3]) {
          await later(days * 86_400)
          const refused = await withdraw(id)
          expect(refused).toMatchObject({status: 422, state: 'BUSINESS_RETURN_REQUEST_NOT_PENDING'})
          expect((await found('returns', id)).status).toBe(status)
        }
      }
    },
  'Notice | AwaitingPartnerResponse | respond (CancelWhole or ShipAvailable) | before responseDeadlineAt | Resolved | refund figures applied; responseChoice set; respondedAt set':
    async () => {
      await operate('clock', {freeze: true})
      for (const [choice, refunded] of [
        ['CancelWhole', {cancelWhole: {total: 277.15, shippingFeeRefund: 28.75}, shipAvailable: null}],
        ['ShipAvailable', {cancelWhole: null, shipAvailable: {total: 138.58, shippingFeeRefund: null}}],
      ] as const) {
        const id = await notice({}, choice)
        await later(window - 0.001)
        const money = await wallet()
        const {payload} = await respond(id, choice)
        expect(payload).toMatchObject({status: 'Resolved', responseChoice: choice, impact: refunded})
        expect(payload.respondedAt).toBe((await operate('clock', {})).payload.now)
        expect(await found('notices', id)).toEqual(payload)
        const back = choice === 'CancelWhole' ? 305.9 : 138.58
        expect(await wallet()).toBeCloseTo(money + back, 5)
      }
    },
  'Notice | AwaitingPartnerResponse | 72 hours pass with no response | system default | ExpiredCancelledWhole (nothing shipped) or ExpiredShipAvailable (shipment had already departed) | system applies its own default':
    async () => {
      await operate('clock', {freeze: true})
      const lost = {reason: 'Lost', availableQuantity: 0, departed: true}
      for (const [terms, status, refunded] of [
        [{departed: false}, 'ExpiredCancelledWhole', {cancelWhole: {total: 277.15}, shipAvailable: null}],
        [{departed: true}, 'ExpiredShipAvailable', {cancelWhole: null, shipAvailable: {total: 138.58}}],
        [lost, 'ExpiredCancelledWhole', {cancelWhole: {total: 277.15}, shipAvailable: null}],
      ] as const) {
        const id = await notice(terms, JSON.stringify(terms))
        await later(window - 0.001)
        expect((await found('notices', id)).status).toBe('AwaitingPartnerResponse')
        expect((await later(0.001)).payload.fired).toContainEqual(
          expect.objectContaining({job: 'notice-expired', id}),
        )
        const expired = {status, responseChoice: null, respondedAt: null, impact: refunded}
        expect(await found('notices', id)).toMatchObject(expired)
      }
    },
  'Notice | Resolved or either Expired state | respond | always | unchanged | 422 BUSINESS_NOTICE_NOT_AWAITING_RESPONSE':
    async () => {
      for (const [status, lead] of [
        ['Resolved', (id: string) => respond(id, 'ShipAvailable')],
        ['ExpiredCancelledWhole', () => later(window)],
        ['ExpiredShipAvailable', () => later(window)],
      ] as const) {
        const id = await notice({departed: status === 'ExpiredShipAvailable'}, status)
        await lead(id)
        const before = await found('notices', id)
        expect(before.status).toBe(status)
        for (const choice of ['CancelWhole', 'ShipAvailable']) {
          const refused = await unmoved(() => respond(id, choice))
          expect(refused).toMatchObject({status: 422, state: 'BUSINESS_NOTICE_NOT_AWAITING_RESPONSE'})
        }
        expect(await found('notices', id)).toEqual(before)
      }
    },
  'Notice | AwaitingPartnerResponse | respond racing the expiry sweep | loser of the race | as decided by the winner | 409 CONFLICT_NOTICE_ALREADY_RESOLVED':
    async () => {
      await operate('clock', {freeze: true})
      const id = await notice()
      await later(window - 1)
      const match = {operation: 'respondToNotice'}
      await operate('faults', {match, effect: 'slow', when: 'before', delayMs: 1_500, times: 1})
      const loser = respond(id, 'ShipAvailable')
      await new Promise((turn) => setTimeout(turn, 200))
      await later(1)
      expect(await loser).toMatchObject({status: 409, state: 'CONFLICT_NOTICE_ALREADY_RESOLVED'})
      expect(await found('notices', id)).toMatchObject({
        status: 'ExpiredCancelledWhole',
        responseChoice: null,
      })
    },
  'Webhook subscription | active or inactive | PATCH active | body isActive | isActive as given |':
    async () => {
      const hook = {url: 'http://127.0.0.1:9/hook', eventTypes: ['order.completed']}
      const {id, isActive: first} = (await ask('POST', '/scent/webhooks', {body: hook})).payload
      expect(first).toBe(true)
      for (const isActive of [true, false, false, true]) {
        const answer = await ask('PATCH', `/webhooks/${id}/active`, {body: {isActive}})
        expect([answer.status, answer.payload]).toEqual([200, {id, isActive}])
        expect((await found('subscriptions', id)).isActive).toBe(isActive)
        const refused = await ask('PATCH', `/webhooks/${id}/active`, {body: {}})
        expect(refused.state).toBe('VALIDATION_ERRORS')
        expect((await found('subscriptions', id)).isActive).toBe(isActive)
      }
    },
}

test.each(Object.entries(rows))('%s', (_, provoke) => provoke())

test('every row is there', () => {
  const subjects = Object.keys(rows).map((row) => row.split(' | ')[0])
  const counts = Object.fromEntries(
    [...new Set(subjects)].map((one) => [one, subjects.filter((s) => s === one).length]),
  )
  expect(counts).toEqual({
    Cart: 2,
    'Price lock': 5,
    Order: 2,
    'Return request': 3,
    Notice: 4,
    'Webhook subscription': 1,
  })
})

test.each([
  ['current', ['Processing', 'Failed', 'Processing', 'Processing', 'PartiallyReturned', 'PartiallyReturned']],
  ['synced', ['Processing', 'Failed', 'Cancelled', 'Completed', 'PartiallyReturned', 'Returned']],
])('the order statuses that are written are the %s ones', async (assumed, statuses) => {
  await reopen({assume: [`O20=${assumed}`]})
  const refund = async (quantity: number, reference: string) =>
    operate(`returns/${(await giveBack(quantity, reference)).payload.id}/refund`)
  const lives: ((reference: string) => Promise<unknown>)[] = [
    async (reference) => ordered(reference),
    async (reference) => {
      await control(sandbox, 'PATCH', 'partners/rimal-retail', {wallet: 1})
      await ordered(reference)
      await control(sandbox, 'PATCH', 'partners/rimal-retail', {wallet: 50_000})
      await clear()
    },
    async (reference) => respond(await notice({}, reference)),
    async (reference) => operate(`orders/${(await ordered(reference)).id}/deliver`),
    async (reference) => {
      await operate(`orders/${(await ordered(reference)).id}/deliver`)
      await refund(1, reference)
    },
    async (reference) => {
      await operate(`orders/${(await ordered(reference)).id}/deliver`)
      await refund(2, reference)
    },
  ]
  for (const [i, live] of lives.entries()) await live(`PO-${i}`)
  const made = (await everything()).orders.slice(-lives.length)
  expect(made.map(({status}: {status: string}) => status)).toEqual(statuses)
  // What was delivered has a moment of completion where statuses follow it.
  const completed = made.filter(({completedAt}: {completedAt: string | null}) => completedAt !== null)
  expect(completed).toHaveLength(assumed === 'synced' ? 3 : 0)
})
