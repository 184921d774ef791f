import type {JobFile} from '../../../src/bulk/journal.ts'
import {addCartItem} from '../../../src/contract/cart.ts'
import {Failure} from '../../../src/contract/failure.ts'
import type {HttpRequest, Send} from '../../../src/contract/wire.ts'
import type {CartLine} from '../../../src/flows/cart/lines.ts'
import {changePartner} from '../../../src/sandbox/controls/partners.ts'
import {runJob, type Wish} from '../../support/bulk.ts'
import {openShop} from '../../support/shop.ts'
import {type Life, lifeOf} from './life.ts'

/** Strikes the first request that contains a text, once: its answer is lost, or this refusal comes in its place. */
export interface Trouble {
  text: string
  refusal?: {status: number; state: string}
}

export type CrashShop = Awaited<ReturnType<typeof openCrashShop>>

/** A shop for one small job after the other, whose process may be killed before and after each send. */
export async function openCrashShop() {
  const now = {life: lifeOf(null), troubles: [] as Trouble[]}
  const through = (send: Send) => async (request: HttpRequest) => {
    const name = `${request.method} ${new URL(request.url).pathname.replace(/[^/]*\d[^/]*/g, 'X')}`
    now.life.pass(`before ${name}`)
    const whole = `${request.method} ${request.url} ${request.body}`
    const trouble = now.troubles.find(({text}) => whole.includes(text))
    now.troubles = now.troubles.filter((one) => one !== trouble)
    const {status, state} = trouble?.refusal ?? {}
    const response = status
      ? {status, headers: {}, body: JSON.stringify({state, payload: null, details: null})}
      : await send(request)
    now.life.pass(`after ${name}`)
    if (trouble && !status) throw new Failure('NO_ANSWER', {effect: 'unknown'})
    return response
  }
  const shop = await openShop({through})
  const {world} = shop.sandbox.state
  const variants = await Promise.all(
    ['RML-SAF-050', 'NJD-INC-050', 'RML-TAI-050'].map((sku) => shop.variant(sku)),
  )
  world.run('UPDATE variants SET stock = 1000000')
  world.run('UPDATE variants SET withheld = 1 WHERE id = ?', variants[2] as string)
  return {
    ...shop,
    variants,
    /** The process that sends from now on. */
    next(life: Life) {
      now.life = life
    },
    trouble(troubles: Trouble[]) {
      now.troubles = troubles
    },
    /** Fills the wallet again. */
    fund: () =>
      changePartner(shop.sandbox.state, shop.sandbox.credentials[0]?.partnerId ?? '', {wallet: 50_000}),
    putIntoCart: (customerRef: string, body: CartLine) =>
      shop.client.call(addCartItem, {query: {customerRef}, body}),
  }
}

/** Four orders: two of one customer, one that is refused half-way, one whose cart is not empty. */
export function wishesOf(name: string, [first = '', second = '', withheld = '']: string[]): Wish[] {
  const wish = (n: number, customer: number, lines: CartLine[]): Wish => ({
    reference: `PO${name}-${n}`,
    customerRef: `C${name}-${customer}`,
    lines,
  })
  return [
    wish(1, 1, [
      {variantId: first, quantity: 2},
      {variantId: second, quantity: 1},
    ]),
    wish(2, 2, [
      {variantId: second, quantity: 1},
      {variantId: withheld, quantity: 1},
    ]),
    wish(3, 1, [{variantId: first, quantity: 1}]),
    wish(4, 3, [{variantId: first, quantity: 1}]),
  ]
}

/** Runs a job in a process of its own, which may be killed. */
export async function live(shop: CrashShop, job: JobFile, concurrency: number) {
  const {problem, ends} = await runJob(shop, job, {concurrency})
  if (problem !== undefined && !(problem instanceof Failure) && (problem as Error).message !== 'killed')
    throw problem
  return ends
}

/** Resumes a job to its end. Returns its verdicts, the orders and debits under its references, and the carts. */
export async function resultOf(shop: CrashShop, job: JobFile, wishes: Wish[]) {
  const {world} = shop.sandbox.state
  shop.next(lifeOf(null))
  shop.trouble([])
  const ends = await live(shop, job, 1)
  const orders = (reference: string) =>
    world.all<{total: number; customer: string; lines: number; debits: number}>(
      `SELECT goods_net + goods_vat + shipping_net + shipping_vat AS total, customer_ref AS customer,
         (SELECT sum(quantity) FROM order_lines WHERE order_id = orders.id) AS lines,
         (SELECT count(*) FROM ledger WHERE reference_id = printf('SCN-%010d', orders.n)) AS debits
       FROM orders WHERE external_reference = ?`,
      reference,
    )
  const plain = (text: string) => text.replace(/^[A-Z]+.*-/, '')
  return {
    rows: ends.map(({reference, state, code, total}) => ({
      reference: plain(reference),
      state,
      code: state === 'refused' ? code : null,
      total,
      orders: orders(reference).map((order) => ({...order, customer: plain(order.customer)})),
    })),
    carts: [...new Set(wishes.map(({customerRef}) => customerRef))].map((customerRef) =>
      world.all<{id: string; quantity: number}>(
        `SELECT variant_id AS id, quantity FROM cart_lines JOIN carts ON carts.id = cart_id WHERE customer_ref = ?`,
        customerRef,
      ),
    ),
  }
}
