import {beforeEach, describe, expect, test} from 'vitest'
import type {Sandbox} from '../support/types.ts'
import {control, tokenOf, useSandbox, variantOf} from './caller.ts'

let sandbox: Sandbox
useSandbox((open) => {
  sandbox = open
})

let ask: (method: string, path: string, body?: object) => Promise<Answer>

interface Answer {
  status: number
  state: string
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
  payload: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  details: any
}

// Over the network, as any client would.
beforeEach(async () => {
  const base = await sandbox.listen()
  const headers = {
    authorization: `Bearer ${await tokenOf(sandbox, 'rimal-retail')}`,
    'content-type': 'application/json',
  }
  ask = async (method, path, body) => {
    const sent = {method, headers, ...(body && {body: JSON.stringify(body)})}
    const response = await fetch(`${base}/api/v1${path}`, sent)
    return {status: response.status, ...((await response.json()) as Omit<Answer, 'status'>)}
  }
})

const code = {
  code: 'SUMMER',
  discountType: 'Percent',
  value: 10,
  validFrom: '2026-01-01T00:00:00Z',
  validTo: '2026-12-31T00:00:00Z',
  isActive: true,
  totalUsageCap: null,
  perCustomerCap: null,
  productScope: 'All',
  scopedVariantIds: [],
  minOrderValue: null,
}
const address = {
  recipient: 'Sara',
  line1: '1',
  city: 'Riyadh',
  nationalAddress: 'RRRD2929',
  countryCode: 'SAU',
  phone: '+966501234567',
}

async function idOf(path: string, body: object): Promise<string> {
  return (await ask('POST', path, body)).payload.id
}

describe('every field that is wrong is named at once', () => {
  const cases: [string, string, string, object, Record<string, unknown>][] = [
    [
      'a cart add',
      'POST',
      '/scent/cart/items',
      {variantId: 'x', quantity: 0},
      {variantId: expect.anything(), quantity: ['must be from 1 to 9999']},
    ],
    [
      'a discount code',
      'POST',
      '/scent/discount-codes',
      {
        ...code,
        code: '!',
        discountType: 'Gift',
        value: 'x',
        isActive: 'yes',
        validTo: '2020-01-01',
        productScope: 'Some',
        perCustomerCap: 2,
        minOrderValue: -1,
      },
      {
        code: ['must be 3 to 40 letters, digits, hyphens or underscores'],
        discountType: ['must be one of Percent, FixedAmount'],
        value: expect.anything(),
        isActive: expect.anything(),
        validTo: ['must be after validFrom'],
        productScope: ['must be one of All, VariantList'],
        perCustomerCap: ['must be null or exactly 1'],
        minOrderValue: ['must be at least 0'],
      },
    ],
    [
      'a webhook',
      'POST',
      '/scent/webhooks',
      {
        url: 'ftp://x',
        eventTypes: ['order.completed', 'no.such', 7],
        headers: {'X-A': 'é', Host: 'x', 'X-B': 1},
      },
      {
        url: ['must be an absolute https URL'],
        'eventTypes[1]': ['is not an event type'],
        'eventTypes[2]': expect.anything(),
        'headers.X-A': ['must be visible ASCII'],
        'headers.Host': expect.anything(),
        'headers.X-B': expect.anything(),
      },
    ],
    [
      'an order',
      'POST',
      '/scent/orders',
      {
        externalReference: ' ',
        customerRef: 'x'.repeat(129),
        lockId: 1,
        discountCode: 'x'.repeat(257),
        shippingAddress: {...address, city: undefined, phone: '1'.repeat(33), countryCode: 'XXX'},
      },
      {
        externalReference: ['is required'],
        customerRef: expect.anything(),
        lockId: expect.anything(),
        discountCode: ['must not exceed 256 characters'],
        'shippingAddress.city': ['is required'],
        'shippingAddress.phone': ['must not exceed 32 characters'],
        'shippingAddress.countryCode': ['is not a valid ISO 3166-1 alpha-3 code'],
      },
    ],
    [
      'a return request',
      'POST',
      `/scent/orders/${crypto.randomUUID()}/return-requests`,
      {
        fulfillmentGroupId: 'x',
        lines: [
          {scentOrderLineId: 'x', quantity: 1, reasonCode: 'Ugly'},
          {scentOrderLineId: crypto.randomUUID(), quantity: 'x', reasonCode: 'Odd'},
        ],
      },
      {
        fulfillmentGroupId: expect.anything(),
        'lines[0].scentOrderLineId': expect.anything(),
        'lines[0].reasonCode': ['is not a reason code'],
        'lines[1].quantity': expect.anything(),
        'lines[1].reasonCode': ['is not a reason code'],
      },
    ],
    [
      'a login',
      'POST',
      '/auth/token',
      {clientId: 'x'.repeat(257), clientSecret: 1, onBehalfOf: 'x'},
      {
        clientId: ['must not exceed 256 characters'],
        clientSecret: expect.anything(),
        onBehalfOf: expect.anything(),
      },
    ],
  ]
  test.each(cases)('of %s', async (_, method, path, body, errors) => {
    const answer = await ask(method, path, body)
    expect(answer).toMatchObject({status: 400, state: 'VALIDATION_ERRORS', payload: null})
    expect(answer.details.errors).toEqual(errors)
  })

  test('of a replaced discount code and a changed webhook', async () => {
    const id = await idOf('/scent/discount-codes', code)
    const wrong = {...code, code: 'OTHER', discountType: 'Gift', isActive: 1}
    expect((await ask('PATCH', `/scent/discount-codes/${id}`, wrong)).details.errors).toEqual({
      code: ['cannot be changed'],
      discountType: expect.anything(),
      isActive: expect.anything(),
    })
    const hook = await idOf('/scent/webhooks', {url: 'http://127.0.0.1:9/', eventTypes: ['order.completed']})
    const change = {url: 'http://10.0.0.1/', eventTypes: ['x'], headers: {a: 'x', A: 'y'}}
    const answer = await ask('PUT', `/scent/webhooks/${hook}`, change)
    expect(answer.state).toBe('VALIDATION_ERRORS')
    expect(Object.keys(answer.details.errors).sort()).toEqual(['eventTypes[0]', 'headers.A', 'url'])
  })

  test('a code of its own decides only alone', async () => {
    const unsafe = await ask('POST', '/scent/webhooks', {
      url: 'http://10.0.0.1/',
      eventTypes: ['order.completed'],
    })
    expect(unsafe).toMatchObject({
      state: 'VALIDATION_WEBHOOK_URL_UNSAFE',
      details: {reason: 'PRIVATE_ADDRESS', errors: {url: expect.anything()}},
    })
    const order = {externalReference: 'PO-1', lockId: crypto.randomUUID()}
    const odd = {...order, customerRef: 'x'.repeat(129), shippingAddress: {...address, countryCode: 'XXX'}}
    const answer = await ask('POST', '/scent/orders', odd)
    expect(answer.state).toBe('VALIDATION_CUSTOMER_REF_TOO_LONG')
    expect(Object.keys(answer.details.errors)).toEqual(['customerRef', 'shippingAddress.countryCode'])
  })
})

