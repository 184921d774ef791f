import type * as z from 'zod/mini'
import {isUuid} from '../contract/forms.ts'
import {printJson} from '../contract/money.ts'
import {isUuidName, type Operation} from '../contract/operation.ts'
import {damageOf, inNoLanguage, longerThan, type Method, pathRule, WORDLESS} from '../contract/wire.ts'
import {invalid} from './invalid.ts'
import {queryOf} from './query.ts'

/** A request that has passed every local check; it is sent as it is, as often as its rule allows. */
export interface Prepared {
  method: Method
  url: string
  /** Method and path, such as `POST /api/v1/scent/orders`. */
  name: string
  headers: Record<string, string>
  body?: string
}

export interface AnyInput {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>> | undefined
  body?: unknown
}

/** Checks an input by its operation. Fails with INVALID_INPUT, naming field, value and rule; nothing is sent then. */
export function prepare(baseUrl: string, operation: Operation, input: AnyInput): Prepared {
  const path = pathOf(operation.path, input.params ?? {})
  const query = queryOf(operation.query ?? {}, input.query ?? {})
  const body = operation.body === undefined ? undefined : bodyOf(operation.body, input.body)
  return assemble(baseUrl, {method: operation.method, path, query, body})
}

/** The parts of a request as one. `path` is encoded already, and the URL must still mean it when it is parsed. */
export function assemble(
  baseUrl: string,
  parts: {method: Method; path: string; query: readonly (readonly [string, string])[]; body?: unknown},
): Prepared {
  const {method, path} = parts
  const base = baseUrl.replace(/\/+$/, '')
  requireSamePath(base, path)
  const query = parts.query.map(([name, value]) => `${encoded(name, name)}=${encoded(name, value)}`).join('&')
  const url = `${base}${path}${query === '' ? '' : `?${query}`}`
  const headers: Record<string, string> = {accept: 'application/json', 'accept-encoding': 'identity'}
  const prepared: Prepared = {method, url, name: `${method} ${path}`, headers}
  if (parts.body === undefined) return prepared
  requireWellFormed(parts.body, 'body')
  headers['content-type'] = 'application/json'
  return {...prepared, body: printJson(parts.body, 0)}
}

/** Headers that the client sets itself; a caller may not. */
const OURS =
  /^(?:authorization|host|content-length|content-type|connection|transfer-encoding|upgrade|te|trailer|expect|proxy-.*)$/

/** Headers in lower case. Fails with INVALID_INPUT if one can't be sent, or is set by the client itself. */
export function headersOf(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase()
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw invalid('header', name, 'is not a valid name of a header')
    if (OURS.test(lower)) throw invalid('header', name, 'is set by scent itself')
    if (!/^[\t\x20-\x7e]*$/.test(value)) throw invalid(name, value, 'must be printable ASCII')
    headers[lower] = value
  }
  return headers
}

/** Fills the names of a path, each as one segment that no URL parser takes for anything else. */
function pathOf(template: string, params: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (typeof value !== 'string') throw invalid(name, value, 'must not be empty')
    const rule = pathRule(value)
    if (rule !== undefined) throw invalid(name, value, rule)
    if (isUuidName(name) && !isUuid(value)) throw invalid(name, value, 'must be a UUID')
    if (name === 'customerRef' && longerThan(value, 128)) {
      throw invalid(name, value, 'must have at most 128 characters')
    }
    return encoded(name, value)
  })
}

/** Parsers drop `.` and `..`, also written `%2e`: a path that does not come back as it went is never sent. */
function requireSamePath(base: string, path: string): void {
  if (!URL.canParse(base)) throw invalid('base URL', base, 'must be an absolute URL')
  const asked = new URL(base)
  const parsed = URL.canParse(`${base}${path}`) ? new URL(`${base}${path}`) : undefined
  const whole = `${asked.pathname.replace(/\/+$/, '')}${path}`
  if (parsed?.origin !== asked.origin || parsed.pathname !== whole || parsed.search + parsed.hash !== '') {
    throw invalid('path', path, 'does not survive a URL parser unchanged')
  }
}

function bodyOf(schema: z.ZodMiniType, body: unknown): unknown {
  const checked = schema.safeParse(body, inNoLanguage)
  if (checked.success) return checked.data
  const issue = checked.error.issues[0]
  const path = issue?.path.map(String) ?? []
  if (issue?.code === 'unrecognized_keys') {
    throw invalid([...path, issue.keys[0] ?? ''].join('.'), undefined, 'is not a field of this request')
  }
  const rule = issue === undefined ? 'is invalid' : ruleOf(issue)
  throw invalid(path.join('.') || 'body', valueAt(body, path), rule)
}

function ruleOf(issue: z.core.$ZodIssue): string {
  if (issue.message !== WORDLESS) return issue.message
  if (issue.code === 'invalid_type') return `must be ${names[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  if (issue.code === 'invalid_format')
    return issue.format === 'guid' ? 'must be a UUID' : 'has the wrong form'
  if (issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1)
    return 'must not be empty'
  const unit = 'origin' in issue && issue.origin === 'string' ? ' characters long' : ''
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}${unit}`
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}${unit}`
  return 'is invalid'
}

const names: Record<string, string> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

function valueAt(body: unknown, path: readonly string[]): unknown {
  let value = body
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key]
  return value
}

function requireWellFormed(value: unknown, field: string): void {
  const damage = typeof value === 'string' ? damageOf(value) : undefined
  if (damage !== undefined) throw invalid(field, value, damage)
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) requireWellFormed(inner, key)
}

function encoded(field: string, value: string): string {
  const damage = damageOf(value)
  if (damage !== undefined) throw invalid(field, value, damage)
  return encodeURIComponent(value)
}
