import {randomUUID} from 'node:crypto'
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {address as shippingAddress} from '../support/address.ts'
import {scentAmongMany as scent} from '../support/many.ts'
import type {Ran} from '../support/scent.ts'
import {userAt} from '../support/served-shop.ts'
import {type Habits, type OtherService, otherService, type Reply, variant} from './other-service.ts'

/** Answers of the operations that the spec only mentions, in shapes that nobody has thought of. */
async function at(
  habits: Habits,
  work: (scent: (...argv: string[]) => Promise<Ran>, service: OtherService, home: string) => Promise<void>,
): Promise<void> {
  const service = await otherService(habits)
  const env = userAt(service.url, 'someone', 'some-secret')
  try {
    await work((...argv) => scent(env, argv), service, env.HOME ?? '')
  } finally {
    await service.close()
  }
}

const ok = (payload: unknown): Reply => ({status: 200, state: 'SUCCESS', payload})
const id = randomUUID()
const customer = ['--customer', 'C']

/** [the route, its answer, the command, what of the answer must be seen] */
const answers: [string, unknown, string[], string[]][] = [
  [
    'POST /scent/wishlist/*/items',
    {variantId: variant, addedAt: 'today'},
    ['wishlist', 'add', variant, ...customer],
    [variant, 'today'],
  ],
  ['POST /scent/wishlist/*/items', null, ['wishlist', 'add', variant, ...customer], []],
  [
    'POST /scent/cart/*/price-lock',
    {lockId: id, expiresAt: '2030-01-01T00:00:00Z'},
    ['checkout', 'lock', ...customer],
    [id, '2030-01-01'],
  ],
  ['DELETE /scent/cart/*/items/*', null, ['cart', 'remove', variant, ...customer], []],
  ['DELETE /scent/cart/*/items/*', {removed: 1}, ['cart', 'remove', variant, ...customer], ['removed', '1']],
  [
    'GET /scent/cart/*',
    {rows: [{product: variant, units: 2}]},
    ['cart', 'show', ...customer],
    [variant, '2'],
  ],
  ['GET /scent/cart/*', null, ['cart', 'show', ...customer], []],
  ['GET /scent/orders/*', {order: {number: 'N-1'}}, ['orders', 'get', id], ['N-1']],
  ['GET /scent/orders/*', null, ['orders', 'get', id], []],
  ['GET /scent/orders/*', [{number: 'N-1'}], ['orders', 'get', id], ['N-1']],
  [
    'GET /scent/orders/*/tracking',
    {shipments: [{carrier: 'SMSA', parcel: 'P-1'}]},
    ['orders', 'track', id],
    ['SMSA', 'P-1'],
  ],
  ['GET /scent/orders/*/tracking', null, ['orders', 'track', id], []],
  [
    'GET /commission-periods',
    {items: [{periodNumber: 'P-7', state: 'Open', commissionTotal: 12.5}]},
    ['commissions', 'list'],
    ['P-7', 'Open', '12.5'],
  ],
  [
    'GET /scent/brands',
    {items: [{brandId: 'B-1', brandName: 'Oud House'}]},
    ['catalog', 'brands'],
    ['B-1', 'Oud House'],
  ],
  [
    'GET /scent/brands',
    {items: [{id, name: 'Attar'}, {brandId: 'B-1'}, 'Bakhoor', null]},
    ['catalog', 'brands'],
    ['Attar', 'B-1', 'Bakhoor'],
  ],
  ['GET /scent/brands', ['Attar', 'Bakhoor'], ['catalog', 'brands'], ['Attar', 'Bakhoor']],
  [
    'GET /scent/brands',
    {items: [{brandId: 'B-1'}, 'Bakhoor']},
    ['catalog', 'brands', '--all'],
    ['B-1', 'Bakhoor'],
  ],
  ['GET /scent/return-requests', {items: [{number: 'R-1'}]}, ['returns', 'list'], ['R-1']],
  [
    'GET /statements/report',
    {documents: [{name: 'D-1', sum: 7}]},
    ['statements', 'report', '--from', '2026-01-01', '--to', '2026-02-01'],
    ['D-1', '7'],
  ],
]

describe.concurrent('an answer of a shape that the spec does not show', () => {
  test.each(answers)('%s %j is a success, and seen by `%s`', (route, payload, argv, seen) =>
    at({[route]: () => ok(payload)}, async (scent, service) => {
      for (const output of ['table', 'csv', 'ndjson', 'json']) {
        const {code, stdout, stderr} = await scent(...argv, '--output', output)
        expect(code, stdout + stderr).toBe(0)
        for (const text of seen) expect(stdout, output).toContain(text)
        expect(stdout).not.toContain('SAR')
      }
      const asked = service.routes().filter((one) => one !== 'POST /auth/token')
      expect(asked).toHaveLength(4)
    }),
  )
})

describe.concurrent('a flow that needs what an undocumented answer may lack', () => {
  test("adds nothing to a cart whose lines it can't read", () =>
    at({'GET /scent/cart/*': () => ok({rows: []})}, async (scent, service) => {
      const {code, stdout} = await scent('cart', 'add', variant, ...customer, '--json')
      expect(code, stdout).toBe(10)
      expect(JSON.parse(stdout).error).toMatchObject({state: 'ODD_ANSWER'})
      expect(service.routes()).not.toContain('POST /scent/cart/items')
    }))

  test('reads the cart if the removal of a line answers nothing', () => {
    const old = randomUUID()
    let removed = false
    const habits: Habits = {
      'GET /scent/cart/*': (usual) => {
        const {payload} = usual()
        const kept = {variantId: variant, quantity: 2}
        const items = removed ? [kept] : [kept, {variantId: old, quantity: 1}]
        return ok({...payload, customerRef: 'C', items})
      },
      'DELETE /scent/cart/*/items/*': () => {
        removed = true
        return ok(null)
      },
    }
    return at(habits, async (scent, service, home) => {
      const file = join(home, 'carts.csv')
      writeFileSync(file, `customerRef,variantId,quantity\nC,${variant},2\n`)
      const {code, stdout, stderr} = await scent(
        'cart',
        'import',
        file,
        '--mode',
        'replace',
        '--yes',
        '--json',
      )
      expect(code, stdout + stderr).toBe(0)
      expect(removed).toBe(true)
      expect(service.routes().filter((route) => route.startsWith('DELETE'))).toHaveLength(1)
    })
  })

  test("does not take an order that it can't read for its own", () => {
    const habits: Habits = {
      'POST /scent/orders': (usual, _, nth) => {
        const reply = usual()
        return nth === 1 ? {lost: true} : reply
      },
      'GET /scent/orders/*': () => ok({order: {number: 'N-1'}}),
    }
    return at(habits, async (scent, service, home) => {
      const address = join(home, 'address.json')
      writeFileSync(address, JSON.stringify(shippingAddress))
      await scent('cart', 'add', `${variant}=2`)
      const argv = ['checkout', '--address', address, '--reference', 'PO-1', '--yes', '--json']
      const {code, stdout} = await scent(...argv)
      expect(code, stdout).toBe(12)
      expect(service.orders).toHaveLength(1)
    })
  })
})
