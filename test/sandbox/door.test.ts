import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {api} from '../../src/contract/api.ts'
import {servedNames} from '../../src/sandbox/core/rules.ts'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import type {Sandbox} from '../support/types.ts'
import {callerOf, raw, tokenOf, variantOf} from './caller.ts'

let sandbox: Sandbox
let token: string

beforeAll(async () => {
  sandbox = await createSandbox({limits: false})
  token = await tokenOf(sandbox, 'rimal-retail')
})
afterAll(() => sandbox.close())

const authorized = () => ({authorization: `Bearer ${token}`})

test('every operation that has a rule is reached by its method and path', async () => {
  for (const operation of servedNames.map((name) => api[name])) {
    const path = operation.path.replace('{report}', 'summary').replaceAll(/\{\w+\}/g, 'x')
    const answer = await raw(sandbox, operation.method, path, {headers: authorized(), body: {}})
    expect(`${operation.path} ${answer.state}`).not.toMatch(/NOT_FOUND_ROUTE|METHOD_NOT_ALLOWED|INTERNAL/)
  }
})

describe('the first check that fails decides', () => {
  const order = '/api/v1/scent/orders'
  const add = '/api/v1/scent/cart/items'
  const cases: [string, string, string, string, object, unknown][] = [
    ['an unknown path before a missing token', 'GET', '/api/v1/nothing', 'NOT_FOUND_ROUTE', {}, undefined],
    ['a wrong method before a missing token', 'DELETE', order, 'METHOD_NOT_ALLOWED', {}, undefined],
    ['a missing token before a bad body', 'POST', order, 'UNAUTHORIZED_MISSING_TOKEN', {}, '{'],
    [
      'a media type before a bad query',
      'POST',
      `${add}?x=1`,
      'UNSUPPORTED_MEDIA_TYPE',
      {bearer: true, type: 'text/plain'},
      '{}',
    ],
    [
      'a bad query before a bad body',
      'POST',
      `${add}?x=1`,
      'VALIDATION_UNKNOWN_QUERY_PARAMETER',
      {bearer: true},
      '{',
    ],
    [
      'a bad body before an overlong customerRef',
      'POST',
      `${add}?customerRef=${'x'.repeat(129)}`,
      'VALIDATION_ERRORS',
      {bearer: true},
      {},
    ],
    [
      'an overlong customerRef before an unknown variant',
      'POST',
      `${add}?customerRef=${'x'.repeat(129)}`,
      'VALIDATION_CUSTOMER_REF_TOO_LONG',
      {bearer: true},
      {variantId: crypto.randomUUID(), quantity: 1},
    ],
  ]
  test.each(cases)(
    '%s',
    async (_, method, target, state, {bearer, type}: {bearer?: true; type?: string}, body) => {
      const headers = {...(bearer ? authorized() : {}), ...(type === undefined ? {} : {'content-type': type})}
      expect((await raw(sandbox, method, target, {headers, body})).state).toBe(state)
    },
  )
})

