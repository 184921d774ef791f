// The walk of `scent checkout` as a person meets it: the built program in real terminals of 80 and of 40 columns.
import {readFileSync, writeFileSync} from 'node:fs'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {orderFile} from '../support/order-file.ts'
import {type Answer, drawn, inTerminal, oneLine} from '../support/pty.ts'
import {openShop, type Shop} from '../support/served-shop.ts'

let shop: Shop

beforeEach(async () => {
  shop = await openShop()
})
afterEach(() => shop.close())

const ENTER = '\r'
const DOWN = '\u001b[B'

const fill = (quantity: number, customer = 'C-1') =>
  shop.json(['cart', 'add', `${shop.variant('RML-SAF-050')}=${quantity}`, '--customer', customer])

/** Runs a line in a terminal; nothing in it may be wider than that is. `text` is what it said, in one line. */
async function run(columns: number, line: string, answers: Answer[] = []) {
  const env = {...shop.env, LANG: 'C.UTF-8', TZ: 'Asia/Riyadh'}
  const {code, text} = await inTerminal(env, line.split(' '), {columns, rows: 60, answers})
  const {lines, broken} = drawn(text, columns)
  const page = lines.join('\n')
  expect(broken, page).toEqual([])
  expect(page).not.toContain('never asked')
  return {code, page, raw: text, text: oneLine(page)}
}

const walk = (columns: number, more = '', answers: Answer[] = []) =>
  run(columns, `checkout --customer C-1 --address ${shop.address} ${more}`.trim(), answers)

/** The questions for an address with what is typed; a field that is undefined is not asked for. */
function typed(
  city: string | undefined,
  national: string,
  wrong: string | undefined,
  right: string | undefined,
  phone: string,
): Answer[] {
  return [
    ['Recipient', 'Sara\r'],
    ['Street and building', 'King Fahd Road 1\r'],
    ['More of the street', ENTER],
    ...(city ? ([['City', `${city}\r`]] satisfies Answer[]) : []),
    ['National short address', `${national}\r`],
    ...(wrong ? ([[wrong, `\u0015${right}\r`]] satisfies Answer[]) : []),
    ['Region', ENTER],
    ['Postal code', ENTER],
    ['Country', ENTER],
    ['Phone', `${phone}\r`],
  ]
}

const order: Answer = ['prices held for', 'y\r']

/** An order of two units that was made, and whose answer was lost; its cart holds five units since. */
async function cutOff(): Promise<void> {
  await fill(2)
  shop.fault({match: {operation: 'createOrder'}, effect: 'hang', when: 'after', times: 1})
  const cut = shop.start(['checkout', '--customer', 'C-1', '--address', shop.address, '--yes'])
  await shop.answered('createOrder')
  cut.child.kill('SIGKILL')
  await cut.ended
  shop.sandbox.state.faults.clear()
  expect(shop.orders()).toHaveLength(1)
  await fill(5)
}

