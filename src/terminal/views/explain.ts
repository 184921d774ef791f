import type {RequestField} from '../../contract/fields.ts'
import type {ExplainedCode, ExplainedOperation, ListedOperation} from '../../flows/explain.ts'
import type {Card, View} from '../output.ts'
import type {Column, Table} from '../table.ts'

const codeColumns: Column<ExplainedCode>[] = [
  {key: 'state', header: 'State', whole: true, get: ({state}) => state},
  {key: 'httpStatus', header: 'HTTP', get: ({httpStatus}) => httpStatus},
  {key: 'exitCode', header: 'Exit code', get: ({exitCode}) => exitCode},
  {key: 'remedy', header: 'Remedy', get: ({remedy}) => remedy},
  {key: 'message', header: 'Meaning', get: ({message}) => message},
  {key: 'hint', header: 'Next', shown: 'asked', get: ({hint}) => hint},
]

/** Error codes as a list; a single one as a card, with its next step. */
export function codesView(rows: ExplainedCode[]): Table<ExplainedCode> | Card<ExplainedCode> {
  const [only] = rows
  if (rows.length !== 1 || only === undefined) return {rows, columns: codeColumns}
  return {rows: [only], upright: true, columns: codeColumns.map(({shown, ...column}) => column)}
}

const operationColumns: Column<ListedOperation>[] = [
  {key: 'operation', header: 'Operation', whole: true, get: ({operation}) => operation},
  {key: 'method', header: 'Method', get: ({method}) => method},
  {key: 'path', header: 'Path', get: ({path}) => path},
  {key: 'repeat', header: 'Repeat', get: ({repeat}) => repeat},
  {key: 'summary', header: 'Summary', yields: true, get: ({summary}) => summary},
]

export const operationTable = (rows: ListedOperation[]): Table<ListedOperation> => ({
  rows,
  columns: operationColumns,
})

const fieldColumns: Column<RequestField>[] = [
  {key: 'name', header: 'Field', whole: true, get: ({name}) => name},
  {key: 'in', header: 'In', get: (field) => field.in},
  {key: 'required', header: 'Required', get: ({required}) => required},
  {key: 'rule', header: 'Rule', get: ({rule}) => rule},
]

/** What an operation does, what it sends, and what it can be refused with. */
export function operationViews(operation: ExplainedOperation): View[] {
  const card: Card<ExplainedOperation> = {
    rows: [operation],
    upright: true,
    columns: [
      ...operationColumns.map(({yields, ...column}) => column),
      {key: 'afterLostAnswer', header: 'After a lost answer', get: ({afterLostAnswer}) => afterLostAnswer},
    ],
  }
  const fields = {
    rows: operation.fields,
    columns: fieldColumns,
    title: 'What it sends',
    empty: 'It sends nothing.',
  }
  const refusals = {
    rows: operation.refusals,
    columns: codeColumns,
    title: 'What it can be refused with, beside what any request can be',
    empty: 'Nothing of its own.',
  }
  return [card, fields, refusals]
}
