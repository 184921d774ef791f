import {badge} from '../cells.ts'
import type {Table} from '../table.ts'

export interface Check {
  check: string
  state: 'ok' | 'failed' | 'skipped'
  detail: string
  /** What to do about a failure. */
  next: string | null
}

/** The checks of an installation, one a row. */
export function checkTable(rows: Check[]): Table<Check> {
  return {
    rows,
    columns: [
      {key: 'check', header: 'Check', get: ({check}) => check},
      {key: 'state', header: '', get: ({state}) => badge(state, {ok: 'good', failed: 'bad'})},
      {key: 'detail', header: 'Found', get: ({detail}) => detail},
      {key: 'next', header: 'Next', get: ({next}) => next ?? ''},
    ],
  }
}
