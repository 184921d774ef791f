import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import type {JobFile} from '../../src/bulk/journal.ts'
import {addCartItem} from '../../src/contract/cart.ts'
import type {HttpRequest, HttpResponse, Send} from '../../src/contract/wire.ts'
import {emptyCart, setQuantity} from '../../src/flows/cart/edit.ts'
import {linesOf, viewCart} from '../../src/flows/cart/lines.ts'
import type {ImportMode} from '../../src/flows/cart/steps.ts'
import {type CartWish, planImport, runImport} from '../support/carts.ts'
import {losses, openShop, type Shop} from '../support/shop.ts'
import {seeded} from '../support/virtual-time.ts'

type Meddle = (request: HttpRequest, send: Send) => Promise<HttpResponse>
type Quantities = Record<string, number>

let shop: Shop
/** Stands between client and sandbox. */
let meddle: Meddle | undefined
/** Variants that can be bought, by the letters the tests call them. */
const ids: Record<string, string> = {}
let customers = 0

beforeAll(async () => {
  shop = await openShop({through: (send) => (request) => (meddle ? meddle(request, send) : send(request))})
  const skus = ['RML-SAF-050', 'RML-SAF-100', 'NJD-INC-050']
  for (const [at, sku] of skus.entries()) ids['abc'[at] ?? ''] = await shop.variant(sku)
  const found = await shop.sandbox.state.world.all<{id: string}>(
    `SELECT v.id FROM variants v JOIN assortment a ON a.variant_id = v.id
     WHERE v.active AND NOT v.withheld AND v.stock > 0 AND a.price IS NOT NULL GROUP BY v.id`,
  )
  const others = found.map(({id}) => id).filter((id) => !Object.values(ids).includes(id))
  for (const letter of 'defg') ids[letter] = others.shift() ?? ''
})
afterAll(() => shop.close())
beforeEach(() => {
  meddle = undefined
  shop.sandbox.state.faults.clear()
  shop.requests.length = 0
})

const linesFor = (quantities: Quantities) =>
  Object.entries(quantities).map(([letter, quantity]) => ({variantId: ids[letter] ?? '', quantity}))

/** A customer of its own whose cart holds this. */
async function customer(cart: Quantities = {}): Promise<string> {
  customers += 1
  const customerRef = `C-${customers}`
  await put(customerRef, cart)
  shop.requests.length = 0
  return customerRef
}

async function put(customerRef: string, cart: Quantities): Promise<void> {
  for (const body of linesFor(cart)) await shop.client.call(addCartItem, {query: {customerRef}, body})
}

async function held(customerRef: string): Promise<Quantities> {
  const letters = new Map(Object.entries(ids).map(([letter, id]) => [id, letter]))
  const lines = linesOf(await viewCart(shop.client, customerRef))
  return Object.fromEntries(
    lines.map(({variantId, quantity}) => [letters.get(variantId) ?? variantId, quantity]),
  )
}

const changes = () => shop.requests.filter((one) => !one.startsWith('GET') && !one.endsWith('/token'))
const wish = (customerRef: string, file: Quantities): CartWish => ({customerRef, lines: linesFor(file)})

async function imported(mode: ImportMode, cart: Quantities, file: Quantities) {
  const customerRef = await customer(cart)
  const ran = await runImport(shop, await planImport(mode, [wish(customerRef, file)]))
  return {customerRef, ...ran}
}

