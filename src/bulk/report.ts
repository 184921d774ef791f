import {entryOf} from '../contract/errors.ts'
import {Failure} from '../contract/failure.ts'
import type {View} from '../terminal/table.ts'
import type {Ledger} from './records.ts'
import type {Refusals} from './screen.ts'

/** What became of the rows of a job. */
export interface Report {
  /** The rows as --json shows them. */
  rows: Iterable<object>
  /** What the document says besides rows and summary. */
  more?: {ledger: Ledger} | undefined
  /** What was refused, as a file to correct and import again. */
  refusals: Refusals
  /** A terminal gets the rows that need a look, a pipe gets all. */
  views(inTerminal: boolean): View[]
}

/** Why a row of a job is not as it should be. */
export interface RowError {
  state: string
  httpStatus?: number
  message: string
  hint: string
}

/** What the journal keeps of a failure, with the catalogue's words for whatever it does not keep. */
export function errorOf({
  state,
  http,
  message,
}: {
  state: string
  http: number | null
  message?: string | undefined
}): RowError {
  const {says, next: hint} = entryOf(state, http ?? undefined)
  return {state, ...(http === null ? {} : {httpStatus: http}), message: message ?? says, hint}
}

/** The failure of a job of which rows were refused. */
export function rowsRefused(id: string, message: string): Failure {
  const hint = `\`scent jobs show ${id}\` tells why; \`scent jobs show ${id} --refused FILE\` writes them as a file to correct and import again.`
  return new Failure('ROWS_REFUSED', {message, hint})
}
