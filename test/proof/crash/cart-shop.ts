import type {JobFile} from '../../../src/bulk/journal.ts'
import {addCartItem} from '../../../src/contract/cart.ts'
import type {HttpRequest, Send} from '../../../src/contract/wire.ts'
import {linesOf, viewCart} from '../../../src/flows/cart/lines.ts'
import type {ImportMode} from '../../../src/flows/cart/steps.ts'
import {type CartWish, runImport} from '../../support/carts.ts'
import {openShop} from '../../support/shop.ts'
import {type Life, lifeOf} from './life.ts'

type Quantities = Record<string, number>

/** The lines of a cart before, its lines in the file, and the lines that it must hold in the end. */
type Cart = Record<'holds' | 'file' | ImportMode, Quantities>

/** Lines are set, added, removed and refused, and one cart is emptied. Variant x can't be bought. */
export const carts: Cart[] = [
  {holds: {a: 1, b: 2}, file: {a: 2, c: 3}, merge: {a: 3, b: 2, c: 3}, replace: {a: 2, c: 3}},
  {holds: {}, file: {a: 1, x: 1}, merge: {a: 1}, replace: {a: 1}},
  {
    holds: {b: 1, c: 1, d: 1, e: 1},
    file: {a: 2},
    merge: {a: 2, b: 1, c: 1, d: 1, e: 1},
    replace: {a: 2},
  },
]

/** The end of an import into these carts, whatever happens. */
export const endOf = (mode: ImportMode, some: Cart[]) => ({
  problem: undefined,
  states: some.map(({file}) => ('x' in file ? 'refused' : 'done')),
  held: some.map((cart) => cart[mode]),
})

/** How long a request may be on its way that left when its process was killed: less than an import waits for it. */
const LATE_MS = 30_000

/** A shop for one small import after the other, whose process may be killed before and after each send. */
export async function openCartShop() {
  const now = {life: lifeOf(null), slow: false}
  let under: {at: number; arrive(): Promise<unknown>}[] = []
  const arrivals = async (until: number) => {
    const due = under.filter(({at}) => at <= until)
    under = under.filter(({at}) => at > until)
    for (const {arrive} of due) await arrive()
  }
  const through = (send: Send) => async (request: HttpRequest) => {
    await arrivals(shop.tools.now())
    const name = `${request.method} ${new URL(request.url).pathname}`
    const leaves = now.slow && !now.life.isDead()
    try {
      now.life.pass(`before ${name}`)
    } catch (error) {
      if (leaves) under.push({at: shop.tools.now() + LATE_MS, arrive: () => send(request)})
      throw error
    }
    const response = await send(request)
    now.life.pass(`after ${name}`)
    return response
  }
  const shop = await openShop({through})
  const {world} = shop.sandbox.state
  world.run('UPDATE variants SET stock = 1000000')
  const skus = ['RML-SAF-050', 'NJD-INC-050', 'RML-SAF-100', 'RML-TAI-100', 'NJD-INC-002', 'RML-TAI-050']
  const found = await Promise.all(skus.map((sku) => shop.variant(sku)))
  const ids: Record<string, string> = Object.fromEntries(found.map((id, at) => ['abcdex'[at] ?? '', id]))
  world.run('UPDATE variants SET withheld = 1 WHERE id = ?', ids.x ?? '')
  let customers = 0
  const linesFor = (quantities: Quantities) =>
    Object.entries(quantities).map(([letter, quantity]) => ({variantId: ids[letter] ?? '', quantity}))
  const letterOf = (id: string) => Object.keys(ids).find((letter) => ids[letter] === id) ?? id

  /** The process that sends from now on. What of it is `slow` arrives late, if it was killed when it sent that. */
  function next(life: Life, {slow = false} = {}) {
    now.life = life
    now.slow = slow
  }

  /** Carts of new customers that hold what they should, and what the file has for them. */
  async function wishesOf(some: Cart[]): Promise<CartWish[]> {
    next(lifeOf(null))
    const wishes: CartWish[] = []
    for (const {holds, file} of some) {
      customers += 1
      const customerRef = `C${customers}`
      for (const body of linesFor(holds)) await shop.client.call(addCartItem, {query: {customerRef}, body})
      wishes.push({customerRef, lines: linesFor(file)})
    }
    return wishes
  }

  /** Runs an import in a process of its own, which may be killed. */
  async function live(job: JobFile) {
    const {problem} = await runImport(shop, job)
    if (problem !== undefined && (problem as Error).message !== 'killed') throw problem
  }

  /** Resumes an import to its end, until no request is on its way any more. Returns its verdicts, and the carts. */
  async function resultOf(job: JobFile, wishes: CartWish[]) {
    next(lifeOf(null))
    const {carts, states, problem} = await runImport(shop, job)
    await arrivals(Number.POSITIVE_INFINITY)
    const held: Quantities[] = []
    for (const {customerRef} of wishes) {
      const lines = linesOf(await viewCart(shop.client, customerRef))
      held.push(Object.fromEntries(lines.map(({variantId, quantity}) => [letterOf(variantId), quantity])))
    }
    return {problem, states, held, failures: states.map((_, cart) => carts.outcome(cart)?.failures)}
  }

  return {next, wishesOf, live, resultOf, close: shop.close}
}

export type CartShop = Awaited<ReturnType<typeof openCartShop>>