describe('a cart import', () => {
  test('puts the file on top of what a cart holds, in one read and one request a line', async () => {
    const {customerRef, states} = await imported('merge', {a: 1, b: 2}, {a: 2, c: 3})
    expect(states).toEqual(['done'])
    expect(shop.requests.map((one) => one.split(' ')[0])).toEqual(['GET', 'PUT', 'POST'])
    expect(await held(customerRef)).toEqual({a: 3, b: 2, c: 3})
  })

  test('leaves exactly the file in a cart with replace', async () => {
    const {customerRef, states} = await imported('replace', {a: 1, b: 2}, {a: 2, c: 3})
    expect(states).toEqual(['done'])
    expect(shop.requests.map((one) => one.split(' ')[0])).toEqual(['GET', 'PUT', 'POST', 'DELETE'])
    expect(await held(customerRef)).toEqual({a: 2, c: 3})
  })

  test('empties a cart where that takes fewer changes', async () => {
    const {customerRef} = await imported('replace', {a: 1, b: 2, c: 1, d: 1}, {a: 2, e: 1})
    expect(changes().map((one) => one.split(' ')[0])).toEqual(['DELETE', 'POST', 'POST'])
    expect(await held(customerRef)).toEqual({a: 2, e: 1})
  })

  test('changes nothing where a cart holds the file already, and once it is done', async () => {
    const customerRef = await customer({a: 1})
    const job = await planImport('replace', [wish(customerRef, {a: 1})])
    expect((await runImport(shop, job)).states).toEqual(['done'])
    expect(shop.requests).toEqual([`GET /api/v1/scent/cart/${customerRef}`])
    expect((await runImport(shop, job)).states).toEqual(['done'])
    expect(shop.requests).toHaveLength(1)
  })

  test('goes on with the other lines after a refusal, and tells which one it was', async () => {
    const customerRef = await customer({b: 1})
    const unknown = '11111111-2222-4333-8444-555555555555'
    const lines = [...linesFor({a: 1}), {variantId: unknown, quantity: 2}, ...linesFor({b: 1, c: 1})]
    const other = await customer()
    const job = await planImport('merge', [{customerRef, lines}, wish(other, {a: 1})])
    const {carts, states, problem} = await runImport(shop, job)
    expect({states, problem}).toEqual({states: ['refused', 'done'], problem: undefined})
    expect(await held(customerRef)).toEqual({a: 1, b: 2, c: 1})
    expect(carts.outcome(0)?.failures).toEqual([
      {
        variantId: unknown,
        outcome: 'refused',
        state: 'NOT_FOUND_VARIANT',
        http: 404,
        message: expect.any(String),
      },
    ])
  })

  test('does not replace more lines than its journal has room for, and goes on with the other carts', async () => {
    const refs = [await customer({a: 1}), await customer({a: 1})]
    meddle = async (request, send) => {
      const answer = await send(request)
      if (!request.url.endsWith(refs[0] ?? '')) return answer
      const document = JSON.parse(answer.body)
      const [item] = document.payload.items
      const idOf = (n: number) => `${item.variantId.slice(0, 24)}${String(n).padStart(12, '0')}`
      document.payload.items = Array.from({length: 2001}, (_, n) => ({...item, variantId: idOf(n)}))
      return {...answer, body: JSON.stringify(document)}
    }
    const job = await planImport(
      'replace',
      refs.map((ref) => wish(ref, {b: 1})),
    )
    const {states, carts} = await runImport(shop, job)
    expect(states).toEqual(['refused', 'done'])
    expect(carts.outcome(0)?.failures).toMatchObject([{variantId: null, state: 'INVALID_INPUT'}])
    expect(changes()).toHaveLength(2)
  })

  test('keeps the quantity of a line whose increase is refused', async () => {
    const {customerRef, states} = await imported('merge', {a: 9_000}, {a: 1_000, b: 1})
    expect(states).toEqual(['refused'])
    expect(await held(customerRef)).toEqual({a: 9_000, b: 1})
  })

  test('stops at what the service would answer for every cart, and goes on where it was', async () => {
    const refs = [await customer({a: 1}), await customer(), await customer()]
    const job = await planImport(
      'merge',
      refs.map((ref) => wish(ref, {a: 1, b: 1})),
    )
    const refusal = {effect: 'status', status: 422, state: 'BUSINESS_PRODUCT_ACCESS_DISABLED'} as const
    const {id} = shop.fault({...refusal, when: 'before', match: {operation: 'addCartItem'}})
    const stopped = await runImport(shop, job)
    expect(stopped.problem).toMatchObject({code: 'BUSINESS_PRODUCT_ACCESS_DISABLED'})
    expect(stopped.states).toEqual(['todo', 'todo', 'todo'])
    shop.sandbox.state.faults.clear(id)
    expect((await runImport(shop, job)).states).toEqual(['done', 'done', 'done'])
    expect(await Promise.all(refs.map(held))).toEqual([
      {a: 2, b: 1},
      {a: 1, b: 1},
      {a: 1, b: 1},
    ])
  })

  test('waits for a service that is out of order, and stops where that lasts', async () => {
    const customerRef = await customer({a: 1})
    const job = await planImport('merge', [wish(customerRef, {a: 1})])
    const outage = {effect: 'status', status: 503, when: 'before', match: {method: 'PUT'}} as const
    shop.fault({...outage, times: 40})
    const waited = await runImport(shop, job)
    expect(waited.states).toEqual(['done'])
    expect(waited.events.filter(({kind}) => kind === 'asking-again').length).toBeGreaterThan(2)
    const other = await planImport('merge', [wish(customerRef, {a: 1})])
    shop.fault(outage)
    const ended = await runImport(shop, other)
    expect(ended.problem).toMatchObject({code: 'OUTCOME_UNKNOWN'})
    expect(ended.states).toEqual(['todo'])
    shop.sandbox.state.faults.clear()
    expect((await runImport(shop, other)).states).toEqual(['done'])
    expect(await held(customerRef)).toEqual({a: 3})
  })

  test('an interrupt lets the request under way end, and sends no other', async () => {
    const customerRef = await customer()
    const job = await planImport('merge', [wish(customerRef, {a: 1, b: 1, c: 1})])
    const interrupt = new AbortController()
    meddle = async (request, send) => {
      if (request.method === 'POST') interrupt.abort()
      return send(request)
    }
    const {states, problem} = await runImport(shop, job, {stop: interrupt.signal})
    expect({states, problem}).toEqual({states: ['todo'], problem: undefined})
    expect(changes()).toHaveLength(1)
    meddle = undefined
    expect((await runImport(shop, job)).states).toEqual(['done'])
    expect(await held(customerRef)).toEqual({a: 1, b: 1, c: 1})
  })
})

