import type * as z from 'zod/mini'
import {isUuidName, type Operation} from './operation.ts'
import {type QueryRule, says} from './query.ts'

/** A value that a request carries, and the rule that it must obey. */
export interface RequestField {
  /** A dot leads into an object, `[]` into each of a list. */
  name: string
  in: 'path' | 'query' | 'body'
  required: boolean
  rule: string
}

/** Everything that can be sent with an operation. */
export function fieldsOf({path, query = {}, body}: Operation): RequestField[] {
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): RequestField => {
      return {name, in: 'path', required: true, rule: isUuidName(name) ? 'a UUID' : 'text'}
    }),
    ...Object.entries(query).map(([name, rule]): RequestField => {
      return {name, in: 'query', required: false, rule: queryText(rule)}
    }),
    ...(body === undefined ? [] : bodyFields(body, '', true)),
  ]
}

function queryText(rule: QueryRule): string {
  const {max} = {max: undefined, ...rule}
  const kind = max === undefined ? 'text' : `text of at most ${max} characters`
  const words =
    rule.kind === 'enum' ? `one of ${rule.values.join(', ')}` : says(rule).replace(/^must be /, '')
  const text = rule.kind === 'text' ? kind : words
  return 'many' in rule ? `${text}; may be given more than once` : text
}

type Schema = z.core.$ZodType

/** The schema library's own description of a schema. */
const defOf = (schema: Schema) => (schema as z.core.$ZodTypes)._zod.def

function bodyFields(schema: Schema, name: string, required: boolean): RequestField[] {
  const def = defOf(schema)
  if (def.type === 'optional') return bodyFields(def.innerType, name, false)
  const rows: RequestField[] = name === '' ? [] : [{name, in: 'body', required, rule: ruleText(schema)}]
  const [inner, prefix] = def.type === 'array' ? [def.element, `${name}[].`] : [schema, name && `${name}.`]
  const object = defOf(inner)
  if (object.type !== 'object') return rows
  const fields = Object.entries(object.shape)
  return [...rows, ...fields.flatMap(([key, field]) => bodyFields(field, prefix + key, true))]
}

function ruleText(schema: Schema): string {
  return [kindText(schema), ...(defOf(schema).checks ?? []).flatMap(checkText)].join('; ')
}

function kindText(schema: Schema): string {
  const def = defOf(schema)
  switch (def.type) {
    case 'string':
      if ((schema as {as?: string}).as === 'time') return 'a date-time such as 2026-01-31T10:00:00Z'
      return 'format' in def && def.format === 'guid' ? 'a UUID' : 'text'
    case 'number':
      return 'format' in def ? 'a whole number' : 'a number'
    case 'boolean':
      return 'true or false'
    case 'object':
    case 'record':
      return 'an object'
    case 'array':
      return defOf(def.element).type === 'object'
        ? 'a list of objects'
        : `a list (each ${ruleText(def.element)})`
    case 'enum':
      return `one of ${Object.values(def.entries).join(', ')}`
    case 'nullable':
      return `${ruleText(def.innerType)}, or null`
    default:
      return openText(schema)
  }
}

/** A value that only code can judge: see oneOf() and decimal. */
function openText(schema: Schema): string {
  const {known} = schema as {known?: readonly string[]}
  if (known) return `${known.join(', ')}, or another that the service knows`
  return messageOf(defOf(schema)).replace(/^must be /, '') || 'any value'
}

function checkText(check: z.core.$ZodCheck): string[] {
  const {_zod} = check as z.core.$ZodChecks
  const {def} = _zod
  switch (def.check) {
    case 'min_length':
      return [def.minimum === 1 ? 'not empty' : `at least ${def.minimum}`]
    case 'greater_than':
      return [`${def.value} or more`]
    case 'less_than':
      return [`${def.value} or less`]
    default:
      return [messageOf(def)].filter((text) => text !== '')
  }
}

/** The words that a check of ours fails with. */
function messageOf(def: object): string {
  const {error} = def as {error?: (issue: object) => unknown}
  const text = error?.({})
  return typeof text === 'string' ? text : ''
}
