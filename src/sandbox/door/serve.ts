import {setTimeout as delay} from 'node:timers/promises'
import type * as z from 'zod/mini'
import {Afterwards, type Call, type CallOf, Created, type Route, type Served} from '../core/call.ts'
import {currencies} from '../rules/money.ts'
import {startOrder} from '../rules/orders.ts'
import {partnerById} from '../rules/partners.ts'
import {checkMediaType, type FieldFault, judgeBody, parseBody, refuseFields} from './body.ts'
import type {Fault} from './faults.ts'
import {readQuery} from './query.ts'
import {invalid, type Reply, refuse, success} from './reply.ts'
import {insteadOf, spoiled} from './spoil.ts'
import {meet, type Visit} from './visit.ts'

/** A visit that was let in: who asks, and for which route. */
interface Admitted extends Visit {
  route: Route
  params: Record<string, string>
  search: string
  partnerId: string
}

/** Serves a visit: 415, query, body, and then the rule itself, with whatever a fault does before or after it. */
export async function serve(visit: Admitted): Promise<Reply> {
  const {state, incoming, trace, route} = visit
  const arrived = state.clock.now()
  const takesBody = route.served[0].operation.body !== undefined
  const text = takesBody ? await incoming.body() : null
  trace.requestBody = text
  const fault = meet(visit, nameOf(route, text ?? ''), route.path)
  const early = fault && insteadOf(fault)
  if (early) return early
  const {served, faults, ...asked} = readRequest(visit, takesBody, text)
  const {handler} = served
  if (handler === undefined) throw new Error(`${served.name} has no rule`)
  const call = () => callOf(visit, asked, arrived)
  if (takesBody) refuseFields([...faults, ...((await served.fieldRule?.(call())) ?? [])])
  if (fault?.effect === 'slow' && fault.when === 'before') await linger(call(), served.name, fault)
  state.ticker.catchUp()
  const done = state.world.transaction(() => handler(call()))
  const result = done instanceof Afterwards ? await done.payload() : done
  const reply = result instanceof Created ? created(visit, result, served.name) : success(result)
  return fault === null ? reply : spoiled(state, reply, fault)
}

type Asked = Pick<Call, 'query' | 'body' | 'sent' | 'currency'>

/** Reads what a request asks for. Refuses its media type or its query, in this order, or a body that is not an object. */
function readRequest(
  {state, incoming, trace, route, search}: Admitted,
  takesBody: boolean,
  text: string | null,
): Asked & {served: Served; faults: FieldFault[]} {
  if (takesBody) checkMediaType(incoming.header)
  const query = readQuery(route.served[0].operation, search)
  const sent = takesBody ? parseBody(text) : undefined
  const served = chosen(route, sent)
  const {body: schema} = served.operation
  const judged = schema && judgeBody(schema, sent, state.assumptions.E09 === 'reject', trace.ignored)
  // G16: an unknown code, a lowercase one and SAR itself leave the display fields null.
  const code = incoming.header('x-partner-currency')
  const currency = currencies.find((one) => one.code === code) ?? null
  return {served, query, body: judged?.sound, faults: judged?.faults ?? [], sent, currency}
}

/**
 * The call of a request, as of now. Its partner is read when the work starts: while a body was awaited, another order
 * may have emptied its wallet.
 */
function callOf({state, params, partnerId}: Admitted, asked: Asked, arrived: number): Call {
  const {world, clock} = state
  const partner = partnerById(world, partnerId)
  if (partner === undefined) refuse('UNAUTHORIZED_INVALID_TOKEN', {message: 'The token is not valid here.'})
  const {query, body, sent, currency} = asked
  return {state, world, partner, params, query, body, sent, currency, now: clock.now(), arrived}
}

/** The name of the operation that a shared route's body will turn out to mean, as far as that can be told. */
function nameOf(route: Route, text: string): string {
  const [first, ...others] = route.served
  const means = ({operation}: Served) => fieldsOf(operation).some((field) => text.includes(`"${field}"`))
  return others.find(means)?.name ?? first.name
}

/** Of operations that share a route, the one whose fields the body has: exactly one of them. */
function chosen(route: Route, json: Record<string, unknown> | undefined): Served {
  const [first, ...others] = route.served
  if (others.length === 0) return first
  const named = route.served.filter(({operation}) =>
    fieldsOf(operation).some((field) => field in (json ?? {})),
  )
  const [only] = named
  if (named.length === 1 && only !== undefined) return only
  const fields = route.served.flatMap(({operation}) => fieldsOf(operation))
  invalid(Object.fromEntries(fields.map((field) => [field, [`send exactly one of ${fields.join(', ')}`]])))
}

function fieldsOf({body}: Served['operation']): string[] {
  return Object.keys((body as z.ZodMiniObject | undefined)?.shape ?? {})
}

/** Keeps a request waiting before its work; an order then counts as being made. */
async function linger(call: Call, operation: string, fault: Fault): Promise<void> {
  const {state} = call
  const order = operation === 'createOrder' ? startOrder(call as CallOf<'createOrder'>) : undefined
  try {
    await delay(fault.delayMs ?? 1_000, undefined, {signal: state.closing})
  } finally {
    state.inFlight = state.inFlight.filter((one) => one !== order)
  }
}

function created({state, incoming}: Visit, {payload, path}: Created, operation: string): Reply {
  const reply = {...success(payload), headers: {location: `${incoming.origin}${path}`}}
  const isPlain = operation === 'createOrder' && state.assumptions.O01 === 'success'
  return isPlain ? reply : {...reply, status: 201, state: 'CREATED'}
}
