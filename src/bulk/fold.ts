import {type JobFile, readerOf} from './journal.ts'
import type {JobRecord} from './records.ts'

/** What is kept in memory of a row: a job may have a hundred thousand of them. */
interface Row<State extends string> {
  state: State | 'todo'
  /** Where its plan and its last outcome stand in the journal. */
  plan: number
  outcome?: number
}

/**
 * What the journal of a job adds up to, a few numbers for each row: what is wanted and what became of it stays on disk,
 * and is read when it is needed. Rows are numbered from 0 in the order of the plan. `take` hears of every record that
 * follows the plan of its row, and turns the row into another state.
 */
export function foldRows<Plan extends JobRecord, Outcome extends JobRecord, State extends string, Kept>(
  job: JobFile,
  keptOf: () => Kept,
  take: (
    row: Row<State> & Kept,
    record: JobRecord,
    turn: (state: State | 'todo') => void,
    place: number,
  ) => void,
) {
  const numbers = new Map<string, number>()
  const rows: (Row<State> & Kept)[] = []
  const counts = new Map<State | 'todo', number>()
  let lines = 0
  const count = (state: State | 'todo') => counts.get(state) ?? 0
  const turn = (row: Row<State>, state: State | 'todo') => {
    counts.set(row.state, count(row.state) - 1)
    counts.set(state, count(state) + 1)
    row.state = state
  }
  const readOn = readerOf(job, (record, place) => {
    const key = keyOf(record)
    if (key === undefined) return
    if (record.step === 'PLANNED' || record.step === 'WANTED') {
      numbers.set(key, rows.length)
      rows.push({state: 'todo', plan: place, ...keptOf()})
      counts.set('todo', count('todo') + 1)
      lines += record.lines.length
      return
    }
    const row = rows[numbers.get(key) ?? -1]
    if (row === undefined) return
    if (record.step === 'OUTCOME' || record.step === 'CART') row.outcome = place
    take(row, record, (state) => turn(row, state), place)
  })
  readOn()
  return {
    /** Takes in what was appended since; true if there was something. */
    readOn,
    get size() {
      return rows.length
    },
    /** How many lines all rows have. */
    get lines() {
      return lines
    },
    rows,
    state: (at: number): State | 'todo' => rows[at]?.state ?? 'todo',
    count,
    planned: (at: number) => job.at(rows[at]?.plan ?? -1) as Plan,
    /** The last outcome, even of a row that is to be done again. */
    outcome(at: number): Outcome | undefined {
      const place = rows[at]?.outcome
      return place === undefined ? undefined : (job.at(place) as Outcome)
    },
  }
}

function keyOf(record: JobRecord): string | undefined {
  if ('reference' in record) return record.reference
  return 'customerRef' in record ? record.customerRef : undefined
}
