import {randomBytes} from 'node:crypto'
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {address as shippingAddress} from '../support/address.ts'
import {folderIn, openShop, type Shop} from '../support/served-shop.ts'

let shop: Shop
let variant: string
let place: string

beforeAll(async () => {
  shop = await openShop()
  variant = shop.variant('RML-SAF-050')
  place = folderIn(shop.env, 'files')
})
afterAll(() => shop.close())

/** A file of these bytes, for --address and --input. */
function file(name: string, bytes: string | Buffer): string {
  const path = join(place, name)
  writeFileSync(path, bytes)
  return path
}

const checkout = (address: string) => ['checkout', '--customer', 'C', '--yes', '--address', address, '--json']
const lock = '3f2b8c1e-9d2a-4c3b-8e6f-1a2b3c4d5e6f'
const create = (...more: string[]) => [
  'orders',
  'create',
  '--lock',
  lock,
  '--reference',
  'PO',
  '--json',
  ...more,
]
const validity = ['--valid-from', '2026-01-01', '--valid-to', '2027-01-01']
const address = (change: object) => JSON.stringify({...shippingAddress, ...change})

/** Refused with exit 2, one JSON document that names what is wrong, and nothing sent. */
async function refused(argv: string[], named: RegExp, input?: string | Buffer): Promise<void> {
  shop.requests()
  const {code, stdout, stderr} = await shop.scent(argv, input === undefined ? {} : {input})
  expect({code, stderr}).toEqual({code: 2, stderr: ''})
  const {error} = JSON.parse(stdout)
  expect(`${error.message} ${JSON.stringify(error.details ?? '')} ${error.hint}`).toMatch(named)
  expect(error.message.length).toBeLessThan(2_000)
  expect(shop.requests()).toEqual([])
}

describe('an invalid address is refused before anything is sent', () => {
  test.each<[string, string | Buffer, RegExp]>([
    ['a file of 20 MB', Buffer.alloc(20_000_000, 0x20), /16 MiB/],
    ['bytes that are not text', randomBytes(64), /UTF-8|JSON/],
    ['an empty file', '', /JSON/],
    ['half a document', '{"recipient": "Sara"', /JSON/],
    ['two documents', `${address({})}\n${address({})}`, /JSON/],
    ['a list', '[]', /address/i],
    ['a number', '9007199254740993', /address/i],
    ['a document nested ever deeper', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, /JSON|deep|address/i],
    ['nothing in it', '{}', /recipient/],
    ['a blank recipient', address({recipient: '  '}), /recipient/],
    ['a number for a name', address({recipient: 7}), /recipient/],
    ['a field that nobody knows', address({planet: 'Mars'}), /planet/],
    ['an unknown country', address({countryCode: 'XXX'}), /countryCode/],
    ['a country of two letters', address({countryCode: 'SA'}), /countryCode/],
    ['half a character', address({city: '\ud800'}), /city|UTF-8|half/],
    ['a prototype', `{"__proto__": {"recipient": "x"}, "recipient": null}`, /recipient|__proto__/],
  ])('%s', async (name, bytes, rule) => {
    const path = file(`${name}.json`, bytes)
    await refused(checkout(path), rule)
    await refused(create('--address', '-'), rule, bytes)
  })

  test('a file that is not there, or no file', async () => {
    await refused(checkout(join(place, 'nothing.json')), /nothing\.json/)
    await refused(checkout(place), /files/)
  })
})

