import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {createClient} from '../../src/client/client.ts'
import {openNodeHttp} from '../../src/client/node-http.ts'
import {unpaced} from '../../src/client/pace.ts'
import {realTime} from '../../src/client/time.ts'
import {noTokens} from '../../src/client/token.ts'
import {openUndici} from '../../src/client/undici.ts'
import {mintToken} from '../../src/contract/auth.ts'
import {addCartItem, clearCart, readCart, removeCartItem, setCartItem} from '../../src/contract/cart.ts'
import {previewCheckout, previewCheckoutOf} from '../../src/contract/checkout.ts'
import {isFailure} from '../../src/contract/failure.ts'
import {listVariants} from '../../src/contract/variants.ts'
import type {Send} from '../../src/contract/wire.ts'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import type {Sandbox} from '../support/types.ts'

let sandbox: Sandbox
let baseUrl: string
let variantId: string
beforeAll(async () => {
  sandbox = await createSandbox({limits: false})
  baseUrl = await sandbox.listen()
  const client = await clientOf(openNodeHttp({}))
  const query = {include: ['pricing', 'availability'] as const, pageSize: 100}
  const {items} = await client.call(listVariants, {query})
  const able = items.find(({pricing, availability}) => pricing && availability?.state === 'Available')
  variantId = able?.id ?? ''
})
afterAll(() => sandbox.close())

async function clientOf(send: Send) {
  const options = {...realTime, send, baseUrl, pacer: unpaced, maxWaitMs: 1_000, timeoutMs: 5_000}
  const {clientId = '', clientSecret = ''} = sandbox.credentials[0] ?? {}
  const door = createClient({...options, tokens: noTokens})
  const {accessToken} = await door.call(mintToken, {body: {clientId, clientSecret}})
  const get = async () => accessToken
  return createClient({...options, tokens: {get, renew: get, forget: () => {}}})
}

const refs = [
  'a',
  '/',
  '?',
  '#',
  '%',
  '+',
  '&',
  '=',
  ';',
  ':',
  '@',
  '\\',
  '"',
  "'",
  '*',
  '~',
  ' ',
  'a b',
  ' a',
  'a ',
  'A',
  'a/b',
  'a%2Fb',
  'a/../b',
  '...',
  '%2e%2e',
  '%2E',
  '%',
  '%zz',
  'é',
  'e\u0301',
  'عميل ٢',
  '🧴',
  '👨‍👩‍👧‍👦',
  'x'.repeat(128),
  'items',
]

describe.each<[string, () => Send]>([
  ['node:http', () => openNodeHttp({})],
  ['undici', () => openUndici({})],
  ['the sandbox in this process', () => sandbox.send],
])('through %s', (_, open) => {
  it('every customerRef has a cart of its own, by path, by query and by body', async () => {
    const client = await clientOf(open())
    for (const [n, customerRef] of [...new Set(refs)].entries()) {
      const body = {variantId, quantity: n + 1}
      expect(await client.call(addCartItem, {query: {customerRef}, body}), customerRef).toMatchObject({
        customerRef,
      })
    }
    for (const [n, customerRef] of [...new Set(refs)].entries()) {
      const one = {customerRef, items: [{variantId, quantity: n + 1}]}
      expect(await client.call(readCart, {params: {customerRef}}), customerRef).toMatchObject(one)
      const lines = [{variantId, quantity: n + 1}]
      expect(await client.call(previewCheckout, {query: {customerRef}})).toMatchObject({customerRef, lines})
      expect(await client.call(previewCheckoutOf, {params: {customerRef}})).toMatchObject({
        customerRef,
        lines,
      })
      const params = {customerRef, variantId}
      expect(await client.call(setCartItem, {params, body: {quantity: 1}})).toMatchObject({customerRef})
    }
    for (const customerRef of new Set(refs)) {
      expect(await client.call(removeCartItem, {params: {customerRef, variantId}})).toMatchObject({items: []})
      expect(await client.call(clearCart, {params: {customerRef}})).toMatchObject({items: []})
    }
  })

  it.each(['', '.', '..', 'x'.repeat(129), 'a\u0000b', 'a\nb', '\ud800', '\udc00x'])(
    'nothing is sent for %j',
    async (customerRef) => {
      const client = await clientOf(open())
      sandbox.state.requests.clear()
      const error = await client.call(readCart, {params: {customerRef}}).catch((thrown: unknown) => thrown)
      expect(isFailure(error, 'INVALID_INPUT')).toBe(true)
      expect(sandbox.state.requests.list()).toEqual([])
    },
  )
})
