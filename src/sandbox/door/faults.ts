import * as z from 'zod/mini'
import {api} from '../../contract/api.ts'
import {entryOf} from '../../contract/errors.ts'

const effects = [
  'status',
  'reset',
  'hang',
  'truncate',
  'malformed',
  'slow',
  'race',
  'additive-fields',
  'unknown-enum',
  // T12: by itself no route is closed to a credential.
  'forbid-route',
  // Meets no request, but a delivery.
  'delivery',
] as const
export type Effect = (typeof effects)[number]

/** Of a delivery: what happens to it on its way; `unrecorded` to the service's record of the attempt. */
const ways = ['lost', 'twice', 'late', 'reordered', 'reencoded', 'skewed', 'cut', 'unrecorded'] as const
export type Way = (typeof ways)[number]

const operation = z
  .string()
  .check(
    z.refine(
      (name) => Object.hasOwn(api, name),
      `is not an operation; there are ${Object.keys(api).join(', ')}`,
    ),
  )

/** What an ordered fault may say. `when: "after"` lets the request commit first, then spoils its answer. */
const order = z.strictObject({
  match: z.optional(
    z.strictObject({
      operation: z.optional(operation),
      method: z.optional(z.string()),
      /** A path, its template, or a beginning that ends in `*`. */
      path: z.optional(z.string()),
    }),
  ),
  effect: z.enum(effects),
  /** For `delivery`. */
  delivery: z.optional(z.enum(ways)),
  when: z.optional(z.enum(['before', 'after'])),
  /** How many requests or deliveries it meets; all of them by default. */
  times: z.optional(z.int().check(z.gte(1))),
  /** The chance that it meets a matching request, from 0 to 1; 1 by default. */
  probability: z.optional(z.number().check(z.gte(0), z.lte(1))),
  seed: z.optional(z.int()),
  delayMs: z.optional(z.int().check(z.gte(0), z.lte(600_000))),
  /** For `status`: the HTTP status and the code of the answer. */
  status: z.optional(z.int().check(z.gte(400), z.lte(599))),
  state: z.optional(z.string()),
  /** Seconds, as the header Retry-After. */
  retryAfter: z.optional(z.int().check(z.gte(0))),
})
/** Fails if it says of a request what is of a delivery, or the other way round. */
const oneKind = z.refine<z.output<typeof order>>(
  ({effect, delivery, match}) => (effect === 'delivery') === (delivery !== undefined) && !(delivery && match),
  'the effect delivery needs a delivery and no match, and no other effect takes one',
)
export const faultOrder = order.check(oneKind)
type FaultOrder = z.output<typeof faultOrder>

export interface Fault extends FaultOrder {
  id: number
  when: 'before' | 'after'
  /** How many requests it has met. */
  met: number
}

export interface Faults {
  add(order: FaultOrder): Fault
  list(): Fault[]
  clear(id?: number): void
  /** The first fault that meets this request, counted as met. Routes are closed by `forbid`. */
  strike(request: Met): Fault | undefined
  /** The first fault that closes the route of this request, counted as met. */
  forbid(request: Met): Fault | undefined
  /** The first fault of deliveries, counted as met by one of them. */
  waylay(): Fault | undefined
}

interface Met {
  /** The operation, or those that share the route while nobody has looked into the body. */
  operations: string[]
  method: string
  path: string
  template: string
}

export function createFaults(): Faults {
  let faults: (Fault & {random: () => number})[] = []
  let n = 0
  const plain = ({random: _, ...fault}: Fault & {random: () => number}): Fault => fault
  const first = (among: (fault: Fault) => boolean): Fault | undefined => {
    const fault = faults.find(
      (one) =>
        among(one) &&
        one.met < (one.times ?? Number.POSITIVE_INFINITY) &&
        (one.probability === undefined || one.random() < one.probability),
    )
    if (fault === undefined) return undefined
    fault.met += 1
    return plain(fault)
  }
  return {
    add: (order) => {
      n += 1
      const when = order.when ?? usualMoment(order)
      const fault = {...order, id: n, when, met: 0, random: randomOf(order.seed ?? n)}
      faults.push(fault)
      return plain(fault)
    },
    list: () => faults.map(plain),
    clear: (id) => {
      faults = id === undefined ? [] : faults.filter((fault) => fault.id !== id)
    },
    strike: (request) =>
      first((one) => !['forbid-route', 'delivery'].includes(one.effect) && meets(one, request)),
    forbid: (request) => first((one) => one.effect === 'forbid-route' && meets(one, request)),
    waylay: () => first(({effect}) => effect === 'delivery'),
  }
}

/** X13: a refused or delayed request has not run yet; a broken answer hides one that has. */
function usualMoment(order: FaultOrder): 'before' | 'after' {
  const isRefusal = order.effect === 'race' || order.effect === 'forbid-route'
  const refuses = isRefusal || (order.effect === 'status' && statusOf(order) < 500)
  return refuses || order.effect === 'slow' ? 'before' : 'after'
}

/** The HTTP status of an ordered refusal. */
export function statusOf({status, state}: FaultOrder): number {
  return status ?? (state === undefined ? 503 : (entryOf(state).http ?? 503))
}

function meets({match}: FaultOrder, request: Met): boolean {
  const {operation, method, path} = match ?? {}
  if (operation !== undefined && !request.operations.includes(operation)) return false
  if (method !== undefined && method.toUpperCase() !== request.method) return false
  if (path === undefined) return true
  if (path.endsWith('*')) return request.path.startsWith(path.slice(0, -1))
  return path === request.path || path === request.template
}

/** Mulberry32: the same seed meets the same requests. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
