import {jobOrders} from '../../../src/bulk/orders/fold.ts'
import {exact} from '../../../src/contract/money.ts'
import {sameLines} from '../../../src/flows/cart/lines.ts'
import {globalIdOf} from '../../../src/sandbox/rules/orders.ts'
import type {SimulatedShop} from './shop.ts'
import type {Machine, Mark, World} from './simulation.ts'

interface OrderRow {
  n: number
  id: string
  external_reference: string
  customer_ref: string
  status: string
  /** Halalas. */
  total: number
}

interface Books {
  /** The orders of this seed that did not fail, by reference. */
  standing: Map<string, OrderRow[]>
  /** Halalas that were debited, by the order's global id. */
  debits: Map<string, number[]>
  linesOf(order: OrderRow): {variantId: string; quantity: number}[]
  cartOf(customerRef: string): Map<string, number>
}

function open({sandbox, partnerId}: SimulatedShop, before: Mark): Books {
  const {world} = sandbox.state
  const sql = `SELECT n, id, external_reference, customer_ref, status,
    goods_net + goods_vat + shipping_net + shipping_vat AS total FROM orders WHERE n > ? AND status <> 'Failed'`
  const standing = new Map<string, OrderRow[]>()
  for (const row of world.all<OrderRow>(sql, before.order)) {
    standing.set(row.external_reference, [...(standing.get(row.external_reference) ?? []), row])
  }
  const debits = new Map<string, number[]>()
  const entries = world.all<{id: string; amount: number}>(
    `SELECT reference_id AS id, amount FROM ledger
     WHERE partner_id = ? AND seq > ? AND type = 'Debit' AND reference_type = 'Order'`,
    partnerId,
    before.entry,
  )
  for (const {id, amount} of entries) debits.set(id, [...(debits.get(id) ?? []), amount])
  return {
    standing,
    debits,
    linesOf: ({id}) =>
      world.all('SELECT variant_id AS variantId, quantity FROM order_lines WHERE order_id = ?', id),
    cartOf: (customerRef) =>
      new Map(
        world
          .all<{id: string; quantity: number}>(
            `SELECT l.variant_id AS id, l.quantity FROM cart_lines l JOIN carts c ON c.id = l.cart_id
             WHERE c.partner_id = ? AND c.customer_ref = ?`,
            partnerId,
            customerRef,
          )
          .map(({id, quantity}) => [id, quantity]),
      ),
  }
}

/** Lists the promises that a seed has broken. Empty if all were kept. */
export function judge(world: World, shop: SimulatedShop, before: Mark): string[] {
  const books = open(shop, before)
  const problems = [...money(world, books)]
  for (const machine of world.machines) problems.push(...verdicts(world, machine, books))
  return [...problems, ...carts(world, shop, books)]
}

/** Each reference once, no reference of nobody's, and each order debited once. */
function* money({scenario}: World, {standing, debits}: Books): Generator<string> {
  const known = new Set(scenario.wishes.map(({reference}) => reference))
  for (const [reference, orders] of standing) {
    if (!known.has(reference)) yield `an order stands under ${reference}, which is not of the file`
    if (orders.length > 1) yield `${orders.length} orders stand under ${reference}`
    for (const {n, total} of orders) {
      const charged = debits.get(globalIdOf(n)) ?? []
      if (charged.length !== 1 || charged[0] !== total)
        yield `order ${reference} of ${total} was debited ${charged.join(' and ') || 'never'}`
    }
  }
  const orders = [...standing.values()].flat().map(({n}) => globalIdOf(n))
  for (const id of debits.keys()) if (!orders.includes(id)) yield `${id} was debited, and does not stand`
}

