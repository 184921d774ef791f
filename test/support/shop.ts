import {createClient} from '../../src/client/client.ts'
import {unpaced} from '../../src/client/pace.ts'
import {mintToken} from '../../src/contract/auth.ts'
import {addCartItem} from '../../src/contract/cart.ts'
import {previewCheckoutOf} from '../../src/contract/checkout.ts'
import {createOrder} from '../../src/contract/orders.ts'
import {listVariants} from '../../src/contract/variants.ts'
import {listWalletTransactions} from '../../src/contract/wallet.ts'
import type {HttpRequest, Send} from '../../src/contract/wire.ts'
import {shippingFees} from '../../src/flows/order/fees.ts'
import type {OrderEvent, OrderTools} from '../../src/flows/order/records.ts'
import type {WalkTools} from '../../src/flows/order/walker.ts'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import {orderRecords} from '../../src/store/orders.ts'
import {address} from './address.ts'
import {folder} from './program.ts'
import type {FaultOrder, SandboxOptions} from './types.ts'

/** The ways in which an answer gets lost, before the work is done or after it. */
export const losses = (['before', 'after'] as const).flatMap((when) => [
  {when, effect: 'reset'} as const,
  {when, effect: 'status', status: 504} as const,
  {when, effect: 'hang'} as const,
  {when, effect: 'truncate'} as const,
  {when, effect: 'malformed'} as const,
])

/**
 * A sandbox in this process, and the tools of a flow on it: real rules, real records on disk, and a clock that sleeps
 * by moving on. `through` may stand between client and sandbox.
 */
export async function openShop(options: SandboxOptions & {through?: (send: Send) => Send} = {}) {
  const sandbox = await createSandbox({limits: false, ...options})
  const requests: string[] = []
  const counted: Send = (request: HttpRequest) => {
    requests.push(`${request.method} ${new URL(request.url).pathname}`)
    return sandbox.send(request)
  }
  const credential = sandbox.credentials.find(({name}) => name === 'Rimal Retail')
  if (!credential) throw new Error('the seed has no Rimal Retail')
  let ticks = 0
  const clock = {
    now: () => ticks,
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (!signal?.aborted) ticks += ms
    },
  }
  let token: string | undefined
  const mint = async () => {
    const {clientId, clientSecret} = credential
    const {accessToken} = await client.call(mintToken, {body: {clientId, clientSecret}})
    token = accessToken
    return accessToken
  }
  const client = createClient({
    send: (options.through ?? ((send) => send))(counted),
    baseUrl: 'http://127.0.0.1:1',
    tokens: {get: async () => token ?? mint(), renew: mint, forget: () => {}},
    pacer: unpaced,
    maxWaitMs: 1000,
    timeoutMs: 40,
    ...clock,
    random: () => 0.5,
  })
  const events: OrderEvent[] = []
  const state = folder()
  const identity = {origin: 'http://127.0.0.1:1', clientId: credential.clientId, onBehalfOf: null}
  const records = orderRecords({config: state, state}, identity)
  const tools: OrderTools = {
    client,
    records,
    ...clock,
    clock: () => new Date().toISOString(),
    random: () => 0.5,
    tell: (event) => events.push(event),
  }
  const walkTools: WalkTools = {
    ...tools,
    savedAddresses: async () => [],
    newReference: () => 'made-up-1',
    alone: (_, work) => work(),
    fees: async () => shippingFees(await records.all()),
  }
  return {
    sandbox,
    client,
    /** A bearer token, for a client of the test's own. */
    token: async () => token ?? mint(),
    records,
    tools,
    walkTools,
    events,
    requests,
    fault: (order: FaultOrder) => sandbox.state.faults.add(order),
    /** Moves the service's clock, and so the ends of tokens and locks. */
    later: (seconds: number) => sandbox.state.clock.moveTo(sandbox.state.clock.now() + seconds * 1000),
    async variant(sku?: string) {
      const {items} = await client.call(listVariants, {
        query: {include: ['pricing', 'availability'], pageSize: 100},
      })
      const found = items.find(
        (one) => (sku === undefined || one.sku === sku) && one.availability?.state === 'Available',
      )
      if (!found) throw new Error('no such variant')
      return found.id
    },
    async fill(customerRef: string, quantity = 2) {
      const variantId = await this.variant()
      await client.call(addCartItem, {query: {customerRef}, body: {variantId, quantity}})
      return {variantId, quantity}
    },
    /** An order of one line that is on its way. */
    async order(customerRef: string, quantity = 2) {
      await this.fill(customerRef, quantity)
      const params = {customerRef}
      const {lockId} = await client.call(previewCheckoutOf, {params, query: {lock: true}})
      if (!lockId) throw new Error("the cart can't be locked")
      const body = {externalReference: customerRef, customerRef, lockId, shippingAddress: address}
      return client.call(createOrder, {body})
    },
    /** Ledger entries, newest first. */
    async ledger() {
      const {items} = await client.call(listWalletTransactions, {query: {pageSize: 100}})
      return items
    },
    close: () => sandbox.close(),
  }
}

export type Shop = Awaited<ReturnType<typeof openShop>>
