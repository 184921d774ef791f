import {Writable} from 'node:stream'
import {expect, test} from 'vitest'
import type {Preview} from '../../src/contract/checkout.ts'
import {digits} from '../../src/contract/money.ts'
import {differences} from '../../src/flows/order/price.ts'
import {Outlet} from '../../src/terminal/output.ts'
import {showViews} from '../../src/terminal/show.ts'
import {differenceTable} from '../../src/terminal/views/checkout.ts'
import {openShop} from '../support/served-shop.ts'

test('an error writes each amount with its decimals and its currency', async () => {
  const shop = await openShop()
  try {
    await shop.scent(['cart', 'add', `${shop.variant('RML-SAF-050')}=2`, '--customer', 'C-9'])
    const order = ['checkout', '--customer', 'C-9', '--address', shop.address, '--max-total', '5', '--yes']
    const {code, stderr} = await shop.scent(order)
    expect(code).toBe(7)
    expect(stderr).toMatch(/The total is \d+\.\d\d SAR, above the 5\.00 SAR approved\. Nothing was ordered\./)
    expect(stderr).toMatch(/\n {2}total: \d+\.\d\d SAR\n {2}approved: 5\.00 SAR\n/)
  } finally {
    await shop.close()
  }
})

test('what changed between two prices is told with decimals and currency, and quantities without', async () => {
  const line = {variantId: 'v', sku: 'RML-SAF-050', ok: true, baseCurrency: 'SAR'}
  const preview = (quantity: number, total: string): Preview => ({
    canCheckout: true,
    chargedWithVat: digits(total),
    lines: [{...line, quantity, lineTotalWithVat: digits(total)}],
  })
  let text = ''
  const screen = new Writable({
    write(chunk, _, done) {
      text += chunk
      done()
    },
  })
  const view = differenceTable(differences(preview(1, '66.7'), preview(2, '423.2')))
  await showViews(new Outlet(Object.assign(screen, {isTTY: true, columns: 80})), [view], 'table', undefined)
  expect(text.replaceAll(/\u001b\[\d+m/g, '').split('\n')).toEqual([
    'What changed',
    expect.stringMatching(/^WHAT +BEFORE +NOW$/),
    expect.stringMatching(/^Quantity of RML-SAF-050 +1 +2$/),
    expect.stringMatching(/^RML-SAF-050 incl\. VAT +66\.70 SAR +423\.20 SAR$/),
    expect.stringMatching(/^Charged incl\. VAT +66\.70 SAR +423\.20 SAR$/),
    '',
  ])
})
