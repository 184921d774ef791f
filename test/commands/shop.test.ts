import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {address} from '../support/address.ts'
import {scentAmongMany as run} from '../support/many.ts'
import {userOf} from '../support/service.ts'
import type {Sandbox} from '../support/types.ts'

let sandbox: Sandbox
let env: NodeJS.ProcessEnv
/** Two variants that can be bought, and one that can not. */
let one = ''
let two = ''
let gone = ''

beforeAll(async () => {
  sandbox = await createSandbox({limits: false})
  const url = await sandbox.listen()
  const {clientId = '', clientSecret = ''} =
    sandbox.credentials.find(({name}) => name === 'Rimal Retail') ?? {}
  env = userOf(url, {SCENT_CLIENT_ID: clientId, SCENT_CLIENT_SECRET: clientSecret})
  const {items} = await json('catalog variants --page-size 100 --json')
  const priced = items.filter((item: Item) => item.pricing)
  const available = priced.filter((item: Item) => item.availability.state === 'Available')
  ;[one, two] = available.map(({id}: Item) => id)
  gone = priced.find((item: Item) => item.availability.state === 'Unavailable')?.id ?? ''
})

afterAll(() => sandbox.close())

interface Item {
  id: string
  variantId: string
  quantity: number
  pricing: unknown
  availability: {state: string}
}

