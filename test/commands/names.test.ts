import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {control} from '../sandbox/caller.ts'
import {orderFile} from '../support/order-file.ts'
import {inTerminal, oneLine, plain} from '../support/pty.ts'
import {openShop, type Shop} from '../support/served-shop.ts'

// People know SKUs, names and references. Wherever the program wants an id, they may type what they know.

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const run = async (line: string, ...more: string[]) => {
  const {code, stdout, stderr} = await shop.scent([...line.split(' '), ...more])
  return {code, stdout, stderr}
}

/** What a person sees at a terminal of so many columns. */
async function seen(columns: number, line: string, ...more: string[]): Promise<string> {
  const {code, text} = await inTerminal(shop.env, [...line.split(' '), ...more], {columns})
  expect({code, text: code === 0 ? '' : text}).toEqual({code: 0, text: ''})
  return plain(text)
}

const rows = (text: string) => text.split('\n').map((line) => line.split(/\s{2,}|\t/))

describe('a SKU in the place of a variant id', () => {
  test('fills, changes and empties a cart', async () => {
    const saffron = shop.variant('RML-SAF-050')
    expect((await run('cart add RML-SAF-050=2 NJD-INC-002 --customer C-1')).code).toBe(0)
    expect(shop.cart('C-1')).toEqual({[saffron]: 2, [shop.variant('NJD-INC-002')]: 1})
    expect((await run('cart set RML-SAF-050 --increment --customer C-1')).code).toBe(0)
    expect((await run('cart remove NJD-INC-002 --customer C-1')).code).toBe(0)
    expect(shop.cart('C-1')).toEqual({[saffron]: 3})
  })

  test('is looked up in the local catalog, which is read once and then only asked to confirm', async () => {
    await run('cart add RML-SAF-050 --customer C-2')
    shop.requests()
    await run('cart add RML-SAF-050 --customer C-2')
    expect(shop.requests().map(({operation}) => operation)).toEqual([
      'listVariants',
      'readCart',
      'addCartItem',
    ])
  })

  test('in other capitals is taken, and said', async () => {
    const {code, stderr} = await run('cart add rml-saf-050 --customer C-3')
    expect({code, stderr}).toEqual({code: 0, stderr: 'rml-saf-050 is RML-SAF-050 (Saffron Dune, 50 ml).\n'})
  })

  test('that is new is found without a word from the user', async () => {
    const {world} = shop.sandbox.state
    world.run("UPDATE variants SET sku = 'SDR-SEA-NEW' WHERE sku = 'SDR-SEA-050'")
    expect((await run('cart add SDR-SEA-NEW --customer C-4')).code).toBe(0)
    expect(shop.cart('C-4')).toEqual({[shop.variant('SDR-SEA-NEW')]: 1})
  })

  test('that does not exist is refused with what may be meant, and the cart is left alone', async () => {
    const {code, stderr} = await run('cart add RML-SAF-050 RML-SAF-55 --customer C-5')
    expect(code).toBe(2)
    expect(oneLine(stderr)).toContain(
      '"RML-SAF-55" is not a SKU or id of a variant of your assortment. Nothing was sent.',
    )
    expect(oneLine(stderr)).toContain('Did you mean RML-SAF-050 (Saffron Dune, 50 ml)')
    expect(shop.cart('C-5')).toEqual({})
    const named = await run('cart add', 'night caravan', '--customer', 'C-5')
    expect(oneLine(named.stderr)).toContain('Did you mean RML-NIG-002 (Night Caravan, 2 ml)')
  })

  test('of two variants is refused with their ids', async () => {
    const {world} = shop.sandbox.state
    world.script('DROP INDEX variants_sku')
    world.run("UPDATE variants SET sku = 'TWICE' WHERE sku IN ('WRD-FIG-050', 'WRD-FIG-100')")
    const {code, stderr} = await run('cart add TWICE --customer C-6')
    expect({code, stderr: oneLine(stderr)}).toEqual({
      code: 2,
      stderr: expect.stringContaining(
        '"TWICE" is the SKU of 2 variants. Nothing was sent. (INVALID_INPUT) Next: Give the id of one: ',
      ),
    })
  })

  test('is taken by the catalog, wishlists, notifications and discounts', async () => {
    expect((await run('catalog variant RML-SAF-050')).stdout).toContain(shop.variant('RML-SAF-050'))
    const {items} = await shop.json(['catalog', 'variants', '--id', 'RML-SAF-050', '--id', 'NJD-INC-002'])
    expect(items).toHaveLength(2)
    expect((await run('cart notify NJD-LEA-100')).code).toBe(0)
    const wishes = () => shop.json(['wishlist', 'show', '--customer', 'C-7'])
    expect((await run('wishlist add RML-SAF-050 --customer C-7')).code).toBe(0)
    expect((await wishes()).items).toMatchObject([{sku: 'RML-SAF-050'}])
    expect((await run('wishlist remove RML-SAF-050 --customer C-7')).code).toBe(0)
    expect((await wishes()).items).toEqual([])
    const made = await shop.json(
      'discounts create FIFTY --type Percent --value 5 --valid-from 2026-01-01 --valid-to 2027-01-01 --scope VariantList --variant RML-SAF-050'.split(
        ' ',
      ),
    )
    expect(made.scopedVariantIds).toEqual([shop.variant('RML-SAF-050')])
    const changed = await shop.json(['discounts', 'update', made.id, '--variant', 'NJD-INC-002', '--yes'])
    expect(changed.scopedVariantIds).toEqual([shop.variant('NJD-INC-002')])
  })
})

