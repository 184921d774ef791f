import {writeFileSync} from 'node:fs'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {manyOrders, orderFile} from '../support/order-file.ts'
import {inTerminal, oneLine} from '../support/pty.ts'
import {filesBelow, folderIn, openShop, type Shop} from '../support/served-shop.ts'

let shop: Shop
let folder: string
beforeAll(async () => {
  shop = await openShop()
  shop.sandbox.state.world.run('UPDATE variants SET stock = 1000000')
  folder = folderIn(shop.env, 'files')
})
afterAll(() => shop.close())

const changes = () =>
  shop.requests().filter(({method, operation}) => method !== 'GET' && operation !== 'mintToken')

/** A file of so many orders that were placed, the job that did it, and the same file with one order more. */
async function placed(prefix: string, count: number, city = 'Riyadh') {
  const rows = manyOrders(prefix, count).map((row) => ({...row, city}))
  const file = orderFile(folder, `${prefix}.csv`, rows)
  const {job} = await shop.json(['orders', 'import', file, '--yes'])
  const more = orderFile(folder, `${prefix}-more.csv`, [
    ...rows,
    {externalReference: `${prefix}-new`, customerRef: `${prefix}-new`, city},
  ])
  shop.requests()
  return {file, more, job: String(job)}
}

describe('a plan knows the orders that stand', () => {
  test('asks nothing and changes nothing if they are all that the file holds', async () => {
    const {file, job} = await placed('A', 3)
    const {code, text} = await inTerminal(shop.env, ['orders', 'import', file], {columns: 80})
    expect(code).toBe(0)
    expect(oneLine(text)).toContain(`3 of 3 were placed by job ${job}. Nothing is left to be ordered.`)
    expect(oneLine(text)).toMatch(/Ordered before +3/)
    const {summary, orders} = await shop.json(['orders', 'import', file])
    expect(summary).toEqual({placed: 0, alreadyPlaced: 3, refused: 0, unknown: 0})
    expect(orders[0]).toMatchObject({outcome: 'already-placed', total: 167.33, orderId: expect.any(String)})
    const {items} = await shop.json(['orders', 'list', '--reference', 'A-'])
    expect(items).toHaveLength(3)
    for (const one of items)
      expect(one).toMatchObject({outcome: 'placed', askedAgainAt: expect.stringMatching(/^\d{4}-/)})
    const plan = await shop.json(['orders', 'import', file, '--dry-run', '--preview'])
    expect(plan).toMatchObject({
      orders: 3,
      alreadyPlaced: 3,
      placedBy: [job],
      goods: 0,
      total: 0,
      requests: 0,
    })
    expect(changes()).toEqual([])
  })

  test('asks for the others alone, and quotes what shipping cost before', async () => {
    const {more, job} = await placed('B', 2)
    const {text} = await inTerminal(shop.env, ['orders', 'import', more], {
      columns: 80,
      answers: [['(y/N)', 'n\r']],
    })
    expect(oneLine(text)).toContain(
      `Place 1 order for at most 167.33 SAR, with shipping as for earlier orders? 2 of 3 were placed by job ${job}.`,
    )
    expect(oneLine(text)).toMatch(/Placed before +2 /)
    expect(changes()).toEqual([])
    const {summary} = await shop.json(['orders', 'import', more, '--yes'])
    expect(summary).toEqual({placed: 1, alreadyPlaced: 2, refused: 0, unknown: 0})
    expect(changes().filter(({operation}) => operation === 'createOrder')).toHaveLength(1)
  })

  test('says that a reference is taken by an order of other goods', async () => {
    await placed('C', 2)
    const other = orderFile(folder, 'other.csv', [
      {externalReference: 'C-0', customerRef: 'C-C0', quantity: 2},
      {externalReference: 'C-1', customerRef: 'C-C9'},
      {externalReference: 'C-new', customerRef: 'C-new'},
    ])
    for (const flags of [[], ['--preview']]) {
      const plan = await shop.json(['orders', 'import', other, '--dry-run', ...flags], {code: 11})
      expect(plan).toMatchObject({alreadyPlaced: 0, goods: 138.58})
      expect(plan.refused).toMatchObject([
        {
          externalReference: 'C-0',
          state: 'ORDER_MISMATCH',
          message: expect.stringMatching(/^The reference is taken: order /),
        },
        {externalReference: 'C-1', state: 'ORDER_MISMATCH'},
      ])
    }
  })

  test('knows single orders too', async () => {
    await shop.json(['cart', 'add', 'RML-SAF-050', '--customer', 'S-1'])
    await shop.json([
      'checkout',
      '--customer',
      'S-1',
      '--reference',
      'S-1',
      '--address',
      shop.address,
      '--yes',
    ])
    const file = orderFile(folder, 'single.csv', [{externalReference: 'S-1', customerRef: 'S-1'}])
    shop.requests()
    const {stderr} = await shop.scent(['orders', 'import', file])
    expect(stderr).toContain('1 of 1 was placed before. Nothing is left to be ordered.')
    expect(changes()).toEqual([])
  })

  test('believes no record of an order that the service does not know any more', async () => {
    const {file} = await placed('D', 1)
    for (const operation of ['readOrder', 'readOrderByGlobalId'])
      shop.fault({match: {operation}, effect: 'status', status: 404, state: 'NOT_FOUND_ORDER', times: 1})
    const {summary} = await shop.json(['orders', 'import', file, '--yes'])
    expect(summary).toMatchObject({placed: 0, alreadyPlaced: 1})
    expect(changes().map(({operation}) => operation)).toContain('createOrder')
    shop.sandbox.state.faults.clear()
  })

  test('is not kept from it by the records of a job that are damaged', async () => {
    const {file, job} = await placed('E', 1)
    const files = filesBelow(shop.env.HOME ?? '')
    const [path = '', text = ''] = files.find(([name]) => name.endsWith(`${job}.ndjson`)) ?? []
    writeFileSync(path, text.replace('PLANNED', 'PLANTED'))
    expect((await shop.json(['orders', 'import', file, '--dry-run'])).alreadyPlaced).toBe(0)
  })
})

