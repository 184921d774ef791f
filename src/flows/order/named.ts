import type {Client} from '../../client/client.ts'
import {Failure, isFailure} from '../../contract/failure.ts'
import {isUuid} from '../../contract/forms.ts'
import {nearest} from '../../contract/nearest.ts'
import {readOrderByGlobalId} from '../../contract/orders.ts'
import {factsOf} from './read.ts'

/** What the local record knows of an order. */
interface RecordedOrder {
  externalReference: string
  orderId: string | null
  outcome: string
  error: {message: string} | null
}

/** Which order a person means: its Scent id, or the global one. */
export interface NamedOrder {
  id: string
  isGlobal: boolean
}

export interface OrderNames {
  /** The orders of the local record; read only if the text is no UUID. */
  recorded(): Promise<Iterable<RecordedOrder>>
  /** Hears what was taken for the text, if that is not obvious. */
  say(text: string): void
}

/**
 * Runs `use` with the order that a person has named: by its Scent id, its reference or the beginning of its id in the
 * local record; anything else is taken for a global id. A UUID that is no order's id may be a reference too. Fails with
 * INVALID_INPUT if several orders fit, and with NOT_FOUND_ORDER if the record knows that there is none.
 */
export async function withOrder<T>(
  names: OrderNames,
  text: string,
  use: (order: NamedOrder) => Promise<T>,
): Promise<T> {
  const found = isUuid(text) ? undefined : await lookUp(names, text)
  const order = found ? orderOf(names, text, found) : {id: text, isGlobal: false}
  try {
    return await use(order)
  } catch (error) {
    if (!isFailure(error, 'NOT_FOUND_ORDER', 'NOT_FOUND_SCENT_ORDER')) throw error
    if (found) throw order.isGlobal ? withNear(error, found.near) : error
    const [id, ...others] = (await lookUp(names, text)).made
    if (id === undefined || others.length > 0) throw error
    names.say(`${text} is the reference of order ${id}.`)
    return use({id, isGlobal: false})
  }
}

/** The Scent id of an order: of a global id the service knows it. */
export async function scentIdOf(client: Client, {id, isGlobal}: NamedOrder): Promise<string> {
  if (!isGlobal) return id
  const read = await client.call(readOrderByGlobalId, {params: {orderGlobalId: id}})
  const found = factsOf(read).id
  if (found !== null) return found
  throw new Failure('ODD_ANSWER', {
    message: `The service returned order ${id} without its Scent id.`,
    effect: 'none',
  })
}

interface Found {
  /** Ids of orders with this very reference. */
  made: string[]
  /** The newest entry with this reference that is of no order. */
  unmade: RecordedOrder | undefined
  /** Ids that begin so, and those of references that differ in capitals only. */
  alike: string[]
  /** References that may be meant. */
  near: string[]
}

const BEGINNING = /^[\da-f][\da-f-]{3,34}$/

async function lookUp({recorded}: OrderNames, text: string): Promise<Found> {
  const plain = text.toLowerCase()
  const [made, alike, references] = [new Set<string>(), new Set<string>(), new Set<string>()]
  let unmade: RecordedOrder | undefined
  for (const order of await recorded()) {
    const {externalReference: reference, orderId} = order
    references.add(reference)
    if (reference === text && orderId === null) unmade ??= order
    if (orderId === null) continue
    const begins = BEGINNING.test(plain) && orderId.toLowerCase().startsWith(plain)
    if (reference === text) made.add(orderId)
    else if (begins || reference.toLowerCase() === plain) alike.add(orderId)
  }
  const near = made.size + alike.size > 0 || unmade ? [] : nearest(text, references)
  return {made: [...made], unmade, alike: [...alike], near}
}

function orderOf({say}: OrderNames, text: string, {made, unmade, alike}: Found): NamedOrder {
  if (made.length === 0 && unmade) throw notMade(unmade)
  const ids = made.length > 0 ? made : alike
  const [id] = ids
  if (id === undefined) return {id: text, isGlobal: true}
  if (ids.length > 1)
    throw new Failure('INVALID_INPUT', {
      message: `${JSON.stringify(text)} fits ${ids.length} orders of the local record. Nothing was sent.`,
      hint: `Give the id of one: ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}.`,
      effect: 'none',
    })
  if (made.length === 0) say(`${text} is order ${id}.`)
  return {id, isGlobal: false}
}

function notMade({externalReference, outcome, error}: RecordedOrder): Failure {
  const isKnown = outcome === 'refused' || outcome === 'abandoned'
  const what = isKnown ? 'was not made' : 'has no id yet: what became of it is not known'
  return new Failure('NOT_FOUND_ORDER', {
    message: `The order ${externalReference} ${what}.${error ? ` ${error.message}` : ''}`,
    hint: isKnown
      ? 'If that reference is of another order, give its Scent id or its global id.'
      : 'The next `scent checkout` of its cart settles it, or `scent jobs resume` if it is of a job.',
    effect: 'none',
  })
}

function withNear(error: Failure, near: string[]): Failure {
  if (near.length === 0) return error
  const hint = `Did you mean ${near.join(' or ')}? ${error.hint}`
  return new Failure(error.code, {...error.facts, hint}, {cause: error.cause})
}
