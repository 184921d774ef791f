import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {api, type OperationName} from '../../src/contract/api.ts'
import {type Code, entryOf, exitOf} from '../../src/contract/errors.ts'
import {isFailure} from '../../src/contract/failure.ts'
import type {Input, Operation} from '../../src/contract/operation.ts'
import {address} from '../support/address.ts'
import {openShop, type Shop} from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  // Both forms of a return request have a route here.
  shop = await openShop({assume: ['R07=singular']})
  await shop.token()
})
afterAll(() => shop.close())

const id = '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43'
const reason = {scentOrderLineId: id, quantity: 1, reasonCode: 'Damaged'}
const code = {
  ...{discountType: 'Percent', value: 5, validFrom: '2026-01-01', validTo: '2026-02-01', isActive: true},
  ...{
    totalUsageCap: null,
    perCustomerCap: null,
    productScope: 'All',
    scopedVariantIds: [],
    minOrderValue: null,
  },
}

const bodies: Partial<Record<OperationName, object>> = {
  addCartItem: {variantId: id, quantity: 1},
  setCartItem: {quantity: 1},
  stepCartItem: {action: 'increment'},
  createOrder: {externalReference: 'PO-1', lockId: id, shippingAddress: address},
  createReturn: {fulfillmentGroupId: id, lines: [reason]},
  createReturnSingular: {fulfillmentGroupId: id, lines: [reason]},
  respondToNotice: {choice: 'CancelWhole'},
  addWishlistItem: {variantId: id},
  createDiscountCode: {...code, code: 'EID'},
  updateDiscountCode: code,
  objectToCommission: {reason: 'x'},
  createWebhook: {url: 'https://hooks.example', eventTypes: ['order.completed']},
  updateWebhook: {url: 'https://hooks.example'},
  setWebhookActive: {isActive: true},
  testWebhook: {eventType: 'order.completed'},
}

function inputOf(name: OperationName): Input<Operation> {
  const names = [...api[name].path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param ?? '')
  const params = Object.fromEntries(names.map((param) => [param, param === 'report' ? 'summary' : id]))
  const body = bodies[name]
  return {params, ...(body && {body})} as unknown as Input<Operation>
}

/** The refusals that the spec calls possible on every endpoint. */
const everywhere: Code[] = [
  ...(['UNAUTHORIZED_MISSING_TOKEN', 'UNAUTHORIZED_INVALID_TOKEN', 'UNAUTHORIZED_TOKEN_EXPIRED'] as const),
  ...(['UPSTREAM_AUTH_FAILED', 'FORBIDDEN', 'AUTH_ENVIRONMENT_MISMATCH', 'NOT_FOUND_ROUTE'] as const),
  ...(['METHOD_NOT_ALLOWED', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'] as const),
  ...(['BAD_GATEWAY', 'SERVICE_UNAVAILABLE', 'GATEWAY_TIMEOUT'] as const),
]

/** After these a change may have taken effect. */
const ambiguous = new Set<Code>([
  'UPSTREAM_AUTH_FAILED',
  'BAD_GATEWAY',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
])

const names = (Object.keys(api) as OperationName[]).filter((name) => name !== 'mintToken')

describe.each(everywhere)('%s', (state) => {
  const {http: status = 0, remedy} = entryOf(state)

  test.each(names)('of %s', async (operation) => {
    const retryAfter = state === 'RATE_LIMITED' ? {retryAfter: 3600} : {}
    const when = 'before' as const
    // Every method of a path that two operations share.
    const {method, path} = api[operation]
    const match = {method, path: path.replace('{report}', 'summary')}
    const {id: fault} = shop.fault({match, effect: 'status', when, status, state, ...retryAfter})
    const error = await shop.client
      .call(api[operation] as Operation, inputOf(operation))
      .catch((thrown) => thrown)
    shop.sandbox.state.faults.clear(fault)
    if (!isFailure(error)) throw new Error(`expected a Failure, got ${String(error)}`)
    const unknown = ambiguous.has(state) && method !== 'GET'
    const {facts, exitCode} = error
    expect({code: error.code, exitCode, remedy: error.remedy, effect: facts.effect}).toEqual({
      code: unknown ? 'OUTCOME_UNKNOWN' : state,
      exitCode: unknown ? 12 : exitOf(state, status),
      remedy: unknown ? 'settle' : remedy,
      effect: unknown ? 'unknown' : 'none',
    })
    if (unknown) expect(error.cause).toMatchObject({code: state})
    expect(facts.request).toMatch(new RegExp(`^${method} /api/v1/`))
  })
})
