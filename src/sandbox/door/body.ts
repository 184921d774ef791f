import type * as z from 'zod/mini'
import type {Code} from '../../contract/errors.ts'
import {inNoLanguage, WORDLESS} from '../../contract/wire.ts'
import {invalid, refuse} from './reply.ts'

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

/** What is wrong with one field of a body. */
export interface FieldFault {
  /** E02: `shippingAddress.city`, `lines[0].quantity`. */
  name: string
  message: string
  /** The field's own code, which decides only if nothing else is wrong. */
  code?: Code
  /** What stands beside the errors (E03). */
  more?: object
}

/**
 * The faults of free strings, by field; a string that is left out has none. E15. not shown: their lengths. E14: they are
 * not trimmed and counted in UTF-16 units, and a blank one is as good as missing.
 */
export function faultsOfTexts(
  texts: Readonly<Record<string, string | undefined>>,
  longest = 256,
): FieldFault[] {
  const messageOf = (text: string): string | undefined => {
    if (text.trim() === '') return 'is required'
    if (text.length > longest) return `must not exceed ${longest} characters`
    return isStorable(text) ? undefined : 'holds characters that are not text'
  }
  return Object.entries(texts).flatMap(([name, text]) => {
    const message = text === undefined ? undefined : messageOf(text)
    return message === undefined ? [] : [{name, message}]
  })
}

/** Refuses a body, and names every field that is wrong; of several faults of a field the first is told. */
export function refuseFields(faults: FieldFault[]): void {
  const decisive = faults.find(({code}) => code === undefined) ?? faults[0]
  if (decisive === undefined) return
  const errors: Record<string, string[]> = {}
  for (const {name, message} of faults) errors[name] ??= [message]
  invalid(errors, decisive.code, Object.assign({}, ...faults.map(({more}) => more)))
}

type Issue = z.core.$ZodIssue

interface Judged {
  /** The body without the fields that are wrong. */
  sound: unknown
  faults: FieldFault[]
}

/**
 * Judges a body by the schema of its operation, which converts nothing (E13). Unknown fields are dropped, and named in
 * `ignored`, unless `rejectUnknown` (E09).
 */
export function judgeBody(
  schema: z.ZodMiniType,
  value: unknown,
  rejectUnknown: boolean,
  ignored: string[] = [],
): Judged {
  const parsed = schema.safeParse(value, inNoLanguage)
  if (parsed.success) return {sound: parsed.data, faults: []}
  const {issues} = parsed.error
  const unknown = issues.filter((issue) => issue.code === 'unrecognized_keys')
  if (unknown.length > 0 && !rejectUnknown) {
    ignored.push(...unknown.flatMap(({path, keys}) => keys.map((key) => nameOf([...path, key]))))
    return judgeBody(schema, without(value, unknown.flatMap(pathsOf)), true)
  }
  const sound = without(value, issues.flatMap(pathsOf))
  const missed = new Set((schema.safeParse(sound).error?.issues ?? []).map(({path}) => nameOf(path)))
  return {sound, faults: issues.flatMap((issue) => faultsOf(issue, value, missed))}
}

/** The body of a request that has no rules but its schema. */
export function readBody(
  schema: z.ZodMiniType,
  value: unknown,
  rejectUnknown: boolean,
  ignored: string[] = [],
): unknown {
  const {sound, faults} = judgeBody(schema, value, rejectUnknown, ignored)
  refuseFields(faults)
  return sound
}

/** `missed` names the fields that may not be left out. */
function faultsOf(issue: Issue, value: unknown, missed: ReadonlySet<string>): FieldFault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      name: nameOf([...issue.path, key]),
      message: 'is not a field of this request',
    }))
  }
  const name = nameOf(issue.path)
  const code = ownCode(issue, value)
  return [{name, message: messageOf(issue, value, missed.has(name)), ...(code && {code})}]
}

const pathsOf = (issue: Issue): PropertyKey[][] =>
  issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]

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

function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    return name === '' ? String(part) : `${name}.${String(part)}`
  }, '')
}

function messageOf(issue: Issue, value: unknown, isNeeded: boolean): string {
  const sent = sentAt(issue, value)
  const isBlank = typeof sent === 'string' && sent.trim() === '' && issue.code !== 'custom'
  if (sent === null && !isNeeded) return 'must not be null; leave it out'
  if (sent === undefined || sent === null || isBlank) return 'is required'
  return issue.message === WORDLESS ? 'is not valid' : issue.message
}

/** A copy without the fields at these paths; an item of a list leaves a gap. */
function without(value: unknown, paths: PropertyKey[][]): unknown {
  const copy: unknown = structuredClone(value)
  for (const path of paths) {
    const owner = path
      .slice(0, -1)
      .reduce<unknown>((inner, part) => (inner as Body | undefined)?.[part], copy)
    const [last] = path.slice(-1)
    if (typeof owner === 'object' && owner !== null && last !== undefined) delete (owner as Body)[last]
  }
  return copy
}

type Body = Record<PropertyKey, unknown>
