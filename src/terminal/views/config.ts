import {localColumns} from '../columns.ts'
import type {Table} from '../table.ts'

interface Row {
  setting: string
  value: string | null
  source: string
}

/** Settings that are kept on this machine, one a row. */
export const keptSettings = (rows: Row[]): Table<Row> => ({
  rows,
  columns: localColumns<Row>('setting!; value~!; source! From'),
})
