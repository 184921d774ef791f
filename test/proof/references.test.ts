import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {printJson} from '../../src/contract/money.ts'
import {openShop, type Shop} from '../support/served-shop.ts'

let shop: Shop
let variant: string

beforeAll(async () => {
  shop = await openShop()
  variant = shop.variant('RML-SAF-050')
})
afterAll(() => shop.close())

const good = {
  'one character': 'C',
  '128 characters': 'c'.repeat(128),
  'an escape of a slash': 'a%2Fb',
  'a plus': 'a+b',
  'an ampersand': 'a&lock=true',
  'spaces at its ends': ' a  b ',
  Arabic: 'عميل نورة',
  'emoji of several code points': '👩‍👩‍👧‍👦',
  'three dots': '...',
  'the escape of two dots': '%2e%2e',
  'path traversal': '../../../wallet',
  'a backslash and a leading dash': '-a\\..\\b',
}
/** Everything that a path, a query or a shell could take for something else. */
const worst = `/ ? # % + & %2e%2e ../.. ;=:@!$(),*[]|^{}\`~<>'"\\ نورة 🌹`

const twins = ['عميل نورة', 'C', 'c', 'a b', 'a+b', 'a%20b', 'é', 'e\u0301']

describe.concurrent('a customerRef reaches its own cart, and no other one', () => {
  test.each(Object.entries(good))('with %s', async (_, ref) => {
    const customer = `--customer=${ref}`
    await shop.json(['cart', 'add', `${variant}=5`, customer])
    expect(shop.cart(ref)).toEqual({[variant]: 5})
    await shop.json(['cart', 'set', variant, '--quantity', '2', customer])
    expect(shop.cart(ref)).toEqual({[variant]: 2})
    const order = await shop.json(['checkout', customer, '--address', shop.address, '--yes'])
    expect(order.customerRef).toBe(ref)
    expect(shop.orders().filter(({customer_ref}) => customer_ref === ref)).toMatchObject([{id: order.id}])
  })

  test('by every command, with all characters that mean something somewhere', async () => {
    const customer = `--customer=${worst}`
    expect(await shop.json(['cart', 'add', `${variant}=5`, customer])).toMatchObject({customerRef: worst})
    const shown = await shop.json(['cart', 'show', customer])
    expect(shown).toMatchObject({customerRef: worst, items: [{quantity: 5}]})
    await shop.json(['cart', 'set', variant, '--increment', customer])
    expect(shop.cart(worst)).toEqual({[variant]: 6})
    await shop.json(['cart', 'remove', variant, customer])
    expect(shop.cart(worst)).toEqual({})
    await shop.json(['cart', 'add', `${variant}=2`, customer])
    const preview = await shop.json(['checkout', 'preview', customer])
    expect(preview).toMatchObject({customerRef: worst, canCheckout: true})
    const {lockId} = await shop.json(['checkout', 'lock', customer])
    const words = ['orders', 'create', '--lock', lockId, '--reference', worst, '--address', shop.address]
    const order = await shop.json([...words, customer])
    const read = await shop.json(['orders', 'get', order.id])
    expect(read.scentDetail).toMatchObject({customerRef: worst, externalReference: worst})
    await shop.json(['cart', 'add', variant, customer])
    await shop.json(['cart', 'clear', customer, '--yes'])
    expect(shop.cart(worst)).toEqual({})
  })
})

test('what is too long by one count and not by another is left to the service', async () => {
  const {error} = await shop.json(['cart', 'show', '--customer', '🌹'.repeat(128)], {code: 6})
  expect(error.state).toBe('VALIDATION_CUSTOMER_REF_TOO_LONG')
})

test('references that look alike have carts of their own', async () => {
  for (const [i, ref] of twins.entries()) {
    await shop.json(['cart', 'add', `${variant}=${i + 1}`, `--customer=twin ${ref}`])
  }
  for (const [i, ref] of twins.entries()) expect(shop.cart(`twin ${ref}`)).toEqual({[variant]: i + 1})
})

describe('a customerRef that no path can carry', () => {
  const lock = '3f2b8c1e-9d2a-4c3b-8e6f-1a2b3c4d5e6f'
  const bad = {
    '129 characters': ['c'.repeat(129), /128 characters/],
    '129 emoji': ['🌹'.repeat(129), /128 characters/],
    nothing: ['', /empty/],
    'one dot': ['.', /path/],
    'two dots': ['..', /path/],
    'a line break': ['a\nb', /control/],
    'a tab': ['a\tb', /control/],
    'an escape sequence': ['a\u001b[31m', /control/],
    'a control character of C1': ['a\u009bb', /control/],
  } as const

  const byPath = (customer: string) => [
    ['cart', 'show', customer],
    ['cart', 'add', variant, customer],
    ['cart', 'set', variant, '--quantity', '1', customer],
    ['cart', 'set', variant, '--decrement', customer],
    ['cart', 'remove', variant, customer],
    ['cart', 'clear', customer, '--yes'],
    ['checkout', 'lock', customer],
  ]
  const byQueryOrBody = (customer: string) => [
    ['checkout', 'preview', customer],
    ['checkout', customer, '--address', shop.address, '--yes'],
    ['orders', 'create', '--lock', lock, '--reference', 'PO', '--address', shop.address, customer],
  ]

  async function refused(commands: string[][], ref: string, rule: RegExp): Promise<void> {
    shop.requests()
    for (const words of commands) {
      const {code, stdout} = await shop.scent([...words, '--json'])
      const {error} = JSON.parse(stdout)
      expect({words, code, state: error?.state}).toMatchObject({code: 2, state: 'INVALID_INPUT'})
      expect(error.message, words.join(' ')).toMatch(rule)
      expect(error.message).toMatch(/customer|CUSTOMER/)
      expect(error.message).toContain(printJson(ref).slice(0, 100))
    }
    expect(shop.requests()).toEqual([])
  }

  test.each(Object.entries(bad))('is refused before anything is sent: %s', (_, [ref, rule]) =>
    refused(byPath(`--customer=${ref}`).slice(0, 2), ref, rule),
  )

  test('is refused by every command', () => refused(byPath('--customer=..'), '..', /path/))

  test.each([
    ['129 characters', 'c'.repeat(129), /128 characters/],
    ['nothing', '', /empty|at least 1/],
  ] as const)('is refused by the commands that send it in a query or a body too: %s', (_, ref, rule) =>
    refused(byQueryOrBody(`--customer=${ref}`), ref, rule),
  )
})
