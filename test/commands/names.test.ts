import {afterAll, beforeAll, describe, expect, test} from 'vitest'
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