function* verdicts(world: World, {name, job}: Machine, books: Books): Generator<string> {
  const orders = jobOrders(job)
  orders.readOn()
  let charged = exact('0')
  const stuck = stuckIn(world, orders, books)
  for (let at = 0; at < orders.size; at++) {
    const {reference, customerRef, lines} = orders.planned(at)
    const state = orders.state(at)
    const outcome = orders.outcome(at)
    const tell = `${name} says ${state} (${outcome?.state ?? ''}) of ${reference}`
    const [order] = books.standing.get(reference) ?? []
    const maker = world.makers.get(reference)?.name
    switch (state) {
      case 'todo':
        if (!stuck.has(customerRef)) yield `${tell}, at the end`
        break
      case 'unknown':
        if (!stuck.has(customerRef)) yield `${tell}, at the end`
        break
      case 'refused':
        if (maker === name) yield `${tell}, and made it`
        break
      default:
        if (order === undefined) yield `${tell}, and there is no order`
        else if (outcome?.orderId !== order.id) yield `${tell}, and names another order`
        else if (order.customer_ref !== customerRef) yield `${tell}, and it is another customer's`
        else if (!sameLines(books.linesOf(order), lines)) yield `${tell}, and it holds other lines`
        else if (!exact(outcome.total ?? '0').eq(exact(order.total).div(100)))
          yield `${tell} of ${outcome.total}, and it cost ${order.total / 100}`
        if (maker === name && state === 'already-placed') yield `${tell}, and made it`
        if (maker === 'others' && state === 'placed') yield `${tell}, and somebody else made it before`
        if (maker === name && order) charged = charged.plus(exact(order.total).div(100))
    }
  }
  const {limit} = world.scenario
  if (limit !== null && charged.gt(exact(limit))) yield `${name} charged ${charged} of ${limit}`
}

/**
 * The customers of orders that stay unknown: something was left in the cart of which nobody here knows whose it is, or an
 * order that may have been sent can't be sent again, because the service does not take it, or the user its price.
 */
function stuckIn(world: World, orders: ReturnType<typeof jobOrders>, books: Books): Set<string> {
  const stuck = new Set<string>()
  for (let at = 0; at < orders.size; at++) {
    const {customerRef} = orders.planned(at)
    if (orders.state(at) !== 'unknown') continue
    const {state = '', message = ''} = orders.outcome(at) ?? {}
    const isRefused = /\((VALIDATION_\w+|NOT_FOUND_VARIANT|LIMIT_EXCEEDED)\)/.test(message)
    const isForAPerson = state === 'CONFLICT_ORDER_REQUIRES_INTERVENTION'
    const isHeldUp = / which this run did not put there/.test(message) || books.cartOf(customerRef).size > 0
    if (isRefused || isForAPerson || isHeldUp) stuck.add(customerRef)
  }
  for (const customerRef of stuck) world.touched.add(customerRef)
  return stuck
}

/** Where nobody else had a hand in a cart, another machine with the same file for one, it holds what it held before. */
function* carts(
  {scenario, touched, machines}: World,
  {foreign}: SimulatedShop,
  books: Books,
): Generator<string> {
  if (machines.length > 1) return
  for (const customerRef of scenario.customers) {
    if (touched.has(customerRef)) continue
    const left = books.cartOf(customerRef)
    const before = scenario.carts.find((cart) => cart.customerRef === customerRef)
    const own = before !== undefined && before.line.variantId !== foreign
    // A line of the file's own variants that was there before can't be told from the job's.
    if (own) continue
    const kept = left.get(foreign) ?? 0
    const ours = [...left.keys()].filter((id) => id !== foreign)
    if (ours.length > 0 && !leftAlone(machines, customerRef))
      yield `the cart of ${customerRef} holds ${ours.length} lines of the job`
    if (before && scenario.rule === 'require-empty' && kept !== before.line.quantity)
      yield `the cart of ${customerRef} held ${before.line.quantity} of somebody, and holds ${kept}`
  }
}

/** A cart in which somebody else's order was open is not touched any more. */
function leftAlone(machines: Machine[], customerRef: string): boolean {
  return machines.some(({disk: {records}}) => {
    const references = new Set(
      records.flatMap((record) =>
        record.step === 'PLANNED' && record.customerRef === customerRef ? [record.reference] : [],
      ),
    )
    return records.some(
      (record) =>
        record.step === 'OUTCOME' &&
        references.has(record.reference) &&
        record.state === 'CONFLICT_CART_HAS_PENDING_ORDER',
    )
  })
}