describe.each([80, 40])('in a terminal of %i columns', (columns) => {
  describe('an earlier order whose cart was filled again', () => {
    test('is told as the earlier one, and what the cart holds as not ordered', async () => {
      await cutOff()
      const {code, text} = await walk(columns, '', [['What about the cart?', DOWN + ENTER]])
      expect(code).toBe(0)
      const {id, external_reference: reference} = shop.orders()[0] ?? {}
      expect(text).toContain(`Order ${reference} stands, and was charged once. It is an earlier order`)
      expect(text).toContain('The cart of C-1 still holds 5 units for 692.88 SAR, and that is not ordered.')
      expect(text).toContain('An earlier order of this cart')
      expect(text).toContain(`Order ${id}`)
      expect(text).toMatch(/Shipping incl\. VAT 28\.75 SAR Commission incl\. VAT \d+\.\d\d SAR/)
      expect(shop.orders()).toHaveLength(1)
    })

    test('is shown, and what the cart holds ordered as well, if the person says so', async () => {
      await cutOff()
      const {code, text} = await walk(columns, '', [['What about the cart?', ENTER], order])
      expect(code).toBe(0)
      const [before, now] = shop.orders()
      expect(text).toContain(`The earlier order Order ${before?.id}`)
      expect(text).toContain(`Order ${now?.id}`)
      expect(shop.debits()).toBe(2)
    })

    test('ends --yes with EARLIER_ORDER, and nothing else is ordered', async () => {
      await cutOff()
      const {code, text} = await walk(columns, '--yes')
      expect(code).toBe(8)
      expect(text).toContain('What the cart holds now was not ordered: 5 units for 692.88 SAR')
      expect(text).toContain('EARLIER_ORDER')
      expect(shop.debits()).toBe(1)
    })
  })

  test('an order to another city is a success that shows its fee, and the next one quotes it', async () => {
    const jeddah = shop.address.replace('address.json', 'jeddah.json')
    writeFileSync(jeddah, readFileSync(shop.address, 'utf8').replace('Riyadh', 'Jeddah'))
    const line = `checkout --customer C-1 --address ${jeddah}`
    await fill(1)
    const first = await run(columns, line, [order])
    expect(first.code).toBe(0)
    expect(first.text).toContain('outside Riyadh shipping may cost more than this')
    expect(first.text).toContain('it did not know the shipping fee of Jeddah')
    expect(first.text).toMatch(/Shipping incl\. VAT 51\.75 SAR/)
    expect(first.text).not.toContain('Error')
    await fill(1)
    const second = await run(columns, line, [order])
    expect(second.code).toBe(0)
    expect(second.text).toMatch(/For your last order there, .*, it was 51\.75 SAR: expect 190\.33 SAR in all/)
    expect((await run(columns, `${line} --yes`)).code).not.toBe(0)
  })

  test('the last question shows lines, address, code and total; all of them can be changed before it', async () => {
    await fill(2)
    const {code, raw, text} = await walk(columns, '--discount-code SAFFRON25', [
      ['c to change', 'c\r'],
      ['What is to be changed?', DOWN + DOWN + ENTER],
      ['Units of RML-SAF-050', '\u0015' + '3\r'],
      ['c to change', 'c\r'],
      ['What is to be changed?', ENTER],
      ['Ship to', DOWN + ENTER],
      ...typed('Buraydah', 'abc', 'must be four letters and four digits', 'rrrd 3131', '050 123 4567'),
      ['c to change', 'change\r'],
      ['What is to be changed?', DOWN + ENTER],
      ['Discount code (empty for none)', 'SAFRON25\r'],
      ['is not one of your discount codes', DOWN + DOWN + ENTER],
      ['c to change', 'y\r'],
    ])
    expect(code).toBe(0)
    const offers = text.split('To be ordered').slice(1)
    expect(offers[0]).toContain(
      '2 × RML-SAF-050 277.15 SAR Ship to Sara, King Fahd Road 1, Riyadh, RRRD2929, SAU, +966500000000',
    )
    expect(offers[0]).toContain('SAFFRON25, 25.00 SAR off: for your reports, the charge stays')
    expect(offers[1]).toContain('3 × RML-SAF-050 415.73 SAR')
    expect(offers[2]).toContain('Buraydah, RRRD3131, SAU, +966501234567')
    expect(offers[2], text).toContain('SAFFRON25')
    expect(offers[3]).not.toContain('SAFFRON25')
    expect(oneLine(raw)).toContain('Use SAFFRON25')
    const [placed] = shop.orders()
    const sent = shop.requests().filter(({operation}) => operation === 'createOrder')
    expect(sent).toHaveLength(1)
    expect(placed?.customer_ref).toBe('C-1')
  })

  test('a change can be left, and the question left, without an order', async () => {
    await fill(2)
    const {code, text} = await walk(columns, '', [
      ['c to change', 'c\r'],
      ['What is to be changed?', DOWN + DOWN + DOWN + ENTER],
      ['c to change', 'c\r'],
      ['What is to be changed?', DOWN + DOWN + DOWN + DOWN + ENTER],
    ])
    expect(code).toBe(130)
    expect(text).toContain('Not ordered, and nothing was charged')
    expect(shop.orders()).toEqual([])
  })

  test('after the yes there is a sign of life while the service is slow', async () => {
    await fill(2)
    shop.fault({match: {operation: 'createOrder'}, effect: 'slow', delayMs: 3_000, times: 1})
    const {code, raw} = await walk(columns, '', [order])
    expect(code).toBe(0)
    expect(raw).toContain('Waiting for the service')
  })

  test("the partner's own cart is warned of once, and built again for a customer if it can't be ordered", async () => {
    const warning = "This is the partner's own cart"
    const first = await run(columns, 'cart add RML-SAF-050=2')
    expect(first.text).toContain(warning)
    expect(first.text).toContain('Next: `scent checkout`.')
    expect((await run(columns, 'cart add RML-TAI-050')).text).not.toContain(warning)
    shop.sandbox.state.world.run("UPDATE variants SET withheld = 1 WHERE sku = 'RML-TAI-050'")
    const line = `checkout --address ${shop.address}`
    const left = await run(columns, line, [['Customer whose cart gets', ENTER]])
    expect(left.code).toBe(7)
    expect(left.text).toContain('RML-TAI-050 × 1 is unavailable.')
    expect(left.text).toContain('with --customer REF')
    const {code, text} = await run(columns, line, [['Customer whose cart gets', 'C-NEW\r'], order])
    expect(code).toBe(0)
    expect(text).toContain('2 × RML-SAF-050')
    expect(shop.orders()).toMatchObject([{customer_ref: 'C-NEW'}])
    expect(text).toContain(`Next: \`scent orders track ${shop.orders()[0]?.id}\`.`)
  })

  test("the partner's own cart of which nothing can be ordered asks nothing", async () => {
    await shop.json(['cart', 'add', 'RML-TAI-050'])
    shop.sandbox.state.world.run("UPDATE variants SET withheld = 1 WHERE sku = 'RML-TAI-050'")
    const {code, text} = await run(columns, `checkout --address ${shop.address}`)
    expect(code).toBe(7)
    expect(text).toContain('UNAVAILABLE')
    expect(text).toContain('with --customer REF')
  })

  test('an empty cart is said to be empty once, with the command that fills it', async () => {
    const {code, text} = await run(columns, 'checkout --customer C-1')
    expect(code).toBe(7)
    expect(text.match(/The cart is empty/g)).toHaveLength(1)
    expect(text).toContain('Fill it: `scent cart add SKU --customer C-1`.')
    expect(text).not.toContain('lines:')
  })

  test('a part of an address is taken, and the rest asked for', async () => {
    await fill(2)
    const {code, text} = await run(columns, 'checkout --customer C-1 --address-city Riyadh', [
      ...typed(undefined, 'RRRD2929', undefined, undefined, '+966501234567'),
      order,
    ])
    expect(code).toBe(0)
    expect(text).toContain('Sara, King Fahd Road 1, Riyadh, RRRD2929, SAU, +966501234567')
  })

  test('an order from a lock asks for the address as the walk does', async () => {
    await fill(2)
    const {lockId} = await shop.json(['checkout', 'lock', '--customer', 'C-1'])
    const argv = `orders create --lock ${lockId} --reference PO-LOCK --customer C-1 --address-city Riyadh`
    const {code} = await run(
      columns,
      argv,
      typed(undefined, 'RRRD2929', undefined, undefined, '+966501234567'),
    )
    expect(code).toBe(0)
    const {items} = await shop.json(['orders', 'list', '--customer', 'C-1'])
    expect(items).toMatchObject([{externalReference: 'PO-LOCK', outcome: 'placed'}])
  })
})

