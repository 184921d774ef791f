import {Failure} from '../contract/failure.ts'
import {printJson} from '../contract/money.ts'

const LONE_SURROGATE = /\p{Surrogate}/u

/** A value refused before anything was sent. A secret is never repeated, however wrong it is. */
export function invalid(field: string, value: unknown, rule: string): Failure {
  const text = value === undefined || /secret/i.test(field) ? '' : printJson(value, 0)
  // A cut between the halves of a character would leave half a character, and JSON that many can't read.
  const shown =
    text === '' ? '' : ` ${text.length > 200 ? `${text.slice(0, 200).replace(LONE_SURROGATE, '')}…` : text}`
  const details = {errors: {[field]: [rule]}}
  return new Failure('INVALID_INPUT', {message: `${field}${shown} ${rule}.`, details, effect: 'none'})
}
