import {Failure, isFailure} from '../../contract/failure.ts'
import {amountText} from '../../contract/money.ts'
import type {OrderEntry} from '../../store/orders.ts'
import {isFar} from './fees.ts'
import {isUnknown} from './machine.ts'
import {isAbove, priceOf} from './price.ts'
import {readNamedOrder} from './read.ts'
import {note, type OrderTools, unsaid} from './records.ts'
import {previewOf} from './submit.ts'
import {failureOf, takeUpEntry, totalOf} from './take-up.ts'
import type {Left, Walked, Walker, WalkRequest, WalkTools} from './walker.ts'

/**
 * Settles what earlier runs left open: an order of this cart, or of this reference, whose answer was lost is asked for
 * again, and is the result when it turns out to stand. That may charge it, so it is done unasked only if this run
 * wants the same: the reference, the address and the discount code, and a limit that covers it. One that never left
 * gives its reference and address to this run.
 */
export async function takeUpEarlier(
  tools: WalkTools,
  request: WalkRequest,
  walker: Walker,
): Promise<{walked?: Walked; entry?: OrderEntry}> {
  await refuseDone(tools, request)
  let last: OrderEntry | undefined
  for (const entry of await openOrders(tools, request)) {
    const {reference, pending} = entry
    const wanted = request.reference === undefined || request.reference === reference
    const walked = pending.length > 0 ? await settleEarlier(tools, request, walker, entry) : undefined
    if (walked) return {walked}
    if (pending.length === 0) await walker.tell({kind: 'taking-up', entry})
    if (wanted) last = entry
    // Nothing was ever charged under it: another reference takes its place.
    else await note(tools, {...unsaid, step: 'OUTCOME', reference, outcome: 'abandoned', state: 'REPLACED'})
  }
  return last ? {entry: last} : {}
}

/** Whether somebody is there to say what may be charged. */
export const canAsk = ({interactive, yes}: WalkRequest) => interactive && !yes

/**
 * What follows on an earlier order that stands now: `more` to be ordered if the cart holds more and somebody says so, or
 * nothing. Fails with EARLIER_ORDER if this run was to order something else, and nobody could be asked.
 */
export async function besidesEarlier(
  tools: WalkTools,
  request: WalkRequest,
  walker: Walker,
  walked: Walked,
): Promise<{more: WalkRequest} | {walked: Walked}> {
  const {reference, ...others} = request
  const isNamed = reference === walked.reference
  const left = await leftIn(tools, request)
  // The reference of an order that stands is used up.
  if (left && canAsk(request) && (await walker.goOn(walked, left))) return {more: isNamed ? others : request}
  const isAnother = reference !== undefined && !isNamed
  if (isAnother || (left && !isNamed && !canAsk(request))) throw placedEarlier(walked, left)
  if (left && !canAsk(request)) await walker.tell({kind: 'left', left})
  return {walked: {...walked, earlier: true}}
}

/** Orders of this cart, or of this reference, that may have to be asked for again. */
async function openOrders(tools: WalkTools, {customerRef, reference}: WalkRequest): Promise<OrderEntry[]> {
  const ours = (await tools.records.open()).filter(
    (entry) => entry.customerRef === customerRef || entry.reference === reference,
  )
  const stuck = ours.find(forAPerson)
  if (stuck && reference === undefined) throw personNeeded(stuck.reference)
  // Only the user's own word, the reference, asks for an order again that a person had to decide on.
  return ours.filter((entry) => !forAPerson(entry) || entry.reference === reference)
}

/** Asks again for an order that was sent; undefined if it proves not to have been charged. */
async function settleEarlier(
  tools: WalkTools,
  request: WalkRequest,
  walker: Walker,
  entry: OrderEntry,
): Promise<Walked | undefined> {
  const {reference} = entry
  const why = disagreement(request, entry)
  if (why && !(request.interactive && (await walker.settle(entry, why)))) throw stillOpen(entry, why)
  await walker.tell({kind: 'taking-up', entry})
  const outcome = await takeUpEntry(tools, entry)
  if ('failure' in outcome && isUnknown(outcome)) throw await failureOf(tools, outcome, reference)
  await walker.tell({kind: 'taken-up', entry, charged: 'order' in outcome})
  const far = isFar(entry.address) ? entry.address.city : undefined
  return 'order' in outcome ? {reference, order: outcome.order, far} : undefined
}

