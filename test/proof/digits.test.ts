import {parse} from 'csv-parse/sync'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {scentAmongMany as scent} from '../support/many.ts'
import {page, service, userOf} from '../support/service.ts'

/** Digits that a double would change, or write in another way. */
const digits = [
  '10.50',
  '0.10',
  '-0.00',
  '1E+2',
  '9007199254740993',
  '0.1000000000000000055511151231257827',
  '1e400',
]

const entry = (amount: string) =>
  `{"transactionType":"Debit","transactionId":9007199254740993,"amount":${amount},"balanceBefore":${amount},"balanceAfter":${amount},"currency":"SAR","referenceType":"Order","timestamp":"2026-01-31T10:00:00Z"}`

const orderId = '6c1f8a52-3f0e-4b1d-9a70-5d2c8e1b7f43'
const order = `{"header":{"orderGlobalId":"G-1","amount":10.50,"currency":"SAR","status":"Processing"},"scentDetail":{"id":"${orderId}","externalReference":"PO","lines":[],"totalAmount":1E+2,"transactionId":9007199254740993}}`

let shop: Awaited<ReturnType<typeof service>>
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  shop = await service(({url}) => (url.includes('/orders/') ? order : page(digits.map(entry))))
  env = userOf(shop.url)
})
afterAll(() => shop.close())

const run = (...argv: string[]) => scent(env, argv)

describe('every digit of the service comes out as it came in', () => {
  test.each([[['--json']], [['--all', '--json']], [['--output', 'ndjson']], [['--query', 'items']]])(
    'of a list with %j',
    async (more) => {
      const {code, stdout} = await run('wallet', 'transactions', ...more)
      expect(code).toBe(0)
      for (const text of digits)
        expect(stdout).toMatch(new RegExp(`"amount": ?${text.replace(/[.+]/g, '\\$&')}[,\n]`))
      expect(stdout.match(/"transactionId": ?9007199254740993[,\n]/g)).toHaveLength(digits.length)
    },
  )

  test('of a list in CSV', async () => {
    const {stdout} = await run('wallet', 'transactions', '--output', 'csv', '--columns', 'amount')
    expect((parse(stdout) as string[][]).flat()).toEqual(['amount', ...digits])
  })

  test('of a list in a pipe', async () => {
    const {stdout} = await run('wallet', 'transactions', '--columns', 'amount')
    expect(stdout.trimEnd().split('\n')).toEqual(digits)
  })

  test('of one field that a query asks for', async () => {
    for (const [at, text] of digits.entries()) {
      expect((await run('wallet', 'transactions', '--query', `items[${at}].amount`)).stdout).toBe(`${text}\n`)
    }
  })

  test('of an order, and of what `api` reads', async () => {
    for (const argv of [
      ['orders', 'get', orderId, '--json'],
      ['api', 'GET', `scent/orders/${orderId}`],
    ]) {
      const {stdout} = await run(...argv)
      for (const text of ['10.50', '1E+2', '9007199254740993']) expect(stdout).toContain(` ${text}`)
    }
  })
})