test('the fee of a city is known from the orders of jobs as well', async () => {
  const file = orderFile(shop.env.HOME ?? '', 'orders.csv', [
    {externalReference: 'JED-1', customerRef: 'C-JED', city: 'Jeddah'},
  ])
  await shop.json(['orders', 'import', file, '--yes'])
  await fill(2)
  writeFileSync(shop.address, readFileSync(shop.address, 'utf8').replace('Riyadh', 'Jeddah'))
  const {code, text} = await walk(80, '', [order])
  expect(code).toBe(0)
  expect(text).toMatch(/For your last order there, .*, it was 51\.75 SAR: expect 328\.90 SAR in all/)
})

test('without a terminal a part of an address is refused by the names of the flags', async () => {
  const argv = [
    'checkout',
    '--customer',
    'C-1',
    '--address-city',
    'X',
    '--address-phone',
    '0501234567',
    '--yes',
  ]
  const {error} = await shop.json(argv, {code: 2})
  expect(error.details.errors).toMatchObject({
    '--address-recipient': ['is required'],
    '--address-phone': [
      '"0501234567" must begin with its country code; a Saudi number would be +966501234567',
    ],
  })
  expect(error.hint).toContain('--address-national-address')
  expect(shop.requests()).toEqual([])
})

test('an address of a file that may have been mistyped is warned of', async () => {
  await fill(2)
  writeFileSync(shop.address, readFileSync(shop.address, 'utf8').replace('RRRD2929', 'abc'))
  const argv = ['checkout', '--customer', 'C-1', '--address', shop.address, '--yes']
  const {code, stderr} = await shop.scent(argv)
  expect([code, oneLine(stderr)]).toEqual([
    0,
    expect.stringContaining('Warning: the national address "abc" is not four letters and four digits'),
  ])
})

