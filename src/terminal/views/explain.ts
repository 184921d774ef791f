import type {Remedy} from '../../contract/errors.ts'
import type {Card} from '../output.ts'
import type {Column} from '../table.ts'

/** One code of the error catalogue, as `explain` prints it. */
export interface Explained {
  state: string
  httpStatus: number | null
  exitCode: number
  remedy: Remedy
  message: string
  hint: string
}

export const explainedColumns: Column<Explained>[] = [
  {key: 'state', header: 'State', whole: true, get: ({state}) => state},
  {key: 'http', header: 'HTTP', get: ({httpStatus}) => httpStatus},
  {key: 'exit', header: 'Exit code', get: ({exitCode}) => exitCode},
  {key: 'remedy', header: 'Remedy', get: ({remedy}) => remedy},
  {key: 'message', header: 'Meaning', get: ({message}) => message},
  {key: 'hint', header: 'Next', shown: 'asked', get: ({hint}) => hint},
]

export function explainedCard(row: Explained): Card<Explained> {
  return {rows: [row], upright: true, columns: explainedColumns.map(({shown, ...column}) => column)}
}
