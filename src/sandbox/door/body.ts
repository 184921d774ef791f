import type * as z from 'zod/mini'
import type {Code} from '../../contract/errors.ts'
import {invalid, refuse, refuseFaults} from './reply.ts'

/** E12. not shown: the largest body. Over it the body itself is the offending field. */
export const maxBodyBytes = 1024 * 1024

const json = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*;?$/i

/** E11: 415 unless the body is announced as plain application/json in UTF-8. */
export function checkMediaType(header: (name: string) => string | undefined): void {
  const encoded = header('content-encoding')
  if (encoded !== undefined || !json.test(header('content-type')?.trim() ?? '')) {
    refuse('UNSUPPORTED_MEDIA_TYPE', {message: 'Send the body as application/json.'})
  }
}

/** E10: parses a body that must be one JSON object; null stands for one over the limit. */
export function parseBody(text: string | null): Record<string, unknown> {
  if (text === null) invalid({body: ['must not exceed 1 MiB']})
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    invalid({body: ['must be JSON']})
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    invalid({body: ['must be an object']})
  return value as Record<string, unknown>
}

/** NUL and lone surrogates don't survive the database: two different keys could become one. */
export const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text)

/**
 * The faults of free strings, by field; a string that is left out has none. E15. not shown: their lengths. E14: they are
 * not trimmed and counted in UTF-16 units, and a blank one is as good as missing.
 */
export function faultsOfTexts(
  texts: Readonly<Record<string, string | undefined>>,
  longest = 256,
): Record<string, string[]> {
  const faultOf = (text: string): string[] => {
    if (text.trim() === '') return ['is required']
    if (text.length > longest) return [`must not exceed ${longest} characters`]
    return isStorable(text) ? [] : ['holds characters that are not text']
  }
  const faults = Object.entries(texts).map(([name, text]) => [name, text === undefined ? [] : faultOf(text)])
  return Object.fromEntries(faults.filter(([, messages]) => messages?.length))
}

type Issue = z.core.$ZodIssue

interface Verdict {
  errors: Record<string, string[]>
  /** Fields that have a code of their own, in the order they are checked. */
  own: {code: Code; name: string; message: string}[]
}

/**
 * Judges a body by the schema of its operation, which converts nothing (E13). Every offending field is named;
 * unknown fields are dropped, and named in `ignored`, unless `rejectUnknown` (E09). A field with a code of
 * its own decides only if everything else is valid.
 */
export function readBody(
  schema: z.ZodMiniType,
  value: unknown,
  rejectUnknown: boolean,
  ignored: string[] = [],
): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const unknown = parsed.error.issues.filter((issue) => issue.code === 'unrecognized_keys')
  if (unknown.length > 0 && !rejectUnknown) {
    ignored.push(...unknown.flatMap(({path, keys}) => keys.map((key) => nameOf([...path, key]))))
    return readBody(schema, without(value, unknown), true)
  }
  const {errors, own} = judge(parsed.error.issues, value)
  refuseFaults(errors)
  const [first] = own
  if (first !== undefined) invalid({[first.name]: [first.message]}, first.code)
  return value
}

function judge(issues: Issue[], value: unknown): Verdict {
  const verdict: Verdict = {errors: {}, own: []}
  for (const issue of issues) {
    const code = ownCode(issue, value)
    if (code !== undefined)
      verdict.own.push({code, name: nameOf(issue.path), message: messageOf(issue, value)})
    else if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys)
        verdict.errors[nameOf([...issue.path, key])] = ['is not a field of this request']
    } else verdict.errors[nameOf(issue.path)] = [messageOf(issue, value)]
  }
  return verdict
}

function ownCode(issue: Issue, value: unknown): Code | undefined {
  const name = nameOf(issue.path)
  const sent = sentAt(issue, value)
  if (name === 'customerRef' && typeof sent === 'string' && sent !== '')
    return 'VALIDATION_CUSTOMER_REF_TOO_LONG'
  if (name === 'shippingAddress.countryCode' && issue.code === 'invalid_format') {
    return 'VALIDATION_INVALID_COUNTRY_CODE'
  }
  return undefined
}

function sentAt(issue: Issue, value: unknown): unknown {
  return issue.path.reduce<unknown>((inner, part) => (inner as Record<PropertyKey, unknown>)?.[part], value)
}

/** E02: `shippingAddress.city`, `lines[0].quantity`. */
function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    return name === '' ? String(part) : `${name}.${String(part)}`
  }, '')
}

function messageOf(issue: Issue, value: unknown): string {
  const sent = sentAt(issue, value)
  const isBlank = typeof sent === 'string' && sent.trim() === '' && issue.code !== 'custom'
  if (sent === undefined || sent === null || isBlank) return 'is required'
  return issue.message === 'Invalid input' ? 'is not valid' : issue.message
}

/** A copy without the fields that no schema knows. */
function without(value: unknown, issues: Issue[]): unknown {
  const copy = structuredClone(value)
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue
    const owner = issue.path.reduce<unknown>(
      (inner, part) => (inner as Record<PropertyKey, unknown>)[part],
      copy,
    )
    for (const key of issue.keys) delete (owner as Record<string, unknown>)[key]
  }
  return copy
}
