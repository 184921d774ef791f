import {type Code, entryOf} from '../../contract/errors.ts'
import {Failure} from '../../contract/failure.ts'

/** An answer on its way out. */
export interface Reply {
  status: number
  state: string
  payload: unknown
  details: unknown
  headers: Record<string, string>
}

/** The bytes of an answer, and how a fault breaks their way back. */
export interface Outgoing {
  status: number
  headers: Record<string, string>
  body: string
  broken?: 'reset' | 'hang' | 'truncate'
}

/** A success: 200 SUCCESS. */
export function success(payload: unknown): Reply {
  return {status: 200, state: 'SUCCESS', payload, details: null, headers: {}}
}

/** A refusal with its catalogued HTTP status, and the headers that the status asks for (T06). */
export function refusal(code: string, details: unknown = null): Reply {
  const status = entryOf(code).http ?? 500
  const headers: Record<string, string> = status === 401 ? {'www-authenticate': 'Bearer'} : {}
  return {status, state: code, payload: null, details, headers}
}

/** The refusal of a method that the path does not have; `allow` are those that it has. */
export function notAllowed(allow: string[]): Reply {
  const reply = refusal('METHOD_NOT_ALLOWED', {message: 'The path exists with other methods.'})
  return {...reply, headers: {allow: allow.join(', ')}}
}

/** The answer of a refusal that was thrown. */
export function refusalOf({code, facts: {details = null, retryAfter}}: Failure): Reply {
  const reply = refusal(code, details)
  return retryAfter === undefined ? reply : {...reply, headers: {'retry-after': String(retryAfter)}}
}

/** The bytes of every answer. */
export function envelope(reply: Reply): string {
  return JSON.stringify({state: reply.state, payload: reply.payload, details: reply.details})
}

/**
 * Refuses with a code of the catalogue. Details hold what the spec names (E04), or a hint (E05). Use `invalid` for a
 * field or a parameter.
 */
export function refuse(
  code: Code | (string & {}),
  details: unknown = null,
  more: {retryAfter?: number} = {},
): never {
  throw new Failure(code, {details, ...more})
}

/**
 * A 400, whatever its code, names each offending field or parameter (spec, Envelope; E02); `more` stands beside the
 * errors (E03).
 */
export function invalid(
  errors: Record<string, string[]>,
  code: Code = 'VALIDATION_ERRORS',
  more: object = {},
): never {
  throw new Failure(code, {details: {errors, ...more}})
}

/** Refuses the fields that have a fault, if any. */
export function refuseFaults(errors: Record<string, string[]>, code?: Code, more?: object): void {
  if (Object.keys(errors).length > 0) invalid(errors, code, more)
}