describe.each(['merge', 'replace'] as const)('a lost answer, with %s', (mode) => {
  const files: [string, Quantities, Quantities][] = [
    ['a new line', {b: 1}, {a: 2, b: 1}],
    ['a line that is there', {a: 1, b: 1}, {a: 2, b: 2}],
    ['an emptying', {c: 1, d: 1, e: 1, f: 1}, {a: 2}],
  ]
  describe.each(files)('on %s', (_, cart, file) => {
    test.each(losses)('by $effect $when the work doubles nothing and loses nothing', async (loss) => {
      const customerRef = await customer(cart)
      shop.fault({...loss, match: {path: '/api/v1/scent/cart/*'}, times: 3})
      const job = await planImport(mode, [wish(customerRef, file)])
      const {states, problem} = await runImport(shop, job)
      expect({states, problem}).toEqual({states: ['done'], problem: undefined})
      const sum = Object.fromEntries(
        Object.keys({...cart, ...file}).map((id) => [id, (cart[id] ?? 0) + (file[id] ?? 0)]),
      )
      expect(await held(customerRef)).toEqual(mode === 'merge' ? sum : file)
    })
  })
})

describe('an add whose answer was lost', () => {
  const lostAdds = (times: number, when: 'before' | 'after' = 'before') =>
    shop.fault({effect: 'status', status: 504, when, match: {operation: 'addCartItem'}, times})

  test('is sent once more only when it had its time to arrive, after all other carts', async () => {
    const refs = [await customer(), await customer()]
    lostAdds(1)
    const began = shop.tools.now()
    const times: number[] = []
    meddle = (request, send) => {
      if (request.method === 'POST') times.push(shop.tools.now() - began)
      return send(request)
    }
    const job = await planImport(
      'merge',
      refs.map((ref) => wish(ref, {a: 2})),
    )
    const {states, events} = await runImport(shop, job)
    expect(states).toEqual(['done', 'done'])
    expect(times).toHaveLength(3)
    expect(times.filter((at) => at >= 60_000)).toHaveLength(1)
    expect(events.map(({kind}) => kind)).toEqual(['cart-done', 'waiting', 'cart-done'])
    expect(await Promise.all(refs.map(held))).toEqual([{a: 2}, {a: 2}])
  })

  test('and that arrives after it was sent again is taken back', async () => {
    const customerRef = await customer()
    let late: (() => Promise<unknown>) | undefined
    let posts = 0
    meddle = async (request, send) => {
      if (request.method !== 'POST') return send(request)
      posts += 1
      if (posts === 1) {
        late = () => send(request)
        return {status: 504, headers: {}, body: ''}
      }
      const answer = await send(request)
      await late?.()
      return answer
    }
    const {states} = await runImport(shop, await planImport('merge', [wish(customerRef, {a: 2})]))
    expect({states, posts}).toEqual({states: ['done'], posts: 2})
    expect(await held(customerRef)).toEqual({a: 2})
  })

  test('is unknown when the second one is lost as well, and a resume settles it', async () => {
    const customerRef = await customer()
    const job = await planImport('merge', [wish(customerRef, {a: 2, b: 1})])
    const {id} = lostAdds(3)
    const {states, carts} = await runImport(shop, job)
    expect(states).toEqual(['unknown'])
    expect(carts.outcome(0)?.failures).toMatchObject([
      {variantId: ids.a, outcome: 'unknown', state: 'OUTCOME_UNKNOWN'},
    ])
    expect(await held(customerRef)).toEqual({b: 1})
    shop.sandbox.state.faults.clear(id)
    expect((await runImport(shop, job)).states).toEqual(['done'])
    expect(await held(customerRef)).toEqual({a: 2, b: 1})
  })

  test('beside which somebody else put the line is set to its target, and looked at again', async () => {
    const customerRef = await customer()
    let late: (() => Promise<unknown>) | undefined
    meddle = async (request, send) => {
      if (request.method === 'POST' && !late) {
        late = () => send(request)
        await shop.sandbox.send({...request, body: JSON.stringify({variantId: ids.a, quantity: 1})})
        return {status: 504, headers: {}, body: ''}
      }
      const answer = await send(request)
      if (request.method === 'PUT') {
        const arrive = late
        late = async () => {}
        await arrive?.()
      }
      return answer
    }
    const {states} = await runImport(shop, await planImport('merge', [wish(customerRef, {a: 5})]))
    expect(states).toEqual(['done'])
    expect(await held(customerRef)).toEqual({a: 5})
  })
})

