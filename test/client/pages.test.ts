import {afterEach, describe, expect, it} from 'vitest'
import {createClient} from '../../src/client/client.ts'
import {openNodeHttp} from '../../src/client/node-http.ts'
import {unpaced} from '../../src/client/pace.ts'
import {listDiscountCodes} from '../../src/contract/discounts.ts'
import {isFailure} from '../../src/contract/failure.ts'
import {listVariants} from '../../src/contract/variants.ts'
import {listWalletTransactions} from '../../src/contract/wallet.ts'
import {listDeliveries} from '../../src/contract/webhooks.ts'
import {checkLedger} from '../../src/flows/wallet.ts'
import {answer, serve, type TestServer} from '../support/server.ts'
import {openShop} from '../support/shop.ts'

const open: TestServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

const clientAt = (url: string) =>
  createClient({
    send: openNodeHttp({}),
    baseUrl: url,
    tokens: {get: async () => 'token', renew: async () => 'token', forget: () => {}},
    pacer: unpaced,
    maxWaitMs: 0,
    timeoutMs: 5_000,
    now: () => Date.now(),
    sleep: async () => {},
    random: () => 0.5,
  })

type Tell = (page: number, size: number, total: number) => object | undefined

/** How the lists of the service tell where they end. */
const tells: [string, Tell][] = [
  ['hasNext', (page, size, total) => ({page, totalCount: total, hasNext: page * size < total})],
  ['totalPages', (page, size, total) => ({page, totalCount: total, totalPages: Math.ceil(total / size)})],
  ['nothing but its length', (_, __, total) => ({totalCount: total})],
  ['nothing at all', () => undefined],
]

/** A list of `rows`; `between` runs after each page that was answered. */
async function list(rows: unknown[], tell: Tell, between: (pages: number) => void) {
  const server = await serve(({url}, response, count) => {
    const query = new URL(url, 'http://x').searchParams
    const [page, size] = [Number(query.get('page')), Number(query.get('pageSize'))]
    const pagination = tell(page, size, rows.length)
    const items = rows.slice((page - 1) * size, page * size)
    answer(response, 200, 'SUCCESS', {items, ...(pagination && {pagination})})
    between(count)
  })
  open.push(server)
  return {client: clientAt(server.url), seen: server.seen}
}

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const attempt = (n: number) => ({id: uuid(n), attemptNumber: n})

/** The entry that takes a balance from `n + 1` to `n`: no id, and the same moment for all. */
const entry = (n: number) => ({
  transactionType: 'Debit',
  amount: 1,
  balanceBefore: n + 1,
  balanceAfter: n,
  timestamp: '2026-01-01T00:00:00Z',
})

async function gathered<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const row of rows) found.push(row)
  return found
}

const params = {webhookId: uuid(0)}

describe.each(tells)('a list that tells %s', (_, tell) => {
  // Less than a page, exactly one, and several between two pages.
  it.each([1, 4, 5, 12])(
    'repeats no row though %i arrive before each of its first pages',
    async (arrivals) => {
      const rows = Array.from({length: 23}, (_, n) => attempt(100 - n))
      const before = [...rows]
      let next = 101
      const {client} = await list(rows, tell, (pages) => {
        // The first page must hold more than arrives, where nothing tells how much that is.
        if (pages < 2 || pages > 3) return
        for (let n = 0; n < arrivals; n += 1) rows.unshift(attempt(next++))
      })
      const query = {pageSize: 5}
      const found = await gathered(client.pages(listDeliveries, {params, query}))
      // Only where more arrive than were read, and nothing tells it, rows that came later may show.
      expect(found.filter(({id}) => before.some((row) => row.id === id))).toEqual(before)
      expect(new Set(found.map(({id}) => id)).size).toBe(found.length)
    },
  )

  it('knows ledger entries, which carry no id, by their place in the chain of balances', async () => {
    const rows = Array.from({length: 31}, (_, n) => entry(n))
    const before = [...rows]
    let next = -1
    const {client} = await list(rows, tell, (pages) => {
      if (pages % 2 === 0 && pages < 9) for (let n = 0; n < 3; n += 1) rows.unshift(entry(next--))
    })
    const query = {pageSize: 5}
    expect(await gathered(client.pages(listWalletTransactions, {query}))).toEqual(before)
  })
})

