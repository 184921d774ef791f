import {afterEach, expect, test} from 'vitest'
import type {HttpRequest, Send} from '../../src/contract/wire.ts'
import {type CatalogEvent, resolveSkus, syncCatalog} from '../../src/flows/catalog.ts'
import {catalogCache} from '../../src/store/catalog.ts'
import {folder} from '../support/program.ts'
import {openShop, type Shop} from '../support/shop.ts'

let shop: Shop
afterEach(() => shop.close())

const now = Date.parse('2026-06-01T12:00:00Z')
const moment = (ms: number) => new Date(ms).toISOString()

/** A shop whose service may give shorter pages than asked for, sends its time, and runs `before` ahead of each request. */
async function open({pageSize = 100, date = true, before = (_: URL) => {}} = {}) {
  const asked: URL[] = []
  const through =
    (send: Send): Send =>
    async (request: HttpRequest) => {
      const url = new URL(request.url)
      if (!url.pathname.endsWith('/variants')) return send(request)
      asked.push(url)
      await before(url)
      url.searchParams.set('pageSize', String(pageSize))
      const answer = await send({...request, url: url.href})
      const {date: _, ...headers} = answer.headers
      return date ? answer : {...answer, headers}
    }
  shop = await openShop({through})
  const state = folder()
  const identity = {origin: 'http://127.0.0.1:1', clientId: 'c', onBehalfOf: null}
  const events: CatalogEvent[] = []
  const cache = catalogCache({config: state, state}, identity)
  const tools = {
    client: shop.client,
    cache,
    now: () => now,
    tell: (event: CatalogEvent) => events.push(event),
  }
  const {world} = shop.sandbox.state
  return {
    tools,
    cache,
    events,
    asked: () => asked.splice(0),
    world,
    idOf: (sku: string) => world.get<{id: string}>('SELECT id FROM variants WHERE sku = ?', sku)?.id ?? '',
    /** As the service may do it: the row shows no change of its own. */
    rename: (id: string, sku: string) => world.run('UPDATE variants SET sku = ? WHERE id = ?', sku, id),
    leave: (id: string) => world.run('DELETE FROM assortment WHERE variant_id = ?', id),
    change: (id: string, at = shop.sandbox.state.clock.now()) =>
      world.run('UPDATE variants SET changed_at = ? WHERE id = ?', at, id),
  }
}

test('the first sync reads everything, inactive variants too, and a later one what has changed', async () => {
  const {tools, asked, idOf, change, rename} = await open()
  expect(await syncCatalog(tools)).toEqual({
    variants: 36,
    read: 36,
    changed: 36,
    gone: 0,
    full: true,
    syncedAt: moment(now),
  })
  const first = shop.sandbox.state.clock.now()
  shop.later(3600)
  change(idOf('RML-SAF-050'))
  rename(idOf('RML-SAF-050'), 'RML-SAF-51')
  asked()
  expect(await syncCatalog(tools)).toMatchObject({variants: 36, read: 1, changed: 1, gone: null, full: false})
  const since = Date.parse(asked()[0]?.searchParams.get('changedSince') ?? '')
  expect(first - since).toBeGreaterThanOrEqual(300_000)
  expect(first - since).toBeLessThan(310_000)
  expect((await tools.cache.read()).variants.get(idOf('RML-SAF-51'))).toMatchObject({sku: 'RML-SAF-51'})
})

test('a change during a sync is read by the next one, whatever our own clock says', async () => {
  const {tools, idOf, change} = await open()
  await syncCatalog({...tools, now: () => now + 365 * 86_400_000})
  change(idOf('RML-SAF-050'))
  expect(await syncCatalog(tools)).toMatchObject({full: false, read: 1, changed: 0})
})

test('a service that does not send its time is asked for a whole day more', async () => {
  const {tools, asked} = await open({date: false})
  await syncCatalog(tools)
  asked()
  await syncCatalog(tools)
  expect(asked()[0]?.searchParams.get('changedSince')).toBe(moment(now - 86_400_000))
})

