import {createClient} from '../../../src/client/client.ts'
import {unpaced} from '../../../src/client/pace.ts'
import {mintToken} from '../../../src/contract/auth.ts'
import {addCartItem} from '../../../src/contract/cart.ts'
import {previewCheckout} from '../../../src/contract/checkout.ts'
import {createOrder} from '../../../src/contract/orders.ts'
import type {Send} from '../../../src/contract/wire.ts'
import type {CartLine} from '../../../src/flows/cart/lines.ts'
import {changePartner} from '../../../src/sandbox/controls/partners.ts'
import {changeVariant} from '../../../src/sandbox/controls/variants.ts'
import {createSandbox} from '../../../src/sandbox/core/sandbox.ts'
import {address} from '../../support/address.ts'
import type {Sandbox} from '../../support/types.ts'

/** A sandbox that serves many seeds, one after the other. */
export interface SimulatedShop {
  sandbox: Sandbox
  partnerId: string
  gatewayToken: string
  /** The variants that jobs order, and one that only others put into carts. */
  variants: string[]
  foreign: string
  /** The price of lines with VAT, at the start. */
  goodsOf(lines: CartLine[]): string
  /** Prices, stock, wallet and access as at the start. */
  restore(): void
  /** A client that mints tokens as the service gives them; `cache` is what its machine keeps. */
  client(
    send: Send,
    time: {now(): number; sleep(ms: number): Promise<void>; random(): number},
    cache?: {token: string | undefined},
  ): ReturnType<typeof createClient>
  close(): Promise<void>
}

const SKUS = ['RML-SAF-050', 'RML-TAI-050', 'RML-SAF-100', 'NJD-INC-050']
const FOREIGN = 'RML-TAI-100'
const START = Date.parse('2026-11-02T08:00:00Z')

export async function openSimulatedShop(): Promise<SimulatedShop> {
  const sandbox = await createSandbox({limits: false})
  const {state} = sandbox
  const {world, clock, tokens} = state
  clock.freeze()
  clock.moveTo(START)
  const credential = sandbox.credentials[0]
  if (credential === undefined) throw new Error('the seed has no partner')
  const {partnerId, clientId, clientSecret} = credential
  const expiresAt = START / 1000 + 100 * 365 * 86_400
  const identity = {partnerId, clientId, actorId: null, environment: 'staging', expiresAt} as const
  const gatewayToken = await tokens.mint(identity, partnerId)
  const idOf = (sku: string) =>
    world.get<{id: string}>('SELECT id FROM variants WHERE sku = ?', sku)?.id ?? ''
  const prices = new Map(
    [...SKUS, FOREIGN].map((sku) => {
      const sql =
        'SELECT a.price FROM assortment a JOIN variants v ON v.id = a.variant_id WHERE v.sku = ? AND a.partner_id = ?'
      return [sku, (world.get<{price: number}>(sql, sku, partnerId)?.price ?? 0) / 100]
    }),
  )
  return {
    sandbox,
    partnerId,
    gatewayToken,
    variants: SKUS.map(idOf),
    foreign: idOf(FOREIGN),
    goodsOf(lines) {
      const net = lines.reduce((sum, {variantId, quantity}) => {
        const sku = SKUS.find((one) => idOf(one) === variantId)
        return sum + (prices.get(sku ?? '') ?? 0) * quantity
      }, 0)
      return (net * 1.15).toFixed(2)
    },
    restore() {
      for (const [sku, price] of prices) {
        changeVariant(state, sku, {price, stock: 10_000, assortment: true, active: true, partnerId})
      }
      changePartner(state, partnerId, {wallet: 50_000, productAccess: true})
    },
    client(send, time, cache = {token: undefined}) {
      const mint = async () => {
        cache.token = undefined
        const {accessToken} = await client.call(mintToken, {body: {clientId, clientSecret}})
        cache.token = accessToken
        return accessToken
      }
      const client = createClient({
        send,
        baseUrl: 'http://127.0.0.1:1',
        tokens: {get: async () => cache.token ?? mint(), renew: mint, forget: () => {}},
        pacer: unpaced,
        maxWaitMs: 120_000,
        timeoutMs: 30_000,
        ...time,
      })
      return client
    },
    close: () => sandbox.close(),
  }
}

/** Makes an order at once, as another program of the partner would. */
export async function orderAtOnce(
  client: ReturnType<typeof createClient>,
  order: {reference: string; customerRef: string; lines: CartLine[]},
): Promise<void> {
  const {reference, customerRef, lines} = order
  for (const body of lines) await client.call(addCartItem, {query: {customerRef}, body})
  const {lockId} = await client.call(previewCheckout, {query: {customerRef, lock: true}})
  if (!lockId) throw new Error("the cart can't be locked")
  const body = {externalReference: reference, customerRef, lockId, shippingAddress: address}
  await client.call(createOrder, {body})
}