describe('a list that tells its length', () => {
  const [, tell] = tells[0] as [string, Tell]

  it('goes on at the right row though more arrived than had been read', async () => {
    const rows = Array.from({length: 20}, (_, n) => entry(n))
    const before = [...rows]
    const {client, seen} = await list(rows, tell, (pages) => {
      if (pages === 1) for (let n = 1; n <= 33; n += 1) rows.unshift(entry(-n))
    })
    const query = {pageSize: 5}
    expect(await gathered(client.pages(listWalletTransactions, {query}))).toEqual(before)
    expect(seen.length).toBeLessThan(8)
  })

  it('that grows at its end loses nothing, as in a delta of the catalog', async () => {
    const rows = Array.from({length: 8}, (_, n) => ({id: uuid(n)}))
    const {client} = await list(rows, tell, (pages) => {
      if (pages === 1) for (let n = 8; n < 30; n += 1) rows.push({id: uuid(n)})
    })
    const found = await gathered(client.pages(listVariants, {query: {pageSize: 5}}))
    expect(found.map(({id}) => id)).toEqual(Array.from({length: 30}, (_, n) => uuid(n)))
  })

  it('hands on entries that are equal in all they hold, as far as arrivals do not explain them', async () => {
    const same = {...entry(1), amount: 0, balanceBefore: 1}
    const {client} = await list([same, same, same], tell, () => {})
    expect(await gathered(client.pages(listWalletTransactions, {query: {pageSize: 5}}))).toHaveLength(3)
  })

  it('checks the chain of balances without a false gap while entries arrive', async () => {
    const rows = Array.from({length: 350}, (_, n) => entry(n))
    let next = -1
    const {client} = await list(rows, tell, () => {
      for (let n = 0; n < 7; n += 1) rows.unshift(entry(next--))
    })
    expect(await checkLedger(client, {})).toEqual({entries: 350, gaps: [], unbroken: true})
  })
})

describe('a page that comes again for ever', () => {
  const all = async (pagination: object | undefined) => {
    const server = await serve((_, response) =>
      answer(response, 200, 'SUCCESS', {items: [{id: uuid(1)}], ...(pagination && {pagination})}),
    )
    open.push(server)
    const pages = clientAt(server.url).pages(listVariants, {query: {pageSize: 1}})
    const error = await gathered(pages).catch((thrown: unknown) => thrown)
    return {code: isFailure(error) ? error.code : error, asked: server.seen.length}
  }

  it.each<[string, object | undefined, number]>([
    ['where the list says that it did not grow', {hasNext: true, totalCount: 1}, 2],
    ['where it names another page than the one asked for', {page: 1, hasNext: true}, 2],
    ['where it says nothing, after some patience', undefined, 5],
  ])('is an odd answer %s', async (_, pagination, asked) => {
    expect(await all(pagination)).toEqual({code: 'ODD_ANSWER', asked})
  })
})

describe('with the sandbox', () => {
  it('a ledger that grows between two pages is listed once, to its end', async () => {
    const shop = await openShop()
    try {
      const before = await shop.ledger()
      expect(before.length).toBeGreaterThan(3)
      const {world} = shop.sandbox.state
      const pages = shop.client.pages(listWalletTransactions, {query: {pageSize: 2}})
      const found: unknown[] = []
      for await (const row of pages) {
        found.push(row)
        if (found.length !== 3) continue
        // An entry of a real order of this moment.
        await shop.order('meanwhile')
      }
      expect(found).toEqual(before)
      expect(world.get<{n: number}>('SELECT count(*) AS n FROM ledger')?.n).toBeGreaterThan(before.length)
    } finally {
      await shop.close()
    }
  })

  it('discount codes of any page size are each listed once', async () => {
    const shop = await openShop()
    try {
      const once = await gathered(shop.client.pages(listDiscountCodes, {}))
      expect(await gathered(shop.client.pages(listDiscountCodes, {query: {pageSize: 1}}))).toEqual(once)
      expect(once.length).toBeGreaterThan(1)
    } finally {
      await shop.close()
    }
  })
})
