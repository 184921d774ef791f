import {readFileSync} from 'node:fs'
import {describe, expect, test} from 'vitest'
import {Failure} from '../../../src/contract/failure.ts'
import {losses} from '../../support/shop.ts'
import {charged, isCreate, isLock, killedAfter, once, rulesOf, tableOfTests} from '../../support/table.ts'

// The rows of the decision table of orders (docs/ordering.md) by their numbers and in words, up to a create that did not
// run. What its answers mean is in decision-table-answers.test.ts.
const t = tableOfTests()

describe('the cart', () => {
  test.each([
    ['NOT_FOUND_VARIANT', '00000000-0000-4000-8000-000000000000', () => {}],
    ['BUSINESS_VARIANT_UNAVAILABLE', '', () => t.set('withheld', 1, t.other)],
    [
      'BUSINESS_VARIANT_NOT_PRICED',
      '',
      () => t.state.world.run('UPDATE assortment SET price = NULL WHERE variant_id = ?', t.other),
    ],
  ])(
    'row 1: item answers %s: refused, and the lines that were added are taken back',
    async (code, id, spoil) => {
      spoil()
      const lines = [
        {variantId: t.variantId, quantity: 2},
        {variantId: id || t.other, quantity: 1},
      ]
      expect(await t.order({lines})).toMatchObject({state: 'refused', code})
      expect(await t.cart()).toEqual([])
      expect(t.bodies()).toEqual([])
      t.state.world.run('UPDATE assortment SET price = 26500 WHERE variant_id = ?', t.other)
    },
  )

  test.each(losses)(
    'row 2: item is lost by $effect $when it ran: the cart is read, and never added to blindly',
    async (loss) => {
      t.spoil({...loss, match: {operation: 'addCartItem'}, times: 1})
      expect(await t.order()).toMatchObject({state: 'placed'})
      expect(t.orders()).toMatchObject(charged)
    },
  )

  test.each(['addCartItem', 'previewCheckout', 'createOrder'])(
    'row 3: BUSINESS_PRODUCT_ACCESS_DISABLED at %s stops the job without a retry',
    async (operation) => {
      t.spoil({match: {operation}, status: 422, state: 'BUSINESS_PRODUCT_ACCESS_DISABLED'})
      expect(await t.stopped()).toMatchObject({code: 'BUSINESS_PRODUCT_ACCESS_DISABLED'})
    },
  )

  test('row 3: a preview that tells of it stops the job as well', async () => {
    t.on(
      once(isLock, () =>
        t.state.world.run('UPDATE partners SET product_access = 0 WHERE id = ?', t.partnerId),
      ),
    )
    expect(await t.stopped()).toMatchObject({code: 'BUSINESS_PRODUCT_ACCESS_DISABLED'})
  })

  test("row 4: preview can't check out: refused with the issues", async () => {
    t.set('stock', 1)
    const {state, message} = await t.order()
    expect(state).toBe('refused')
    expect(message).toContain('RML-SAF-050: INSUFFICIENT_STOCK, 1 available')
    expect([await t.cart(), t.bodies()]).toEqual([[], []])
  })

  test('row 5: preview names a pending order with our reference: an earlier try runs, and is waited for', async () => {
    let looks = 0
    const over = t.underWay(t.reference())
    t.on(({url}) => {
      if (url.includes('checkout-preview') && ++looks === 4) over()
      return undefined
    })
    expect(await t.order()).toMatchObject({state: 'placed'})
    expect(t.orders()).toMatchObject(charged)
  })

  test('row 5: … and if it does not end, the order is unknown', async () => {
    t.underWay(t.reference())
    expect(await t.order()).toMatchObject({state: 'unknown'})
    expect(t.tools.now()).toBeGreaterThan(900_000)
  })

  test('row 5: … and a refusal of the cart after it proves nothing about it', async () => {
    const over = t.underWay(t.reference())
    t.on(
      once(
        ({url}) => url.includes('checkout-preview') && !url.includes('lock=true'),
        () => {
          over()
          t.set('withheld', 1)
        },
      ),
    )
    expect(await t.order()).toMatchObject({state: 'unknown', code: 'OUTCOME_UNKNOWN'})
  })

  test('row 6: preview names a pending order with another reference: refused after 2 minutes, the cart left alone', async () => {
    const before = t.tools.now()
    t.underWay('PO-of-another')
    expect(await t.order()).toMatchObject({state: 'refused', code: 'CONFLICT_CART_HAS_PENDING_ORDER'})
    expect(t.tools.now() - before).toBeLessThanOrEqual(120_000)
    expect(await t.cart()).toEqual([{variantId: t.variantId, quantity: 2}])
  })

  test('row 6: … of the file: unknown, as another run is at work, and made once it has ended', async () => {
    const next = t.wish(2, {customerRef: t.customer()})
    const over = t.underWay(next.reference)
    const job = await t.plan(t.wish(), next)
    expect((await t.run(job)).states).toEqual(['unknown', 'unknown'])
    expect(t.bodies()).toEqual([])
    over()
    expect((await t.run(job)).states).toEqual(['placed', 'placed'])
  })

  test.each([{effect: 'race'} as const, {status: 503}, {effect: 'reset', when: 'after'} as const])(
    'row 7: the lock meets %o: again, a lost lock only expires',
    async (fault) => {
      t.spoil({...fault, match: {operation: 'previewCheckout'}, times: 3})
      expect(await t.order()).toMatchObject({state: 'placed'})
      expect(t.orders()).toMatchObject(charged)
    },
  )

  test('row 8: total above the approved: refused with the old and the new price', async () => {
    const {state, code, message} = await t.order({goods: '200.00'}, {rules: rulesOf('0.1')})
    expect([state, code]).toEqual(['refused', 'LIMIT_EXCEEDED'])
    expect(message).toMatch(/277.15 SAR now and 200.00 SAR/)
    expect(t.bodies()).toEqual([])
  })

  test('row 8: … also if it would exceed what the whole job may charge', async () => {
    const job = await t.plan(t.wish(1), t.wish(2))
    const {ends} = await t.run(job, {rules: rulesOf(null, '400')})
    expect(ends).toMatchObject([{state: 'placed'}, {state: 'refused', code: 'LIMIT_EXCEEDED'}])
  })

  test('row 8: … and a lower one is ordered', async () => {
    expect(await t.order({goods: '500.00'}, {rules: rulesOf('0')})).toMatchObject({state: 'placed'})
  })

  test('row 9: preview lines differ from the intended: the cart is restored and locked again', async () => {
    t.on(once(isLock, () => t.put(5)))
    expect(await t.order()).toMatchObject({state: 'placed'})
    expect(t.orders()).toMatchObject(charged)
  })

  test('row 9: … 3 times, else unknown: it may be another run of the file', async () => {
    t.on(async (request) => void (isLock(request) && (await t.put(5))))
    expect(await t.order()).toMatchObject({state: 'unknown', code: 'OUTCOME_UNKNOWN'})
    expect(t.bodies()).toEqual([])
  })

  test('row 10: crash before SUBMITTING is on disk: the resume begins with the cart, and orders once', async () => {
    const job = await t.plan(t.wish())
    await t.run(killedAfter(job, ({step}) => step === 'LOCKED'))
    expect(t.bodies()).toEqual([])
    expect((await t.run(job)).states).toEqual(['placed'])
    expect(t.orders()).toMatchObject(charged)
  })
})

