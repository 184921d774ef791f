import {isDigits} from '../contract/money.ts'

/** The value at a path of a row, such as `pricing.unitPrice`; undefined if there is none. */
export function valueAt(row: unknown, path: string): unknown {
  if (typeof row !== 'object' || row === null || isDigits(row)) return undefined
  const own = row as Record<string, unknown>
  // A name may hold dots of its own.
  if (Object.hasOwn(own, path)) return own[path]
  const dot = path.indexOf('.')
  const name = path.slice(0, Math.max(dot, 0))
  return dot > 0 && Object.hasOwn(own, name) ? valueAt(own[name], path.slice(dot + 1)) : undefined
}

/** A schema of the contract, as far as columns read it (contract/wire.ts). */
export interface Schema {
  as?: 'id' | 'time' | 'money'
  tones?: {[tone: string]: string[]}
  shape?: {[name: string]: Schema}
  inner?: Schema
  _zod?: {def: object}
}

/** The field of a schema at a path; undefined if the contract has none. A number stands for a place in a list. */
export function fieldAt(schema: Schema, path: string): Schema | undefined {
  let field: Schema | undefined = plainOf(schema)
  for (const name of path.split('.')) {
    const next: Schema | undefined = /^\d+$/.test(name) ? defOf(field).element : field?.shape?.[name]
    if (next === undefined) return undefined
    field = plainOf(next)
  }
  return field
}

/** The paths of all fields of a schema that hold no others. */
export function pathsOf(schema: Schema): string[] {
  return Object.entries(plainOf(schema).shape ?? {}).flatMap(([name, field]) => {
    const inner = pathsOf(field)
    return inner.length === 0 ? [name] : inner.map((path) => `${name}.${path}`)
  })
}

/** The schema itself, without what makes it optional or tolerant. */
function plainOf(schema: Schema): Schema {
  const inner = schema.inner ?? defOf(schema).innerType
  return inner === undefined ? schema : plainOf(inner)
}

const defOf = (schema: Schema | undefined) =>
  (schema?._zod?.def ?? {}) as {innerType?: Schema; element?: Schema}
