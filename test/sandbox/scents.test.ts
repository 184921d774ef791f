import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import type {Sandbox} from '../support/types.ts'
import {callerOf, control} from './caller.ts'

let sandbox: Sandbox
let ask: ReturnType<typeof callerOf>['ask']

beforeAll(async () => {
  sandbox = await createSandbox({limits: false})
  ask = callerOf(sandbox).ask
})
afterAll(() => sandbox.close())

interface Scent {
  id: string
  brandId: string
  name: string
  concentration: string
  audience: string
}

const scents = async (query = ''): Promise<Scent[]> =>
  (await ask('GET', '/scent/scents', {query: `pageSize=100&${query}`})).payload.items

describe('scents', () => {
  test('are listed by name, with their notes and accords', async () => {
    const all = await scents()
    expect(all).toHaveLength(12)
    expect(all.map(({name}) => name)).toEqual(all.map(({name}) => name).sort())
    expect(all.find(({name}) => name === 'Saffron Dune')).toMatchObject({
      concentration: 'EDP',
      audience: 'UNISEX',
      notes: {top: ['Saffron', 'Bergamot'], heart: ['Rose'], base: ['Amber', 'Oud']},
      accords: ['Warm Spicy', 'Amber'],
      isActive: true,
    })
  })

  test('are read one by one as they are listed, whatever the case of the id', async () => {
    const [first] = await scents()
    expect((await ask('GET', `/scent/scents/${first?.id.toUpperCase()}`)).payload).toEqual(first)
  })

  test('are filtered by brand, concentration and audience, all at once', async () => {
    const all = await scents()
    const brands = [...new Set(all.map(({brandId}) => brandId))].slice(0, 2)
    const query = `${brands.map((id) => `brandId=${id}`).join('&')}&concentration=EDP&audience=UNISEX`
    const expected = all.filter(
      ({brandId, concentration, audience}) =>
        brands.includes(brandId) && concentration === 'EDP' && audience === 'UNISEX',
    )
    expect(expected.length).toBeGreaterThan(0)
    expect(await scents(query)).toEqual(expected)
    expect(await scents(`brandId=${crypto.randomUUID()}`)).toEqual([])
  })

  test.each([
    ['concentration', 'edp'],
    ['concentration', 'EDC'],
    ['audience', 'CHILDREN'],
  ])('an unknown code of the list %s is named: %s', async (list, value) => {
    const answer = await ask('GET', '/scent/scents', {query: `${list}=${value}`})
    expect(answer).toMatchObject({
      status: 400,
      state: 'VALIDATION_UNKNOWN_LOOKUP_CODE',
      details: {list, value},
    })
  })
})

describe('brands', () => {
  test('are listed by name, a page at a time, and read as they are listed', async () => {
    const page = async (n: number) =>
      (await ask('GET', '/scent/brands', {query: `pageSize=3&page=${n}`})).payload
    const [first, second] = [await page(1), await page(2)]
    const all = [...first.items, ...second.items]
    expect(all.map(({name}: {name: string}) => name)).toEqual([
      'Bayt Rimal',
      'Najd Oud',
      'Sidr & Salt',
      'Warda',
    ])
    expect(second.pagination).toEqual({page: 2, pageSize: 3, totalCount: 4, totalPages: 2})
    expect((await ask('GET', `/scent/brands/${all[0].id}`)).payload).toEqual(all[0])
  })
})

test('a scent and a brand are gone for a partner when none of their variants is left', async () => {
  const own = await createSandbox({limits: false})
  const other = callerOf(own, 'rimal-online')
  const before = (await other.ask('GET', '/scent/scents', {query: 'pageSize=100'})).payload.items
  const partnerId = own.credentials[1]?.partnerId
  for (const code of ['WRD-JAS', 'WRD-ORA', 'WRD-FIG']) {
    for (const size of ['002', '050', '100']) {
      await control(own, 'PATCH', `variants/${code}-${size}`, {assortment: false, partnerId})
    }
  }
  expect((await other.ask('GET', '/scent/scents')).payload.pagination.totalCount).toBe(before.length - 3)
  expect((await other.ask('GET', '/scent/brands')).payload.pagination.totalCount).toBe(3)
  const gone = before.find(({name}: Scent) => name === 'Velvet Fig')
  expect((await other.ask('GET', `/scent/scents/${gone.id}`)).state).toBe('NOT_FOUND_SCENT')
  expect((await other.ask('GET', `/scent/brands/${gone.brandId}`)).state).toBe('NOT_FOUND_BRAND')
  expect((await callerOf(own).ask('GET', `/scent/brands/${gone.brandId}`)).status).toBe(200)
  await own.close()
})
