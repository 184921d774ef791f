import {afterEach, describe, expect, test} from 'vitest'
import {addCartItem} from '../../../src/contract/cart.ts'
import type {Failure} from '../../../src/contract/failure.ts'
import {digits} from '../../../src/contract/money.ts'
import type {CreatedOrder} from '../../../src/contract/orders.ts'
import type {Send} from '../../../src/contract/wire.ts'
import {linesOf, viewCart} from '../../../src/flows/cart/lines.ts'
import {walk} from '../../../src/flows/order/walk.ts'
import type {Offer, Walker, WalkRequest} from '../../../src/flows/order/walker.ts'
import {address} from '../../support/address.ts'
import {openShop, type Shop} from '../../support/shop.ts'

let shop: Shop
afterEach(() => shop.close())

type WalkEvent = Parameters<Walker['tell']>[0]
type Decision = Awaited<ReturnType<Walker['charge']>>

/** A person who answers as told; every offer and event is kept. */
function person(
  script: {
    settle?: boolean
    goOn?: boolean
    customers?: string[]
    mend?: 'take' | 'remove' | 'cancel'
    code?: (string | undefined)[]
    charge?: (Decision | (() => Decision))[]
  } = {},
) {
  const events: WalkEvent[] = []
  const offers: string[] = []
  const left: number[] = []
  const charges = [...(script.charge ?? ['yes'])]
  const walker: Walker = {
    tell: async (event) => void events.push(event),
    settle: async () => script.settle ?? false,
    goOn: async (_, {units}) => {
      left.push(units)
      return script.goOn ?? false
    },
    mend: async () => script.mend ?? 'cancel',
    buildAgain: async () => script.customers?.shift(),
    address: async (_saved, before) => before ?? address,
    mendCode: async ({text, problem}) => {
      offers.push(`${text} ${problem}`)
      return script.code ? script.code.shift() : text
    },
    charge: async ({locked}) => {
      offers.push(String(locked.lock.total))
      const next = charges.shift() ?? 'no'
      return typeof next === 'function' ? next() : next
    },
  }
  const kinds = () => events.map(({kind}) => kind)
  return {walker, events, offers, left, kinds}
}

const request = (more: Partial<WalkRequest> = {}): WalkRequest => ({
  customerRef: 'C-1',
  interactive: true,
  ...more,
})

const debits = async () =>
  (await shop.ledger()).filter(({transactionType}) => transactionType === 'Debit').length

async function failing(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    () => {
      throw new Error('it did not fail')
    },
    (error) => error,
  )
}

