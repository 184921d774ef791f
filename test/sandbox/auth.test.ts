import {describe, expect, test} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import type {Sandbox} from '../support/types.ts'
import {control, raw, tokenOf, useSandbox} from './caller.ts'

let sandbox: Sandbox
const reopen = useSandbox((opened) => {
  sandbox = opened
})

const secretOf = (clientId: string) =>
  sandbox.credentials.find((credential) => credential.clientId === clientId)?.clientSecret ?? ''
const mint = (body: unknown) => raw(sandbox, 'POST', '/api/v1/auth/token', {body})
const read = (authorization: string | undefined) =>
  raw(sandbox, 'GET', '/api/v1/scent/variants', {headers: {authorization}})

describe('the token exchange', () => {
  test('answers a bearer token of 300 seconds', async () => {
    const answer = await mint({clientId: 'rimal-retail', clientSecret: secretOf('rimal-retail')})
    expect(answer).toMatchObject({status: 200, state: 'SUCCESS', details: null})
    expect(answer.payload).toEqual({accessToken: expect.any(String), tokenType: 'Bearer', expiresIn: 300})
  })

  test('never tells a wrong id from a wrong secret', async () => {
    const unknown = await mint({clientId: 'nobody', clientSecret: 'x'})
    const wrong = await mint({clientId: 'rimal-retail', clientSecret: 'x'})
    const dormant = await mint({clientId: 'dormant-trading', clientSecret: 'x'})
    for (const answer of [unknown, wrong, dormant]) {
      expect(answer).toMatchObject({status: 401, state: 'UNAUTHORIZED_INVALID_CREDENTIALS', details: null})
      expect(answer.headers['www-authenticate']).toBe('Bearer')
    }
  })

  test('tells an inactive partner only after the right secret', async () => {
    const answer = await mint({clientId: 'dormant-trading', clientSecret: secretOf('dormant-trading')})
    expect(answer).toMatchObject({status: 401, state: 'UNAUTHORIZED_PARTNER_INACTIVE'})
  })

  test('names missing and mistyped fields', async () => {
    expect((await mint({clientId: 5})).details.errors).toEqual({
      clientId: [expect.any(String)],
      clientSecret: ['is required'],
    })
    expect((await mint({clientId: 'a', clientSecret: 'b', onBehalfOf: 'c'})).state).toBe('VALIDATION_ERRORS')
    expect((await mint({clientId: ' ', clientSecret: 'x'.repeat(257)})).details.errors).toEqual({
      clientId: ['is required'],
      clientSecret: ['must not exceed 256 characters'],
    })
  })

  test('drops a field that it does not know, with a warning in the journal', async () => {
    const body = {clientId: 'rimal-retail', clientSecret: secretOf('rimal-retail'), scope: 'all'}
    expect((await mint(body)).status).toBe(200)
    expect(sandbox.state.requests.list().at(-1)?.ignored).toEqual(['scope'])
  })

  test('does not know the credential of another environment', async () => {
    await control(sandbox, 'PATCH', 'partners/rimal-retail', {environment: 'production'})
    const answer = await mint({clientId: 'rimal-retail', clientSecret: secretOf('rimal-retail')})
    expect(answer.state).toBe('UNAUTHORIZED_INVALID_CREDENTIALS')
  })

  test('lets ten through a minute for a client id, failed ones included', async () => {
    for (let i = 0; i < 10; i++) {
      const answer = await mint({clientId: 'rimal-retail', clientSecret: 'wrong'})
      expect(answer.state).toBe('UNAUTHORIZED_INVALID_CREDENTIALS')
    }
    const refused = await mint({clientId: 'rimal-retail', clientSecret: secretOf('rimal-retail')})
    expect(refused).toMatchObject({status: 429, state: 'RATE_LIMITED', payload: null})
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(59)
    expect((await mint({clientId: 'warda-boutique', clientSecret: 'x'})).status).toBe(401)
    await control(sandbox, 'POST', 'limits', {reset: true})
    expect((await mint({clientId: 'rimal-retail', clientSecret: secretOf('rimal-retail')})).status).toBe(200)
  })

  test('looks at the media type before the limit, and at the limit before the body', async () => {
    const typed = (type: string, body: unknown) =>
      raw(sandbox, 'POST', '/api/v1/auth/token', {headers: {'content-type': type}, body})
    for (let i = 0; i < 11; i++) expect((await typed('text/plain', '{"clientId": "a"}')).status).toBe(415)
    expect((await control(sandbox, 'GET', 'limits')).payload.token).toEqual({})
    for (let i = 0; i < 10; i++) await mint({clientId: 'a', clientSecret: 'x'})
    expect((await mint({clientId: 'a'})).state).toBe('RATE_LIMITED')
    expect((await typed('text/plain', '{"clientId": "a"}')).state).toBe('UNSUPPORTED_MEDIA_TYPE')
  })

  test('keys bodies without a client id by the caller', async () => {
    for (let i = 0; i < 10; i++) await mint(i % 2 === 0 ? '{' : {clientId: i})
    expect((await mint('[]')).status).toBe(429)
  })
})

