import {Writable} from 'node:stream'
import {describe, expect, it} from 'vitest'
import {brand} from '../../src/contract/brands.ts'
import {commissionPeriod} from '../../src/contract/commissions.ts'
import {discountCode} from '../../src/contract/discounts.ts'
import {parseJson} from '../../src/contract/money.ts'
import {notice} from '../../src/contract/notices.ts'
import {returnRequest} from '../../src/contract/returns.ts'
import {scent} from '../../src/contract/scents.ts'
import {reportStatement, statement} from '../../src/contract/statements.ts'
import {walletTransaction} from '../../src/contract/wallet.ts'
import {delivery, subscription} from '../../src/contract/webhooks.ts'
import {readWishlist} from '../../src/contract/wishlist.ts'
import {Outlet} from '../../src/terminal/output.ts'
import {showViews} from '../../src/terminal/show.ts'
import {card, type View} from '../../src/terminal/table.ts'
import {anyView} from '../../src/terminal/views/any.ts'
import {brandColumns, scentColumns} from '../../src/terminal/views/catalog.ts'
import {commissionColumns} from '../../src/terminal/views/commissions.ts'
import {discountColumns} from '../../src/terminal/views/discounts.ts'
import {noticeCard} from '../../src/terminal/views/notices.ts'
import {seriesOf} from '../../src/terminal/views/reports.ts'
import {returnColumns} from '../../src/terminal/views/returns.ts'
import {statementViews} from '../../src/terminal/views/statements.ts'
import {balanceCard, transactionColumns} from '../../src/terminal/views/wallet.ts'
import {activeCard, deliveryColumns, subscriptionCard} from '../../src/terminal/views/webhooks.ts'
import {wishlistViews} from '../../src/terminal/views/wishlist.ts'

/** What a service may send in the place of anything. */
const oddities: [string, unknown][] = [
  ['null', null],
  ['nothing', undefined],
  ['text', '=1+1\u001b[2J'],
  ['a number', 7],
  ['digits', parseJson('9007199254740993.10')],
  ['a truth', true],
  ['a list', [1, 'two', null]],
  ['a list of objects', [{a: 1}]],
  ['an object', {a: {b: 1}}],
]

/** Every field of a schema in the place of which anything may come, as `odd`; the others fit. */
function oddOne(schema: object, odd: unknown): unknown {
  const {shape, inner} = schema as {shape?: Record<string, object>; inner?: object}
  if (inner) return odd
  if (shape) return Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, oddOne(field, odd)]))
  const {_zod} = schema as {_zod: {def: {type: string; element?: object; innerType?: object}}}
  if (_zod.def.type === 'array' && _zod.def.element) return [oddOne(_zod.def.element, odd)]
  return odd
}

/** The same one level deeper: known objects hold odd fields. */
function oddInside(schema: object, odd: unknown): unknown {
  const {shape, inner} = schema as {shape?: Record<string, object>; inner?: object}
  if (inner) return oddInside(inner, odd)
  if (shape)
    return Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, oddInside(field, odd)]))
  return oddOne(schema, odd)
}

class Screen extends Writable {
  text = ''
  columns = 100
  isTTY: boolean
  constructor(isTTY: boolean) {
    super()
    this.isTTY = isTTY
  }
  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk
    done()
  }
}

