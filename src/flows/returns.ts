import type {Client} from '../client/client.ts'
import {Failure, isFailure} from '../contract/failure.ts'
import {isUuid} from '../contract/forms.ts'
import {nearest} from '../contract/nearest.ts'
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
import {reworded, settleBy} from './lost.ts'
import {readOneOrder} from './order/read.ts'

/** Statuses of a request in which its units can't be requested again. */
const HOLDING = new Set(['Requested', 'Pending', 'Accepted', 'Processing'])

/** A line of an order, with the quantity that can still be returned. */
export interface Returnable {
  lineId: string
  variantId: string
  /** null if the variant is no longer in the assortment. */
  sku: string | null
  ordered: number
  /** Units that were returned, or are part of a request that was not rejected. */
  taken: number
  remaining: number
  /** The number of an undecided request on this line. While there is one, the line takes no other. */
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

/** The delivered groups of an order, and its lines less the units that are returned or asked for. */
function returnable(detail: OrderRead['scentDetail'], requests: ReturnRequest[]): ReturnChoice {
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
  const groups = listed(detail?.fulfillmentGroups).flatMap(({id, status, deliveredAt}) =>
    deliveredAt ? [{id: String(id), status: String(status), deliveredAt}] : [],
  )
  const lines = listed(detail?.lines).map((line): Returnable => {
    const lineId = String(line.id)
    const ordered = Number(line.quantity ?? 0)
    const undecided = open.get(lineId) ?? null
    const taken = Number(line.returnedQuantity ?? 0) + (held.get(lineId) ?? 0)
    const remaining = undecided === null ? Math.max(0, ordered - taken) : 0
    return {lineId, variantId: String(line.variantId), sku: null, ordered, taken, remaining, open: undecided}
  })
  return {groups, lines}
}

/** The rows of a list inside an answer. Nothing has checked yet that it is one. */
const listed = <Row>(list: readonly Row[] | null | undefined): Row[] =>
  Array.isArray(list) ? list.filter((row) => typeof row === 'object' && row !== null) : []

/** Reads what can be returned of an order now, its lines named by SKU. */
export async function readReturnable(client: Client, orderId: string): Promise<ReturnChoice> {
  const order = await readOneOrder(client, orderId, false)
  const detail = order?.scentDetail ?? (order as OrderRead['scentDetail'])
  if (!Array.isArray(detail?.lines))
    throw oddAnswer(
      readOrder,
      'The service returned an order without its lines: what can be returned is not known.',
    )
  const {groups, lines} = returnable(detail, await returnsOf(client, orderId))
  const id = [...new Set(lines.map(({variantId}) => variantId))].slice(0, pageSizeLimit.maximum)
  const query = {id, activeOnly: false, pageSize: pageSizeLimit.maximum}
  const {items} = id.length === 0 ? {items: []} : await client.call(listVariants, {query}, {onlyShown: true})
  const skus = new Map(listed(items).map(({id, sku}) => [String(id), String(sku)]))
  return {groups, lines: lines.map((line) => ({...line, sku: skus.get(line.variantId) ?? null}))}
}

type AskedLine = ReturnBody['lines'][number]

/**
 * The body of a return as it was typed: a line may be named by its SKU, if only one line of the order has that, and the
 * group may be left out, if only one was delivered. Fails with INVALID_INPUT or MISSING_INPUT, naming the choices.
 */
export async function typedReturn(
  client: Client,
  orderId: string,
  asked: AskedLine[],
  group: string | undefined,
): Promise<ReturnBody> {
  if (group && asked.every(({scentOrderLineId}) => isUuid(scentOrderLineId)))
    return {fulfillmentGroupId: group, lines: asked}
  const choice = await readReturnable(client, orderId)
  return {
    fulfillmentGroupId: group ?? onlyGroup(choice),
    lines: asked.map((line) => ({...line, scentOrderLineId: lineIdOf(choice, line.scentOrderLineId)})),
  }
}

function onlyGroup({groups}: ReturnChoice): string {
  const [only] = groups
  if (!only) throw new Failure('BUSINESS_RETURN_REQUEST_GROUP_NOT_DELIVERED', {effect: 'none'})
  if (groups.length === 1) return only.id
  throw new Failure('MISSING_INPUT', {
    message: `The order has ${groups.length} delivered groups: --line needs --group as well.`,
    hint: `Give one of ${groups.map(({id}) => `--group ${id}`).join(', ')}.`,
    effect: 'none',
  })
}

function lineIdOf({lines}: ReturnChoice, typed: string): string {
  if (isUuid(typed)) return typed
  const found = lines.filter(({sku}) => sku?.toLowerCase() === typed.toLowerCase())
  const [only] = found
  if (only && found.length === 1) return only.lineId
  const message = only
    ? `${found.length} lines of the order are of ${JSON.stringify(typed)}.`
    : `No line of the order is of ${JSON.stringify(typed)}.`
  const named = (only ? found : lines).map(({lineId, sku}) => `${lineId} (${sku ?? 'no SKU'})`)
  throw new Failure('INVALID_INPUT', {
    message: `${message} Nothing was requested.`,
    hint: `Give the id of a line: ${named.slice(0, 5).join(', ')}${named.length > 5 ? ', …' : ''}.`,
    effect: 'none',
  })
}

async function returnsOf(client: Client, orderId: string): Promise<ReturnRequest[]> {
  const all: ReturnRequest[] = []
  for await (const one of client.pages(listOrderReturns, {params: {orderId}})) all.push(one)
  return all
}

/**
 * Requests a return once. After a lost answer it asks once more. If a line has an open request by then, it looks in the
 * list: the request with the same lines is this one. The singular path is used only if the service has no route for the
 * plural one. Fails with OUTCOME_UNKNOWN if the list does not show which.
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
    // Reading has the plural path in any case, so a gateway without its POST may answer with either code.
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
    // The list does not show it, so the lost request had no effect, and this refusal is the answer.
    if (refused) throw error
    throw reworded(lost, {
      message: 'The answer was lost, and no open request of this order with these lines was found.',
      hint: `Look again in a moment: \`scent returns list --order ${orderId}\`; ask again if it is not there.`,
    })
  }
}

/** True of every request that was just made: a decided one was made earlier. */
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

/**
 * The return request that a person names by its id, or by its number, which is looked for in the list. Fails with
 * NOT_FOUND_RETURN_REQUEST.
 */
export async function findReturn(
  client: Client,
  typed: string,
): Promise<{id: string; number: string | null}> {
  if (isUuid(typed)) return {id: typed, number: null}
  const numbers: string[] = []
  for await (const one of client.pages(listReturns, {query: {pageSize: pageSizeLimit.maximum}})) {
    const number = String(one?.returnRequestNumber ?? '')
    if (number.toLowerCase() === typed.toLowerCase()) return {id: one.id, number}
    numbers.push(number)
  }
  const near = nearest(typed, numbers)
  const meant = near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''
  throw new Failure('NOT_FOUND_RETURN_REQUEST', {
    message: `There is no return request ${JSON.stringify(typed)}.`,
    hint: `${meant}\`scent returns list\` shows the numbers.`,
    effect: 'none',
  })
}

/** Withdraws a request. If it is Withdrawn after a lost answer, the lost request has done it. */
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

/** The singular path of the spec has no withdrawal, so this refusal does not mean that the base URL is wrong. */
function withoutWithdrawal(error: Failure): Failure {
  return reworded(error, {
    message: 'This service has no withdrawal under the plural path. The request is unchanged.',
    hint: 'Ask the account manager to withdraw it. See its status: `scent returns list`.',
  })
}