test('a price lock while access is paused is refused as a cart that is not ready', async () => {
  await ask('POST', '/scent/cart/items?customerRef=C-1', {
    variantId: variantOf(sandbox, 'RML-SAF-050'),
    quantity: 1,
  })
  await control(sandbox, 'PATCH', 'partners/rimal-retail', {productAccess: false})
  expect(await ask('POST', '/scent/cart/C-1/price-lock')).toMatchObject({
    status: 422,
    state: 'BUSINESS_CART_NOT_CHECKOUT_READY',
    details: {cartIssue: 'PRODUCT_ACCESS_DISABLED'},
  })
})

test('a percentage lies in (0, 100], whatever its decimals', async () => {
  for (const [n, value] of [12.345, 0.001, 100, 33.333333333].entries()) {
    const made = await ask('POST', '/scent/discount-codes', {...code, code: `CODE${n}`, value})
    expect(made).toMatchObject({status: 201, payload: {value}})
  }
  for (const value of [0, -1, 100.001]) {
    expect(
      (await ask('POST', '/scent/discount-codes', {...code, code: 'NEW', value})).details.errors,
    ).toEqual({
      value: ['must be more than 0 and at most 100'],
    })
  }
  // 12.345 % of 2 × 120.50 is 29.75145.
  const query = 'customerRef=C-2'
  await ask('POST', `/scent/cart/items?${query}`, {variantId: variantOf(sandbox, 'RML-SAF-050'), quantity: 2})
  const {lockId} = (await ask('GET', `/scent/cart/checkout-preview?${query}&lock=true`)).payload
  const order = {externalReference: 'PO-2', customerRef: 'C-2', lockId, shippingAddress: address}
  expect(await ask('POST', '/scent/orders', {...order, discountCode: 'CODE0'})).toMatchObject({
    status: 201,
    payload: {pricing: {discount: {code: 'CODE0', amount: 29.75}}},
  })
})

test('the words of a refusal say what is wrong', async () => {
  const order = {
    externalReference: 'PO-3',
    lockId: crypto.randomUUID(),
    shippingAddress: {...address, line2: null},
  }
  const nulls = await ask('POST', '/scent/orders', {...order, discountCode: null, externalReference: null})
  expect(nulls.details.errors).toEqual({
    discountCode: ['must not be null; leave it out'],
    'shippingAddress.line2': ['must not be null; leave it out'],
    externalReference: ['is required'],
  })
  const huge = {...code, discountType: 'FixedAmount', value: 1e15}
  expect((await ask('POST', '/scent/discount-codes', huge)).details.errors).toEqual({
    value: ['must be at most 1000000000'],
  })
  const all = (await ask('GET', '/scent/variants')).payload.pagination.totalCount
  for (const [query, count] of [
    ['minPrice=-1', all],
    ['maxPrice=-0.001', 0],
  ]) {
    expect((await ask('GET', `/scent/variants?${query}`)).payload.pagination.totalCount).toBe(count)
  }
})