test('only a full sync finds what has left the assortment, and forgets it', async () => {
  const {tools, idOf, leave} = await open()
  await syncCatalog(tools)
  leave(idOf('RML-SAF-050'))
  expect(await syncCatalog(tools)).toMatchObject({variants: 36, gone: null})
  expect(await syncCatalog(tools, {full: true})).toMatchObject({variants: 35, gone: 1, full: true})
  expect((await tools.cache.read()).variants.has(idOf('RML-SAF-050'))).toBe(false)
})

test('pages are counted while they are read', async () => {
  const {tools, events} = await open({pageSize: 10})
  await syncCatalog(tools)
  expect(events).toEqual([10, 20, 30, 36].map((count) => ({kind: 'variants-read', count, of: 36})))
})

test('a variant that slips onto a page already read is read all the same', async () => {
  let left = ''
  const {tools, idOf, leave} = await open({
    pageSize: 10,
    before(url) {
      if (left !== '' || url.searchParams.get('page') !== '2') return
      left = idOf('NJD-INC-002')
      leave(left)
    },
  })
  expect(await syncCatalog(tools)).toMatchObject({variants: 35, read: 35})
  expect((await tools.cache.read()).variants.has(left)).toBe(false)
})

test('a sync that breaks off changes nothing', async () => {
  let broken = false
  const {tools} = await open({
    pageSize: 10,
    before(url) {
      if (url.searchParams.get('page') === '3' && broken) throw new Error('gone')
    },
  })
  await syncCatalog(tools)
  const before = await tools.cache.read()
  broken = true
  await expect(syncCatalog(tools, {full: true})).rejects.toThrow()
  expect(await tools.cache.read()).toEqual(before)
})

test('known SKUs cost one request, which confirms them', async () => {
  const {tools, asked, idOf} = await open()
  await syncCatalog(tools)
  asked()
  const found = await resolveSkus(tools, ['RML-SAF-050', 'SDR-LIN-100'])
  expect(found).toEqual(
    new Map([
      ['RML-SAF-050', [idOf('RML-SAF-050')]],
      ['SDR-LIN-100', [idOf('SDR-LIN-100')]],
    ]),
  )
  expect(asked()).toHaveLength(1)
  expect(await resolveSkus(tools, [])).toEqual(new Map())
  expect(asked()).toEqual([])
})

test('an unknown SKU is looked for in what has changed, and then in everything', async () => {
  const {tools, asked, idOf, rename, change} = await open()
  await syncCatalog(tools)
  rename(idOf('RML-SAF-050'), 'NEW-1')
  change(idOf('NEW-1'))
  rename(idOf('RML-SAF-002'), 'NEW-2')
  asked()
  const kinds = () =>
    asked().map(({searchParams}) =>
      searchParams.has('id') ? 'confirm' : searchParams.has('changedSince') ? 'delta' : 'full',
    )
  expect((await resolveSkus(tools, ['NEW-1'])).get('NEW-1')).toEqual([idOf('NEW-1')])
  expect(kinds()).toEqual(['delta', 'confirm'])
  expect((await resolveSkus(tools, ['NEW-1', 'NEW-2'])).get('NEW-2')).toEqual([idOf('NEW-2')])
  expect(kinds()).toEqual(['confirm', 'delta', 'confirm', 'full', 'confirm'])
  expect((await resolveSkus(tools, ['new-1'])).get('new-1')).toEqual([idOf('NEW-1')])
})

test('a SKU that has moved to another variant, unseen, is never taken for the old one', async () => {
  const {tools, idOf, rename} = await open()
  await syncCatalog(tools)
  const [rose, oud] = [idOf('RML-TAI-050'), idOf('NJD-ROY-050')]
  rename(rose, 'SWAP')
  rename(oud, 'RML-TAI-050')
  rename(rose, 'NJD-ROY-050')
  expect((await resolveSkus(tools, ['RML-TAI-050'])).get('RML-TAI-050')).toEqual([oud])
})

test('a SKU of two variants names both', async () => {
  const {tools, idOf, rename, world} = await open()
  world.script('DROP INDEX variants_sku')
  const [rose, oud] = [idOf('RML-TAI-050'), idOf('NJD-ROY-050')]
  rename(rose, 'NJD-ROY-050')
  expect((await resolveSkus(tools, ['NJD-ROY-050'])).get('NJD-ROY-050')?.sort()).toEqual([rose, oud].sort())
})
