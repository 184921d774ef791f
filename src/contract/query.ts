import type {Code} from './errors.ts'
import {isUuid, momentOf} from './forms.ts'
import {pageSizeLimit} from './paging.ts'
import {longerThan} from './wire.ts'

/**
 * The rule of a query parameter, said once: the client writes values by it, the sandbox refuses by it
 * (spec, Query and paging codes). `many` means that the parameter may be repeated, and matches any of its values.
 */
export type QueryRule =
  | {kind: 'text'; max?: number; many?: true}
  | {kind: 'uuid'; many?: true}
  // `own`: the code of any other value, if that is not VALIDATION_INVALID_QUERY_PARAMETER.
  | {kind: 'enum'; values: readonly string[]; many?: true; own?: Code}
  | {kind: 'tokens'; values: readonly string[]}
  | {kind: 'decimal' | 'date' | 'boolean' | 'page' | 'pageSize'}

/** No leading zeros, exponent or spaces, and no sign of a whole number (Q05 in docs/assumptions.md). */
const WHOLE = /^[1-9]\d{0,9}$/
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
/** The largest int32 (Q10). */
export const LARGEST_PAGE = 2_147_483_647

/** Whether a single value, or a single token, obeys the rule of its parameter. */
export function fits(rule: QueryRule, text: string): boolean {
  switch (rule.kind) {
    case 'text':
      return text !== '' && (rule.max === undefined || !longerThan(text, rule.max))
    case 'uuid':
      return isUuid(text)
    case 'enum':
    case 'tokens':
      return rule.values.includes(text)
    case 'decimal':
      return DECIMAL.test(text)
    case 'date':
      return momentOf(text) !== undefined
    case 'boolean':
      return text === 'true' || text === 'false'
    case 'page':
      return WHOLE.test(text) && Number(text) <= LARGEST_PAGE
    case 'pageSize':
      return WHOLE.test(text) && Number(text) <= pageSizeLimit.maximum
  }
}

/** The rule in words, to stand after the name and the value. */
export function says(rule: QueryRule): string {
  switch (rule.kind) {
    case 'text':
      return rule.max === undefined
        ? 'must not be empty'
        : `must have at least 1 and at most ${rule.max} characters`
    case 'uuid':
      return 'must be a UUID'
    case 'enum':
      return 'must be one of the allowed values'
    case 'tokens':
      return `must be some of ${rule.values.join(', ')}`
    case 'decimal':
      return 'must be a plain decimal such as 10.50'
    case 'date':
      return 'must be a date or date-time such as 2026-01-31 or 2026-01-31T10:00:00Z'
    case 'boolean':
      return 'must be true or false'
    case 'page':
      return 'must be a whole number of 1 or more'
    case 'pageSize':
      return `must be a whole number from ${pageSizeLimit.minimum} to ${pageSizeLimit.maximum}`
  }
}
