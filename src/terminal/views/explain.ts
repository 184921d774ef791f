import type {RequestField} from '../../contract/fields.ts'
import type {ExplainedCode, ExplainedOperation} from '../../flows/explain.ts'
import type {ListedOperation} from '../../flows/operations.ts'
import {localColumns} from '../columns.ts'
import {type Card, card, type Table, type View} from '../table.ts'

const codeColumns = localColumns<ExplainedCode>(
  'state!; httpStatus HTTP; exitCode Exit code; remedy; message~ Meaning; hint? Next',
)

/** Error codes as a list; a single one as a card, with its next step. */
export function codesView(rows: ExplainedCode[]): Table<ExplainedCode> | Card<ExplainedCode> {
  const [only] = rows
  return rows.length === 1 && only ? card(only, codeColumns) : {rows, columns: codeColumns}
}

const operationLines = 'operation!; method; path; repeat; summary~'

export const operationTable = (rows: ListedOperation[]): Table<ListedOperation> => ({
  rows,
  columns: localColumns<ListedOperation>(operationLines),
})

/** An operation, the fields that it sends, and the codes that it can be refused with. */
export function operationViews(operation: ExplainedOperation): View[] {
  const fields = {
    rows: operation.fields,
    columns: localColumns<RequestField>('name! Field; in; required; rule~'),
    title: 'What it sends',
    empty: 'It sends nothing.',
  }
  const refusals = {
    rows: operation.refusals,
    columns: codeColumns,
    title: 'What it can be refused with, beside what any request can be',
    empty: 'Nothing of its own.',
  }
  const facts = localColumns<ExplainedOperation>(`${operationLines}; afterLostAnswer After a lost answer`)
  return [card(operation, facts), fields, refusals]
}