test('an add of a process that died arrives after the next run has set the line: it is looked at again', async () => {
  const customerRef = await customer()
  const job = await planImport('merge', [wish(customerRef, {a: 5})])
  let late: (() => Promise<unknown>) | undefined
  meddle = async (request, send) => {
    if (request.method !== 'POST') return send(request)
    late = () => send(request)
    throw new Error('died')
  }
  await runImport(shop, job)
  meddle = undefined
  await put(customerRef, {a: 1})
  meddle = async (request, send) => {
    const answer = await send(request)
    if (request.method !== 'PUT') return answer
    await late?.()
    late = undefined
    return answer
  }
  expect((await runImport(shop, job)).states).toEqual(['done'])
  expect(await held(customerRef)).toEqual({a: 5})
})

describe('somebody else at the same cart', () => {
  /** Somebody does something just before the nth change. */
  function interfere(nth: number, work: () => Promise<unknown>) {
    let count = 0
    meddle = async (request, send) => {
      const isChange = request.method !== 'GET' && !request.url.endsWith('/token')
      if (isChange) count += 1
      if (isChange && count === nth) {
        const mine = meddle
        meddle = undefined
        await work()
        meddle = mine
      }
      return send(request)
    }
  }

  test('changing a line of ours does not win, and another line stays with merge', async () => {
    const customerRef = await customer({a: 1})
    interfere(2, async () => {
      await put(customerRef, {d: 4})
      await setQuantity(shop.client, customerRef, {variantId: ids.a ?? '', quantity: 9})
    })
    const {states} = await runImport(shop, await planImport('merge', [wish(customerRef, {a: 1, b: 1})]))
    expect(states).toEqual(['done'])
    expect(await held(customerRef)).toEqual({a: 2, b: 1, d: 4})
  })

  test('adding a line does not stay with replace', async () => {
    const customerRef = await customer({a: 1})
    interfere(1, () => put(customerRef, {d: 4}))
    const {states} = await runImport(shop, await planImport('replace', [wish(customerRef, {a: 2})]))
    expect(states).toEqual(['done'])
    expect(await held(customerRef)).toEqual({a: 2})
  })

  test('taking away the line that is about to be set makes it an add', async () => {
    const customerRef = await customer({a: 1})
    interfere(1, () => emptyCart(shop.client, customerRef))
    const {states} = await runImport(shop, await planImport('merge', [wish(customerRef, {a: 1, b: 1})]))
    expect(states).toEqual(['done'])
    expect(await held(customerRef)).toEqual({a: 2, b: 1})
  })

  test('again and again is reported, and ends', async () => {
    const customerRef = await customer({a: 1})
    meddle = async (request, send) => {
      const answer = await send(request)
      if (request.method !== 'PUT') return answer
      return shop.sandbox.send({...request, body: '{"quantity":7}'})
    }
    const job = await planImport('merge', [wish(customerRef, {a: 1})])
    const {states, carts} = await runImport(shop, job)
    expect(states).toEqual(['refused'])
    expect(carts.outcome(0)?.failures).toMatchObject([{state: 'CHANGED_MEANWHILE'}])
    expect(changes()).toHaveLength(3)
  })

  test('between two runs: the targets were fixed by the first one', async () => {
    const customerRef = await customer({a: 1})
    const job = await planImport('merge', [wish(customerRef, {a: 1, b: 1})])
    const stop = new AbortController()
    meddle = (request, send) => {
      if (request.method === 'PUT') stop.abort()
      return send(request)
    }
    await runImport(shop, job, {stop: stop.signal})
    meddle = undefined
    expect(await held(customerRef)).toEqual({a: 2})
    await put(customerRef, {d: 1})
    expect((await runImport(shop, job)).states).toEqual(['done'])
    expect(await held(customerRef)).toEqual({a: 2, b: 1, d: 1})
  })

  test('on this machine: the cart is left to a resume', async () => {
    const customerRef = await customer()
    const job = await planImport('merge', [wish(customerRef, {a: 1})])
    const {Failure} = await import('../../src/contract/failure.ts')
    const busy = () => Promise.reject(new Failure('BUSY'))
    const {states, problem, events} = await runImport(shop, job, {alone: busy})
    expect({states, problem}).toEqual({states: ['todo'], problem: undefined})
    expect(events).toMatchObject([{kind: 'cart-left', customerRef}])
  })
})

