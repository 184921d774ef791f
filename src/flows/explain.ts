import {api, methods, type OperationName, operationsAt} from '../contract/api.ts'
import {type Code, catalogue, entryOf, exitOf, type Remedy} from '../contract/errors.ts'
import {Failure} from '../contract/failure.ts'
import {fieldsOf, type RequestField} from '../contract/fields.ts'
import {nearest} from '../contract/nearest.ts'
import type {Operation} from '../contract/operation.ts'

/** One code of the error catalogue. */
export interface ExplainedCode {
  state: string
  httpStatus: number | null
  exitCode: number
  remedy: Remedy
  message: string
  hint: string
}

export interface ListedOperation {
  operation: OperationName
  method: Operation['method']
  path: string
  summary: string
  repeat: Operation['repeat']
}

export interface ExplainedOperation extends ListedOperation {
  /** Whether a request whose answer was lost is sent again, and what is done instead. */
  afterLostAnswer: string
  fields: RequestField[]
  refusals: ExplainedCode[]
}

export type Explained =
  | {kind: 'codes'; codes: ExplainedCode[]}
  | {kind: 'operations'; operations: ListedOperation[]}
  | {kind: 'operation'; operation: ExplainedOperation}

const codes = Object.keys(catalogue)
const names = Object.keys(api) as OperationName[]

export const listOperations = (): ListedOperation[] => names.map(listed)

/**
 * Explains an error by its code, by a part of it, by an HTTP status or by an exit code; an operation by its name or its
 * path. Fails with INVALID_INPUT if there is none.
 */
export function explain(asked: string): Explained {
  const [first = '', ...rest] = asked.split(/\s+/)
  const path = rest.join(' ')
  const isMethod = methods.some((method) => method === first.toUpperCase()) && path !== ''
  const code = first.toUpperCase()
  const name = names.find((one) => one.toLowerCase() === first.toLowerCase())
  if (codes.includes(code)) return {kind: 'codes', codes: [explainedCode(code)]}
  if (name) return {kind: 'operation', operation: explainedOperation(name)}
  if (isMethod) return atPath(path, code)
  if (first.includes('/')) return atPath(first)
  const found = codes.filter((one) => fits(one, code))
  if (found.length > 0) return {kind: 'codes', codes: found.map(explainedCode)}
  throw unknown(asked)
}

/** Whether a code is meant by a part of it, or by one of its numbers. */
const fits = (code: string, part: string) =>
  /^\d+$/.test(part)
    ? entryOf(code).http === Number(part) || exitOf(code) === Number(part)
    : part.length > 2 && code.includes(part)

function atPath(path: string, method?: string): Explained {
  const found = operationsAt(path, method)
  const [only] = found
  if (only === undefined) throw unknown(path, operationsAt(path))
  return found.length === 1
    ? {kind: 'operation', operation: explainedOperation(only)}
    : {kind: 'operations', operations: found.map(listed)}
}

export function explainedCode(state: string): ExplainedCode {
  const {http, remedy, says, next} = entryOf(state)
  return {state, httpStatus: http ?? null, exitCode: exitOf(state), remedy, message: says, hint: next}
}

function listed(operation: OperationName): ListedOperation {
  const {method, path, summary, repeat} = api[operation]
  return {operation, method, path, summary, repeat}
}

function explainedOperation(name: OperationName): ExplainedOperation {
  const {repeat, lost = '', fails}: Operation = api[name]
  const again = repeat === 'freely' ? 'It is sent again: a second one changes nothing more.' : lost
  return {
    ...listed(name),
    afterLostAnswer: again,
    fields: fieldsOf(api[name]),
    refusals: fails.map((code: Code) => explainedCode(code)),
  }
}

function unknown(asked: string, near = nearest(asked, [...codes, ...names])): Failure {
  const others =
    '`scent explain` lists all codes, `scent api` all operations; a service may answer codes that are newer than this program.'
  return new Failure('INVALID_INPUT', {
    message: `There is no code and no operation "${asked}".`,
    hint: near.length > 0 ? `Did you mean ${near.join(', ')}?` : others,
  })
}