describe('the catalog by name', () => {
  test('is searched by the words of a name and the size, and the names stand in a column of their own', async () => {
    const text = await seen(80, 'catalog variants --search', 'saffron 50')
    const [head, ...found] = rows(text)
    expect(head?.slice(0, 3)).toEqual(['SKU', 'NAME', 'ML'])
    expect(found.slice(0, 2).map((row) => row.slice(0, 3))).toEqual([
      ['RML-SAF-050', 'Saffron Dune', '50'],
      // Its name says nothing of saffron; its notes do.
      ['NJD-ROY-050', 'Royal Oud', '50'],
    ])
  })

  test.each([
    ['by brand', 'sidr & salt 100ml', ['SDR-SEA-100', 'SDR-HON-100']],
    ['by note', 'vetiver', ['RML-NIG-002', 'RML-NIG-050', 'RML-NIG-100']],
    ['by a part of the SKU', 'jas-0', ['WRD-JAS-002', 'WRD-JAS-050']],
    ['by the beginning of words, in any capitals', 'ORAN bLO 2', ['WRD-ORA-002']],
    ['by nothing that it knows', 'patchouli', []],
  ])('is searched %s', async (_, text, skus) => {
    const {items} = await shop.json(['catalog', 'variants', '--search', text])
    expect(items.map(({sku}: {sku: string}) => sku)).toEqual(skus)
  })

  test('is searched together with other filters, and says if there are more', async () => {
    const search = (...more: string[]) =>
      shop.json(['catalog', 'variants', '--search', 'bayt rimal', ...more])
    expect((await search('--max-price', '50')).items).toHaveLength(3)
    expect((await search('--limit', '4')).items).toHaveLength(4)
    const {stderr, stdout} = await run('catalog variants --search', 'o', '--page-size', '3')
    expect(stdout.trim().split('\n')).toHaveLength(3)
    expect(stderr).toMatch(/^The first 3 of \d+ variants that match; --all shows them\.\n$/)
  })

  test('a search without a word is refused, and a list without a search names its variants too', async () => {
    expect(await run('catalog variants --search', '…')).toMatchObject({code: 2, stdout: ''})
    const {stdout} = await run('catalog variants --limit 1 --output csv --columns sku,name,brand')
    expect(stdout).toBe('sku,name,brand\nNJD-INC-002,Dry Incense,Najd Oud\n')
  })

  test('a service that tells no names loses nothing but the names', async () => {
    shop.fault({match: {operation: 'listScents'}, effect: 'status', status: 404, times: 9})
    const env = {...shop.env, SCENT_STATE_DIR: `${shop.env.SCENT_STATE_DIR}-other`}
    const {code, stdout} = await shop.scent(['catalog', 'variants', '--limit', '1'], {env})
    expect([code, stdout.split('\t')[1]]).toEqual([0, 'NJD-INC-002'])
    expect((await shop.scent(['cart', 'add', 'NJD-INC-002', '--customer', 'C-8'], {env})).code).toBe(0)
  })
})