async function written(
  views: View[],
  mode: 'table' | 'csv' | 'ndjson',
  isTTY: boolean,
  columns = 100,
): Promise<string> {
  const screen = new Screen(isTTY)
  screen.columns = columns
  await showViews(new Outlet(screen as never), views, mode, undefined)
  return screen.text
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a service may send
type Odd = any

const kinds: [string, object, (row: Odd) => View[]][] = [
  [
    'a return request',
    returnRequest,
    (row) => [card(row, returnColumns), {rows: [row], columns: returnColumns}],
  ],
  ['a notice', notice, (row) => [noticeCard(row)]],
  ['a statement', statement, statementViews],
  ['a document', reportStatement.payload.inner, statementViews],
  ['a commission period', commissionPeriod, (row) => [{rows: [row], columns: commissionColumns}]],
  ['a discount code', discountCode, (row) => [{rows: [row], columns: discountColumns}]],
  ['a subscription', subscription, (row) => [subscriptionCard(row), activeCard(row)]],
  ['a delivery', delivery, (row) => [{rows: [row], columns: deliveryColumns}]],
  ['a live delivery', delivery, (row) => [{rows: [row], columns: deliveryColumns, live: true}]],
  ['a wishlist', readWishlist.payload, wishlistViews],
  ['a scent', scent, (row) => [{rows: [row], columns: scentColumns}]],
  ['a brand', brand, (row) => [{rows: [row], columns: brandColumns}]],
  ['a ledger entry', walletTransaction, (row) => [{rows: [row], columns: transactionColumns(true)}]],
  ['a balance', walletTransaction, (row) => [balanceCard(row)]],
]

describe.each(kinds)('%s', (_, schema, views) => {
  it.each(oddities)('is shown though each field that is only shown is %s', async (_, odd) => {
    for (const make of [oddOne, oddInside]) {
      const row = make(schema, odd)
      for (const mode of ['table', 'csv', 'ndjson'] as const) {
        for (const isTTY of [true, false]) {
          for (const view of views(row)) {
            const text = await written([view], mode, isTTY)
            expect(text).not.toContain('\u001b[2J')
            expect(text).not.toContain('[object Object]')
          }
        }
      }
    }
  })
})

describe('an answer whose shape is not documented', () => {
  const seen = async (payload: unknown, columns = 80) =>
    (await written([anyView(payload)], 'table', true, columns)).replaceAll(/\u001b\[\d+m/g, '')

  it.each(oddities)('is shown as it is: %s', async (_, odd) => {
    for (const payload of [odd, [odd], {value: odd}, {rows: [{value: odd, date: '2026-01-01'}]}]) {
      const shown = [
        await written([anyView(payload)], 'table', true),
        await written([anyView(payload)], 'csv', false),
      ]
      for (const text of shown) {
        expect(text).not.toContain('\u001b[2J')
        expect(text).not.toContain('[object Object]')
      }
      seriesOf(
        [
          {value: odd, date: '2026-01-01'},
          {value: 1, date: odd},
        ],
        {report: 'by-day', from: '2026-01-01', to: '2026-02-01'},
      )
    }
  })

  it('keeps every field for a program, and leaves empty ones out for a person', async () => {
    const report = {days: [{date: '2026-01-01', netSales: 1.5, rate: null}]}
    expect(await written([anyView(report)], 'table', true)).toMatch(
      /^.*DATE.*NET SALES.*\n2026-01-01 +1\.5\n$/,
    )
    expect(await written([anyView(report)], 'csv', false)).toBe('date,netSales,rate\n2026-01-01,1.5,\n')
  })

  it('shows amounts with the currency of their row, or of the answer around it, and a program the digits', async () => {
    const sold = {netSales: 1.5, salesWithVatDisplay: 4, orderCount: 3, vatRate: 0.15, vatOrders: 2, total: 7}
    const [header, sar, usd] = (
      await seen({currency: 'SAR', items: [sold, {...sold, currency: 'USD'}]}, 120)
    ).split('\n')
    expect(header).toMatch(
      /NET SALES {2}SALES WITH VAT, ABOUT {2}ORDER COUNT {2}VAT RATE {2}VAT ORDERS {2}TOTAL/,
    )
    expect(sar).toMatch(/^ *1\.50 SAR +4 +3 +0\.15 +2 +7/)
    expect(usd).toMatch(/^ *1\.50 USD +4 +3 +0\.15 +2 +7/)
    const display = {...sold, currency: 'SAR', displayCurrency: 'USD'}
    expect(await seen(display)).toMatch(
      /^Net sales +1\.50 SAR\nSales with VAT, about +4\.00 USD\nOrder count +3\n(?!.*urrency)/,
    )
    expect(await written([anyView(display)], 'table', false)).toBe(
      'netSales\t1.5\nsalesWithVatDisplay\t4\norderCount\t3\nvatRate\t0.15\nvatOrders\t2\ntotal\t7\n' +
        'currency\tSAR\ndisplayCurrency\tUSD\n',
    )
  })

  it('shows a currency that is none, or that no amount stands beside, as it came', async () => {
    const odd = {netSales: 1.5, currency: 'much = '}
    expect(await seen(odd)).toBe('Net sales  1.5\nCurrency   much = \n')
    const alone = {orderCount: 3, currency: 'SAR'}
    expect(await seen(alone)).toBe('Order count  3\nCurrency     SAR\n')
  })

  it('shows moments in local time with its zone, and a date as it came', async () => {
    const window = {fromUtc: '2026-01-01T00:00:00.000Z', toUtc: '2026-02-01', at: '2026-01-01T03:00+03:00'}
    const local = /\d{4}-\d\d-\d\d \d\d:\d\d:00 [+-]\d\d:\d\d/.source
    expect(await seen(window)).toMatch(new RegExp(`^From +(${local})\nTo UTC +2026-02-01\nAt +\\1\n$`))
    expect(await written([anyView(window)], 'csv', false)).toContain('2026-01-01T00:00:00.000Z,2026-02-01,')
  })

  it('leaves out an id before anything else if there is no room', async () => {
    const id = '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43'
    const row = {id, sku: 'NJD-INC-002', orderCount: 1, unitsSold: 1, returned: 0, netSales: 1.5, vat: 0.25}
    const screen = await seen({currency: 'SAR', items: [row]})
    expect(screen).toMatch(
      /^SKU +ORDER COUNT +UNITS SOLD +RETURNED +NET SALES +VAT\n.* 1 +0 +1\.50 SAR +0\.25 SAR\n$/,
    )
  })
})
