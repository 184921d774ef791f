// Whatever refuses a value, a person is told the flag that they typed, by the built program.
import {afterAll, beforeAll, expect, test} from 'vitest'
import {bareHome} from '../support/keyring.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import {openShop, type Shop} from '../support/served-shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await openShop()
})

afterAll(() => shop.close())

test.each([
  ['cart show --customer ..', `--customer ".." can't be part of a path.`],
  [`cart show --customer ${'x'.repeat(129)}`, 'must have at most 128 characters.'],
  ['catalog variants --min-price ten', '--min-price "ten" must be a plain decimal such as 10.50.'],
  ['catalog variants --scent x', '--scent "x" must be a UUID.'],
  ['webhooks deliveries x', 'ID "x" must be a UUID.'],
  ['statements get x', 'ID "x" must be a UUID.'],
  ['webhooks create --url https://x --event=', '--event "" must not be empty.'],
])('%s is refused here, by the name of its flag', async (line, message) => {
  const {code, stderr} = await scent(shop.env, line.split(' '))
  expect([code, stderr.replace(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(message)])
  expect(stderr).toMatch(/^Error: (--|ID)/)
})

test.each([
  ['reports sales --from 2026-03-01 --to 2026-01-01', ['--from: ', '--to: ']],
  [
    'discounts create X --type percent --value 250 --valid-from 2026-01-01 --valid-to 2026-02-01',
    ['--value: must be'],
  ],
])('%s is refused by the service, by the names of its flags', async (line, named) => {
  const {code, stderr} = await scent(shop.env, line.split(' '))
  expect(code).not.toBe(0)
  expect(
    named.filter((text) => !stderr.includes(text)),
    stderr,
  ).toEqual([])
})

test('a script gets the names of the API, and so does who sends a request of their own', async () => {
  const line = 'reports sales --from 2026-03-01 --to 2026-01-01 --json'
  const {error} = JSON.parse((await scent(shop.env, line.split(' '))).stdout)
  expect(Object.keys(error.details.errors)).toEqual(['fromUtc', 'toUtc'])
  const own = await scent(shop.env, [
    'api',
    'GET',
    'scent/reports/sales/summary?fromUtc=2026-03-01&toUtc=2026-01-01',
  ])
  expect(own.stderr).toContain('fromUtc: ')
})

test('nothing of it needs a credential', async () => {
  const {code, stderr} = await scent(bareHome(), ['wallet', 'transactions', '--month', 'May'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--month "May" is not a valid month.')])
})
