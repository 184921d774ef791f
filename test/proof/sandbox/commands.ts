// What a partner and the operator of the sandbox do, as commands that play on the model and on the sandbox alike.
import fc from 'fast-check'
import {expect} from 'vitest'
import {checkWorld} from '../../../src/sandbox/core/check.ts'
import {createSandbox} from '../../../src/sandbox/core/sandbox.ts'
import {type Answer, type Ask, callerOf, control, variantOf} from '../../sandbox/caller.ts'
import {address} from '../../support/address.ts'
import type {Sandbox} from '../../support/types.ts'
import * as rules from './model.ts'

export type Send = (method: string, path: string, more?: Ask) => Promise<Answer>

/** The sandbox as the commands see it; a planted mistake stands between. */
export interface Real {
  sandbox: Sandbox
  send: Send
  variants: string[]
  /** The ids of the locks that the model counts. */
  locks: string[]
  operate(path: string, body: object): Promise<unknown>
}

/** A mistake of the sandbox: what becomes of a request on its way. */
export type Mistake = (send: Send, real: Real) => Send

type Command = fc.AsyncCommand<rules.Model, Real>

const START = {wallet: 100_000, stock: 30, price: 12_000}

export async function begin(mistake: Mistake): Promise<{model: rules.Model; real: Real}> {
  const sandbox = await createSandbox({limits: false})
  sandbox.state.clock.freeze()
  const skus = ['RML-SAF-050', 'NJD-LEA-050']
  const variants = skus.map((sku) => variantOf(sandbox, sku))
  const operate = (path: string, body: object) => control(sandbox, 'PATCH', path, body)
  for (const id of variants)
    await operate(`variants/${id}`, {floor: 0, price: START.price / 100, stock: START.stock})
  await operate('partners/rimal-retail', {wallet: START.wallet / 100})
  // A token is shorter-lived than a lock: each request has a new one.
  const plain: Send = (method, path, more) => callerOf(sandbox).ask(method, path, more)
  const real: Real = {sandbox, send: plain, variants, locks: [], operate}
  real.send = mistake(plain, real)
  const offers = Object.fromEntries(variants.map((id) => [id, {stock: START.stock, price: START.price}]))
  const {wallet} = START
  return {model: {now: 0, access: true, wallet, offers, carts: {}, locks: [], orders: [], changes: 0}, real}
}

/** Compares the books with the model, and ends the sandbox. */
export async function finish({model, real}: {model: rules.Model; real: Real}): Promise<void> {
  const {world} = real.sandbox.state
  try {
    expect(checkWorld(world)).toEqual([])
    expect(world.get("SELECT wallet FROM partners WHERE client_id = 'rimal-retail'")).toEqual({
      wallet: model.wallet,
    })
    for (const id of real.variants)
      expect(world.get('SELECT stock FROM variants WHERE id = ?', id)).toEqual({
        stock: model.offers[id]?.stock,
      })
    const made = world.all(
      "SELECT external_reference AS reference, status = 'Failed' AS failed FROM orders WHERE external_reference LIKE 'R%' AND length(external_reference) = 2 ORDER BY n",
    )
    expect(made).toEqual(model.orders.map(({reference, failed}) => ({reference, failed: Number(failed)})))
  } finally {
    await real.sandbox.close()
  }
}

/** Sends, and compares the answer with what the model expects. */
async function compare(real: Real, expected: rules.Expected, sent: Promise<Answer>): Promise<Answer> {
  const answer = await sent
  const isGood = answer.state === 'SUCCESS' || answer.state === 'CREATED'
  if ('refused' in expected) {
    expect(answer.state).toBe(expected.refused)
    return answer
  }
  expect(isGood ? '' : `${answer.state} ${JSON.stringify(answer.details)}`).toBe('')
  expect(answer.payload).toMatchObject(expected.holds)
  if (expected.lockTaken) {
    const {lockId, lockExpiresAt} = answer.payload
    expect(lockId).toEqual(expect.any(String))
    expect(Date.parse(lockExpiresAt) - real.sandbox.state.clock.now()).toBe(rules.LOCK_MS)
    real.locks.push(lockId)
  }
  return answer
}

/** A command with its words for a report. */
function command(words: string, run: (model: rules.Model, real: Real) => Promise<unknown>): Command {
  return {check: () => true, run: async (model, real) => void (await run(model, real)), toString: () => words}
}

const customer = fc.constantFrom('A', 'B')
const place = fc.nat(1)
const quantity = fc.oneof(
  {weight: 6, arbitrary: fc.integer({min: 1, max: 5})},
  fc.constantFrom(29, 31, 9_998),
)
const reference = fc.constantFrom('R1', 'R2', 'R3')
const item = (of: string, id: string) => `/scent/cart/${of}/items/${id}`
const idOf = (real: Real, at: number) => real.variants[at] as string

const adds = fc.tuple(customer, place, quantity).map(([of, at, count]) =>
  command(`add ${count} of ${at} to ${of}`, (model, real) => {
    const variantId = idOf(real, at)
    const sent = real.send('POST', '/scent/cart/items', {
      query: `customerRef=${of}`,
      body: {variantId, quantity: count},
    })
    return compare(real, rules.add(model, of, variantId, count), sent)
  }),
)

const sets = fc.tuple(customer, place, quantity).map(([of, at, count]) =>
  command(`set ${at} of ${of} to ${count}`, (model, real) => {
    const sent = real.send('PUT', item(of, idOf(real, at)), {body: {quantity: count}})
    return compare(
      real,
      rules.move(model, of, idOf(real, at), () => count),
      sent,
    )
  }),
)

