import type {Code} from '../../contract/errors.ts'
import type {Operation, QueryRule} from '../../contract/operation.ts'
import {pageSizeLimit} from '../../contract/paging.ts'
import {parseMoment} from '../time/moment.ts'
import {invalid} from './reply.ts'

type Rules = Readonly<Record<string, QueryRule>>
type Errors = Record<string, string[]>

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** G07: any case, hyphenated only. */
export const isUuid = (text: string): boolean => guid.test(text)
/** Q05: no sign, leading zeros, exponent or spaces. */
const whole = /^[1-9]\d{0,9}$/
const plainDecimal = /^(?:0|[1-9]\d*)(?:\.\d+)?$/
/** Q10 */
const maxPage = 2_147_483_647

/**
 * Judges a query by its operation's rules (spec, Query and paging codes) and answers the parsed values. The first
 * failing rule decides the code, and names every parameter that fails it (Q01). Names are case-sensitive (Q02), and
 * an operation without parameters takes none (Q11).
 */
export function readQuery(operation: Operation, search: string): Record<string, unknown> {
  const rules: Rules = operation.query ?? {}
  const sent = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(search)) sent.set(name, [...(sent.get(name) ?? []), value])
  const names = Object.keys(rules)
  const unknown = [...sent.keys()].filter((name) => !Object.hasOwn(rules, name))
  stop('VALIDATION_UNKNOWN_QUERY_PARAMETER', errorsOf(unknown, 'is no parameter of this endpoint'), {
    allowedParameters: names,
  })
  refuseMissingRange(operation, sent)
  judge(rules, sent)
  return parsed(rules, sent)
}

/** A report without both of its ends, when that has a code of its own. */
function refuseMissingRange({fails}: Operation, sent: Map<string, string[]>): void {
  if (!fails.includes('VALIDATION_MISSING_REPORT_RANGE')) return
  const missing = ['from', 'to'].filter((name) => !sent.has(name))
  stop('VALIDATION_MISSING_REPORT_RANGE', errorsOf(missing, 'is required'))
}

function judge(rules: Rules, sent: Map<string, string[]>): void {
  const failing = (...kinds: QueryRule['kind'][]) =>
    [...sent.keys()].filter((name) => {
      const rule = rules[name]
      return rule !== undefined && kinds.includes(rule.kind) && !holds(rule, sent.get(name) ?? [])
    })
  stop('VALIDATION_INVALID_DATE', errorsOf(failing('date'), 'must be an ISO 8601 date or date-time'))
  stop('VALIDATION_INVALID_DATE', backwards(rules, sent))
  stop(
    'VALIDATION_INVALID_PAGE_SIZE',
    errorsOf(failing('pageSize'), 'must be a whole number from 1 to 100'),
    {
      minimum: pageSizeLimit.minimum,
      maximum: pageSizeLimit.maximum,
    },
  )
  stop('VALIDATION_INVALID_PAGE', errorsOf(failing('page'), 'must be a whole number from 1'), {minimum: 1})
  const tokens = failing('tokens')
  stop('VALIDATION_UNKNOWN_INCLUDE', errorsOf(tokens, 'holds an unknown token'), allowed(rules, tokens))
  judgeValues(rules, failing('text', 'uuid', 'enum', 'decimal', 'boolean'))
}

/** The last rule of all queries, and then the codes that single values have of their own. */
function judgeValues(rules: Rules, failing: string[]): void {
  const ownOf = (name: string): Code | undefined => {
    const rule = rules[name]
    return rule?.kind === 'enum' ? rule.own : undefined
  }
  const plain = failing.filter((name) => ownOf(name) === undefined)
  const enums = plain.filter((name) => rules[name]?.kind === 'enum')
  const more = enums.length === 0 ? {} : allowed(rules, enums)
  stop('VALIDATION_INVALID_QUERY_PARAMETER', errorsOf(plain, 'does not parse as its type'), more)
  for (const name of failing) {
    const own = ownOf(name)
    if (own !== undefined)
      stop(own, errorsOf([name], 'must be one of the allowed values'), allowed(rules, [name]))
  }
}

/** Q03: a single-valued parameter that is repeated fails the rule of its type. Q04: an empty value does too. */
function holds(rule: QueryRule, values: string[]): boolean {
  if (values.length !== 1 && !('many' in rule && rule.many)) return false
  return values.every((value) => fits(rule, value))
}

function fits(rule: QueryRule, value: string): boolean {
  switch (rule.kind) {
    case 'text':
      // A text with a limit is judged by its operation, which has codes of its own for it.
      return value !== '' || rule.max !== undefined
    case 'uuid':
      return isUuid(value)
    case 'enum':
      return rule.values.includes(value)
    case 'tokens':
      // K03: split by commas alone, case-sensitive; a repeated token is fine, an empty one is unknown.
      return value.split(',').every((token) => rule.values.includes(token))
    case 'decimal':
      return plainDecimal.test(value)
    case 'date':
      return parseMoment(value) !== undefined
    case 'boolean': // Q06: lowercase only
      return value === 'true' || value === 'false'
    case 'page':
      return whole.test(value) && Number(value) <= maxPage
    case 'pageSize':
      return whole.test(value) && Number(value) <= pageSizeLimit.maximum
  }
}

/** A range whose start lies after its end names both; an empty one is no error here (Q09). */
function backwards(rules: Rules, sent: Map<string, string[]>): Errors {
  for (const [from, to] of [['fromUtc', 'toUtc'] as const, ['from', 'to'] as const]) {
    if (rules[from]?.kind !== 'date' || rules[to]?.kind !== 'date') continue
    const start = parseMoment(sent.get(from)?.[0] ?? '')
    const end = parseMoment(sent.get(to)?.[0] ?? '')
    if (start !== undefined && end !== undefined && start > end)
      return errorsOf([from, to], `${from} is after ${to}`)
  }
  return {}
}

function allowed(rules: Rules, names: string[]): object {
  const values = names.map((name) => {
    const rule = rules[name]
    return [name, rule !== undefined && 'values' in rule ? rule.values : []]
  })
  return {allowedValues: Object.fromEntries(values)}
}

const errorsOf = (names: string[], message: string): Errors =>
  Object.fromEntries(names.map((name) => [name, [message]]))

function stop(code: Code, errors: Errors, more: object = {}): void {
  if (Object.keys(errors).length > 0) invalid(errors, code, more)
}

function parsed(rules: Rules, sent: Map<string, string[]>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, rule] of Object.entries(rules)) values[name] = parsedValue(rule, sent.get(name))
  return values
}

function parsedValue(rule: QueryRule, sent: string[] | undefined): unknown {
  const [first] = sent ?? []
  if (sent === undefined || first === undefined) {
    return rule.kind === 'page' ? 1 : rule.kind === 'pageSize' ? pageSizeLimit.default : undefined
  }
  if (rule.kind === 'page' || rule.kind === 'pageSize') return Number(first)
  if (rule.kind === 'date') return parseMoment(first)
  if (rule.kind === 'boolean') return first === 'true'
  if (rule.kind === 'tokens') return first.split(',')
  if (rule.kind === 'uuid') return 'many' in rule ? sent.map((id) => id.toLowerCase()) : first.toLowerCase()
  return 'many' in rule && rule.many ? sent : first
}