test('a plan warns of addresses that may have been mistyped', async () => {
  const rows = manyOrders('ODD', 3).map((row, at) => (at === 0 ? row : {...row, nationalAddress: `abc${at}`}))
  const file = orderFile(folder, 'odd.csv', rows)
  const {stdout, stderr} = await shop.scent(['orders', 'import', file, '--dry-run', '--json'])
  expect(JSON.parse(stdout).oddAddresses).toEqual({orders: 2, first: 'abc1'})
  expect(oneLine(stderr)).toContain(
    'Warning: 2 orders have a national address that is not four letters and four digits',
  )
  const phones = orderFile(folder, 'phones.csv', [{...rows[0], phone: '9.66501E+11'}])
  const refused = await shop.scent(['orders', 'import', phones, '--dry-run'])
  expect([refused.code, oneLine(refused.stderr)]).toEqual([
    2,
    expect.stringContaining('format the column as text'),
  ])
})

describe('a plan quotes fees of cities that earlier orders were charged', () => {
  test('and with previews adds up what will be charged', async () => {
    await placed('F', 1, 'Jeddah')
    const far = manyOrders('G', 3).map((row, at) => ({
      ...row,
      city: ['Jeddah', 'jeddah', 'Riyadh'][at] ?? '',
    }))
    const file = orderFile(folder, 'far.csv', far)
    const plan = await shop.json(['orders', 'import', file, '--dry-run'])
    expect(plan).toMatchObject({goods: 415.74, shipping: 132.25, total: 547.99})
    expect(plan.cities).toContainEqual({city: 'Jeddah', countryCode: 'SAU', orders: 1, fee: 51.75})
    const {total} = await shop.json(['orders', 'import', file, '--dry-run', '--preview'])
    expect(total).toBe(547.99)
    const {orders} = await shop.json(['orders', 'import', file, '--yes'])
    expect(orders.map((order: {total: number}) => order.total)).toEqual([190.33, 190.33, 167.33])
  })

  test('and says which it does not know', async () => {
    await placed('H', 1)
    const file = orderFile(
      folder,
      'tabuk.csv',
      manyOrders('I', 2).map((row, at) => ({...row, city: ['Tabuk', 'Riyadh'][at] ?? ''})),
    )
    const words = ['orders', 'import', file, '--dry-run']
    const {code, text} = await inTerminal(shop.env, words, {columns: 80})
    expect(code).toBe(0)
    expect(oneLine(text)).toMatch(/Shipping an order +Tabuk not known, Riyadh 28\.75 SAR/)
    expect(oneLine(text)).not.toContain('Shipping by these fees')
    const {stderr} = await shop.scent([...words, '--preview'])
    expect(oneLine(stderr)).toContain('Shipping to Tabuk may cost more than in this total')
  })
})
