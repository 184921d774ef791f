import {badge} from './cells.ts'
import type {Card} from './output.ts'
import type {Column, Table} from './table.ts'
import type {Tone} from './text.ts'

/** A line of a cart, and what an import wants with it. */
export interface PlannedLine {
  customerRef: string
  variantId: string
  sku: string | null
  before: number | null
  target: number | null
}

const columnsOf = <Row extends PlannedLine>(done: boolean): Column<Row>[] => [
  {key: 'customer', header: 'Customer', get: ({customerRef}) => customerRef},
  {key: 'sku', header: 'SKU', get: ({sku, variantId}) => sku ?? variantId},
  {key: 'variant', header: 'Variant', whole: true, yields: true, get: ({variantId}) => variantId},
  {key: 'before', header: done ? 'Before' : 'Now', get: ({before}) => before},
  {key: 'target', header: done ? 'Target' : 'Then', get: ({target}) => target},
]

/** What an import would do with the lines of carts. */
export function cartPlanTable(lines: Iterable<PlannedLine>): Table<PlannedLine> {
  const change: Column<PlannedLine> = {
    key: 'change',
    header: 'Change',
    get: (line) => changeOf(line, 'to be '),
  }
  return {columns: [...columnsOf<PlannedLine>(false), change], rows: lines}
}

function changeOf({before, target}: PlannedLine, verb = ''): string {
  if (before === target) return 'none'
  return verb + (before === 0 ? 'added' : target === 0 ? 'removed' : 'set')
}

/** What became of a line. */
export interface ImportedLine extends PlannedLine {
  outcome: string
  /** Its line in the file; null where only the cart held it. */
  row: number | null
  error: {state: string; message: string} | null
}

const tones: Record<string, Tone> = {refused: 'bad', unknown: 'bad', pending: 'warn'}

export function importedTable(
  lines: Iterable<ImportedLine>,
  title: string,
  empty: string,
): Table<ImportedLine> {
  return {
    title,
    empty,
    rows: lines,
    columns: [
      ...columnsOf<ImportedLine>(true),
      {
        key: 'outcome',
        header: 'Outcome',
        get: (line) => (line.outcome === 'done' ? changeOf(line) : badge(line.outcome, tones)),
      },
      {key: 'row', header: 'Line', get: ({row}) => row},
      {key: 'state', header: 'State', shown: 'plain', get: ({error}) => error?.state},
      {key: 'why', header: 'Why', get: ({error}) => error?.message},
    ],
  }
}

interface Counted {
  done: number
  refused: number
  unknown: number
  pending?: number
}

/** What an import adds up to, in carts. */
export function importSummary(summary: Counted): Card<Counted> {
  const all: Column<Counted>[] = [
    {key: 'done', header: 'Carts done', get: ({done}) => done},
    {key: 'refused', header: 'With refused lines', get: ({refused}) => refused || null},
    {key: 'unknown', header: 'Unknown', get: ({unknown}) => unknown || null},
    {key: 'pending', header: 'Not done yet', get: ({pending}) => pending || null},
  ]
  return {rows: [summary], upright: true, columns: all.filter(({get}) => get(summary) !== null)}
}
