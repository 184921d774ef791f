import type {Client} from '../client/client.ts'
import {Failure, isFailure} from '../contract/failure.ts'
import {oddAnswer} from '../contract/operation.ts'
import {type OrderRead, readOrder} from '../contract/orders.ts'
import {pageSizeLimit} from '../contract/paging.ts'
import {
  createReturn,
  createReturnSingular,
  listOrderReturns,
  listReturns,
  type ReturnBody,
  type ReturnRequest,
  withdrawReturn,
} from '../contract/returns.ts'
import {listVariants} from '../contract/variants.ts'
import {settleBy} from './lost.ts'
import {readOneOrder} from './order/read.ts'

/** Statuses in which the units of a request are not free for another one. */
const HOLDING = new Set(['Requested', 'Pending', 'Accepted', 'Processing'])

/** A line of an order, with what can still be asked back. */
export interface Returnable {
  lineId: string
  variantId: string
  /** null where the variant is in the assortment no more. */
  sku: string | null
  ordered: number
  /** Returned already, or held by a request that is not decided against. */
  taken: number
  remaining: number
  /** The request on it that is not decided yet, by its number: until it is, the line takes no other. */
  open: string | null
}

/**
 * not shown: which line lies in which group, so every line is offered for every delivered group.
 * not shown: how many units of a line a notice cancelled, so they count as returnable until the service refuses them.
 */
export interface ReturnChoice {
  groups: {id: string; status: string; deliveredAt: string | null}[]
  lines: Returnable[]
}

/** What of an order can still be returned: its delivered groups, and its lines less what is returned or asked for. */
export function returnable(
  order: OrderRead,
  requests: ReturnRequest[],
  skus: ReadonlyMap<string, string> = new Map(),
): ReturnChoice {
  const detail = order.scentDetail ?? (order as OrderRead['scentDetail'])
  const held = new Map<string, number>()
  const open = new Map<string, string>()
  for (const request of requests) {
    if (!HOLDING.has(request.status)) continue
    for (const line of listed(request.lines)) {
      const id = String(line.scentOrderLineId)
      if (isUndecided(request)) open.set(id, String(request.returnRequestNumber ?? request.id))
      held.set(id, (held.get(id) ?? 0) + Number(line.quantity ?? 0))
    }
  }
  const groups = listed(detail?.fulfillmentGroups).filter((group) => group.deliveredAt)
  const lines = listed(detail?.lines).map((line): Returnable => {
    const ordered = Number(line.quantity ?? 0)
    const undecided = open.get(String(line.id)) ?? null
    const taken = Number(line.returnedQuantity ?? 0) + (held.get(String(line.id)) ?? 0)
    return {
      lineId: String(line.id),
      variantId: String(line.variantId),
      sku: skus.get(String(line.variantId)) ?? null,
      ordered,
      taken,
      remaining: undecided === null ? Math.max(0, ordered - taken) : 0,
      open: undecided,
    }
  })
  return {
    groups: groups.map(({id, status, deliveredAt}) => ({
      id: String(id),
      status: String(status),
      deliveredAt: deliveredAt ?? null,
    })),
    lines,
  }
}

/** A list inside an answer, where nothing has checked that it is one. */
const listed = <Row>(list: readonly Row[] | null | undefined): Row[] =>
  Array.isArray(list) ? list.filter((row) => typeof row === 'object' && row !== null) : []

/** What of an order can be returned now, its lines named by SKU. */
export async function readReturnable(client: Client, orderId: string): Promise<ReturnChoice> {
  const order = await readOneOrder(client, orderId, false)
  const detail = order?.scentDetail ?? (order as OrderRead['scentDetail'])
  if (!Array.isArray(detail?.lines))
    throw oddAnswer(
      readOrder,
      'The service answered an order without its lines: what can be returned is not known.',
    )
  const requests = await returnsOf(client, orderId)
  const {lines} = returnable(order, requests)
  const id = [...new Set(lines.map(({variantId}) => variantId))].slice(0, pageSizeLimit.maximum)
  const query = {id, activeOnly: false, pageSize: pageSizeLimit.maximum}
  const {items} = id.length === 0 ? {items: []} : await client.call(listVariants, {query})
  return returnable(order, requests, new Map(items.map((one) => [String(one.id), String(one.sku)])))
}

