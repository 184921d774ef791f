// What the description of the API says of carts, price locks, orders and the wallet, as plain data. Nothing of the sandbox's
// own code is in it but the numbers that the sandbox assumes (docs/assumptions.md: C05, C16, C22, O08, O09, P09, P11, P12).

export const LOCK_MS = 15 * 60_000
const MOST = 9_999

interface Line {
  variant: string
  quantity: number
}

interface Cart {
  lines: Line[]
  /** Counts the changes of all carts: a lock is of one of these moments. */
  version: number
  /** The newest lock. */
  lock: number | null
}

interface Lock {
  customer: string
  version: number
  expires: number
  lines: (Line & {unit: number})[]
  used: boolean
}

interface Offer {
  stock: number
  /** In halalas, without VAT; null if it was withdrawn. */
  price: number | null
}

interface Order {
  reference: string
  failed: boolean
  charged: number
}

export interface Model {
  now: number
  access: boolean
  wallet: number
  offers: Record<string, Offer>
  carts: Record<string, Cart>
  locks: Lock[]
  orders: Order[]
  changes: number
}

/** How a request ends: a code, or a success and what the answer must hold. */
export type Expected = {refused: string} | {holds: object; lockTaken?: true}

const refused = (code: string): Expected => ({refused: code})
const holding = (holds: object): Expected => ({holds})

const vat = (net: number) => Math.floor((net * 15 + 50) / 100)

/** Goods with VAT, and shipping inside the zone, which is free from 500.00 SAR of goods with VAT on. */
export function totalOf(lines: readonly {unit: number; quantity: number}[]): number {
  const goods = lines.reduce((sum, {unit, quantity}) => sum + unit * quantity + vat(unit * quantity), 0)
  return goods + (lines.length === 0 || goods >= 50_000 ? 0 : 2_500 + vat(2_500))
}

function change(model: Model, customer: string, lines: Line[]): Expected {
  model.changes += 1
  if (lines.length === 0) delete model.carts[customer]
  else model.carts[customer] = {lock: null, ...model.carts[customer], lines, version: model.changes}
  return shown(model, customer)
}

const linesOf = (model: Model, customer: string) => model.carts[customer]?.lines ?? []

const shown = (model: Model, customer: string): Expected =>
  holding({items: linesOf(model, customer).map(({variant, quantity}) => ({variantId: variant, quantity}))})

/** Why more of a variant can't be put into a cart. */
function unsellable({access, offers}: Model, variant: string): string | undefined {
  const {stock, price} = offers[variant] as Offer
  if (!access) return 'BUSINESS_PRODUCT_ACCESS_DISABLED'
  if (stock === 0) return 'BUSINESS_VARIANT_UNAVAILABLE'
  return price === null ? 'BUSINESS_VARIANT_NOT_PRICED' : undefined
}

export function add(model: Model, customer: string, variant: string, quantity: number): Expected {
  const why = unsellable(model, variant)
  if (why !== undefined) return refused(why)
  const lines = linesOf(model, customer)
  const line = lines.find((one) => one.variant === variant)
  if (line === undefined) return change(model, customer, [...lines, {variant, quantity}])
  if (line.quantity + quantity > MOST) return refused('VALIDATION_ERRORS')
  const merged = {variant, quantity: line.quantity + quantity}
  return change(
    model,
    customer,
    lines.map((one) => (one === line ? merged : one)),
  )
}

/** Sets, steps or removes a line: `to` says how many there are afterwards. Only an increase is judged. */
export function move(
  model: Model,
  customer: string,
  variant: string,
  to: (quantity: number) => number,
): Expected {
  const lines = linesOf(model, customer)
  const line = lines.find((one) => one.variant === variant)
  if (line === undefined) return refused('NOT_FOUND_CART_ITEM')
  const quantity = to(line.quantity)
  if (quantity > line.quantity) {
    if (quantity > MOST) return refused('VALIDATION_ERRORS')
    const why = unsellable(model, variant)
    if (why !== undefined) return refused(why)
  }
  if (quantity === line.quantity) return shown(model, customer)
  return change(
    model,
    customer,
    lines.flatMap((one) => (one !== line ? one : quantity === 0 ? [] : {variant, quantity})),
  )
}

