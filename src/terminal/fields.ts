import {Failure} from '../contract/failure.ts'
import {parseJson} from '../contract/money.ts'

/** `--field k=v`, typed as JSON if it reads as true, false, null or a number; `raw` fields stay text. */
interface Field {
  text: string
  raw: boolean
}

/** Fields as query parameters: text, in the order given. */
export function queryOf(fields: Field[]): [string, string][] {
  return fields.map((field) => split(field.text))
}

/**
 * Fields as one JSON body. `a[b]=1` is {"a": {"b": 1}}, `a[]=1` adds to an array, and `a[][b]=1` to an array of
 * objects, a new one as soon as it has b already. Numbers keep their digits.
 */
export function bodyOf(fields: Field[]): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const field of fields) {
    const [name, text] = split(field.text)
    const path = [...name.matchAll(/^[^[\]]+|\[([^[\]]*)\]/g)]
    if (path.length === 0 || path.map(([part]) => part).join('') !== name) throw malformed(field.text)
    put(
      body,
      path.map(([part, inner]) => inner ?? part),
      field.raw ? text : typed(text),
      field.text,
    )
  }
  return body
}

function split(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw malformed(text)
  return [text.slice(0, at), text.slice(at + 1)]
}

function malformed(text: string): Failure {
  return new Failure('INVALID_INPUT', {
    message: `"${text}" is not a valid field.`,
    hint: 'Write name=value, name[inner]=value or name[]=value.',
  })
}

function typed(text: string): unknown {
  if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(text)) return text
  return parseJson(text)
}

type Branch = Record<string, unknown> | unknown[]

function put(branch: Branch, [name = '', ...rest]: string[], value: unknown, text: string): void {
  const key = Array.isArray(branch) ? keyIn(branch, name, rest) : name
  if (Array.isArray(branch) !== (name === '') || key === '__proto__') throw malformed(text)
  const at = branch as Record<string | number, unknown>
  if (rest.length === 0) {
    if (Object.hasOwn(at, key)) throw malformed(text)
    at[key] = value
    return
  }
  at[key] ??= rest[0] === '' ? [] : {}
  if (typeof at[key] !== 'object') throw malformed(text)
  put(at[key] as Branch, rest, value, text)
}

/** The place in an array: its last object as long as that lacks the next name, a new place otherwise. */
function keyIn(branch: unknown[], name: string, rest: string[]): number {
  const last = branch.at(-1)
  const open = name === '' && rest.length > 0 && typeof last === 'object' && last !== null
  return open && !Object.hasOwn(last, rest[0] ?? '') ? branch.length - 1 : branch.length
}
