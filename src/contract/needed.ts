import type * as z from 'zod/mini'
import {Failure} from './failure.ts'
import type {Operation} from './operation.ts'

/** An operation that is only mentioned, and the shape that its answer is read by where it fits. */
export type Mentioned<S extends z.ZodMiniType> = Operation & {payload: {inner: S}}

/** Whether the answer of a mentioned operation has the shape that it is read by. */
export function fits<S extends z.ZodMiniType>({payload: {inner}}: {payload: {inner: S}}, payload: unknown) {
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