describe('a bearer token', () => {
  test.each([undefined, '', 'Bearer', 'Bearer ', 'Basic abc', 'token'])(
    'missing: %j',
    async (authorization) => {
      const answer = await read(authorization)
      expect(answer).toMatchObject({status: 401, state: 'UNAUTHORIZED_MISSING_TOKEN'})
      expect(answer.headers['www-authenticate']).toBe('Bearer')
    },
  )

  test.each(['Bearer a b', 'Bearer abc', 'Bearer a.b.c', 'bearer ü'])(
    'malformed: %j',
    async (authorization) => {
      expect((await read(authorization)).state).toBe('UNAUTHORIZED_INVALID_TOKEN')
    },
  )

  test('its scheme has no case, and tampering shows', async () => {
    const token = await tokenOf(sandbox, 'rimal-retail')
    expect((await read(`bEARER ${token}`)).status).toBe(200)
    const [head, , signature] = token.split('.')
    const claims = Buffer.from('{"aud":"partner-api","sub":"x","exp":99999999999}').toString('base64url')
    expect((await read(`Bearer ${head}.${claims}.${signature}`)).state).toBe('UNAUTHORIZED_INVALID_TOKEN')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    expect((await read(`Bearer ${none}.${claims}.`)).state).toBe('UNAUTHORIZED_INVALID_TOKEN')
  })

  test('works until 30 s past its expiry, and never again', async () => {
    await control(sandbox, 'POST', 'clock', {freeze: true})
    const token = await tokenOf(sandbox, 'rimal-retail')
    const start = sandbox.state.clock.now()
    sandbox.state.clock.moveTo(Math.floor(start / 1000) * 1000 + 329_999)
    expect((await read(`Bearer ${token}`)).status).toBe(200)
    sandbox.state.clock.moveTo(Math.floor(start / 1000) * 1000 + 330_000)
    const answer = await read(`Bearer ${token}`)
    expect(answer).toMatchObject({status: 401, state: 'UNAUTHORIZED_TOKEN_EXPIRED'})
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  test.each([
    ['expired', 401, 'UNAUTHORIZED_TOKEN_EXPIRED'],
    ['wrong-audience', 401, 'UNAUTHORIZED_INVALID_TOKEN'],
    ['foreign-key', 401, 'UNAUTHORIZED_INVALID_TOKEN'],
    ['wrong-environment', 403, 'AUTH_ENVIRONMENT_MISMATCH'],
    ['valid', 200, 'SUCCESS'],
  ])('minted %s answers %i %s', async (kind, status, state) => {
    const {payload} = await control(sandbox, 'POST', 'tokens', {partner: 'Rimal Retail', kind})
    expect(await read(`Bearer ${payload.accessToken}`)).toMatchObject({status, state})
  })

  test('lives on when the partner is deactivated', async () => {
    const token = await tokenOf(sandbox, 'rimal-retail')
    await control(sandbox, 'PATCH', 'partners/rimal-retail', {active: false})
    expect((await read(`Bearer ${token}`)).status).toBe(200)
  })
})

test('three hundred requests a minute pass, and refusals before the limiter cost nothing', async () => {
  const token = await tokenOf(sandbox, 'rimal-retail')
  for (let i = 0; i < 20; i++) await read(undefined)
  for (let i = 0; i < 20; i++) await raw(sandbox, 'GET', '/api/v1/nothing')
  for (let i = 0; i < 300; i++) expect((await read(`Bearer ${token}`)).status).toBe(200)
  const refused = await read(`Bearer ${token}`)
  expect(refused).toMatchObject({status: 429, details: {message: expect.any(String)}})
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(45)
  const wrong = {headers: {authorization: `Bearer ${token}`, 'content-type': 'text/plain'}, body: '{'}
  expect((await raw(sandbox, 'POST', '/api/v1/scent/cart/items?x=1', wrong)).status).toBe(429)
})

test('the limits follow the sandbox’s own clock when X09 is turned', async () => {
  await reopen({assume: ['X09=virtual']})
  for (let i = 0; i < 11; i++) await mint({clientId: 'a', clientSecret: 'b'})
  expect((await mint({clientId: 'a', clientSecret: 'b'})).status).toBe(429)
  await control(sandbox, 'POST', 'clock', {advanceSeconds: 60})
  expect((await mint({clientId: 'a', clientSecret: 'b'})).status).toBe(401)
})

test('two sandboxes have the same ids, and other secrets', async () => {
  const other = await createSandbox()
  const named = (one: Sandbox) => one.credentials.map(({clientSecret: _, ...names}) => names)
  expect(named(other)).toEqual(named(sandbox))
  const secrets = [...other.credentials, ...sandbox.credentials].map(({clientSecret}) => clientSecret)
  expect(new Set(secrets).size).toBe(secrets.length)
  const ids = (one: Sandbox) => one.state.world.all('SELECT id, sku FROM variants ORDER BY sku')
  expect(ids(other)).toEqual(ids(sandbox))
  await other.close()
})