describe('the local record of orders and jobs', () => {
  const file = (name: string, references: string[], change: object = {}) => {
    const rows = references.map((externalReference) => ({
      externalReference,
      customerRef: externalReference,
      ...change,
    }))
    return orderFile(shop.env.HOME ?? '', name, rows)
  }
  const list = async (...more: string[]): Promise<Record<string, unknown>[]> =>
    (await shop.json(['orders', 'list', ...more])).items
  const references = (items: Record<string, unknown>[]) => items.map((item) => item.externalReference)
  const jobs: string[] = []

  beforeAll(async () => {
    const place = async (path: string, code = 0) => {
      jobs.push((await shop.json(['orders', 'import', path, '--yes'], {code})).job)
    }
    await place(
      file(
        'many.csv',
        Array.from({length: 33}, (_, n) => `MANY-${100 + n}`),
      ),
    )
    await place(file('much.csv', ['MUCH-1'], {quantity: 100_000}), 11)
    await shop.json(['cart', 'add', 'NJD-INC-002', '--customer', 'C-LIST'])
    await shop.json([
      ...'checkout --customer C-LIST --reference PO-LIST --yes --address'.split(' '),
      shop.address,
    ])
  })

  test('lists the newest 30 and says that there are more', async () => {
    expect(references(await list())).toEqual(expect.arrayContaining(['PO-LIST', 'MUCH-1', 'MANY-100']))
    expect(await list()).toHaveLength(30)
    expect((await run('orders list')).stderr).toBe(
      'Local record: orders made from this machine under this profile; these are the newest 30, and --all shows all of them.\n',
    )
    expect(references(await list('--limit', '2'))).toEqual(['PO-LIST', 'MUCH-1'])
    expect(await list('--all')).toHaveLength(35)
    expect((await run('orders list --all')).stderr).toBe(
      'Local record: orders made from this machine under this profile.\n',
    )
  })

  test('finds by outcome, by status, by customer, by a part of the reference and by time', async () => {
    expect(references(await list('--status', 'REFUSED'))).toEqual(['MUCH-1'])
    expect(references(await list('--status', 'processing', '--customer', 'C-LIST'))).toEqual(['PO-LIST'])
    expect(references(await list('--reference', 'many-13', '--all'))).toEqual([
      'MANY-130',
      'MANY-131',
      'MANY-132',
    ])
    const [{startedAt} = {startedAt: ''}] = await list('--limit', '1')
    expect(references(await list('--since', String(startedAt)))).toEqual(['PO-LIST'])
    expect(await list('--since', '2026-01-01', '--all')).toHaveLength(35)
    expect(await list('--customer', 'nobody')).toEqual([])
  })

  test('refuses a status that nothing can have, and a time that is not one', async () => {
    const {code, stderr} = await run('orders list --status Shipped')
    expect([code, oneLine(stderr)]).toEqual([
      2,
      expect.stringContaining('--status "Shipped" is not one of placed, already-placed, open,'),
    ])
    expect(await run('orders list --since 2026-02-30')).toMatchObject({code: 2, stdout: ''})
  })

  test('tells why an order was refused, in a terminal and in its document', async () => {
    expect((await list('--status', 'refused'))[0]).toMatchObject({
      error: {
        state: 'VALIDATION_ERRORS',
        message: expect.stringContaining('quantity: must be from 1 to 9999'),
      },
    })
    expect(oneLine(await seen(80, 'orders list --status refused'))).toContain(
      'quantity: must be from 1 to 9999',
    )
  })

  test('shows the id of an order that the service made and marked as failed', async () => {
    const order = async (reference: string) => {
      await shop.json(['cart', 'add', 'NJD-INC-002', '--customer', reference])
      const walk = `checkout --customer ${reference} --reference ${reference} --yes --address`
      return shop.scent([...walk.split(' '), shop.address])
    }
    await control(shop.sandbox, 'PATCH', 'partners/rimal-retail', {wallet: 1})
    expect((await order('PO-FAILED')).code).toBe(7)
    await control(shop.sandbox, 'PATCH', 'partners/rimal-retail', {wallet: 50_000})
    const [failed] = await list('--status', 'failed')
    const {id} = shop.orders().find(({external_reference}) => external_reference === 'PO-FAILED') ?? {}
    expect(failed).toMatchObject({
      externalReference: 'PO-FAILED',
      outcome: 'refused',
      orderId: id,
      status: 'Failed',
      error: {state: 'ORDER_FAILED', message: expect.stringContaining('INSUFFICIENT_WALLET_BALANCE')},
    })
    expect(await seen(110, 'orders list --status failed')).toContain(id)
  })

  test('shows and resumes the latest job without an id, and any by the beginning of its id', async () => {
    const [many = '', much = ''] = jobs
    const latest = await run('jobs show')
    expect([latest.code, latest.stderr]).toEqual([0, expect.stringContaining(`Job ${much}.\n`)])
    expect((await shop.json(['jobs', 'show'])).job).toBe(much)
    expect((await shop.json(['jobs', 'resume'], {code: 11})).job).toBe(much)
    expect((await shop.json(['jobs', 'show', many.slice(0, -2)])).job).toBe(many)
    const several = await run(`jobs show ${many.slice(0, 6)}`)
    expect([several.code, oneLine(several.stderr)]).toEqual([
      2,
      expect.stringContaining(`Give more of it: ${[many, much].sort().reverse().join(', ')}.`),
    ])
    expect(await run('jobs show nothing')).toMatchObject({code: 2, stdout: ''})
    expect(await run('jobs show ../jobs')).toMatchObject({code: 2, stdout: ''})
    expect((await shop.json(['jobs', 'list', '--limit', '1'])).items).toHaveLength(1)
  })

  test('says that there is no job yet', async () => {
    const env = {...shop.env, SCENT_STATE_DIR: `${shop.env.SCENT_STATE_DIR}-empty`}
    const {code, stderr} = await shop.scent(['jobs', 'show'], {env})
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('No job has been run from here under this profile.'),
    ])
  })
})