export function clear(model: Model, customer: string): Expected {
  return linesOf(model, customer).length === 0 ? shown(model, customer) : change(model, customer, [])
}

function issueOf({offers}: Model, {variant, quantity}: Line): string | null {
  const {stock, price} = offers[variant] as Offer
  if (price === null) return 'NOT_PRICED'
  if (stock === 0) return 'UNAVAILABLE'
  return stock < quantity ? 'INSUFFICIENT_STOCK' : null
}

/** A preview, with a lock if one is asked for and the cart can be checked out; `must` refuses if it can't. */
export function preview(
  model: Model,
  customer: string,
  {lock = false, must = false}: {lock?: boolean; must?: boolean},
): Expected {
  const cart = model.carts[customer]
  const lines = linesOf(model, customer)
  const issues = lines.map((line) => issueOf(model, line))
  const canCheckout = model.access && lines.length > 0 && issues.every((issue) => issue === null)
  if (must && !canCheckout) return refused('BUSINESS_CART_NOT_CHECKOUT_READY')
  const priced = lines.flatMap((line) => {
    const unit = model.offers[line.variant]?.price
    return unit == null ? [] : [{...line, unit}]
  })
  const taken = lock && canCheckout && cart !== undefined
  if (taken) {
    model.locks.push({
      customer,
      version: cart.version,
      expires: model.now + LOCK_MS,
      lines: priced,
      used: false,
    })
    cart.lock = model.locks.length - 1
  }
  const holds = {
    lines: lines.map(({variant, quantity}, at) => ({variantId: variant, quantity, issue: issues[at]})),
    canCheckout,
    cartIssue: model.access ? null : 'PRODUCT_ACCESS_DISABLED',
    chargedWithVat: totalOf(priced) / 100,
  }
  return taken ? {holds, lockTaken: true} : {holds: {...holds, lockId: null}}
}

/** A create, with the lock of that number, which may be another cart's, older, used, or none at all. */
export function order(model: Model, customer: string, reference: string, number: number): Expected {
  if (model.orders.some((one) => one.reference === reference && !one.failed))
    return refused('CONFLICT_ORDER_DUPLICATE_REFERENCE')
  if (!model.access) return refused('BUSINESS_PRODUCT_ACCESS_DISABLED')
  const lock = model.locks[number]
  const cart = model.carts[customer]
  if (lock === undefined || lock.customer !== customer) return refused('VALIDATION_PRICE_LOCK_INVALID')
  if (lock.used) return refused('CONFLICT_PRICE_LOCK_ALREADY_USED')
  if (cart?.version !== lock.version || cart.lock !== number) return refused('VALIDATION_PRICE_LOCK_INVALID')
  if (model.now >= lock.expires) return refused('VALIDATION_PRICE_LOCK_EXPIRED')
  if (lock.lines.some(({variant}) => model.offers[variant]?.price === null))
    return refused('BUSINESS_PRICE_NOT_AVAILABLE')
  if (lock.lines.some(({variant, quantity}) => (model.offers[variant]?.stock ?? 0) < quantity))
    return refused('BUSINESS_CART_NOT_CHECKOUT_READY')
  const total = totalOf(lock.lines)
  const failed = model.wallet < total
  lock.used = true
  model.orders.push({reference, failed, charged: failed ? 0 : total})
  if (!failed) {
    model.wallet -= total
    for (const {variant, quantity} of lock.lines) (model.offers[variant] as Offer).stock -= quantity
    delete model.carts[customer]
  }
  return holding({
    externalReference: reference,
    customerRef: customer,
    status: failed ? 'Failed' : 'Processing',
    pricing: {total: total / 100},
  })
}
