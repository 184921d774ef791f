import type {Code} from '../../contract/errors.ts'
import {momentOf} from '../../contract/forms.ts'
import type {Operation} from '../../contract/operation.ts'
import {pageSizeLimit} from '../../contract/paging.ts'
import {fits, type QueryRule, says} from '../../contract/query.ts'
import {invalid, refuseFaults} from './reply.ts'

type Rules = Readonly<Record<string, QueryRule>>
type Sent = ReadonlyMap<string, readonly string[]>
type Errors = Record<string, string[]>

/**
 * The codes of each kind of parameter, in the order in which they decide (spec, Query and paging codes; Q01). A code
 * that an enum has of its own comes after them.
 */
const codes: Record<QueryRule['kind'], Code> = {
  date: 'VALIDATION_INVALID_DATE',
  pageSize: 'VALIDATION_INVALID_PAGE_SIZE',
  page: 'VALIDATION_INVALID_PAGE',
  tokens: 'VALIDATION_UNKNOWN_INCLUDE',
  text: 'VALIDATION_INVALID_QUERY_PARAMETER',
  uuid: 'VALIDATION_INVALID_QUERY_PARAMETER',
  enum: 'VALIDATION_INVALID_QUERY_PARAMETER',
  decimal: 'VALIDATION_INVALID_QUERY_PARAMETER',
  boolean: 'VALIDATION_INVALID_QUERY_PARAMETER',
}

const limits: Partial<Record<Code, object>> = {
  VALIDATION_INVALID_PAGE_SIZE: {minimum: pageSizeLimit.minimum, maximum: pageSizeLimit.maximum},
  VALIDATION_INVALID_PAGE: {minimum: 1},
}

/**
 * Judges a query by its operation's rules and returns the parsed values. The first failing rule decides the code, and
 * names every parameter that fails it. Names are case-sensitive (Q02), and an operation without parameters takes none
 * (Q11).
 */
export function readQuery(operation: Operation, search: string): Record<string, unknown> {
  const rules: Rules = operation.query ?? {}
  const sent = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(search)) sent.set(name, [...(sent.get(name) ?? []), value])
  const unknown = [...sent.keys()].filter((name) => !Object.hasOwn(rules, name))
  refuseFaults(
    errorsOf(unknown, 'is not a parameter of this endpoint'),
    'VALIDATION_UNKNOWN_QUERY_PARAMETER',
    {
      allowedParameters: Object.keys(rules),
    },
  )
  refuseMissingRange(operation, sent)
  judge(rules, sent)
  return Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, parsedValue(rule, sent.get(name))]),
  )
}

/** A report without both of its ends, if that has a code of its own. */
function refuseMissingRange({fails}: Operation, sent: Sent): void {
  if (!fails.includes('VALIDATION_MISSING_REPORT_RANGE')) return
  const missing = ['from', 'to'].filter((name) => !sent.has(name))
  refuseFaults(errorsOf(missing, 'is required'), 'VALIDATION_MISSING_REPORT_RANGE')
}

function judge(rules: Rules, sent: Sent): void {
  const faults = {...misfits(rules, sent), ...backwards(rules, sent)}
  const codeOf = (rule: QueryRule) => (rule.kind === 'enum' && rule.own) || codes[rule.kind]
  const failing = Object.entries(rules).filter(([name]) => faults[name] !== undefined)
  const order = [...Object.values(codes), ...failing.map(([, rule]) => codeOf(rule))]
  const decisive = order.find((code) => failing.some(([, rule]) => codeOf(rule) === code))
  if (decisive === undefined) return
  const named = failing.filter(([, rule]) => codeOf(rule) === decisive)
  const choices = named.flatMap(([name, rule]) => ('values' in rule ? [[name, rule.values]] : []))
  const allowed = choices.length === 0 ? {} : {allowedValues: Object.fromEntries(choices)}
  invalid(Object.fromEntries(named.map(([name]) => [name, faults[name] ?? []])), decisive, {
    ...limits[decisive],
    ...allowed,
  })
}

/** Q03: a single-valued parameter that is repeated fails the rule of its type. Q04: an empty value does too. */
function misfits(rules: Rules, sent: Sent): Errors {
  const faults = Object.entries(rules).map(([name, rule]): [string, string[]] => {
    const values = sent.get(name) ?? []
    if (values.length > 1 && !('many' in rule && rule.many)) return [name, ['must be sent once']]
    return [name, values.every((value) => holds(rule, value)) ? [] : [says(rule)]]
  })
  return Object.fromEntries(faults.filter(([, messages]) => messages.length > 0))
}

function holds(rule: QueryRule, value: string): boolean {
  // A text with a limit is judged by its operation, which has codes of its own for it.
  if (rule.kind === 'text' && rule.max !== undefined) return true
  // K03: split by commas alone, case-sensitive; a repeated token is fine, an empty one is unknown.
  if (rule.kind === 'tokens') return value.split(',').every((token) => fits(rule, token))
  return fits(rule, value)
}

/** A range whose start lies after its end names both; an empty one is no error here (Q09). */
function backwards(rules: Rules, sent: Sent): Errors {
  for (const [from, to] of [['fromUtc', 'toUtc'] as const, ['from', 'to'] as const]) {
    if (rules[from]?.kind !== 'date' || rules[to]?.kind !== 'date') continue
    const start = momentOf(sent.get(from)?.[0] ?? '')
    const end = momentOf(sent.get(to)?.[0] ?? '')
    if (start !== undefined && end !== undefined && start > end)
      return errorsOf([from, to], `${from} is after ${to}`)
  }
  return {}
}

const errorsOf = (names: string[], message: string): Errors =>
  Object.fromEntries(names.map((name) => [name, [message]]))

function parsedValue(rule: QueryRule, sent: readonly string[] | undefined): unknown {
  const [first] = sent ?? []
  if (sent === undefined || first === undefined) {
    return rule.kind === 'page' ? 1 : rule.kind === 'pageSize' ? pageSizeLimit.default : undefined
  }
  if (rule.kind === 'page' || rule.kind === 'pageSize') return Number(first)
  if (rule.kind === 'date') return momentOf(first)
  if (rule.kind === 'boolean') return first === 'true'
  if (rule.kind === 'tokens') return first.split(',')
  if (rule.kind === 'uuid') return 'many' in rule ? sent.map((id) => id.toLowerCase()) : first.toLowerCase()
  return 'many' in rule && rule.many ? sent : first
}