describe('a process that dies', () => {
  const cart = {a: 1, c: 2, d: 1, e: 1, f: 1}
  const files: [ImportMode, Quantities, Quantities][] = [
    ['merge', {a: 2, b: 1, g: 1}, {a: 3, b: 1, c: 2, d: 1, e: 1, f: 1, g: 1}],
    ['replace', {a: 2, b: 1, g: 1}, {a: 2, b: 1, g: 1}],
    ['replace', {a: 2, c: 2, d: 1, b: 1, e: 1}, {a: 2, b: 1, c: 2, d: 1, e: 1}],
  ]
  test.each(files)(
    'at any request of %s %o: the next run ends it, nothing doubled',
    async (mode, file, end) => {
      for (const when of ['before', 'after', 'late'] as const) {
        for (let nth = 1, died = true; died; nth++) {
          const customerRef = await customer(cart)
          const job = await planImport(mode, [wish(customerRef, file)])
          const dying = dieAt(nth, when)
          died = (await runImport(shop, job)).problem !== undefined
          meddle = undefined
          // What was on its way arrives while the next run is at work.
          if (dying.late) arriveAfter(1, dying.late)
          const {states, problem} = await runImport(shop, job)
          expect({nth, when, states, problem}).toEqual({nth, when, states: ['done'], problem: undefined})
          meddle = undefined
          expect({nth, when, ...(await held(customerRef))}).toEqual({nth, when, ...end})
          if (nth === 1) expect(died).toBe(true)
        }
      }
    },
  )

  function dieAt(nth: number, when: 'before' | 'after' | 'late') {
    const dying: {late?: () => Promise<unknown>} = {}
    let count = 0
    meddle = async (request, send) => {
      count += 1
      if (count < nth) return send(request)
      if (count === nth && when === 'after') await send(request)
      if (count === nth && when === 'late') dying.late = () => send(request)
      throw new Error('died')
    }
    return dying
  }

  function arriveAfter(requests: number, late: () => Promise<unknown>) {
    let count = 0
    meddle = async (request, send) => {
      const answer = await send(request)
      count += 1
      if (count === requests) await late()
      return answer
    }
  }
})