describe('a create that did not run', () => {
  const failing = (code: string, times: number) => {
    let left = times
    t.on((request) => {
      if (!isCreate(request) || left-- <= 0) return undefined
      throw new Failure(code, {effect: 'none'})
    })
  }

  test('row 11: never connected: same body again', async () => {
    failing('NO_CONNECTION', 3)
    expect(await t.order()).toMatchObject({state: 'placed'})
    expect([t.bodies().length, t.sameBodies()]).toEqual([4, 1])
  })

  test('row 11: TLS trust stops the job', async () => {
    failing('TLS_UNTRUSTED', 99)
    expect(await t.stopped()).toMatchObject({code: 'TLS_UNTRUSTED'})
  })

  test('row 12: 429: waits, same body, same lock', async () => {
    t.spoil({status: 429, state: 'RATE_LIMITED', retryAfter: 0, times: 2})
    expect(await t.order()).toMatchObject({state: 'placed'})
    expect([t.bodies().length, t.sameBodies()]).toEqual([3, 1])
  })

  test('row 13: 401 expired: one new token, same body', async () => {
    t.on(once(isCreate, () => t.later(400)))
    t.requests.length = 0
    expect(await t.order()).toMatchObject({state: 'placed'})
    expect([t.bodies().length, t.sameBodies()]).toEqual([2, 1])
    expect(t.requests.filter((one) => one.endsWith('/token')).length).toBeLessThanOrEqual(2)
  })

  test.each([
    [401, 'UNAUTHORIZED_MISSING_TOKEN'],
    [401, 'UNAUTHORIZED_INVALID_TOKEN'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND_ROUTE'],
    [405, 'METHOD_NOT_ALLOWED'],
    [415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('row 14: %i %s stops the job', async (status, state) => {
    t.spoil({status, state})
    expect(await t.stopped()).toMatchObject({code: state})
  })
})

describe('a cart that holds lines of the order, which this run did not put there', () => {
  test('row 33: another run may order from it: unknown, and they are left there', async () => {
    await t.put(2)
    const stop = new AbortController()
    const tell = ({kind}: {kind: string}) => void (kind === 'row-done' && stop.abort())
    expect(await t.order({}, {stop: stop.signal, tell})).toMatchObject({state: 'unknown'})
    expect([await t.cart(), t.bodies()]).toEqual([[{variantId: t.variantId, quantity: 2}], []])
  })

  test("row 33: … until the order's own answer tells", async () => {
    await t.put(2)
    expect(await t.order()).toMatchObject({state: 'placed'})
    expect(t.orders()).toMatchObject(charged)
  })
})

test('every row of docs/ordering.md has a test here, and no other row', () => {
  const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
  const tests = ['decision-table.test.ts', 'decision-table-answers.test.ts'].map(read).join('\n')
  const numbers = (text: string, row: RegExp) => [
    ...new Set([...text.matchAll(row)].map(([, n]) => Number(n))),
  ]
  const told = numbers(read('../../../docs/ordering.md'), /^\| (\d+) \|/gm)
  expect(told).toEqual(Array.from({length: 33}, (_, n) => n + 1))
  expect(numbers(tests, /['"]row (\d+): /g).sort((a, b) => a - b)).toEqual(told)
})