describe('values that mean nothing are refused before anything is sent', () => {
  const huge = 'x'.repeat(100_000)
  test.each<[string[], RegExp]>([
    [['cart', 'add', huge, '--json'], /id of a variant/],
    [['cart', 'add', '', '--json'], /does not name a variant/],
    [['cart', 'add', 'RML\nSAF', '--json'], /id of a variant/],
    [['cart', 'add', `${lock}=99999999999999999999`, '--json'], /quantity/],
    [['cart', 'add', `${lock}=-1`, '--json'], /quantity/],
    [['cart', 'add', `${lock}=1e3`, '--json'], /quantity/],
    [['cart', 'add', `${lock}=١`, '--json'], /quantity/],
    [['cart', 'set', huge, '--quantity', '1', '--customer', 'C', '--json'], /variant/i],
    [['cart', 'set', lock, '--quantity', '0', '--customer', 'C', '--json'], /quantity/],
    [['cart', 'set', lock, '--quantity', '1.5', '--customer', 'C', '--json'], /quantity/],
    [['catalog', 'variants', '--min-price', '1,5', '--json'], /min-?price/i],
    [['catalog', 'variants', '--changed-since', '2026-02-30', '--json'], /changed-?since/i],
    [['catalog', 'variants', '--page-size', '101', '--json'], /page-size/],
    [['catalog', 'variants', '--page', '0', '--json'], /page/],
    [['wallet', 'transactions', '--from', 'yesterday-ish', '--json'], /from/i],
    [['orders', 'get', '', '--json'], /id/i],
    [['orders', 'get', '..', '--json'], /path/],
    [['orders', 'track', '..', '--json'], /path/],
    [['checkout', '--max-total', '-1', '--yes', '--json'], /max-total/],
    [['checkout', '--json'], /--address/],
    [['checkout', 'lock', '--json'], /--customer/],
    [['catalog', 'variants', '--base-url', 'ftp://x', '--json'], /base URL|http/i],
    [['catalog', 'variants', '--base-url', huge, '--json'], /URL/],
    [['catalog', 'variants', '--as', 'x', '--json'], /as|partner|UUID/i],
    [['catalog', 'variants', '--currency', 'riyal\n', '--json'], /currency/i],
    [['catalog', 'variants', '--timeout', '0', '--json'], /timeout/],
    [['catalog', 'variants', '--max-wait', '-1', '--json'], /max-wait/],
  ])('%#', async (argv, rule) => refused(argv, rule))

  test.each([
    ['cart', 'add', 'RML-SAF-051', '--customer', 'C'],
    ['cart', 'set', 'RML-SAF-051', '--increment', '--customer', 'C'],
    ['cart', 'remove', '../..', '--customer', 'C'],
    ['cart', 'notify', 'not-a-uuid'],
    ['catalog', 'variant', '..'],
    ['catalog', 'variants', '--id', 'x'],
    ['wishlist', 'add', 'x', '--customer', 'C'],
    ['wishlist', 'remove', 'x', '--customer', 'C'],
    [...['discounts', 'create', 'A', '--type', 'Percent', '--value', '1', '--variant', 'x'], ...validity],
  ])('a SKU that nobody knows: %s %s %s', async (...argv) => {
    shop.requests()
    const {code, stdout} = await shop.scent([...argv, '--json'])
    expect([code, JSON.parse(stdout).error.message]).toEqual([
      2,
      expect.stringContaining('is not a SKU or id of a variant of your assortment. Nothing was sent.'),
    ])
    // The catalog is read to know that.
    const reads = ['mintToken', 'listVariants', 'listScents', 'listBrands']
    expect(shop.requests().filter(({operation}) => !reads.includes(operation ?? ''))).toEqual([])
  })

  test('a reference that no order can have', async () => {
    const path = file('good.json', address({}))
    const words = (reference: string) => [
      'orders',
      'create',
      '--lock',
      lock,
      '--reference',
      reference,
      '--json',
    ]
    await refused([...words(''), '--address', path], /externalReference|reference/)
    await refused([...create('--address', path).map((word) => (word === lock ? 'no-lock' : word))], /lock/i)
  })

  test('an invalid body for `api`', async () => {
    await refused(['api', 'POST', 'scent/orders', '--input', '-', '--json'], /UTF-8/, randomBytes(100))
    await refused(['api', 'POST', 'scent/orders', '--input', '-', '--json'], /half/, '{"a":"\\ud800"}')
  })
})

test('a reader that goes away, and a stdin that never ends, are not errors', async () => {
  await shop.json(['cart', 'add', variant, '--customer', 'C'], {input: randomBytes(1_000_000)})
  expect(shop.cart('C')).toEqual({[variant]: 1})
})