describe('an import in bad weather', () => {
  const seeds = Array.from({length: 24}, (_, seed) => seed)
  test.each(seeds)('of seed %i reaches its targets, whatever is lost, late or cut off', async (seed) => {
    const random = seeded(seed)
    const mode = random() < 0.5 ? 'merge' : 'replace'
    const carts = await Promise.all(
      Array.from({length: 3}, async () => {
        const before = someCart(random, 0)
        const customerRef = await customer(before)
        const file = someCart(random, 1)
        return {customerRef, file, before}
      }),
    )
    const job = await planImport(
      mode,
      carts.map(({customerRef, file}) => wish(customerRef, file)),
    )
    await weather(random, job)
    for (const {customerRef, file, before} of carts) {
      const sum = Object.fromEntries(
        Object.keys({...before, ...file}).map((id) => [id, (before[id] ?? 0) + (file[id] ?? 0)]),
      )
      expect(await held(customerRef)).toEqual(mode === 'merge' ? sum : file)
    }
  })

  function someCart(random: () => number, least: number): Quantities {
    const letters = [...'abcdefg'].filter(() => random() < 0.5)
    while (letters.length < least) letters.push('a')
    return Object.fromEntries(letters.map((letter) => [letter, 1 + Math.floor(random() * 3)]))
  }

  /** Runs a job until it is done. Requests get lost, arrive up to a minute late, and processes die. */
  async function weather(random: () => number, job: JobFile): Promise<void> {
    const late: {at: number; arrive: () => Promise<unknown>}[] = []
    const arrivals = async (now = shop.tools.now()) => {
      for (const one of late.splice(0)) {
        if (one.at <= now) await one.arrive()
        else late.push(one)
      }
    }
    for (let run = 0; run < 30; run++) {
      let dead = false
      meddle = async (request, send) => {
        if (dead) throw new Error('died')
        await arrivals()
        const chance = random()
        dead = random() < 0.04
        if (chance < 0.15) late.push({at: shop.tools.now() + random() * 59_000, arrive: () => send(request)})
        const answer = chance < 0.25 ? undefined : await send(request)
        if (dead) throw new Error('died')
        return answer !== undefined && chance > 0.35 ? answer : {status: 504, headers: {}, body: ''}
      }
      const {states, problem} = await runImport(shop, job)
      meddle = undefined
      if (states.every((state) => state === 'done')) {
        await arrivals(Number.POSITIVE_INFINITY)
        return
      }
      if (problem instanceof Error && problem.message !== 'died' && !('code' in problem)) throw problem
    }
    throw new Error('the weather was too bad')
  }
})