/** Every return request of an order. */
export async function returnsOf(client: Client, orderId: string): Promise<ReturnRequest[]> {
  const all: ReturnRequest[] = []
  for await (const one of client.pages(listOrderReturns, {params: {orderId}})) all.push(one)
  return all
}

/**
 * Requests a return, once: after a lost answer it is asked once more, and a line that has an open request by then
 * leads to the list, where the request with the same lines is this one. The singular path is used only where the
 * service has no route for the plural one.
 * Fails with OUTCOME_UNKNOWN where the list can't tell.
 */
export async function requestReturn(
  client: Client,
  orderId: string,
  body: ReturnBody,
): Promise<ReturnRequest> {
  try {
    return await ask(client, orderId, body)
  } catch (error) {
    if (!isFailure(error, 'OUTCOME_UNKNOWN')) throw error
    return settle(client, orderId, body, error)
  }
}

async function ask(client: Client, orderId: string, body: ReturnBody): Promise<ReturnRequest> {
  try {
    return await client.call(createReturn, {params: {orderId}, body})
  } catch (error) {
    // The plural path exists for reading: a gateway without its POST may answer either.
    if (!isFailure(error, 'NOT_FOUND_ROUTE', 'METHOD_NOT_ALLOWED')) throw error
    return client.call(createReturnSingular, {params: {orderId}, body})
  }
}

async function settle(
  client: Client,
  orderId: string,
  body: ReturnBody,
  lost: Failure,
): Promise<ReturnRequest> {
  try {
    return await ask(client, orderId, body)
  } catch (error) {
    const taken = ['BUSINESS_RETURN_REQUEST_DUPLICATE_LINE', 'BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING']
    if (!isFailure(error) || error.code === 'INTERRUPTED') throw error
    const refused = error.facts.effect === 'refused'
    if (refused && !taken.includes(error.code)) throw error
    const requests = await settleBy(lost, returnsOf(client, orderId))
    const found = requests.find((one) => isUndecided(one) && same(one, body))
    if (found) return found
    // The list does not have it, so the lost request was not taken, and this refusal is the answer.
    if (refused) throw error
    throw new Failure(
      'OUTCOME_UNKNOWN',
      {
        ...lost.facts,
        message: 'The answer was lost, and no open request of this order with these lines was found.',
        hint: `Look again in a moment: \`scent returns list --order ${orderId}\`; ask again if it is not there.`,
      },
      {cause: error},
    )
  }
}

/** Also true of a request just made: one that is decided was made before, and is another. */
const isUndecided = ({status}: ReturnRequest) => status === 'Requested' || status === 'Pending'

function same(one: ReturnRequest, body: ReturnBody): boolean {
  const key = (lines: {scentOrderLineId?: unknown; quantity?: unknown}[]) =>
    lines
      .map(({scentOrderLineId, quantity}) => `${String(scentOrderLineId).toLowerCase()}=${quantity}`)
      .sort()
      .join()
  const group = one.fulfillmentGroupId ?? body.fulfillmentGroupId
  return (
    String(group).toLowerCase() === body.fulfillmentGroupId.toLowerCase() &&
    key(listed(one.lines)) === key(body.lines)
  )
}

/** Withdraws a request. One that turns out to be Withdrawn after a lost answer was withdrawn by it. */
export async function withdraw(
  client: Client,
  returnRequestId: string,
): Promise<{id?: string | null | undefined; status?: string | null | undefined}> {
  try {
    return await client.call(withdrawReturn, {params: {returnRequestId}})
  } catch (error) {
    if (isFailure(error, 'NOT_FOUND_ROUTE')) throw withoutWithdrawal(error)
    const late = isFailure(error, 'BUSINESS_RETURN_REQUEST_NOT_PENDING') && error.facts.effect === 'unknown'
    if (!late) throw error
    const query = {status: 'Withdrawn', pageSize: 100}
    for await (const one of client.pages(listReturns, {query})) if (one?.id === returnRequestId) return one
    throw error
  }
}

/** The only other form of the spec, the singular one, has no withdrawal: a right base URL answers this as well. */
function withoutWithdrawal(error: Failure): Failure {
  const message = 'This service has no withdrawal under the plural path. The request stands as it was.'
  const hint = 'Ask the account manager to withdraw it. How it stands: `scent returns list`.'
  return new Failure(error.code, {...error.facts, message, hint}, {cause: error.cause})
}
