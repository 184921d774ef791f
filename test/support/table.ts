import {afterAll, beforeAll, beforeEach, expect} from 'vitest'
import type {JobFile} from '../../src/bulk/journal.ts'
import {openBudget} from '../../src/bulk/orders/one.ts'
import type {JobRecord} from '../../src/bulk/records.ts'
import {addCartItem, readCart} from '../../src/contract/cart.ts'
import type {HttpRequest, HttpResponse} from '../../src/contract/wire.ts'
import {linesOf} from '../../src/flows/cart/lines.ts'
import {changePartner} from '../../src/sandbox/controls/partners.ts'
import {planJob, runJob, type Wish} from './bulk.ts'
import {openShop} from './shop.ts'
import type {BulkRun, FaultOrder} from './types.ts'

/** Comes before a request: what it answers takes the place of the service. */
type Hook = (request: HttpRequest) => Promise<HttpResponse | undefined> | HttpResponse | undefined

export const isCreate = ({method, url}: HttpRequest) => method === 'POST' && url.endsWith('/scent/orders')
export const isLock = ({url}: HttpRequest) => url.includes('lock=true')

export const answer = (status: number, state: string, details: object | null = null): HttpResponse => ({
  status,
  headers: {},
  body: JSON.stringify({state, payload: null, details}),
})

/** Does something the first time that a request is of this kind, and lets it pass. */
export function once(which: (request: HttpRequest) => boolean, work: () => unknown): Hook {
  let done = false
  return async (request) => {
    if (done || !which(request)) return undefined
    done = true
    await work()
    return undefined
  }
}

/** One order of two bottles that exists, debited once. */
export const charged = [{units: 2, debits: 1}]

export const rulesOf = (maxDrift: string | null, limit: string | null = null) =>
  ({cart: 'require-empty', maxDrift, budget: openBudget(limit, '0')}) as const

type Table = Awaited<ReturnType<typeof openTable>>

/** The table of a file of tests, each of which begins its next row. */
export function tableOfTests(): Table {
  const table = {} as Table
  beforeAll(async () => {
    Object.assign(table, await openTable())
  })
  beforeEach(() => table.begin())
  afterAll(() => table.close())
  return table
}

/** A shop in which one row of the decision table after the other is provoked, each with orders of its own. */
async function openTable() {
  let hook: Hook = () => undefined
  let bodies: string[] = []
  let n = 0
  const shop = await openShop({
    through: (send) => async (request) => {
      if (isCreate(request) && !asks(request)) bodies.push(request.body ?? '')
      return (await hook(request)) ?? send(request)
    },
  })
  /** Whether a create only asks for an order: its lock is none that the service gave. */
  const asks = ({body = '{}'}: HttpRequest) =>
    world.get('SELECT 1 FROM locks WHERE id = ?', JSON.parse(body).lockId ?? '') === undefined
  const {state} = shop.sandbox
  const {world} = state
  const partnerId = shop.sandbox.credentials[0]?.partnerId ?? ''
  const [variantId = '', other = ''] = await Promise.all(
    ['RML-SAF-050', 'NJD-INC-050'].map((sku) => shop.variant(sku)),
  )
  const price = world.get<{price: number}>(
    'SELECT price FROM assortment WHERE variant_id = ?',
    variantId,
  )?.price
  const table = {
    ...shop,
    state,
    partnerId,
    variantId,
    other,
    asks,
    /** The bodies of the creates since the row began that could order something. */
    bodies: () => bodies,
    on(next: Hook) {
      hook = next
    },
    /** The next row begins: no fault, and everything as at the start. */
    begin() {
      n += 1
      hook = () => undefined
      bodies = []
      state.faults.clear()
      state.inFlight = []
      shop.events.length = 0
      world.run('UPDATE variants SET stock = 1000, withheld = 0')
      world.run('UPDATE assortment SET price = ? WHERE variant_id = ?', price ?? 0, variantId)
      changePartner(state, partnerId, {wallet: 50_000, productAccess: true})
    },
    reference: (of = 1) => `PO-${n}-${of}`,
    customer: (of = 1) => `C-${n}-${of}`,
    /** An order of two bottles; each of a customer of its own. */
    wish: (of = 1, more: Partial<Wish> = {}): Wish => ({
      reference: `PO-${n}-${of}`,
      customerRef: `C-${n}-${of}`,
      lines: [{variantId, quantity: 2}],
      ...more,
    }),
    plan: (...wishes: Wish[]) => planJob(wishes),
    run: (job: JobFile, more: Partial<BulkRun> = {}) => runJob(shop, job, {concurrency: 1, ...more}),
    spoil: (fault: Partial<FaultOrder>) =>
      shop.fault({effect: 'status', when: 'before', match: {operation: 'createOrder'}, ...fault}),
    setPrice: (halalas: number | null) =>
      world.run('UPDATE assortment SET price = ? WHERE variant_id = ?', halalas, variantId),
    set: (column: 'stock' | 'withheld', value: number, id = variantId) =>
      world.run(`UPDATE variants SET ${column} = ? WHERE id = ?`, value, id),
    /** The orders that exist under a reference: units of each, and how often they were debited. */
    orders: (of = 1) =>
      world.all<{id: string; units: number; debits: number}>(
        `SELECT id, (SELECT sum(quantity) FROM order_lines WHERE order_id = orders.id) AS units,
           (SELECT count(*) FROM ledger WHERE reference_id = printf('SCN-%010d', orders.n)) AS debits
         FROM orders WHERE external_reference = ? AND status <> 'Failed'`,
        `PO-${n}-${of}`,
      ),
    async cart(of = 1) {
      return linesOf(await shop.client.call(readCart, {params: {customerRef: `C-${n}-${of}`}}))
    },
    put: (quantity: number, id = variantId, of = 1) =>
      shop.client.call(addCartItem, {query: {customerRef: `C-${n}-${of}`}, body: {variantId: id, quantity}}),
    /** An order that is being made in a cart, until the returned function is called. */
    underWay(externalReference: string, of = 1) {
      const order = {partnerId, externalReference, customerRef: `C-${n}-${of}`}
      state.inFlight.push(order)
      return () => {
        state.inFlight = state.inFlight.filter((one) => one !== order)
      }
    },
  }
  return {
    ...table,
    /** How many different bodies were sent. */
    sameBodies: () => new Set(bodies).size,
    /** Runs a job of one order. */
    async order(more: Partial<Wish> = {}, how: Partial<BulkRun> = {}) {
      const job = await planJob([table.wish(1, more)])
      const {ends, ...run} = await table.run(job, how)
      return {job, ...run, ...ends[0], message: run.orders.outcome(0)?.message ?? ''}
    },
    /** Runs a job of two orders that stops at the first one, and answers why. */
    async stopped() {
      const job = await planJob([table.wish(1), table.wish(2)])
      const {problem, states} = await table.run(job)
      expect(states).toEqual(['todo', 'todo'])
      expect([...table.orders(1), ...table.orders(2)]).toEqual([])
      return problem
    },
  }
}

/** The journal of a process that is killed as soon as it has written such a record. */
export function killedAfter(job: JobFile, last: (record: JobRecord) => boolean): JobFile {
  let dead = false
  return {
    ...job,
    async append(added, options) {
      if (dead) throw new Error('killed')
      await job.append(added, options)
      dead = [added].flat().some(last)
      if (dead) throw new Error('killed')
    },
  }
}
