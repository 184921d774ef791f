import type {Client} from '../../client/client.ts'
import {previewCheckout} from '../../contract/checkout.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {type Digits, exact} from '../../contract/money.ts'
import {emptyCart} from '../../flows/cart/edit.ts'
import {type CartLine, linesOf, sameLines} from '../../flows/cart/lines.ts'
import {notReady} from '../../flows/order/lock.ts'
import {type Price, plus, priceOf} from '../../flows/order/price.ts'
import {reasonOf} from '../../flows/order/records.ts'
import {type Patience, patiently} from '../../flows/outage.ts'
import {pool} from '../pool.ts'
import {basketOf, type FileOrder} from './file.ts'
import {fillExactly} from './fill.ts'
import {type RefusedOrder, refusalOf} from './plan.ts'

/** What the orders of a file would be charged now. */
export interface OrderPreviews {
  /** Different baskets, each of which was previewed once. */
  baskets: number
  /** What the goods of all orders that can be made cost, VAT included; null if a preview does not tell. */
  goods: string | null
  /** What these orders would be charged, shipping included; null if a preview does not tell. */
  total: string | null
  currency: string | null
  /** Orders that can't be made. */
  refused: RefusedOrder[]
}

interface PreviewRun {
  client: Client
  patience: Patience
  orders: AsyncGenerator<FileOrder>
  /** Carts that this run alone fills, and empties again: one for each basket that is previewed at a time. */
  carts: string[]
  /** What shipping an order costs, if that is known better than by its preview, which takes every city as a near one. */
  feeOf?(order: FileOrder): Digits | undefined
  tell(event: PreviewEvent): void
}

type PreviewEvent =
  | {kind: 'order-priced'; refused: boolean}
  | {kind: 'asking-again'; code: string; inMs: number}

type Basket = Price | Failure

/**
 * Prices the orders of a file by live previews (spec, Checkout preview), each basket once, in carts of their own: the
 * customers' carts are not touched, and no lock is taken. Costs a request a line and two a basket. Once stopped, it ends
 * with INTERRUPTED when the basket under way is out of its cart.
 * not shown: whether a price depends on whose cart it is. Here it is taken not to.
 */
export async function previewOrders(run: PreviewRun): Promise<OrderPreviews> {
  const baskets = new Map<string, Promise<Basket>>()
  const [goods, total] = [openSum(), openSum()]
  let currency: string | null = null
  const refused: RefusedOrder[] = []
  const free = [...run.carts]

  async function price(order: FileOrder): Promise<void> {
    if (run.patience.stop.aborted) throw new Failure('INTERRUPTED')
    const lines = order.lines.map(({variantId = '', quantity}) => ({variantId, quantity}))
    const key = basketOf(lines)
    const cart = free.pop() ?? ''
    const basket = baskets.get(key) ?? previewBasket(run, cart, lines)
    baskets.set(key, basket)
    try {
      count(order, await basket)
    } catch (error) {
      throw run.patience.stop.aborted ? new Failure('INTERRUPTED') : error
    } finally {
      free.push(cart)
    }
  }

  function count(order: FileOrder, basket: Basket): void {
    const isRefused = basket instanceof Failure
    if (isRefused) refused.push(refusalOf(order, {state: basket.code, message: reasonOf(basket)}))
    else {
      goods.add(basket.goodsWithVat)
      total.add(chargedFor(basket, run.feeOf?.(order)))
      currency ??= basket.currency
    }
    run.tell({kind: 'order-priced', refused: isRefused})
  }

  await pool(run.carts.length, run.orders, price)
  return {
    baskets: baskets.size,
    goods: goods.sum(),
    total: total.sum(),
    currency,
    refused: refused.sort((a, b) => (a.rows[0] ?? 0) - (b.rows[0] ?? 0)),
  }
}

/** What an order would be charged: with its fee if one is known, unless it is shipped free. */
function chargedFor({charged, goodsWithVat, shipping}: Price, fee: Digits | undefined): Digits | null {
  const isFree = shipping !== null && exact(shipping).lte(0)
  return fee === undefined || goodsWithVat === null || isFree ? charged : plus(goodsWithVat, fee)
}

/** A sum that is null as soon as one part of it is not known. */
function openSum() {
  let sum: ReturnType<typeof exact> | null = exact('0')
  return {
    add(part: Digits | null) {
      sum = part === null ? null : (sum?.plus(exact(part)) ?? null)
    },
    sum: () => sum?.toFixed() ?? null,
  }
}

/** Its price, or why no order can be made of it. Throws what would meet every other basket as well. */
function previewBasket(
  {client, patience, tell}: PreviewRun,
  cart: string,
  lines: CartLine[],
): Promise<Basket> {
  const askingAgain = (code: string, inMs: number) => tell({kind: 'asking-again', code, inMs})
  return patiently(patience, askingAgain, async () => {
    try {
      return await priceIn(client, cart, lines)
    } catch (error) {
      if (!isFailure(error) || error.entry.scope !== 'row' || isFailure(error, 'CHANGED_MEANWHILE'))
        throw error
      return error
    } finally {
      await emptyCart(client, cart)
    }
  })
}

async function priceIn(client: Client, customerRef: string, lines: CartLine[]): Promise<Price> {
  // What a run that was killed has left in the cart is taken out.
  const filled = await fillExactly(client, {customerRef, lines}, 'replace', 'nobody')
  const preview = filled && (await client.call(previewCheckout, {query: {customerRef}}))
  if (!preview || !sameLines(lines, linesOf(preview)))
    throw new Failure('CHANGED_MEANWHILE', {
      message: `Somebody else changes the cart ${customerRef}, in which the baskets of this file are priced.`,
      hint: 'Is this file being planned elsewhere too? Run the command again when that has ended.',
    })
  if (!preview.canCheckout) throw notReady(preview)
  return priceOf(preview)
}
