import {type Code, entryOf} from '../errors.ts'
import {isUuidName, type Operation} from '../operation.ts'
import {pageSizeLimit} from '../paging.ts'
import {LARGEST_PAGE, type QueryRule, says} from '../query.ts'
import {jsonSchemaOf, type Names, type Schema} from './schema.ts'

/** What any request can be refused with (spec, Endpoints, Conventions). */
const anywhere: readonly Code[] = [
  ...(['NOT_FOUND_ROUTE', 'METHOD_NOT_ALLOWED', 'RATE_LIMITED'] as const),
  ...(['BAD_GATEWAY', 'SERVICE_UNAVAILABLE', 'GATEWAY_TIMEOUT'] as const),
]
/** What any request with a token can. */
const withToken: readonly Code[] = [
  ...(['UNAUTHORIZED_MISSING_TOKEN', 'UNAUTHORIZED_INVALID_TOKEN', 'UNAUTHORIZED_TOKEN_EXPIRED'] as const),
  ...(['UPSTREAM_AUTH_FAILED', 'FORBIDDEN', 'AUTH_ENVIRONMENT_MISMATCH'] as const),
]

/** What any request with a body can. */
const WITH_BODY: readonly Code[] = ['UNSUPPORTED_MEDIA_TYPE']

const refusedContent = {'application/json': {schema: {$ref: '#/components/schemas/Refusal'}}}

/** One operation of the contract as OpenAPI has it. Two that share a route are made one by either(). */
export function operationOf(name: string, operation: Operation, names: Names): Schema {
  const {summary, auth, repeat, lost, body} = operation
  return {
    operationId: name,
    summary,
    ...(auth === 'none' && {security: []}),
    'x-repeat': repeat,
    ...(lost && {'x-lost': lost}),
    'x-refusals': operation.fails,
    ...listed('parameters', parametersOf(operation)),
    ...(body && {
      requestBody: {required: true, content: {'application/json': {schema: jsonSchemaOf(body, names)}}},
    }),
    responses: responsesOf(operation, names),
  }
}

const listed = (name: string, list: readonly Schema[]) => (list.length > 0 ? {[name]: list} : {})

/** Two operations of one route, which take different bodies. */
export function either(one: Schema, other: Schema): Schema {
  const bodyOf = (operation: Schema) =>
    (operation as {requestBody: {content: {'application/json': {schema: Schema}}}}).requestBody.content[
      'application/json'
    ].schema
  return {
    ...one,
    summary: `${one.summary} Or: ${String(other.summary).replace(/^./, (first) => first.toLowerCase())}`,
    // The rule that holds for both of them.
    ...(other['x-repeat'] === 'never' && {'x-repeat': 'never', 'x-lost': other['x-lost']}),
    requestBody: {
      required: true,
      content: {'application/json': {schema: {oneOf: [bodyOf(one), bodyOf(other)]}}},
    },
  }
}

function parametersOf({path, query = {}}: Operation): Schema[] {
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): Schema => {
      const more = name === 'customerRef' ? {minLength: 1, maxLength: 128} : {}
      const schema = isUuidName(name) ? {type: 'string', format: 'uuid'} : {type: 'string', ...more}
      return {name, in: 'path', required: true, schema}
    }),
    ...Object.entries(query).map(([name, rule]): Schema => {
      const many = 'many' in rule
      const style = rule.kind === 'tokens' ? {style: 'form', explode: false} : {}
      const schema = schemaOf(rule)
      return {
        ...{name, in: 'query', description: `Each value ${says(rule)}.`, ...style},
        schema: many || rule.kind === 'tokens' ? {type: 'array', items: schema} : schema,
      }
    }),
  ]
}

/** One value, or one token, of a parameter. */
function schemaOf(rule: QueryRule): Schema {
  switch (rule.kind) {
    case 'text':
      return {type: 'string', minLength: 1, ...(rule.max !== undefined && {maxLength: rule.max})}
    case 'uuid':
      return {type: 'string', format: 'uuid'}
    case 'enum':
    case 'tokens':
      return {type: 'string', enum: rule.values}
    case 'decimal':
      return {type: 'number'}
    case 'date':
      // A date alone is 00:00Z, a time without an offset UTC.
      return {type: 'string', anyOf: [{format: 'date'}, {format: 'date-time'}, {pattern: 'T[0-9:.]+$'}]}
    case 'boolean':
      return {type: 'boolean'}
    case 'page':
      return {type: 'integer', minimum: 1, maximum: LARGEST_PAGE, default: 1}
    case 'pageSize':
      return {type: 'integer', ...pageSizeLimit}
  }
}

