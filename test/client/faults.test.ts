import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest'
import {createClient} from '../../src/client/client.ts'
import {openNodeHttp} from '../../src/client/node-http.ts'
import {unpaced} from '../../src/client/pace.ts'
import {openUndici} from '../../src/client/undici.ts'
import {addCartItem, clearCart, readCart, setCartItem, stepCartItem} from '../../src/contract/cart.ts'
import {previewCheckout, takePriceLock} from '../../src/contract/checkout.ts'
import {isFailure} from '../../src/contract/failure.ts'
import type {Operation} from '../../src/contract/operation.ts'
import type {Send} from '../../src/contract/wire.ts'
import {openShop, type Shop} from '../support/shop.ts'
import type {FaultOrder} from '../support/types.ts'

let shop: Shop
let baseUrl: string
let variantId: string
const token: string[] = []
beforeAll(async () => {
  shop = await openShop()
  baseUrl = await shop.sandbox.listen()
  variantId = await shop.variant()
})
afterAll(() => shop.close())
afterEach(() => shop.sandbox.state.faults.clear())

async function clientOf(send: Send, timeoutMs = 10_000) {
  token[0] ??= await shop.token()
  const get = async () => token[0] ?? ''
  return createClient({
    send,
    baseUrl,
    tokens: {get, renew: get, forget: () => {}},
    pacer: unpaced,
    maxWaitMs: 120_000,
    timeoutMs,
    now: Date.now,
    sleep: async () => {},
    random: () => 0.5,
  })
}

const ways: [string, () => Send][] = [
  ['node:http', () => openNodeHttp({})],
  ['undici', () => openUndici({})],
  ['the sandbox in this process', () => shop.sandbox.send],
]

/** What loses an answer, or makes a secret of it. */
const losses: FaultOrder[] = [
  {effect: 'reset', when: 'after'},
  {effect: 'reset', when: 'before'},
  {effect: 'hang', when: 'after'},
  {effect: 'truncate', when: 'after'},
  {effect: 'malformed', when: 'after'},
  {effect: 'status', status: 502, when: 'after'},
  {effect: 'status', status: 503, when: 'before'},
  {effect: 'status', status: 504, when: 'after'},
  {effect: 'status', status: 401, state: 'UPSTREAM_AUTH_FAILED', when: 'after'},
]

/** What proves that nothing ran, and heals by waiting. */
const waits: FaultOrder[] = [
  {effect: 'status', status: 429, when: 'before', retryAfter: 1},
  {effect: 'status', status: 429, when: 'before', retryAfter: 90},
]

const customerRef = 'faults'
const operations: [string, Operation, () => object][] = [
  ['readCart', readCart, () => ({params: {customerRef}})],
  ['previewCheckout', previewCheckout, () => ({query: {customerRef, lock: true}})],
  ['setCartItem', setCartItem, () => ({params: {customerRef, variantId}, body: {quantity: 3}})],
  ['takePriceLock', takePriceLock, () => ({params: {customerRef}})],
  ['clearCart', clearCart, () => ({params: {customerRef}})],
  ['addCartItem', addCartItem, () => ({query: {customerRef}, body: {variantId, quantity: 2}})],
  ['stepCartItem', stepCartItem, () => ({params: {customerRef, variantId}, body: {action: 'increment'}})],
]
const label = ({effect, status, when, retryAfter}: FaultOrder) =>
  [effect, status, when, retryAfter].filter(Boolean).join(' ')

describe.each(ways)('through %s', (_, open) => {
  const cases = operations.flatMap(([name, operation, input]) =>
    losses.map((fault) => [name, label(fault), operation, input, fault] as const),
  )

  /** Leaves one line of 2 in the cart, whatever was there. */
  async function fresh() {
    const {client} = shop
    await client.call(clearCart, {params: {customerRef}})
    await client.call(addCartItem, {query: {customerRef}, body: {variantId, quantity: 2}})
    shop.sandbox.state.requests.clear()
  }

  const sent = (name: string) =>
    shop.sandbox.state.requests.list().filter(({operation}) => operation === name).length

  it.each(cases)(
    '%s meets %s: repeated if that is safe, once and unknown if not',
    async (name, _label, operation, input, fault) => {
      await fresh()
      const hangs = fault.effect === 'hang'
      const client = await clientOf(open(), hangs ? 300 : undefined)
      shop.fault({...fault, match: {operation: name}, times: 1})
      const call = client.call(operation, input() as never)
      if (operation.repeat === 'freely') {
        await call
        // A busy machine may be late once more.
        if (hangs) expect(sent(name)).toBeGreaterThanOrEqual(2)
        else expect(sent(name)).toBe(2)
        return
      }
      const error = await call.catch((thrown: unknown) => thrown)
      expect(isFailure(error, 'OUTCOME_UNKNOWN')).toBe(true)
      expect(sent(name)).toBe(1)
      const {items} = await shop.client.call(readCart, {params: {customerRef}})
      const ran = fault.when === 'after'
      expect(items[0]?.quantity).toBe(ran ? (name === 'addCartItem' ? 4 : 3) : 2)
    },
  )

  it.each(
    operations.flatMap(([name, operation, input]) =>
      waits.map((fault) => [name, label(fault), operation, input, fault] as const),
    ),
  )('%s meets %s: it waits and is done once', async (name, _label, operation, input, fault) => {
    await fresh()
    const client = await clientOf(open())
    shop.fault({...fault, match: {operation: name}, times: 2})
    const twice = 2 * (fault.retryAfter ?? 0)
    const error = await client.call(operation, input() as never).catch((thrown: unknown) => thrown)
    if (twice > 120) {
      expect(isFailure(error, 'RATE_LIMITED')).toBe(true)
      expect(error).toMatchObject({facts: {effect: 'none', retryAfter: 90}})
      expect(sent(name)).toBe(2)
      return
    }
    expect(isFailure(error)).toBe(false)
    expect(sent(name)).toBe(3)
  })
})