describe('routes', () => {
  test.each([
    ['/api/v1/scent/cart/', 'a trailing slash'],
    ['/api/v1//scent/variants', 'a double slash'],
    ['//x/api/v1/./scent/variants', 'a double slash before dots'],
    ['/api/v1/Scent/variants', 'another case'],
    ['/api/v2/scent/variants', 'another version'],
    ['/api/v1/scent/cart/%zz', 'a broken escape'],
    ['/api/v1/scent/cart/%ff', 'an escape that is no UTF-8'],
    ['/', 'the root'],
  ])('%s matches nothing: %s', async (target) => {
    const answer = await raw(sandbox, 'GET', target, {headers: authorized()})
    expect([answer.status, answer.state]).toEqual([404, 'NOT_FOUND_ROUTE'])
  })

  test('a wrong method names the right ones, sorted, and HEAD is one', async () => {
    const target = '/api/v1/scent/cart/C-1/items/x'
    const answer = await raw(sandbox, 'GET', target, {headers: authorized()})
    expect(answer).toMatchObject({status: 405, headers: {allow: 'DELETE, PUT'}})
    expect((await raw(sandbox, 'HEAD', '/api/v1/scent/variants')).status).toBe(405)
  })

  test('a literal segment wins over a parameter, method first', async () => {
    // GET cart/items is the cart of the customer "items"; only POST has that literal route.
    const {ask} = callerOf(sandbox)
    expect((await ask('GET', '/scent/cart/items')).payload).toMatchObject({customerRef: 'items'})
    expect((await ask('GET', '/scent/cart/checkout-preview')).payload).toHaveProperty('canCheckout')
  })

  test('each segment is decoded once, and an encoded slash stays inside', async () => {
    const {ask} = callerOf(sandbox)
    for (const ref of [
      'a/b',
      '%2F',
      '100%',
      'a b',
      '?#&+',
      'نورة',
      '🧴',
      'items/x',
      '...',
      'x'.repeat(128),
    ]) {
      const variantId = variantOf(sandbox, 'RML-SAF-002')
      const query = `customerRef=${encodeURIComponent(ref)}`
      await ask('POST', '/scent/cart/items', {query, body: {variantId, quantity: 1}})
      const cart = await ask('GET', `/scent/cart/${encodeURIComponent(ref)}`)
      expect(cart.payload).toMatchObject({customerRef: ref, status: 'Open', items: [{quantity: 1}]})
    }
  })
})

test('dot segments vanish before anything is matched, encoded ones too', async () => {
  const {ask} = callerOf(sandbox)
  for (const dots of ['..', '%2e%2e', '.%2E']) {
    expect((await ask('GET', `/scent/cart/${dots}/variants`)).payload).toHaveProperty('items')
    expect((await ask('DELETE', `/scent/cart/x/${dots}/${dots}/cart/C/items`)).payload).toMatchObject({
      customerRef: 'C',
    })
  }
  expect((await ask('GET', '/scent/cart/.')).state).toBe('NOT_FOUND_ROUTE')
  expect((await ask('GET', '/scent/cart/...')).payload).toMatchObject({customerRef: '...'})
})

describe('every answer', () => {
  test('has the envelope, its content type and an id', async () => {
    for (const target of ['/api/v1/scent/variants', '/api/v1/nothing', '/api/v1/scent/variants?x=1']) {
      const answer = await raw(sandbox, 'GET', target, {headers: authorized()})
      expect(Object.keys(answer).sort()).toEqual(['details', 'headers', 'payload', 'state', 'status'])
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
      if (answer.status >= 400) expect(answer.payload).toBeNull()
    }
  })
})

describe('media type', () => {
  const post = (type: string | undefined, more: Record<string, string> = {}) =>
    raw(sandbox, 'POST', '/api/v1/scent/cart/items', {
      headers: {...authorized(), 'content-type': type, ...more},
      body: '{}',
    })

  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
  ])('%s is taken', async (type) => expect((await post(type)).state).toBe('VALIDATION_ERRORS'))

  test.each([
    undefined,
    'text/plain',
    'application/vnd.api+json',
    'application/json; charset=latin1',
    'application/jsonx',
  ])('%s is refused', async (type) => expect((await post(type)).state).toBe('UNSUPPORTED_MEDIA_TYPE'))

  test('an encoded body is refused, and an operation without body needs no type', async () => {
    expect((await post('application/json', {'content-encoding': 'gzip'})).status).toBe(415)
    const clear = await raw(sandbox, 'DELETE', '/api/v1/scent/cart/none/items', {headers: authorized()})
    expect(clear.state).toBe('SUCCESS')
  })
})