describe('an order by its reference', () => {
  const place = async (reference: string, customer = reference): Promise<string> => {
    await shop.json(['cart', 'add', 'RML-SAF-050', 'NJD-INC-002=2', '--customer', customer])
    const walk = [
      'checkout',
      '--customer',
      customer,
      '--reference',
      reference,
      '--yes',
      '--address',
      shop.address,
    ]
    return (await shop.json(walk)).id
  }
  let id = ''
  beforeAll(async () => {
    id = await place('PO-NAMED')
    await control(shop.sandbox, 'POST', 'orders/PO-NAMED/deliver')
  })

  test('is read and tracked, and its lines show SKU and name', async () => {
    expect((await shop.json(['orders', 'get', 'PO-NAMED'])).header.productOrderId).toBe(id)
    expect((await shop.json(['orders', 'track', 'PO-NAMED'])).orderId).toBe(id)
    const text = await seen(80, 'orders get PO-NAMED')
    expect(text).toMatch(/^SKU +NAME +QTY /m)
    expect(text).toMatch(/^RML-SAF-050 +Saffron Dune +1 /m)
    expect(text).toMatch(/^NJD-INC-002 +Dry Incense +2 /m)
  })

  test('is found by the beginning of its id, in any capitals, and by its global id', async () => {
    const begun = await run(`orders track ${id.slice(0, 8)}`)
    expect([begun.code, begun.stderr]).toEqual([0, `${id.slice(0, 8)} is order ${id}.\n`])
    expect((await run('orders track po-named')).stderr).toBe(`po-named is order ${id}.\n`)
    const {orderGlobalId} = (await shop.json(['orders', 'get', 'PO-NAMED'])).header
    expect((await shop.json(['orders', 'get', orderGlobalId])).header.productOrderId).toBe(id)
    expect((await shop.json(['orders', 'track', orderGlobalId])).orderId).toBe(id)
    expect((await run(`orders get PO-NAMED --global`)).code).toBe(5)
  })

  test('that is itself a UUID is found, if no order has that id', async () => {
    const reference = '11111111-2222-4333-8444-555555555555'
    const made = await place(reference)
    const {stderr, code} = await run(`orders track ${reference}`)
    expect([code, stderr]).toEqual([0, `${reference} is the reference of order ${made}.\n`])
  })

  test('that was refused, or is not known, says so', async () => {
    const refused = await run('orders get MUCH-1')
    expect([refused.code, oneLine(refused.stderr)]).toEqual([
      5,
      expect.stringContaining('The order MUCH-1 was not made. The service refused some fields'),
    ])
    const unknown = await run('orders get PO-NAMET')
    expect([unknown.code, oneLine(unknown.stderr)]).toEqual([
      5,
      expect.stringContaining('Did you mean PO-NAMED'),
    ])
  })

  test('and a line by its SKU is what a return is requested by, and its number withdraws it', async () => {
    const groups = (await shop.json(['orders', 'track', 'PO-NAMED'])).fulfillmentGroups
    const create = (line: string) => shop.scent(['returns', 'create', 'PO-NAMED', '--line', line, '--json'])
    const wrong = await create('RML-SAF-100=1:Damaged')
    expect([wrong.code, JSON.parse(wrong.stdout).error.message]).toEqual([
      2,
      'No line of the order is of "RML-SAF-100". Nothing was requested.',
    ])
    const made = JSON.parse((await create('rml-saf-050=1:Damaged')).stdout)
    // The only group that was delivered is taken.
    const {items} = await shop.json(['returns', 'list', '--order', 'PO-NAMED'])
    expect(items).toMatchObject([{id: made.id, fulfillmentGroupId: groups[0].id}])
    const number = made.returnRequestNumber
    const missing = await run(`returns withdraw ${number}9 --yes`)
    expect([missing.code, oneLine(missing.stderr)]).toEqual([
      5,
      expect.stringContaining(`Did you mean ${number}?`),
    ])
    const asked = await inTerminal(shop.env, ['returns', 'withdraw', number.toLowerCase()], {
      columns: 80,
      answers: [['(y/N)', 'y\r']],
    })
    expect([asked.code, oneLine(asked.text)]).toEqual([
      0,
      expect.stringContaining(`Withdraw return request ${number}?`),
    ])
    expect((await shop.json(['returns', 'list', '--order', 'PO-NAMED'])).items).toMatchObject([
      {status: 'Withdrawn'},
    ])
  })
})

describe('a discount code by itself', () => {
  test('is changed, in any capitals, and one that is not there is refused with what may be meant', async () => {
    const changed = await shop.json(['discounts', 'update', 'saffron25', '--value', '26', '--yes'])
    expect(changed).toMatchObject({code: 'SAFFRON25', value: 26})
    const {code, stderr} = await run('discounts update SAFRON25 --value 3 --yes')
    expect([code, oneLine(stderr)]).toEqual([5, expect.stringContaining('Did you mean SAFFRON25?')])
  })
})
