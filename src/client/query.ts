import {fits, type QueryRule, says} from '../contract/query.ts'
import {invalid} from './invalid.ts'

/** Writes a query by the rules of its operation. Fails with INVALID_INPUT. */
export function queryOf(
  known: Readonly<Record<string, QueryRule>>,
  query: Readonly<Record<string, unknown>>,
): [string, string][] {
  return Object.entries(query).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return []
    const rule = Object.hasOwn(known, name) ? known[name] : undefined
    if (rule === undefined) throw invalid(name, value, 'is not a parameter of this endpoint')
    const isList = rule.kind === 'tokens' || 'many' in rule
    const texts = (isList ? (value as readonly unknown[]) : [value]).map((one) => textFor(name, rule, one))
    if (rule.kind !== 'tokens') return texts.map((text) => [name, text])
    if (texts.length === 0) throw invalid(name, undefined, says(rule))
    return [[name, texts.join(',')]]
  })
}

const anyText: QueryRule = {kind: 'text'}

function textFor(name: string, rule: QueryRule, value: unknown): string {
  // A service may know more values of an enum than this program: it judges them itself.
  const judge = rule.kind === 'enum' ? anyText : rule
  if (!fits(judge, String(value))) throw invalid(name, value, says(judge))
  return String(value)
}