describe('bodies', () => {
  const add = (body: unknown) =>
    raw(sandbox, 'POST', '/api/v1/scent/cart/items', {headers: authorized(), body})

  test.each([
    ['no JSON', '{"a":', {body: ['must be JSON']}],
    ['nothing', ' ', {body: ['must be JSON']}],
    ['an array', '[]', {body: ['must be an object']}],
    ['null', 'null', {body: ['must be an object']}],
    ['too much', `{"x":"${'x'.repeat(1024 * 1024)}"}`, {body: ['must not exceed 1 MiB']}],
    ['nothing in it', '{}', {variantId: ['is required'], quantity: ['is required']}],
    ['null for what is required', '{"variantId":null,"quantity":1}', {variantId: ['is required']}],
  ])('%s is refused by name', async (_, body, errors) => {
    const answer = await add(body)
    expect(answer).toMatchObject({status: 400, state: 'VALIDATION_ERRORS', details: {errors}})
  })

  test('nothing is coerced, and 2.0 is 2', async () => {
    const variantId = variantOf(sandbox, 'RML-SAF-050')
    for (const quantity of ['2', true, 2.5, [2], 0, -1, 10_000, 1e30]) {
      expect((await add({variantId, quantity})).details.errors).toHaveProperty('quantity')
    }
    expect((await add(`{"variantId":"${variantId}","quantity":2.0}`)).status).toBe(200)
    expect((await add(`{"variantId":"${variantId.toUpperCase()}","quantity":1}`)).status).toBe(200)
    expect((await add({variantId: variantId.replaceAll('-', ''), quantity: 1})).status).toBe(400)
  })

  test('nested fields are named by their path, all of them at once', async () => {
    const body = {
      externalReference: ' ',
      lockId: 'x',
      shippingAddress: {recipient: '  ', city: 5, countryCode: 'SAU'},
    }
    const answer = await raw(sandbox, 'POST', '/api/v1/scent/orders', {headers: authorized(), body})
    expect(Object.keys(answer.details.errors)).toEqual(
      expect.arrayContaining([
        'lockId',
        'shippingAddress.recipient',
        'shippingAddress.city',
        'shippingAddress.line1',
        'shippingAddress.nationalAddress',
        'shippingAddress.phone',
      ]),
    )
    expect(answer.details.errors).not.toHaveProperty('shippingAddress.countryCode')
  })

  test('of a repeated key the last one wins', async () => {
    const variantId = variantOf(sandbox, 'RML-TAI-050')
    const text = `{"variantId":"${variantId}","quantity":5,"quantity":1}`
    const answer = await raw(sandbox, 'POST', '/api/v1/scent/cart/items?customerRef=twice', {
      headers: authorized(),
      body: text,
    })
    expect(answer.payload.items[0].quantity).toBe(1)
  })
})

