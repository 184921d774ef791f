import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, it, vi} from 'vitest'
import {address} from '../support/address.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {type Reply, service, userOf} from '../support/service.ts'

// Texts of the service that must not be written down, or not at their length, by an order that it has made or refused.
vi.setConfig({testTimeout: 120_000})

const made = {
  id: '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43',
  externalReference: 'PO-1',
  customerRef: 'C-1',
  status: 'Processing',
  pricing: {currency: 'SAR', subtotal: 1, vat: 0.15, total: 1.15},
}

/** Orders from a service that answers the create with `reply`, and returns what is left on disk as well. */
async function order(reply: Reply, ...more: string[]) {
  const shop = await service(({method}) => (method === 'POST' ? reply : undefined))
  const env = userOf(shop.url)
  const line = 'orders create --lock b6f46ae9-becd-4df9-ab56-3f1d77f31c8a --reference PO-1 --customer C-1'
  const argv = [...line.split(' '), '--address', '-', ...more]
  const ended = await scent(env, argv, JSON.stringify(address))
  const sends = shop.seen.filter(({url}) => url === '/api/v1/scent/orders').length
  await shop.close()
  const state = env.SCENT_STATE_DIR ?? ''
  const files = readdirSync(state, {recursive: true, withFileTypes: true}).filter((one) => one.isFile())
  const texts = files
    .filter(({parentPath}) => !parentPath.endsWith('tokens'))
    .map(({parentPath, name}) => readFileSync(join(parentPath, name), 'utf8'))
  return {...ended, sends, records: texts.join('\n')}
}

it('a secret that a refusal repeats is neither shown nor written down', async () => {
  const secrets = ['secret-of-the-test', 'token-of-the-test']
  const echo = secrets.join('_')
  const details = {errors: {[echo]: [echo]}, message: echo, list: [{of: echo}]}
  const refusal = {status: 422, state: `ODD_${echo}`, details, headers: {'x-request-id': echo}}
  for (const more of [[], ['--json'], ['--debug']]) {
    const {code, stdout, stderr, records} = await order(refusal, ...more)
    expect(code).toBe(7)
    expect(records).toContain('"outcome":"refused"')
    for (const secret of secrets) expect(stdout + stderr + records).not.toContain(secret)
  }
})

it('a stored secret that no command had to read is not written down either, in whatever form it comes', async () => {
  const secret = 'Stored-Secret/of=the test'
  const forms = [
    secret,
    secret.toUpperCase(),
    Buffer.from(secret).toString('base64'),
    encodeURIComponent(secret),
  ]
  const echo = forms.join(' ')
  const shop = await service(({method, url}) =>
    method === 'POST' && url === '/api/v1/scent/orders'
      ? {status: 422, state: `ODD_${echo}`, details: {message: echo}, headers: {'x-request-id': echo}}
      : undefined,
  )
  const env = userOf(shop.url)
  for (const name of ['SCENT_BASE_URL', 'SCENT_CLIENT_ID', 'SCENT_CLIENT_SECRET']) delete env[name]
  const login = ['auth', 'login', '--base-url', shop.url, '--client-id', 'rimal', '--client-secret-stdin']
  expect((await scent(env, [...login, '--storage', 'file'], `${secret}\n`)).code).toBe(0)
  const mints = shop.seen.length
  for (const more of [[], ['--json'], ['--debug']]) {
    const line =
      'orders create --lock b6f46ae9-becd-4df9-ab56-3f1d77f31c8a --customer C-1 --address - --reference'
    const {code, stdout, stderr} = await scent(
      env,
      [...line.split(' '), `PO-${more.length}${more[0] ?? ''}`, ...more],
      JSON.stringify(address),
    )
    expect(code).toBe(7)
    const state = env.SCENT_STATE_DIR ?? ''
    const records = readdirSync(state, {recursive: true, withFileTypes: true})
      .filter((one) => one.isFile())
      .map(({parentPath, name}) => readFileSync(join(parentPath, name), 'utf8'))
    expect(records.join()).toContain('"outcome":"refused"')
    for (const form of forms) expect([stdout, stderr, ...records].join()).not.toContain(form)
  }
  // The token of the login was taken: nothing else read the secret.
  expect(shop.seen.slice(mints).filter(({url}) => url.includes('token'))).toEqual([])
  await shop.close()
})

it('an order whose answer holds 16 MB in a field is placed and written down', async () => {
  const long = 'x'.repeat(16 * 1024 * 1024)
  for (const more of [
    {status: long},
    {pricing: {...made.pricing, currency: long}},
    {recipient: `"${long}`},
  ]) {
    const {code, sends, stderr, records} = await order(JSON.stringify({...made, ...more}), '--json')
    expect([code, sends, stderr]).toEqual([0, 1, ''])
    expect(records).toContain('"outcome":"placed"')
    expect(records.length).toBeLessThan(20_000)
  }
})

it('a refusal with 150,000 fields or 16 MB of text is told, and written down', async () => {
  const errors = Object.fromEntries(Array.from({length: 150_000}, (_, n) => [`field${n}`, ['is odd']]))
  const many = await order({status: 400, state: 'VALIDATION_ERRORS', details: {errors}})
  expect(many).toMatchObject({code: 6, sends: 1})
  expect(many.stderr).toContain('  field149999: is odd\n')
  const message = 'x'.repeat(16 * 1024 * 1024)
  const long = await order({status: 422, state: 'BUSINESS_PRICE_NOT_AVAILABLE', details: {message}})
  expect(long).toMatchObject({code: 7, sends: 1})
  expect(long.stderr.length).toBeLessThan(20_000)
  for (const {records} of [many, long]) expect(records).toContain('"outcome":"refused"')
})
