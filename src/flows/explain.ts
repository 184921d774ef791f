import {type Code, catalogue, entryOf, exitOf, type Remedy, reasons} from '../contract/errors.ts'
import {Failure} from '../contract/failure.ts'
import {nearest} from '../contract/nearest.ts'
import type {ListedOperation, OperationFacts} from './operations.ts'

/** One code of the error catalogue, or a reason that an answer gives. */
export interface ExplainedCode {
  state: string
  httpStatus: number | null
  exitCode: number
  remedy: Remedy
  message: string
  hint: string
}

export type ExplainedOperation = Omit<OperationFacts, 'fails'> & {refusals: ExplainedCode[]}

export type Explained =
  | {kind: 'codes'; codes: ExplainedCode[]}
  | {kind: 'operations'; operations: ListedOperation[]}
  | {kind: 'operation'; operation: ExplainedOperation}

const codes = [...Object.keys(catalogue), ...Object.keys(reasons)]

/**
 * Explains an error by its code, by a part of it in any case and with blanks between its words, by an HTTP status or by
 * an exit code; a reason that an order or a line of a cart gives; an operation by its name or its path. Fails with
 * INVALID_INPUT if there is none.
 */
export async function explain(asked: string): Promise<Explained> {
  const code = asked.toUpperCase().replace(/[\s-]+/g, '_')
  if (codes.includes(code)) return {kind: 'codes', codes: [explainedCode(code)]}
  // All operations of the contract: a code, which is asked for most, does not wait for them.
  const {listOperation, operationNames, operationsMeant, readOperation} = await import('./operations.ts')
  const meant = operationsMeant(asked)
  const [only] = meant ?? []
  if (only !== undefined && meant?.length === 1) {
    const {fails, ...facts} = readOperation(only)
    const refusals = fails.map((one: Code) => explainedCode(one))
    return {kind: 'operation', operation: {...facts, refusals}}
  }
  if (only !== undefined) return {kind: 'operations', operations: (meant ?? []).map(listOperation)}
  const found = meant ? [] : codes.filter((one) => fits(one, code))
  if (found.length > 0) return {kind: 'codes', codes: found.map(explainedCode)}
  // A path that has other methods than the one that was named.
  const others = meant && operationsMeant(asked.replace(/^\S+\s+/, ''))
  throw unknown(asked, others ?? nearest(code, [...codes, ...operationNames]))
}

/** Whether a code is meant by a part of it, or by one of its numbers. */
const fits = (code: string, part: string) =>
  /^\d+$/.test(part)
    ? Object.hasOwn(catalogue, code) && [entryOf(code).http, exitOf(code)].includes(Number(part))
    : part.length > 2 && code.includes(part)

export function explainedCode(state: string): ExplainedCode {
  const reason = Object.hasOwn(reasons, state) ? reasons[state as keyof typeof reasons] : undefined
  const code = reason?.under ?? state
  const {http, remedy, says, next} = {...entryOf(code), ...reason}
  return {state, httpStatus: http ?? null, exitCode: exitOf(code), remedy, message: says, hint: next}
}

function unknown(asked: string, near: readonly string[]): Failure {
  const others =
    '`scent explain` lists all codes, `scent api` all operations; a service may answer codes that are newer than this program.'
  return new Failure('INVALID_INPUT', {
    message: `There is no code and no operation "${asked}".`,
    hint: near.length > 0 ? `Did you mean ${near.join(', ')}?` : others,
  })
}