describe('the walk', () => {
  test('shows the cart, offers the price with the wallet, and orders once', async () => {
    shop = await openShop()
    const {variantId} = await shop.fill('C-1')
    const {walker, offers, kinds} = person()
    const before = await debits()
    const {order, reference} = await walk(shop.walkTools, request(), walker)
    expect(kinds()).toEqual(['cart'])
    expect(offers).toEqual([String(order.total)])
    expect(reference).toBe('made-up-1')
    expect(await debits()).toBe(before + 1)
    expect(await shop.records.find(reference)).toMatchObject({
      lines: [{variantId, quantity: 2}],
      settled: true,
    })
  })

  test('without anybody to ask costs one preview and one create', async () => {
    shop = await openShop()
    await shop.fill('C-1')
    shop.requests.length = 0
    await walk(shop.walkTools, request({interactive: false, address}), person().walker)
    expect(shop.requests).toEqual(['GET /api/v1/scent/cart/checkout-preview', 'POST /api/v1/scent/orders'])
  })

  test.each([
    {mend: 'take', left: 2},
    {mend: 'remove', left: 0},
  ] as const)('a line with too little stock can be mended: $mend', async ({mend, left}) => {
    shop = await openShop()
    const first = await shop.fill('C-1', 1)
    const scarce = await shop.variant('RML-SAF-100')
    shop.sandbox.state.world.run('UPDATE variants SET stock = 2 WHERE id = ?', scarce)
    await shop.client.call(addCartItem, {query: {customerRef: 'C-1'}, body: {variantId: scarce, quantity: 5}})
    const {walker, kinds} = person({mend})
    const {reference} = await walk(shop.walkTools, request(), walker)
    expect(kinds()).toEqual(['cart', 'cart'])
    const entry = await shop.records.find(reference)
    const wanted = [first, ...(left > 0 ? [{variantId: scarce, quantity: left}] : [])]
    expect(entry?.lines).toEqual(wanted)
  })

  test('a cancelled mend leaves the cart as it was, and nothing on record', async () => {
    shop = await openShop()
    const scarce = await shop.variant('RML-SAF-100')
    shop.sandbox.state.world.run('UPDATE variants SET stock = 2 WHERE id = ?', scarce)
    await shop.client.call(addCartItem, {query: {customerRef: 'C-1'}, body: {variantId: scarce, quantity: 5}})
    const failure = await failing(walk(shop.walkTools, request(), person({mend: 'cancel'}).walker))
    expect(failure.code).toBe('DECLINED')
    expect(linesOf(await viewCart(shop.client, 'C-1'))).toEqual([{variantId: scarce, quantity: 5}])
    expect(await shop.records.all()).toEqual([])
  })

  /** The partner-level cart with a line that can be ordered, one that can in part, and one that can't. */
  async function brokenBareCart() {
    shop = await openShop()
    const [good, scarce, gone] = [
      await shop.variant(),
      await shop.variant('RML-SAF-100'),
      await shop.variant('RML-SAF-050'),
    ]
    const units = {[good]: 1, [scarce]: 5, [gone]: 1}
    for (const [variantId, quantity] of Object.entries(units))
      await shop.client.call(addCartItem, {body: {variantId, quantity}})
    shop.sandbox.state.world.run('UPDATE variants SET stock = 2 WHERE id = ?', scarce)
    shop.sandbox.state.world.run('UPDATE variants SET withheld = 1 WHERE id = ?', gone)
    return {good, scarce}
  }

  test('the partner-level cart is built again for a customer whose cart is empty, and ordered there', async () => {
    const {good, scarce} = await brokenBareCart()
    await shop.fill('C-FULL')
    const {walker, kinds} = person({customers: ['C-FULL', 'C-NEW']})
    const {reference} = await walk(shop.walkTools, request({customerRef: null}), walker)
    expect(kinds()).toEqual(['cart', 'cart'])
    const entry = await shop.records.find(reference)
    expect(entry?.customerRef).toBe('C-NEW')
    expect(new Map(entry?.lines?.map(({variantId, quantity}) => [variantId, quantity]))).toEqual(
      new Map([
        [good, 1],
        [scarce, 2],
      ]),
    )
  })

  test('the partner-level cart that is not built again, or holds nothing that could be, ends with its issues', async () => {
    await brokenBareCart()
    const failure = await failing(walk(shop.walkTools, request({customerRef: null}), person().walker))
    expect(failure).toMatchObject({code: 'BUSINESS_CART_NOT_CHECKOUT_READY', exitCode: 7})
    expect(failure.hint).toContain('--customer REF')
    shop.sandbox.state.world.run('UPDATE variants SET withheld = 1')
    const {walker, kinds} = person({customers: ['C-NEW']})
    expect(await failing(walk(shop.walkTools, request({customerRef: null}), walker))).toMatchObject({
      code: 'BUSINESS_CART_NOT_CHECKOUT_READY',
    })
    expect(kinds()).toEqual(['cart'])
  })

  test("a cart that a script can't check out is refused with each line and its issue", async () => {
    shop = await openShop()
    const scarce = await shop.variant('RML-SAF-100')
    shop.sandbox.state.world.run('UPDATE variants SET stock = 2 WHERE id = ?', scarce)
    await shop.client.call(addCartItem, {query: {customerRef: 'C-1'}, body: {variantId: scarce, quantity: 5}})
    const failure = await failing(
      walk(shop.walkTools, request({interactive: false, address}), person().walker),
    )
    expect(failure).toMatchObject({code: 'BUSINESS_CART_NOT_CHECKOUT_READY', exitCode: 7})
    expect(failure.facts.details).toMatchObject({
      lines: [{variantId: scarce, issue: 'INSUFFICIENT_STOCK', availableQuantity: 2}],
    })
  })

  test('a no orders nothing and settles the record', async () => {
    shop = await openShop()
    await shop.fill('C-1')
    const before = await debits()
    const failure = await failing(walk(shop.walkTools, request(), person({charge: ['no']}).walker))
    expect(failure).toMatchObject({code: 'DECLINED', exitCode: 130})
    expect(await debits()).toBe(before)
    expect(await shop.records.open()).toEqual([])
  })

  test('a lock that runs out while the user thinks is taken again, and the new price is asked for', async () => {
    shop = await openShop()
    await shop.fill('C-1')
    const dearer = () => {
      shop.sandbox.state.world.run('UPDATE assortment SET price = price + 1000')
      shop.later(16 * 60)
      return 'expired' as const
    }
    const {walker, offers, events} = person({charge: [dearer, 'yes']})
    const {order} = await walk(shop.walkTools, request(), walker)
    expect(offers).toHaveLength(2)
    expect(offers[0]).not.toBe(offers[1])
    expect(String(order.total)).toBe(offers[1])
    expect(events.at(-1)).toMatchObject({kind: 'repriced'})
  })

  test('a price that rose between a yes and the order is asked for again, never charged unasked', async () => {
    shop = await openShop()
    await shop.fill('C-1')
    const dearer = () => {
      shop.sandbox.state.world.run('UPDATE assortment SET price = price + 1000')
      shop.later(16 * 60)
      return 'yes' as const
    }
    const {walker, offers} = person({charge: [dearer, 'no']})
    const before = await debits()
    expect((await failing(walk(shop.walkTools, request(), walker))).code).toBe('DECLINED')
    expect(offers).toHaveLength(2)
    expect(await debits()).toBe(before)
  })

  test('a yes to prices that ran out on the way is not a yes to others', async () => {
    shop = await openShop()
    await shop.fill('C-1')
    const late = () => {
      shop.sandbox.state.world.run('UPDATE assortment SET price = price + 1000')
      shop.later(16 * 60)
      void shop.tools.sleep(16 * 60_000)
      return 'yes' as const
    }
    shop.requests.length = 0
    const {walker, offers} = person({charge: [late, 'no']})
    expect((await failing(walk(shop.walkTools, request(), walker))).code).toBe('DECLINED')
    expect(offers).toHaveLength(2)
    expect(shop.requests).not.toContain('POST /api/v1/scent/orders')
  })

  test('a total above --max-total is refused before anything is on record', async () => {
    shop = await openShop()
    await shop.fill('C-1')
    const failure = await failing(
      walk(shop.walkTools, request({interactive: false, address, maxTotal: '1.00'}), person().walker),
    )
    expect(failure).toMatchObject({code: 'LIMIT_EXCEEDED', exitCode: 7})
    expect(await shop.records.all()).toEqual([])
  })

  const far = {...address, city: 'Jeddah'}

  test('the fee of a far city, after a yes, is no alert; the next offer quotes it', async () => {
    shop = await openShop()
    await shop.fill('C-1')
    const seen: Offer[] = []
    const {walker} = person({charge: ['yes', 'yes']})
    const charge = (offer: Offer) => {
      seen.push(offer)
      return walker.charge(offer)
    }
    const first = await walk(shop.walkTools, request({address: far}), {...walker, charge})
    expect(first).toMatchObject({far: 'Jeddah', order: {differs: {}}})
    await shop.fill('C-1')
    const tools = {...shop.walkTools, newReference: () => 'made-up-2'}
    const second = await walk(tools, request({address: {...far, city: ' jeddah'}}), {...walker, charge})
    expect(seen.map((offer) => offer.far?.fee && 'quoted')).toEqual([undefined, 'quoted'])
    expect(String(seen[1]?.far?.expected)).toBe(String(second.order.total))
  })

  test.each([
    {name: 'with --yes', more: {address: far, yes: true}},
    {name: 'above a limit that was typed', more: {address: far, maxTotal: '110'}},
  ])('the fee of a far city is an alert $name', async ({more}) => {
    shop = await openShop()
    await shop.fill('C-1')
    const failure = await failing(walk(shop.walkTools, request(more), person().walker))
    expect(failure).toMatchObject({code: 'CHARGED_ABOVE', exitCode: 8})
  })

  test('a total that fell between a yes and the order is charged, and told', async () => {
    shop = await openShop()
    await shop.fill('C-1')
    const cheaper = () => {
      shop.sandbox.state.world.run('UPDATE assortment SET price = price - 100')
      shop.later(16 * 60)
      return 'yes' as const
    }
    const {walker, events, offers} = person({charge: [cheaper]})
    const {order} = await walk(shop.walkTools, request({interactive: false, address}), walker)
    expect(events.at(-1)).toMatchObject({kind: 'cheaper', agreed: digits(offers[0] ?? ''), now: order.total})
  })

  test('without anybody to ask a lock that is too old at once is not a way to a higher total', async () => {
    const short =
      (send: Send): Send =>
      async (asked) => {
        const answer = await send(asked)
        if (!asked.url.includes('lock=true')) return answer
        shop.sandbox.state.world.run('UPDATE assortment SET price = price + 100')
        const body = JSON.parse(answer.body)
        body.payload.lockExpiresAt = body.payload.pricedAt
        return {...answer, body: JSON.stringify(body)}
      }
    shop = await openShop({through: short})
    await shop.fill('C-1')
    const failure = await failing(
      walk(shop.walkTools, request({interactive: false, address}), person().walker),
    )
    expect(failure).toMatchObject({code: 'LIMIT_EXCEEDED', exitCode: 7})
  })

  test('address, code and lines can be changed before the order, under one reference and one create', async () => {
    shop = await openShop()
    const {variantId} = await shop.fill('C-1')
    const {walker, offers} = person({
      charge: [
        {change: 'address'},
        {change: 'code', code: 'WELCOME10'},
        {change: 'line', line: {variantId, quantity: 5}},
        'yes',
      ],
    })
    shop.requests.length = 0
    const {reference, order} = await walk(shop.walkTools, request(), walker)
    expect(offers).toHaveLength(4)
    expect(String(order.total)).toBe(offers[3])
    expect(order.document.pricing.discount?.code).toBe('WELCOME10')
    expect(await shop.records.find(reference)).toMatchObject({lines: [{variantId, quantity: 5}]})
    expect(shop.requests.filter((name) => name.startsWith('POST'))).toEqual(['POST /api/v1/scent/orders'])
  })

  test.each([
    {text: 'NOPE', problem: 'is not one of your discount codes'},
    {text: 'saffron25', problem: 'is not one of your discount codes'},
    {text: 'SAFFRON25', sql: 'active = 0', problem: 'is not active'},
    {text: 'SAFFRON25', sql: 'total_cap = 1, usage_count = 1', problem: 'has been used 1 times'},
    {text: 'SAFFRON25', sql: 'min_order = 99999999', problem: 'needs an order of'},
    {text: 'SAFFRON25', sql: 'valid_to = valid_from + 1', problem: 'was valid until'},
  ])(
    'a code that the own ones speak against is asked about: $text $problem',
    async ({text, sql, problem}) => {
      shop = await openShop()
      if (sql) shop.sandbox.state.world.run(`UPDATE discount_codes SET ${sql} WHERE code = 'SAFFRON25'`)
      await shop.fill('C-1')
      const {walker, offers} = person({code: [undefined]})
      const {order} = await walk(shop.walkTools, request({discountCode: text}), walker)
      expect(offers[0]).toContain(`${text} ${problem}`)
      expect(order.document.pricing.discount ?? null).toBeNull()
    },
  )

  test('codes that can not be read speak against none', async () => {
    shop = await openShop()
    shop.fault({match: {operation: 'listDiscountCodes'}, effect: 'status', status: 403, when: 'before'})
    await shop.fill('C-1')
    const {order} = await walk(shop.walkTools, request({discountCode: 'WELCOME10'}), person().walker)
    expect(order.document.pricing.discount?.code).toBe('WELCOME10')
  })

  test('a rise within --max-total needs nobody', async () => {
    shop = await openShop()
    await shop.fill('C-1')
    const dearer = () => {
      shop.sandbox.state.world.run('UPDATE assortment SET price = price + 100')
      shop.later(16 * 60)
      return 'yes' as const
    }
    const more = {interactive: false, address, maxTotal: '9000'}
    const {order} = await walk(shop.walkTools, request(more), person({charge: [dearer]}).walker)
    expect(order.answered).toBe(true)
  })
})