describe('queries', () => {
  const list = (query: string) =>
    raw(sandbox, 'GET', `/api/v1/scent/variants?${query}`, {headers: authorized()})
  const ledger = (query: string) =>
    raw(sandbox, 'GET', `/api/v1/wallet/transactions?${query}`, {headers: authorized()})

  test('the rules stand in their order, and each names all its offenders', async () => {
    const broken = [
      'zzz=1',
      'changedSince=x',
      'pageSize=0',
      'page=0',
      'include=x',
      'id=x&minPrice=y&activeOnly=TRUE',
    ]
    const states = [
      'UNKNOWN_QUERY_PARAMETER',
      'INVALID_DATE',
      'INVALID_PAGE_SIZE',
      'INVALID_PAGE',
      'UNKNOWN_INCLUDE',
      'INVALID_QUERY_PARAMETER',
    ]
    for (const [i, state] of states.entries()) {
      expect((await list(broken.slice(i).reverse().join('&'))).state).toBe(`VALIDATION_${state}`)
    }
    const named = await list('id=x&scentId=y&minPrice=z&activeOnly=1')
    expect(Object.keys(named.details.errors).sort()).toEqual(['activeOnly', 'id', 'minPrice', 'scentId'])
  })

  test('each rule says what would have been right', async () => {
    const unknown = await list('Page=1&page_size=2')
    expect(Object.keys(unknown.details.errors)).toEqual(['Page', 'page_size'])
    expect(unknown.details.allowedParameters).toEqual(Object.keys(api.listVariants.query))
    expect((await list('pageSize=101')).details).toMatchObject({minimum: 1, maximum: 100})
    expect((await list('page=01')).details).toMatchObject({minimum: 1})
    expect((await list('include=pricing,Tax')).details).toMatchObject({
      allowedValues: {include: ['pricing', 'availability', 'tax']},
    })
    expect((await ledger('referenceType=Order&referenceType=order')).details).toMatchObject({
      allowedValues: {referenceType: ['Order', 'Refund', 'TopUp']},
    })
    const backwards = await ledger('fromUtc=2026-02-01&toUtc=2026-01-01')
    expect(backwards).toMatchObject({state: 'VALIDATION_INVALID_DATE'})
    expect(Object.keys(backwards.details.errors)).toEqual(['fromUtc', 'toUtc'])
  })

  test.each([
    'page=1&page=1',
    'page=',
    'page=+1',
    'page=1e1',
    'page=1.0',
    'page=%201',
    'page=2147483648',
    'page=-1',
  ])('%s is no page', async (query) => {
    expect((await list(query)).state).toBe('VALIDATION_INVALID_PAGE')
  })

  test.each([
    'changedSince=2026-02-30',
    'changedSince=2026-13-01',
    'changedSince=2026-01-01T24:00Z',
    'changedSince=0000-01-01',
    'changedSince=2026-1-1',
    'changedSince=',
    'changedSince=2026-01-01&changedSince=2026-01-02',
    'changedSince=1700000000',
    'changedSince=2026-01-01T10:00%2B03',
  ])('%s is no date', async (query) => {
    expect((await list(query)).state).toBe('VALIDATION_INVALID_DATE')
  })

  test.each([
    'changedSince=2026-01-01',
    'changedSince=2026-01-01T10:00',
    'changedSince=2026-01-01T10:00:00.123Z',
    'changedSince=2026-01-01T10:00:00%2B03:00',
    'changedSince=2024-02-29',
  ])('%s is a date', async (query) => {
    expect((await list(query)).state).toBe('SUCCESS')
  })

  test.each([
    'include=',
    'include=pricing,',
    'include=pricing,%20tax',
    'include=pricing&include=tax',
    'include=PRICING',
  ])('%s is no include', async (query) => {
    expect((await list(query)).state).toBe('VALIDATION_UNKNOWN_INCLUDE')
  })

  test.each([
    'minPrice=-01',
    'minPrice=%2B1',
    'minPrice=1e2',
    'minPrice=.5',
    'minPrice=01',
    'activeOnly=',
    'id=',
    'note=',
    'minPrice=1&minPrice=2',
  ])('%s is no value of its type', async (query) => {
    expect((await list(query)).state).toBe('VALIDATION_INVALID_QUERY_PARAMETER')
  })

  test('reads that are no lists take no parameters either', async () => {
    const {ask} = callerOf(sandbox)
    for (const path of ['/scent/cart/x', '/scent/orders/x', '/orders/x']) {
      expect((await ask('GET', path, {query: 'page=1'})).state).toBe('VALIDATION_UNKNOWN_QUERY_PARAMETER')
    }
    expect((await ask('GET', '/scent/cart/checkout-preview', {query: 'lock=yes'})).state).toBe(
      'VALIDATION_INVALID_QUERY_PARAMETER',
    )
    expect((await ask('GET', '/scent/cart/checkout-preview', {query: 'customerRef='})).state).toBe(
      'VALIDATION_ERRORS',
    )
  })

  test('a page past the end is empty, and an empty list has no pages', async () => {
    expect((await list('page=99')).payload).toMatchObject({
      items: [],
      pagination: {page: 99, totalCount: 35, totalPages: 2, hasPrevious: true, hasNext: false},
    })
    expect((await list('note=nothing')).payload.pagination).toEqual({
      page: 1,
      pageSize: 20,
      totalCount: 0,
      totalPages: 0,
      hasPrevious: false,
      hasNext: false,
    })
  })
})