/** The refusals of a query (spec, Query and paging codes). */
function refusalsOf(query: Readonly<Record<string, QueryRule>>): Code[] {
  const kinds = new Set(Object.values(query).map(({kind}) => kind))
  const has = (...some: QueryRule['kind'][]) => some.some((kind) => kinds.has(kind))
  return [
    ...(kinds.size > 0 ? (['VALIDATION_UNKNOWN_QUERY_PARAMETER'] as const) : []),
    ...(has('date') ? (['VALIDATION_INVALID_DATE'] as const) : []),
    ...(has('page') ? (['VALIDATION_INVALID_PAGE', 'VALIDATION_INVALID_PAGE_SIZE'] as const) : []),
    ...(has('tokens') ? (['VALIDATION_UNKNOWN_INCLUDE'] as const) : []),
    ...(has('uuid', 'enum', 'decimal', 'boolean') ? (['VALIDATION_INVALID_QUERY_PARAMETER'] as const) : []),
    ...Object.values(query).flatMap((rule) => ('own' in rule && rule.own ? [rule.own] : [])),
  ]
}

function nameOf(status: number): string {
  return `Refused${status}`
}

function byStatus(codes: readonly Code[]): Map<number, Code[]> {
  const found = new Map<number, Code[]>()
  for (const code of codes) {
    const status = entryOf(code).http ?? 500
    found.set(status, [...(found.get(status) ?? []), code])
  }
  return found
}

function responsesOf(operation: Operation, names: Names): Schema {
  const {payload, fails, auth, query = {}, body} = operation
  const codes = new Set<Code>([
    ...[...(auth === 'bearer' ? withToken : []), ...anywhere, ...(body ? WITH_BODY : [])],
    ...[...fails, ...refusalsOf(query)],
  ])
  const name = names.get(payload)
  const schema = name === undefined ? jsonSchemaOf(payload, names) : {$ref: `#/components/schemas/${name}`}
  const refused = [...byStatus([...codes])].map(([status, some]) => {
    const response = refusedWith(status, some)
    const isShared = JSON.stringify(response) === JSON.stringify(sharedRefusals[nameOf(status)])
    return [status, isShared ? {$ref: `#/components/responses/${nameOf(status)}`} : response]
  })
  return {
    '2XX': {
      description: 'Done: 201 if something was created, and 200 otherwise.',
      content: {'application/json': {schema: enveloped(schema)}},
    },
    ...Object.fromEntries(refused),
    default: {description: 'Another code: the spec does not show all.', content: refusedContent},
  }
}

const enveloped = (payload: Schema): Schema => ({
  type: 'object',
  required: ['state', 'payload'],
  properties: {
    state: {type: 'string', examples: ['SUCCESS', 'CREATED']},
    payload,
    details: {type: ['object', 'null']},
  },
})

function refusedWith(status: number, codes: readonly Code[]): Schema {
  const header = (name: string, description: string, schema: Schema) => ({
    headers: {[name]: {description, schema}},
  })
  return {
    description: codes.map((code) => `${code}: ${entryOf(code).says}`).join('\n'),
    ...(status === 429 && header('Retry-After', 'Seconds to wait.', {type: 'integer', minimum: 0})),
    ...(status === 405 && header('Allow', 'The methods that the path has.', {type: 'string'})),
    ...(status === 401 && header('WWW-Authenticate', 'Bearer.', {type: 'string'})),
    content: {
      'application/json': {
        ...refusedContent['application/json'],
        examples: Object.fromEntries(
          codes.map((state) => [state, {value: {state, payload: null, details: null}}]),
        ),
      },
    },
  }
}

/** The refusals that most operations share, by their status: a place of their own makes the document a third of its size. */
export const sharedRefusals: {[name: string]: Schema} = Object.fromEntries(
  [...byStatus([...withToken, ...anywhere, ...WITH_BODY])].map(([status, codes]) => [
    nameOf(status),
    refusedWith(status, codes),
  ]),
)
