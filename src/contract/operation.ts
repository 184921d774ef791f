import type * as z from 'zod/mini'
import type {Code} from './errors.ts'
import {Failure} from './failure.ts'
import type {QueryRule} from './query.ts'
import type {Method} from './wire.ts'

export interface Operation {
  /** One sentence, shown by `scent api` and `scent explain`. */
  summary: string
  method: Method
  /** Below {base_url}; {name} stands for one encoded segment. */
  path: string
  auth: 'bearer' | 'none'
  /**
   * Whether a request whose answer was lost may be sent again: `freely`; `by-key`, with the same key and body, by a
   * flow that keeps a journal; `never`: read the state back instead.
   */
  repeat: 'freely' | 'by-key' | 'never'
  /** For all but `freely`: how the program settles a lost answer. Shown by `scent explain`. */
  lost?: string
  query?: Readonly<Record<string, QueryRule>>
  body?: z.ZodMiniType
  /** The payload of a success. Only what a flow needs is checked; see shown(). */
  payload: z.ZodMiniType
  /** The refusals the spec lists for it, beyond those possible everywhere. */
  fails: readonly Code[]
}

/** Identifiers are UUIDs unless the spec says otherwise (spec, Conventions); it does for the global id of an order. */
export const isUuidName = (name: string) => name.endsWith('Id') && name !== 'orderGlobalId'

type PathNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never

type QueryValue<R> = R extends {kind: 'tokens'}
  ? readonly string[]
  : R extends {kind: 'boolean'}
    ? boolean
    : R extends {kind: 'page' | 'pageSize'}
      ? number
      : R extends {many: true}
        ? readonly string[]
        : string

export type Params<O extends Operation> = {[K in PathNames<O['path']>]: string}
export type Query<O extends Operation> =
  O['query'] extends Record<string, QueryRule>
    ? {[K in keyof O['query']]?: QueryValue<O['query'][K]> | undefined}
    : Record<never, never>
export type Body<O extends Operation> = O['body'] extends z.ZodMiniType ? z.output<O['body']> : undefined
export type Payload<O extends Operation> = z.output<O['payload']>

/** Everything a call needs beside its operation: params if the path has names, body if one is sent. */
export type Input<O extends Operation> = ([PathNames<O['path']>] extends [never]
  ? {params?: never}
  : {params: Params<O>}) & {query?: Query<O> | undefined} & (O['body'] extends z.ZodMiniType
    ? {body: Body<O>}
    : {body?: never})

/** An operation that is only mentioned, and the shape that its answer is read by if it fits. */
type Mentioned<S extends z.ZodMiniType> = Operation & {payload: {inner: S}}

/** Whether the answer of a mentioned operation has the shape that it is read by. */
export function hasShape<S extends z.ZodMiniType>(
  {payload: {inner}}: {payload: {inner: S}},
  payload: unknown,
) {
  return inner.safeParse(payload).success
}

/** The answer of a mentioned operation, for a flow that is not safe without its shape. Fails with ODD_ANSWER. */
export function needed<S extends z.ZodMiniType>(operation: Mentioned<S>, payload: z.output<S>): z.output<S> {
  const checked = operation.payload.inner.safeParse(payload)
  if (checked.success) return payload
  const at = checked.error.issues[0]?.path.join('.') || 'payload'
  throw oddAnswer(
    operation,
    `The service answered a success whose ${at} is not what is needed to go on safely.`,
  )
}

/** The failure of a read whose answer a flow can't go on with. */
export function oddAnswer({method, path}: Operation, message: string): Failure {
  return new Failure('ODD_ANSWER', {message, request: `${method} ${path}`, effect: 'none'})
}