describe('a walk after one that was cut off', () => {
  const create = {match: {operation: 'createOrder'}} as const

  async function cutOff(when: 'before' | 'after') {
    shop = await openShop()
    await shop.fill('C-1')
    if (when === 'after') shop.fault({effect: 'reset', ...create, when: 'after', times: 1})
    shop.fault({effect: 'status', status: 503, ...create, when: 'before'})
    const failure = await failing(walk(shop.walkTools, request(), person().walker))
    expect(failure).toMatchObject({code: 'OUTCOME_UNKNOWN', exitCode: 12})
    // What lost the answer, not the same sentence once more.
    expect(failure.cause).toMatchObject({code: 'SERVICE_UNAVAILABLE'})
    expect(failure.facts.details).toMatchObject({externalReference: 'made-up-1'})
    shop.sandbox.state.faults.clear()
  }

  test.each(['before', 'after'] as const)(
    '%s the commit ends with that order, and asks nothing',
    async (when) => {
      await cutOff(when)
      const {walker, offers, kinds} = person()
      const {reference} = await walk(shop.walkTools, request(), walker)
      expect(reference).toBe('made-up-1')
      expect(kinds()).toEqual(['taking-up', 'taken-up'])
      expect(offers).toEqual([])
      expect(
        (await shop.ledger()).filter(({referenceType}) => referenceType === 'Order').length,
      ).toBeGreaterThan(0)
      expect(await shop.records.open()).toEqual([])
    },
  )

  /** The order of an earlier run stands, and its cart has been filled again since. */
  async function cutOffAndFilled() {
    await cutOff('after')
    await shop.fill('C-1', 3)
  }

  test('and whose cart was filled again says what is not ordered, and leaves it if the person does', async () => {
    await cutOffAndFilled()
    const {walker, offers, left} = person({goOn: false})
    const {reference, earlier} = await walk(shop.walkTools, request(), walker)
    expect({reference, earlier, left, offers}).toMatchObject({
      reference: 'made-up-1',
      earlier: true,
      left: [3],
      offers: [],
    })
  })

  test.each([undefined, 'made-up-1', 'PO-2'])(
    'and whose cart was filled again orders that as well if the person says so, asked for as %s',
    async (named) => {
      await cutOffAndFilled()
      const before = await debits()
      const tools = {...shop.walkTools, newReference: () => 'made-up-2'}
      const {walker, offers} = person({goOn: true, settle: true})
      const {reference, order, earlier} = await walk(tools, request({reference: named}), walker)
      expect(reference).toBe(named === 'PO-2' ? 'PO-2' : 'made-up-2')
      expect(earlier).toBeUndefined()
      expect(offers).toEqual([String(order.total)])
      expect(await debits()).toBe(before + 1)
    },
  )

  test.each([
    {name: 'without anybody to ask', more: {interactive: false}},
    {name: 'with --yes', more: {yes: true}},
  ])('and whose cart was filled again ends $name, and orders nothing else', async ({more}) => {
    await cutOffAndFilled()
    const before = await debits()
    const failure = await failing(walk(shop.walkTools, request({address, ...more}), person().walker))
    expect(failure).toMatchObject({code: 'EARLIER_ORDER', exitCode: 8})
    expect(failure.facts.details).toMatchObject({externalReference: 'made-up-1', inCart: {units: 3}})
    expect(await debits()).toBe(before)
    // The same command again orders the cart.
    const tools = {...shop.walkTools, newReference: () => 'made-up-2'}
    expect(await walk(tools, request({address, ...more}), person().walker)).toMatchObject({
      reference: 'made-up-2',
    })
  })

  test('and that was asked for by its reference is the result, with what the cart holds beside it', async () => {
    await cutOffAndFilled()
    const more = {reference: 'made-up-1', interactive: false, address}
    const {walker, events} = person()
    const walked = await walk(shop.walkTools, request(more), walker)
    expect(walked).toMatchObject({reference: 'made-up-1', earlier: true})
    expect(events.at(-1)).toMatchObject({kind: 'left', left: {customerRef: 'C-1', units: 3}})
  })

  test('shows shipping and commission, as an order does whose answer came', async () => {
    await cutOff('after')
    const {order} = await walk(shop.walkTools, request(), person().walker)
    expect(order.answered).toBe(false)
    await shop.fill('C-1')
    const tools = {...shop.walkTools, newReference: () => 'made-up-2'}
    const answered = await walk(tools, request(), person().walker)
    expect(answered.order.answered).toBe(true)
    const feesOf = ({shippingFee, commission}: CreatedOrder['pricing']) => [
      String(shippingFee?.amountWithVat),
      String(commission?.amountWithVat),
    ]
    expect(feesOf(order.document.pricing)).toEqual(feesOf(answered.order.document.pricing))
  })

  const others = [
    {name: 'another reference', more: {reference: 'PO-2'}},
    {name: 'another address', more: {address: {...address, city: 'Jeddah'}}},
    {name: 'a limit below its total', more: {maxTotal: '1.00'}},
    {name: 'a discount code', more: {discountCode: 'WELCOME10'}},
  ]

  test.each(others)('with $name sends nothing for it unasked', async ({more}) => {
    await cutOff('before')
    const before = await debits()
    shop.requests.length = 0
    const run = walk(shop.walkTools, request({address, ...more, interactive: false}), person().walker)
    const failure = await failing(run)
    expect(failure).toMatchObject({code: 'OPEN_ORDER', exitCode: 12})
    expect(failure.facts.details).toMatchObject({externalReference: 'made-up-1'})
    expect(shop.requests).toEqual([])
    expect(await debits()).toBe(before)
  })

  test.each(['before', 'after'] as const)(
    'with another reference, settled by the person: %s the commit it is told, and ends there',
    async (when) => {
      await cutOff(when)
      const failure = await failing(
        walk(shop.walkTools, request({reference: 'PO-2'}), person({settle: true}).walker),
      )
      expect(failure).toMatchObject({code: 'EARLIER_ORDER', exitCode: 8})
      expect(failure.facts.details).toMatchObject({externalReference: 'made-up-1'})
      expect(await shop.records.open()).toEqual([])
    },
  )

  test('that was never charged and whose lock has run out goes on at the new price, under the same reference', async () => {
    await cutOff('before')
    shop.sandbox.state.world.run('UPDATE assortment SET price = price + 1000')
    shop.later(20 * 60)
    const {walker, offers, kinds} = person()
    const {reference, order} = await walk(shop.walkTools, request(), walker)
    expect(reference).toBe('made-up-1')
    expect(kinds()).toEqual(['taking-up', 'taken-up', 'cart'])
    expect(offers).toEqual([String(order.total)])
  })

  test('keeps the reference and the address of one that was never sent', async () => {
    shop = await openShop()
    await shop.fill('C-1')
    const gone = () => {
      throw new Error('killed')
    }
    await failing(walk(shop.walkTools, request({reference: 'PO-7'}), person({charge: [gone]}).walker))
    const {walker} = person()
    const {reference} = await walk(shop.walkTools, request(), walker)
    expect(reference).toBe('PO-7')
  })

  test('leaves alone what an account manager must settle', async () => {
    shop = await openShop()
    await shop.fill('C-1')
    const state = 'CONFLICT_ORDER_REQUIRES_INTERVENTION'
    shop.fault({effect: 'status', status: 409, state, ...create, when: 'before', times: 1})
    expect((await failing(walk(shop.walkTools, request(), person().walker))).code).toBe(state)
    shop.requests.length = 0
    expect((await failing(walk(shop.walkTools, request(), person().walker))).code).toBe(state)
    expect(shop.requests).toEqual([])
    const {kinds, walker} = person()
    await walk(shop.walkTools, request({reference: 'PO-2'}), walker)
    expect(kinds()).toEqual(['cart'])
  })

  test('a reference whose order the service does not know any more is free', async () => {
    shop = await openShop()
    await shop.fill('C-1')
    const {at, reference} = {at: new Date().toISOString(), reference: 'PO-1'}
    await shop.records.append({step: 'PLANNED', at, reference, customerRef: 'C-1', lines: null, address})
    const gone = {http: 201, state: 'CREATED', total: null, currency: null, status: null}
    const orderId = '00000000-0000-4000-8000-000000000000'
    await shop.records.append({step: 'OUTCOME', at, reference, outcome: 'placed', orderId, ...gone})
    const walked = await walk(shop.walkTools, request({reference}), person().walker)
    expect(walked.order.answered).toBe(true)
  })

  test('a total that turns out above the approved one is an alert, with the order that stands', async () => {
    shop = await openShop()
    await shop.fill('C-1')
    const far = {interactive: false, address: {...address, city: 'Jeddah'}}
    const failure = await failing(walk(shop.walkTools, request(far), person().walker))
    expect(failure).toMatchObject({code: 'CHARGED_ABOVE', exitCode: 8})
    expect(failure.facts.details).toMatchObject({externalReference: 'made-up-1'})
    expect(await shop.records.find('made-up-1')).toMatchObject({
      outcome: {outcome: 'placed', message: expect.stringContaining('the price lock said')},
    })
  })

  test('a reference that is ordered already orders nothing', async () => {
    shop = await openShop()
    await shop.fill('C-1')
    await walk(shop.walkTools, request({reference: 'PO-1'}), person().walker)
    shop.requests.length = 0
    const failure = await failing(walk(shop.walkTools, request({reference: 'PO-1'}), person().walker))
    expect(failure).toMatchObject({code: 'CONFLICT_ORDER_DUPLICATE_REFERENCE', exitCode: 8})
    expect(shop.requests.filter((name) => !name.startsWith('GET'))).toEqual([])
  })
})