/** What this run wants otherwise than the open order; undefined if it would be the same. */
function disagreement(request: WalkRequest, entry: OrderEntry): string | undefined {
  const total = totalOf(entry)
  const text = (value: object) => JSON.stringify(Object.entries(value).sort())
  if (request.reference !== undefined && request.reference !== entry.reference)
    return `this run asks for ${request.reference}`
  if (request.address && text(request.address) !== text(entry.address)) return 'it goes to another address'
  if (request.discountCode !== undefined && request.discountCode !== entry.discountCode)
    return 'it has another discount code'
  if (request.maxTotal !== undefined && (total === null || isAbove(total, request.maxTotal)))
    return `its total of ${amountText(total)} is above the ${amountText(request.maxTotal)} approved now`
  return undefined
}

function stillOpen(entry: OrderEntry, why: string): Failure {
  const {reference} = entry
  return new Failure('OPEN_ORDER', {
    message: `Order ${reference} of this cart has no answer yet, and ${why}. Nothing was sent.`,
    hint: `Settle it first: \`scent checkout\` with --reference ${reference} and the inputs it had. It is charged once or not at all.`,
    details: {externalReference: reference, total: totalOf(entry)},
    effect: 'none',
  })
}

async function leftIn(tools: OrderTools, {customerRef}: WalkRequest): Promise<Left | undefined> {
  const preview = await previewOf(tools, {customerRef})
  const units = preview?.lines.reduce((sum, {quantity}) => sum + quantity, 0)
  if (!preview || !units) return undefined
  const {charged, currency} = priceOf(preview)
  return {customerRef, units, charged, currency}
}

function placedEarlier({reference, order}: Walked, left: Left | undefined): Failure {
  const {orderId, total, currency} = order
  const stands = `Order ${reference} of this cart was open, and stands now as ${orderId}, charged ${amountText(total, currency)}.`
  const details = {externalReference: reference, orderId, total}
  if (left === undefined)
    return new Failure('EARLIER_ORDER', {message: `${stands} Nothing else was ordered.`, details})
  const {units, charged} = left
  const price = charged === null ? '' : ` for ${amountText(charged, left.currency)}`
  return new Failure('EARLIER_ORDER', {
    message: `${stands} What the cart holds now was not ordered: ${units} ${units === 1 ? 'unit' : 'units'}${price}.`,
    hint: 'Look at it with `scent cart show`. To order it as well, run the same command again.',
    details: {...details, inCart: {units, total: charged}},
  })
}

const forAPerson = ({outcome}: OrderEntry) => outcome?.state === 'CONFLICT_ORDER_REQUIRES_INTERVENTION'

const personNeeded = (externalReference: string) =>
  new Failure('CONFLICT_ORDER_REQUIRES_INTERVENTION', {
    details: {externalReference},
    hint: 'Contact the account manager with the reference. Once it is settled, give it as --reference; a new order of this cart needs another one.',
  })

/** A reference that is on record as ordered is refused, unless the service does not know its order any more. */
async function refuseDone(tools: OrderTools, {reference}: WalkRequest): Promise<void> {
  const entry = reference === undefined ? undefined : await tools.records.find(reference)
  const orderId = entry?.settled ? entry.outcome?.orderId : null
  if (orderId === null || orderId === undefined) return
  try {
    await readNamedOrder(tools.client, orderId)
  } catch (error) {
    if (isFailure(error, 'NOT_FOUND_ORDER')) return
    throw error
  }
  throw new Failure('CONFLICT_ORDER_DUPLICATE_REFERENCE', {
    message: `Reference ${reference} is ordered already, as order ${orderId}. Nothing was ordered.`,
    details: {orderId},
    effect: 'none',
  })
}
