import {api, methods, type OperationName, operationsAt} from '../contract/api.ts'
import type {Code} from '../contract/errors.ts'
import {fieldsOf, type RequestField} from '../contract/fields.ts'
import type {Operation} from '../contract/operation.ts'

export interface ListedOperation {
  operation: OperationName
  method: Operation['method']
  path: string
  summary: string
  repeat: Operation['repeat']
}

export interface OperationFacts extends ListedOperation {
  /** Whether a request whose answer was lost is sent again, and what is done instead. */
  afterLostAnswer: string
  fields: RequestField[]
  /** What it can be refused with, beside what any request can be. */
  fails: readonly Code[]
}

export const operationNames = Object.keys(api) as OperationName[]

/** The operations that are meant by a name, a path, or a method and a path; undefined if `asked` is neither. */
export function operationsMeant(asked: string): OperationName[] | undefined {
  const [first = '', ...rest] = asked.split(/\s+/)
  const path = rest.join(' ')
  const method = methods.find((one) => one === first.toUpperCase())
  if (method && path !== '') return operationsAt(path, method)
  if (first.includes('/')) return operationsAt(first)
  const name = operationNames.find((one) => one.toLowerCase() === first.toLowerCase())
  return name && [name]
}

export function listOperation(operation: OperationName): ListedOperation {
  const {method, path, summary, repeat} = api[operation]
  return {operation, method, path, summary, repeat}
}

export function readOperation(name: OperationName): OperationFacts {
  const {repeat, lost = '', fails}: Operation = api[name]
  const afterLostAnswer = repeat === 'freely' ? 'It is sent again: a second one changes nothing more.' : lost
  return {...listOperation(name), afterLostAnswer, fields: fieldsOf(api[name]), fails}
}