const scent = (line: string, ...more: string[]) => run(env, [...line.split(' '), ...more])

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
async function json(line: string, ...more: string[]): Promise<any> {
  const {stdout, stderr, code} = await scent(line, ...more)
  if (code !== 0) throw new Error(`${line}: ${code} ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

const lines = (cart: {items?: Item[]; lines?: Item[]}) =>
  (cart.items ?? cart.lines ?? []).map(({variantId, quantity}) => [variantId, quantity])

describe('the catalog', () => {
  it('filters, includes prices by itself, and leaves them out when asked', async () => {
    const [variant] = (await json(`catalog variants --id ${one} --json`)).items
    expect(variant.pricing.unitPrice).toBeTypeOf('number')
    const bare = (await json(`catalog variants --id ${one} --id ${two} --include= --json`)).items
    expect(bare).toHaveLength(2)
    expect(bare[0].pricing ?? null).toBe(null)
  })

  it('shows one scent or brand by its id', async () => {
    for (const noun of ['scents', 'brands']) {
      const [first] = (await json(`catalog ${noun} --json`)).items
      expect(await json(`catalog ${noun} ${first.id} --json`)).toMatchObject({id: first.id, name: first.name})
      expect((await scent(`catalog ${noun} ${first.id}`)).stdout).toContain(`name\t${first.name}\n`)
      expect((await scent(`catalog ${noun} 00000000-0000-4000-8000-000000000000`)).code).toBe(5)
    }
  })

  it('is copied whole, then by what has changed, and whole again when asked', async () => {
    const first = await json('catalog sync --json')
    expect(first).toEqual({
      variants: 36,
      read: 36,
      changed: 36,
      gone: 0,
      full: true,
      syncedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(await json('catalog sync --json')).toMatchObject({variants: 36, read: 0, gone: null, full: false})
    expect(await json('catalog sync --full --json')).toMatchObject({
      read: 36,
      changed: 0,
      gone: 0,
      full: true,
    })
    const {stdout, stderr, code} = await scent('catalog sync')
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    expect(stdout).toMatch(/^variants\t36\nread\t0\nchanged\t0\ngone\t\nfull\tfalse\nsyncedAt\t\d{4}-/)
    const other = {...env, SCENT_ON_BEHALF_OF: sandbox.credentials[1]?.partnerId}
    expect(JSON.parse((await run(other, ['catalog', 'sync', '--json'])).stdout)).toMatchObject({full: true})
  })

  it('shows one variant', async () => {
    expect((await json(`catalog variant ${one} --json`)).id).toBe(one)
    expect((await scent(`catalog variant ${one}`)).stdout).toMatch(new RegExp(`^id\t${one}\n`))
  })

  it('adds the display currency', async () => {
    const {stdout} = await scent(`catalog variants --id ${one} --currency USD --output csv`)
    expect(stdout.split('\n')[0]).toContain('pricing.display.unitPriceDisplay')
    const [variant] = (await json(`catalog variants --id ${one} --currency USD --json`)).items
    expect(variant.pricing.display.displayCurrency).toBe('USD')
  })
})

describe('a cart', () => {
  it('of a customer is filled, changed and cleared', async () => {
    const cart = '--customer C-1 --json'
    expect(lines(await json(`cart add ${one}=2 ${two} ${cart}`))).toEqual([
      [one, 2],
      [two, 1],
    ])
    expect(lines(await json(`cart add ${one} ${cart}`))).toEqual([
      [one, 3],
      [two, 1],
    ])
    expect(lines(await json(`cart set ${one} --quantity 5 ${cart}`))).toEqual([
      [one, 5],
      [two, 1],
    ])
    expect(lines(await json(`cart set ${one} --increment ${cart}`))).toEqual([
      [one, 6],
      [two, 1],
    ])
    expect(lines(await json(`cart set ${two} --decrement ${cart}`))).toEqual([[one, 6]])
    expect(lines(await json(`cart show ${cart}`))).toEqual([[one, 6]])
    expect(lines(await json(`cart remove ${one} ${cart}`))).toEqual([])
    await json(`cart add ${one} ${cart}`)
    const cleared = await json(`cart clear ${cart} --yes`)
    expect([cleared.id, cleared.status, lines(cleared)]).toEqual([null, 'None', []])
  })

  it('of the partner is filled, and shown through the preview', async () => {
    expect(lines(await json(`cart add ${one}=2 --json`))).toEqual([[one, 2]])
    const preview = await json('cart show --json')
    expect([lines(preview), preview.canCheckout]).toEqual([[[one, 2]], true])
    expect((await scent('cart show')).stdout).toContain(`\t${one}\t2\t`)
  })

  it('keeps each customer apart, however the reference is written', async () => {
    for (const ref of ['a/b', 'a%2Fb', 'ب م', '#?&+', '🌹', 'x'.repeat(128)]) {
      await json('cart add --json', `${one}=1`, '--customer', ref)
      const cart = await json('cart show --json', '--customer', ref)
      expect([cart.customerRef, lines(cart)]).toEqual([ref, [[one, 1]]])
    }
  })

  it('refuses what the service refuses, with the way on', async () => {
    const {code, stderr} = await scent(`cart add ${gone} --customer C-2`)
    expect([code, stderr]).toEqual([7, expect.stringContaining('BUSINESS_VARIANT_UNAVAILABLE')])
    expect(stderr).toContain('`scent cart notify SKU`')
    const line = await scent(`cart set ${one} --quantity 1 --customer C-2`)
    expect([line.code, line.stderr]).toEqual([5, expect.stringContaining('NOT_FOUND_CART_ITEM')])
  })

  it('that lost an answer is not doubled', async () => {
    sandbox.state.faults.add({
      match: {operation: 'addCartItem'},
      when: 'after',
      effect: 'reset',
      times: 1,
    })
    expect(lines(await json(`cart add ${one}=2 --customer C-3 --json`))).toEqual([[one, 2]])
  })

  it('registers for a notice', async () => {
    const registration = await json(`cart notify ${gone} --json`)
    expect(registration.variantId).toBe(gone)
    expect((await scent(`cart notify ${one}`)).code).toBe(7)
  })
})

describe('the wallet', () => {
  it('tells its balance by one request, also before the first entry', async () => {
    const {code, stdout, stderr} = await scent('wallet balance')
    expect(code).toBe(0)
    if (stdout.startsWith('balanceAfter\t\n')) expect(stderr).toContain('no entry yet')
  })

  it('lists entries, and refuses a range that ends before it starts', async () => {
    expect((await json('wallet transactions --json')).items).toBeInstanceOf(Array)
    const {code, stderr} = await scent('wallet transactions --from 2026-02-01 --to 2026-01-01')
    expect([code, stderr]).toEqual([6, expect.stringContaining('VALIDATION_INVALID_DATE')])
  })
})

describe('an order', () => {
  it('is made, read by either id, tracked, and found in the local record', async () => {
    await json(`cart add ${one}=2 --customer O-1 --json`)
    const {lockId} = await json('checkout lock --customer O-1 --json')
    const argv = [
      '--lock',
      lockId,
      '--reference',
      'R-1',
      '--customer',
      'O-1',
      '--address',
      '-',
      '--yes',
      '--json',
    ]
    const made = await run(env, ['orders', 'create', ...argv], JSON.stringify(address))
    expect([made.code, made.stderr]).toEqual([0, expect.anything()])
    const {id} = JSON.parse(made.stdout)
    const read = await json(`orders get ${id} --json`)
    const globalId = (read.header ?? read).orderGlobalId
    expect((await json(`orders get ${globalId} --json`)).header.externalReference).toBe('R-1')
    expect((await scent(`orders get ${id}`)).stdout).toContain('header.externalReference\tR-1\n')
    expect((await json(`orders track ${id} --json`)).fulfillmentGroups).toBeInstanceOf(Array)
    expect((await scent(`orders get ${id} --global`)).code).toBe(5)

    const list = await scent('orders list --json')
    expect(list.stderr).toContain('Local record')
    expect(JSON.parse(list.stdout)).toEqual({
      items: [
        expect.objectContaining({
          externalReference: 'R-1',
          orderId: id,
          outcome: 'placed',
          customerRef: 'O-1',
        }),
      ],
    })
    expect(list.stdout).not.toContain('King Fahd')
    expect((await json('wallet balance --json')).transactionType).toBe('Debit')
  })
})

describe('a raw request', () => {
  it('takes a path with or without its prefix, with a query, or as an URL of the service', async () => {
    const {SCENT_BASE_URL = ''} = env
    const paths = [
      'scent/variants?pageSize=1',
      '/scent/variants?pageSize=1',
      '/api/v1/scent/variants?pageSize=1',
    ]
    for (const path of [...paths, `${SCENT_BASE_URL}/api/v1/scent/variants?pageSize=1`]) {
      expect((await json(`api GET ${path}`)).items).toHaveLength(1)
    }
  })

  it('puts fields into the query of a GET, and typed into the body of a POST', async () => {
    expect((await json('api get scent/variants -F pageSize=2')).items).toHaveLength(2)
    const cart = await json(`api POST scent/cart/items?customerRef=API -f variantId=${one} -F quantity=3`)
    expect(lines(cart)).toEqual([[one, 3]])
    const {code, stderr} = await scent(
      `api POST scent/cart/items?customerRef=API -f variantId=${one} -f quantity=3`,
    )
    expect([code, stderr]).toEqual([6, expect.stringContaining('quantity')])
  })

  it('takes a body from stdin', async () => {
    const body = JSON.stringify({variantId: one, quantity: 1})
    const {stdout} = await run(
      env,
      ['api', 'POST', 'scent/cart/items?customerRef=API2', '--input', '-'],
      body,
    )
    expect(lines(JSON.parse(stdout))).toEqual([[one, 1]])
  })

  it('follows pages, as a document or as rows', async () => {
    const all = await json('api GET scent/variants --paginate -F pageSize=10')
    const {stdout} = await scent('api GET scent/variants --paginate --output ndjson')
    expect(stdout.trimEnd().split('\n')).toHaveLength(all.items.length)
    expect(all.items.length).toBeGreaterThan(20)
  })
})
