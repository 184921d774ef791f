import {expect, test} from 'vitest'
import type {Sandbox} from '../support/types.ts'
import {type Answer, type Caller, callerOf, control, useSandbox, variantOf} from './caller.ts'

let sandbox: Sandbox
let ask: Caller['ask']
useSandbox(
  (opened) => {
    sandbox = opened
    ask = callerOf(opened).ask
  },
  {limits: false},
)

const add = (ref: string, sku: string) =>
  ask('POST', `/scent/wishlist/${encodeURIComponent(ref)}/items`, {
    body: {variantId: variantOf(sandbox, sku).toUpperCase()},
  })
const remove = (ref: string, sku: string) =>
  ask('DELETE', `/scent/wishlist/${ref}/items/${variantOf(sandbox, sku)}`)
const skus = (answer: Answer) => answer.payload.items.map(({sku}: {sku: string}) => sku)

test('an untouched customer has an empty wishlist', async () => {
  expect(await ask('GET', '/scent/wishlist/nobody')).toMatchObject({status: 200, payload: {items: []}})
})

test('a wish says what the variant is, costs and can do now', async () => {
  const answer = await add('نورة/1', 'RML-SAF-050')
  expect(answer).toMatchObject({status: 200, state: 'SUCCESS'})
  expect(answer.payload.items).toEqual([
    {
      variantId: variantOf(sandbox, 'RML-SAF-050'),
      sku: 'RML-SAF-050',
      sizeMl: 50,
      scentName: 'Saffron Dune',
      brandName: 'Bayt Rimal',
      imageUrl: expect.stringMatching(/^https:/),
      currentPrice: 120.5,
      availability: {state: 'Available'},
      addedAt: expect.stringMatching(/Z$/),
    },
  ])
  expect((await ask('GET', `/scent/wishlist/${encodeURIComponent('نورة/1')}`)).payload).toEqual(
    answer.payload,
  )
})

test('the newest wish stands first, and a repeat changes nothing, even when the variant is gone', async () => {
  await add('C-1', 'RML-SAF-050')
  const both = await add('C-1', 'RML-TAI-100')
  expect(skus(both)).toEqual(['RML-TAI-100', 'RML-SAF-050'])
  await control(sandbox, 'PATCH', 'variants/RML-SAF-050', {stock: 0})
  const again = await add('C-1', 'RML-SAF-050')
  expect(again.status).toBe(200)
  expect(skus(again)).toEqual(['RML-TAI-100', 'RML-SAF-050'])
  expect(again.payload.items[1]).toMatchObject({availability: {state: 'Unavailable'}})
  expect(again.payload.items[1].addedAt).toBe(both.payload.items[1].addedAt)
})

test('removing is idempotent, and a wish of another customer stays', async () => {
  await add('C-1', 'RML-SAF-050')
  await add('C-2', 'RML-SAF-050')
  for (let i = 0; i < 2; i++)
    expect(await remove('C-1', 'RML-SAF-050')).toMatchObject({status: 200, payload: {items: []}})
  expect(skus(await ask('GET', '/scent/wishlist/C-2'))).toEqual(['RML-SAF-050'])
  const unknown = await ask('DELETE', `/scent/wishlist/C-2/items/${crypto.randomUUID()}`)
  expect(skus(unknown)).toEqual(['RML-SAF-050'])
})

test('what leaves the assortment is hidden, and comes back with it', async () => {
  await add('C-1', 'RML-SAF-050')
  await control(sandbox, 'PATCH', 'variants/RML-SAF-050', {assortment: false})
  expect(skus(await ask('GET', '/scent/wishlist/C-1'))).toEqual([])
  await control(sandbox, 'PATCH', 'variants/RML-SAF-050', {assortment: true})
  expect(skus(await ask('GET', '/scent/wishlist/C-1'))).toEqual(['RML-SAF-050'])
})

test('each partner has its own', async () => {
  await add('C-1', 'RML-SAF-050')
  expect(skus(await callerOf(sandbox, 'rimal-online').ask('GET', '/scent/wishlist/C-1'))).toEqual([])
})

test('the demo has one, of a customer', async () => {
  expect(skus(await ask('GET', '/scent/wishlist/CUST-1001'))).toEqual([
    'SDR-HON-100',
    'NJD-ROY-050',
    'RML-SAF-050',
  ])
})
