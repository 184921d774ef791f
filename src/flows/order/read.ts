import type {Client} from '../../client/client.ts'
import {isFailure} from '../../contract/failure.ts'
import {isUuid} from '../../contract/forms.ts'
import {type Digits, isDigits} from '../../contract/money.ts'
import {type OrderRead, readOrder, readOrderByGlobalId} from '../../contract/orders.ts'
import type {CartLine} from '../cart/lines.ts'

/** Reads an order by its Scent id, or if `global` by its global id. */
export function readOneOrder(client: Client, id: string, global: boolean): Promise<OrderRead> {
  return global
    ? client.call(readOrderByGlobalId, {params: {orderGlobalId: id}}, {onlyShown: true})
    : client.call(readOrder, {params: {orderId: id}})
}

/**
 * Reads the order that a refusal names. not shown: which of its two ids `details.orderId` holds; both are tried if
 * it can be either.
 */
export async function readNamedOrder(client: Client, id: string): Promise<OrderRead> {
  // A UUID may be either; anything else is a global id.
  if (!isUuid(id)) return readOneOrder(client, id, true)
  try {
    return await readOneOrder(client, id, false)
  } catch (error) {
    if (!isFailure(error, 'NOT_FOUND_ORDER')) throw error
    return readOneOrder(client, id, true)
  }
}

/**
 * Facts of an order with what only its read by the global id may tell: what was charged, and when it was made. not shown:
 * whether the read by the Scent id has that. Without them if that read fails, as nothing depends on it.
 */
export async function chargedFacts(client: Client, read: OrderRead): Promise<OrderFacts> {
  const facts = factsOf(read)
  if (facts.total !== null || facts.globalId === null) return facts
  try {
    const {total, currency, createdAt} = factsOf(await readOneOrder(client, facts.globalId, true))
    return {...facts, total, currency: currency ?? facts.currency, createdAt: facts.createdAt ?? createdAt}
  } catch (error) {
    if (isFailure(error)) return facts
    throw error
  }
}

/** What the flows compare of an order; null if the answer does not say. */
export interface OrderFacts {
  id: string | null
  globalId: string | null
  reference: string | null
  /** undefined if the answer does not say: null is the bare cart. */
  customerRef: string | null | undefined
  lines: CartLine[] | null
  /** Goods without VAT, and the VAT on them. */
  goods: Digits | null
  goodsVat: Digits | null
  /** With VAT. */
  goodsWithVat: Digits | null
  commission: Digits | null
  /** What was charged: goods and shipping, with VAT. */
  total: Digits | null
  currency: string | null
  status: string | null
  failureReason: string | null
  createdAt: string | null
}

/** Reads the facts out of any of the shapes that an order read may have (not shown: GET /scent/orders/{id}). */
export function factsOf(read: OrderRead): OrderFacts {
  const header = read?.header
  const detail = read?.scentDetail ?? (header ? undefined : (read as OrderRead['scentDetail']))
  return {
    id: textOf(detail?.id) ?? textOf(header?.productOrderId),
    globalId: textOf(detail?.orderGlobalId) ?? textOf(header?.orderGlobalId),
    reference: textOf(detail?.externalReference) ?? textOf(header?.externalReference),
    customerRef: detail?.customerRef === null ? null : (textOf(detail?.customerRef) ?? undefined),
    lines: linesIn(detail?.lines),
    goods: amountOf(detail?.totalAmount),
    goodsVat: amountOf(detail?.totalGoodsVatAmount),
    goodsWithVat: amountOf(detail?.totalAmountWithVat),
    commission: amountOf(detail?.totalCommissionWithVat),
    total: amountOf(header?.amount),
    currency: textOf(header?.currency) ?? textOf(detail?.currency),
    status: textOf(header?.status) ?? textOf(detail?.status),
    failureReason: textOf(header?.failureCode),
    createdAt: textOf(header?.createdAt),
  }
}

const amountOf = (value: unknown) => (isDigits(value) ? value : null)
const textOf = (value: unknown) => (typeof value === 'string' ? value : null)

/** null if a line does not say what it is: what is not known must not be compared. */
function linesIn(list: unknown): CartLine[] | null {
  if (!Array.isArray(list)) return null
  const lines = list.map((line) => ({
    variantId: line?.variantId,
    quantity: Number(line?.quantity ?? Number.NaN),
  }))
  return lines.every((line) => typeof line.variantId === 'string' && Number.isInteger(line.quantity))
    ? lines
    : null
}