test('a script is told that its discount code will be refused, and the service refuses it', async () => {
  await fill(2)
  const argv = [
    'checkout',
    '--customer',
    'C-1',
    '--address',
    shop.address,
    '--yes',
    '--discount-code',
    'NOPE',
  ]
  const {code, stderr} = await shop.scent(argv)
  expect(code).toBe(6)
  expect(stderr).toContain('Discount code NOPE is not one of your discount codes')
  expect(stderr).toContain('--discount-code: is not known')
})

test('an order with a refused code whose answer was lost says when the end of its lock settles it', async () => {
  await fill(2)
  shop.fault({match: {operation: 'createOrder'}, effect: 'reset', when: 'before', times: 1})
  const argv = [
    'checkout',
    '--customer',
    'C-1',
    '--address',
    shop.address,
    '--yes',
    '--discount-code',
    'NOPE',
  ]
  const cut = shop.start(argv)
  await cut.said('Asking again')
  cut.child.kill('SIGKILL')
  await cut.ended
  const {error} = await shop.json(argv, {code: 12})
  expect(error).toMatchObject({state: 'OUTCOME_UNKNOWN', details: {lockExpiresAt: expect.any(String)}})
  expect(error.hint).toMatch(/the end of its price lock does, in 1[45] min\./)
  const {clock} = shop.sandbox.state
  clock.moveTo(clock.now() + 16 * 60_000)
  expect((await shop.json(argv, {code: 6})).error.state).toBe('VALIDATION_ERRORS')
  expect(shop.debits()).toBe(0)
})

test('without a terminal an earlier order whose cart was filled again ends with EARLIER_ORDER', async () => {
  await cutOff()
  const argv = ['checkout', '--customer', 'C-1', '--address', shop.address, '--yes']
  const {error} = await shop.json(argv, {code: 8})
  expect(error).toMatchObject({state: 'EARLIER_ORDER', details: {inCart: {units: 5}}})
  expect(shop.debits()).toBe(1)
  expect((await shop.json(argv)).status).toBe('Processing')
  expect(shop.debits()).toBe(2)
})