const steps = fc.tuple(customer, place, fc.constantFrom('increment', 'decrement')).map(([of, at, action]) =>
  command(`${action} ${at} of ${of}`, (model, real) => {
    const sent = real.send('PUT', item(of, idOf(real, at)), {body: {action}})
    const by = action === 'increment' ? 1 : -1
    return compare(
      real,
      rules.move(model, of, idOf(real, at), (count) => count + by),
      sent,
    )
  }),
)

const removes = fc.tuple(customer, place).map(([of, at]) =>
  command(`remove ${at} of ${of}`, (model, real) =>
    compare(
      real,
      rules.move(model, of, idOf(real, at), () => 0),
      real.send('DELETE', item(of, idOf(real, at))),
    ),
  ),
)

const clears = customer.map((of) =>
  command(`clear ${of}`, (model, real) =>
    compare(real, rules.clear(model, of), real.send('DELETE', `/scent/cart/${of}/items`)),
  ),
)

const previews = fc
  .tuple(customer, fc.boolean())
  .map(([of, lock]) =>
    command(`preview ${of}${lock ? ' with a lock' : ''}`, (model, real) =>
      compare(
        real,
        rules.preview(model, of, {lock}),
        real.send('GET', `/scent/cart/${of}/checkout-preview`, {query: `lock=${lock}`}),
      ),
    ),
  )

const locks = customer.map((of) =>
  command(`lock ${of}`, (model, real) =>
    compare(
      real,
      rules.preview(model, of, {lock: true, must: true}),
      real.send('POST', `/scent/cart/${of}/price-lock`),
    ),
  ),
)

const create = (real: Real, of: string, externalReference: string, number: number) => {
  const lockId = real.locks[number] ?? '00000000-0000-4000-8000-000000000000'
  const body = {externalReference, customerRef: of, lockId, shippingAddress: address}
  return real.send('POST', '/scent/orders', {body})
}

/** With the newest lock, counted from behind, or another one; a number beyond the first is of none. */
const orders = fc
  .tuple(customer, reference, fc.oneof({weight: 4, arbitrary: fc.constant(0)}, fc.nat(3)))
  .map(([of, text, back]) =>
    command(`order ${of} as ${text} by lock -${back}`, (model, real) => {
      const number = model.locks.length - 1 - back
      return compare(real, rules.order(model, of, text, number), create(real, of, text, number))
    }),
  )

/** Sent once more with all that it had: the answer was lost, or somebody is impatient. */
const twice = fc.tuple(customer, reference).map(([of, text]) =>
  command(`order ${of} as ${text} twice`, async (model, real) => {
    const number = model.locks.length - 1
    for (let time = 0; time < 2; time += 1)
      await compare(real, rules.order(model, of, text, number), create(real, of, text, number))
  }),
)

const waits = fc.constantFrom(1, 14, 15, 16).map((minutes) =>
  command(`wait ${minutes} minutes`, async (model, {sandbox}) => {
    const {clock} = sandbox.state
    clock.moveTo(clock.now() + minutes * 60_000)
    model.now += minutes * 60_000
  }),
)

const wallets = fc.constantFrom(0, 20_000, 100_000, 5_000_000).map((wallet) =>
  command(`wallet ${wallet / 100}`, async (model, real) => {
    await real.operate('partners/rimal-retail', {wallet: wallet / 100})
    model.wallet = wallet
  }),
)

const stocks = fc.tuple(place, fc.constantFrom(0, 2, 30)).map(([at, stock]) =>
  command(`stock of ${at} is ${stock}`, async (model, real) => {
    await real.operate(`variants/${idOf(real, at)}`, {stock})
    Object.assign(model.offers[idOf(real, at)] as object, {stock})
  }),
)

const prices = fc.tuple(place, fc.constantFrom(null, 12_000, 43_333)).map(([at, price]) =>
  command(`price of ${at} is ${price}`, async (model, real) => {
    await real.operate(`variants/${idOf(real, at)}`, {price: price === null ? null : price / 100})
    Object.assign(model.offers[idOf(real, at)] as object, {price})
  }),
)

const accesses = fc.oneof({weight: 3, arbitrary: fc.constant(true)}, fc.constant(false)).map((access) =>
  command(access ? 'access' : 'no access', async (model, real) => {
    await real.operate('partners/rimal-retail', {productAccess: access})
    model.access = access
  }),
)

/** A line, a lock, whatever comes between, and the order: by chance alone these seldom follow each other. */
const lives = fc
  .tuple(
    customer,
    place,
    reference,
    fc.oneof(waits, wallets, stocks, prices, accesses, adds, sets, locks, twice),
  )
  .map(([of, at, text, between]) =>
    command(`order ${of} as ${text}, and before it ${between}`, async (model, real) => {
      const variantId = idOf(real, at)
      const query = `customerRef=${of}`
      const added = real.send('POST', '/scent/cart/items', {query, body: {variantId, quantity: 1}})
      await compare(real, rules.add(model, of, variantId, 1), added)
      const locked = real.send('POST', `/scent/cart/${of}/price-lock`)
      await compare(real, rules.preview(model, of, {lock: true, must: true}), locked)
      const number = model.locks.length - 1
      await between.run(model, real)
      await compare(real, rules.order(model, of, text, number), create(real, of, text, number))
    }),
  )

export const commands = fc.commands(
  [
    adds,
    adds,
    previews,
    locks,
    orders,
    orders,
    twice,
    lives,
    lives,
    sets,
    steps,
    removes,
    clears,
    waits,
    wallets,
    stocks,
    prices,
    accesses,
  ],
  {maxCommands: 40, size: 'max'},
)
