import {badge} from '../cells.ts'
import {localColumns} from '../columns.ts'
import type {Table} from '../table.ts'

export interface Check {
  check: string
  /** A `warning` is nothing that fails, and something to look at. */
  state: 'ok' | 'warning' | 'failed' | 'skipped'
  detail: string
  /** What to do about it. */
  next: string | null
}

/** The checks of an installation, one a row. */
export function checkTable(rows: Check[]): Table<Check> {
  const columns = localColumns<Check>('check!; state!; detail~ Found; next~', {
    state: ({state}) => badge(state, {ok: 'good', warning: 'warn', failed: 'bad'}),
  })
  return {rows, columns}
}
