// The walk of `scent checkout` as a person meets it: the built program in real terminals of 80 and of 40 columns.
import {readFileSync, writeFileSync} from 'node:fs'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
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
  return {code, page, text: oneLine(page)}
}

const walk = (columns: number, more = '', answers: Answer[] = []) =>
  run(columns, `checkout --customer C-1 --address ${shop.address} ${more}`.trim(), answers)

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
    expect(second.text).toMatch(/Your last order there, .* was charged 23\.00 SAR more than its lock/)
    expect((await run(columns, `${line} --yes`)).code).not.toBe(0)
  })
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
