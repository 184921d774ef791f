import {randomUUID} from 'node:crypto'
import {expect, test} from 'vitest'
import {offersOf} from '../../src/flows/offers.ts'
import {openShop} from '../support/shop.ts'

test('offers have the price of this moment, and say why a variant can not be put into a cart', async () => {
  const shop = await openShop()
  const strangers = Array.from({length: 80}, () => randomUUID())
  const [incense, unpriced, sold] = await Promise.all(
    ['NJD-INC-002', 'NJD-INC-100', 'RML-SAF-050'].map((sku) => shop.variant(sku)),
  )
  if (!incense || !unpriced || !sold) throw new Error('no variants')
  shop.sandbox.state.world.run('UPDATE variants SET stock = 0 WHERE id = ?', sold)
  shop.requests.length = 0
  const offers = await offersOf(shop.client, [incense.toUpperCase(), unpriced, sold, ...strangers])
  expect(offers.size).toBe(83)
  expect(offers.get(incense)).toMatchObject({currency: 'SAR', problem: null})
  expect(String(offers.get(incense)?.unitWithVat)).toMatch(/^33\.35?/)
  expect(offers.get(unpriced)).toEqual({
    sku: 'NJD-INC-100',
    unitWithVat: null,
    currency: null,
    problem: 'BUSINESS_VARIANT_NOT_PRICED',
  })
  expect(offers.get(sold)?.problem).toBe('BUSINESS_VARIANT_UNAVAILABLE')
  expect(offers.get(strangers[0] ?? '')?.problem).toBe('NOT_FOUND_VARIANT')
  expect(shop.requests).toHaveLength(2)
  await shop.close()
})
