import * as z from 'zod/mini'

/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 takes it. */
export type Schema = {[word: string]: unknown}

/** What the contract knows of a schema beside zod: see wire.ts. */
interface Marks {
  inner?: z.core.$ZodType
  known?: readonly string[]
  as?: string
  json?: Schema
}

/** The schemas that have a place of their own in a document, and their names there. */
export type Names = ReadonlyMap<z.core.$ZodType, string>

const refTo = (name: string): Schema => ({$ref: `#/components/schemas/${name}`})

/**
 * A schema of the contract as JSON Schema. Those that have a name are referred to, but for `schema` itself. What an answer
 * only shows may be null or absent; what is only mentioned may be anything.
 */
export function jsonSchemaOf(schema: z.core.$ZodType, names: Names): Schema {
  const {$schema: _, ...found} = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({zodSchema, jsonSchema}) => {
      const name = zodSchema === schema ? undefined : names.get(zodSchema)
      const {inner, known, as, json}: Marks = zodSchema as Marks
      if (name !== undefined) replace(jsonSchema, refTo(name))
      else if (inner) replace(jsonSchema, shownAs(zodSchema, inner, names))
      else if (json) Object.assign(jsonSchema, json)
      else if (known) Object.assign(jsonSchema, {type: 'string', examples: known})
      else if (as === 'time') Object.assign(jsonSchema, {format: 'date-time'})
      else if (as === 'money' || as === 'number') Object.assign(jsonSchema, {type: 'number'})
      else if (as === 'int64') Object.assign(jsonSchema, {type: 'integer', format: 'int64'})
      tidy(jsonSchema, zodSchema)
    },
  })
  return found
}

function replace(target: Schema, by: Schema): void {
  for (const word of Object.keys(target)) delete target[word]
  Object.assign(target, by)
}

/** A field that is only shown may be null too; an answer that is only mentioned may be anything. */
function shownAs(outer: z.core.$ZodType, inner: z.core.$ZodType, names: Names): Schema {
  const name = names.get(inner)
  const schema = name === undefined ? jsonSchemaOf(inner, names) : refTo(name)
  if (outer._zod.def.type !== 'optional')
    return {description: 'Not shown by the spec.', 'x-read-as': schema.$ref ?? schema}
  return typeof schema.type === 'string'
    ? {...schema, type: [schema.type, 'null']}
    : {anyOf: [schema, {type: 'null'}]}
}

/** Takes away what says nothing, and adds the lengths that only a check of ours knows. */
function tidy(schema: Schema, {_zod}: z.core.$ZodType): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.format === 'uuid') delete schema.pattern
  if (
    typeof schema.additionalProperties === 'object' &&
    Object.keys(schema.additionalProperties ?? {}).length === 0
  )
    delete schema.additionalProperties
  for (const check of _zod.def.checks ?? []) {
    const {most} = check as {most?: number}
    if (most !== undefined) schema.maxLength = most
  }
}
