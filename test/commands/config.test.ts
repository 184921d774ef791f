// Settings kept on this machine, and what they do to other commands, by the built program.
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {variantOf} from '../sandbox/caller.ts'
import {inTerminal} from '../support/pty.ts'
import {openShop, type Shop} from '../support/served-shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await openShop()
  await shop.scent(['cart', 'add', variantOf(shop.sandbox, 'RML-SAF-050'), '--customer', 'C-KEPT'])
})

afterAll(() => shop.close())

const words = (line: string) => line.split(' ')
const run = async (line: string, env: NodeJS.ProcessEnv = {}) => {
  const {code, stdout, stderr} = await shop.scent(words(line), {env})
  expect(code, stderr).toBe(0)
  return stdout
}
const settingOf = async (name: string, env: NodeJS.ProcessEnv = {}) =>
  JSON.parse(await run(`config get ${name} --json`, env))

test('a flag wins over the environment, that over a setting, and that over the default', async () => {
  expect(await settingOf('output')).toEqual({setting: 'output', value: 'table', source: 'default'})
  await run('config set output CSV')
  expect(await settingOf('output')).toEqual({setting: 'output', value: 'csv', source: 'config'})
  expect(await run('catalog brands')).toMatch(/^id,name/)
  expect(await run('catalog brands', {SCENT_OUTPUT: 'ndjson'})).toMatch(/^\{/)
  expect(await settingOf('output', {SCENT_OUTPUT: 'ndjson'})).toMatchObject({
    value: 'ndjson',
    source: 'SCENT_OUTPUT',
  })
  expect(JSON.parse(await run('catalog brands --output json'))).toHaveProperty('items')
  expect(JSON.parse(await run('catalog brands --json'))).toHaveProperty('items')
  await run('config unset output')
  expect(await run('catalog brands')).not.toMatch(/^id,name/)
})

test('a customer holds for carts and checkout, and filters no list', async () => {
  await run('config set customer C-KEPT')
  expect(await shop.json(words('cart show'))).toMatchObject({customerRef: 'C-KEPT'})
  expect(await shop.json(words('cart show --customer C-OTHER'))).toMatchObject({customerRef: 'C-OTHER'})
  expect(await run('wishlist show')).toBe('')
  await run(`orders create --lock ${await lock()} --reference PO-KEPT --address ${shop.address}`)
  await run('config set customer C-ANOTHER')
  expect(await run('orders list')).toContain('PO-KEPT')
  await run('config unset customer')
  expect((await shop.scent(words('wishlist show'))).stderr).toContain('Missing --customer')
})

const lock = async () => (await shop.json(words('checkout lock'))).lockId

test('an address and the most that may be charged hold for checkout', async () => {
  await run(`config set address ${shop.address}`)
  await run('config set max-total 1')
  await run(`cart add ${variantOf(shop.sandbox, 'RML-SAF-050')} --customer C-CHARGED`)
  const order = words('checkout --customer C-CHARGED --reference PO-CHARGED --yes --json')
  const {error} = JSON.parse((await shop.scent(order)).stdout)
  expect(JSON.stringify(error)).toContain('1')
  expect(error.exitCode).not.toBe(0)
  expect(await shop.json([...order, '--max-total', '500'])).toMatchObject({externalReference: 'PO-CHARGED'})
  for (const name of ['address', 'max-total']) await run(`config unset ${name}`)
})

test('columns hold for their own command, and leave JSON as it is', async () => {
  await run('config set columns.catalog.brands name')
  expect(await run('catalog brands --output csv')).toMatch(/^name\n/)
  expect(await run('catalog brands --output csv --columns id')).toMatch(/^id\n/)
  expect(JSON.parse(await run('catalog brands --json'))).toHaveProperty('items.0.id')
  expect(await run('catalog scents --output csv')).not.toMatch(/^name\n/)
  await run('config unset columns.catalog.brands')
})

test('a partner to act for has a name', async () => {
  const child = shop.sandbox.state.world.get<{id: string}>(
    'SELECT id FROM partners WHERE parent_id = (SELECT id FROM partners WHERE client_id = ?)',
    'rimal-retail',
  )
  await run(`config set alias.shop ${child?.id}`)
  const {settings} = await shop.json(words('auth status --as shop'))
  expect(settings).toContainEqual(expect.objectContaining({setting: 'as', value: child?.id, source: '--as'}))
  const {stderr} = await shop.scent(words('auth status --as shopp'))
  expect(stderr).toContain('scent config set alias.NAME UUID')
})

test('what is set is listed, with where it comes from', async () => {
  await run('config set columns.orders.list externalReference,total')
  const {items} = await shop.json(words('config list'))
  const sources = Object.fromEntries(
    items.map((row: {setting: string; source: string}) => [row.setting, row.source]),
  )
  expect(sources).toMatchObject({
    profile: 'default',
    output: 'default',
    'columns.orders.list': 'config',
    'alias.shop': 'config',
    'state-dir': 'SCENT_STATE_DIR',
  })
  await run('config unset columns.orders.list')
})

test('accessible has questions asked in plain lines, unless the environment says otherwise', async () => {
  await run('config set accessible ON')
  expect(await settingOf('accessible')).toEqual({setting: 'accessible', value: 'on', source: 'config'})
  const argv = words('cart clear --customer C-KEPT')
  const asked = async (env: NodeJS.ProcessEnv, typed: string) =>
    (await inTerminal({...shop.env, ...env}, argv, {columns: 80, answers: [['(y/N)', typed]]})).text
  const moves = /\u001b\[\d*[A-HJK]/
  expect(await asked({}, 'n\n')).not.toMatch(moves)
  expect(await asked({ACCESSIBLE: '0'}, 'n\r')).toMatch(moves)
  await run('config unset accessible')
  expect(await asked({}, 'n\r')).toMatch(moves)
})

describe('a value that could not be used is refused, and nothing is kept', () => {
  test.each([
    ['output xml', 'output "xml" is not one of table, json, ndjson, csv.'],
    ['customer ..', `customer ".." can't be part of a path.`],
    [`customer ${'x'.repeat(129)}`, 'must have at most 128 characters.'],
    ['max-total 12,50', 'max-total "12,50" is not a valid amount.'],
    ['address /nowhere.json', '/nowhere.json'],
    ['rate-share 2', 'rate-share "2" is not a valid share of the quota.'],
    ['rate-share 0x1', 'is not a valid share'],
    ['accessible maybe', 'accessible "maybe" is not one of on, off.'],
    ['profile nobody', 'There is no profile "nobody".'],
    ['columns.orders.list a,,b', 'is not a list of columns.'],
    ['columns.__proto__ a', 'There is no setting'],
    ['alias.warda warda', 'is not a valid partner id.'],
    ['alias.-x 1', 'is not a valid name'],
    ['constructor x', 'There is no setting "constructor".'],
  ])('%s', async (line, message) => {
    const before = await shop.json(words('config list'))
    const {code, stderr} = await shop.scent(words(`config set ${line}`))
    expect([code === 0, stderr.replace(/\s+/g, ' ')]).toEqual([false, expect.stringContaining(message)])
    expect(await shop.json(words('config list'))).toEqual(before)
  })
})
