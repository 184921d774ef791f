import type {QueryRule} from '../contract/operation.ts'
import {pageSizeLimit} from '../contract/paging.ts'
import {isUuid} from '../contract/uuid.ts'
import {longerThan} from '../contract/wire.ts'
import {invalid} from './request.ts'

const DATE =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/
const LARGEST_PAGE = 2_147_483_647

interface Rule {
  fits(text: string): boolean
  says: string
}

const filled: Rule = {fits: (text) => text !== '', says: 'must not be empty'}

/** Whether a value fits, and the rule in words. The values of an enum are the service's to judge. */
const rules: Record<Exclude<QueryRule['kind'], 'tokens'>, Rule> = {
  text: filled,
  enum: filled,
  uuid: {fits: (text) => isUuid(text), says: 'must be a UUID'},
  decimal: {
    fits: (text) => /^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text),
    says: 'must be a plain decimal such as 10.50',
  },
  date: {
    fits: (text) => DATE.test(text) && isDay(text.slice(0, 10)),
    says: 'must be a date or date-time such as 2026-01-31 or 2026-01-31T10:00:00Z',
  },
  boolean: {fits: (text) => text === 'true' || text === 'false', says: 'must be true or false'},
  page: {
    fits: (text) => /^[1-9]\d*$/.test(text) && Number(text) <= LARGEST_PAGE,
    says: 'must be a whole number of 1 or more',
  },
  pageSize: {
    fits: (text) => /^[1-9]\d*$/.test(text) && Number(text) <= pageSizeLimit.maximum,
    says: `must be a whole number from ${pageSizeLimit.minimum} to ${pageSizeLimit.maximum}`,
  },
}

/** Writes a query by the rules of its operation. Fails with INVALID_INPUT. */
export function queryOf(
  known: Readonly<Record<string, QueryRule>>,
  query: Readonly<Record<string, unknown>>,
): [string, string][] {
  return Object.entries(query).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return []
    const rule = Object.hasOwn(known, name) ? known[name] : undefined
    if (rule === undefined) throw invalid(name, value, 'is no parameter of this endpoint')
    if (rule.kind === 'tokens') return [[name, tokensOf(name, rule.values, value as readonly string[])]]
    const values = 'many' in rule ? (value as readonly unknown[]) : [value]
    return values.map((one) => [name, textFor(name, rule, one)])
  })
}

function tokensOf(name: string, known: readonly string[], tokens: readonly string[]): string {
  const odd = tokens.find((token) => !known.includes(token))
  if (odd !== undefined || tokens.length === 0)
    throw invalid(name, odd, `must be some of ${known.join(', ')}`)
  return tokens.join(',')
}

function textFor(name: string, rule: Exclude<QueryRule, {kind: 'tokens'}>, value: unknown): string {
  const text = String(value)
  const {fits, says} = rules[rule.kind]
  if (!fits(text)) throw invalid(name, value, says)
  if (rule.kind === 'text' && rule.max !== undefined && longerThan(text, rule.max)) {
    throw invalid(name, value, `must have at most ${rule.max} characters`)
  }
  return text
}

/** Date.parse takes 2026-02-30 for March 2nd. */
function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
