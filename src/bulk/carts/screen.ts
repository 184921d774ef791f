import {badge} from '../../terminal/cells.ts'
import type {Card} from '../../terminal/output.ts'
import type {Column, Table} from '../../terminal/table.ts'
import {counted, type Tone} from '../../terminal/text.ts'
import type {CartPlan} from './plan.ts'
import type {CartLineView, CartSummary} from './report.ts'

/** A line of a cart, and what an import wants with it. */
interface PlannedLine {
  customerRef: string
  variantId: string
  sku: string | null
  before: number | null
  target: number | null
}

const columnsOf = <Row extends PlannedLine>(done: boolean): Column<Row>[] => [
  {key: 'customer', header: 'Customer', get: ({customerRef}) => customerRef},
  {key: 'line', header: 'SKU', shown: 'terminal', get: ({sku, variantId}) => sku ?? variantId},
  {key: 'sku', header: 'SKU', shown: 'plain', get: ({sku}) => sku},
  {key: 'variant', header: 'Variant', shown: 'plain', get: ({variantId}) => variantId},
  {key: 'before', header: done ? 'Before' : 'Now', get: ({before}) => before},
  {key: 'target', header: done ? 'Target' : 'Then', get: ({target}) => target},
]

const sumOf = (carts: CartPlan[]) => carts.reduce((sum, {changes}) => sum + changes, 0)
const linesOf = (carts: CartPlan[]): PlannedLine[] =>
  carts.flatMap(({customerRef, lines}) => lines.map((line) => ({customerRef, ...line})))

/** What an import would do with the lines of carts, and how many requests that takes. */
export function cartPlanTable(carts: CartPlan[]): Table<PlannedLine> {
  const change: Column<PlannedLine> = {
    key: 'change',
    header: 'Change',
    get: (line) => changeOf(line, 'to be '),
  }
  return {
    columns: [...columnsOf<PlannedLine>(false), change],
    rows: linesOf(carts),
    below: [
      {label: 'Carts', cell: carts.length},
      {label: 'Requests that change something', cell: sumOf(carts)},
    ],
  }
}

/** The question before an import. `read` are its carts as they are now, none where they are too many to be read. */
export function importQuestion(
  mode: string,
  file: {groups: number; lines: number},
  read: CartPlan[] = [],
): string {
  const carts = counted(file.groups, 'cart')
  if (read.length > 0) {
    const gone = linesOf(read).filter(({target}) => target === 0)
    const names = gone
      .slice(0, NAMED)
      .map(({sku, variantId, customerRef}) => `${sku ?? variantId} of ${customerRef}`)
    const more = gone.length > NAMED ? ` and ${gone.length - NAMED} more` : ''
    const removes =
      gone.length === 0 ? '' : ` It removes ${counted(gone.length, 'line')}: ${names.join(', ')}${more}.`
    return `Send ${counted(sumOf(read), 'change')} to ${carts}?${removes}`
  }
  return mode === 'replace'
    ? `Let ${carts} hold exactly the ${counted(file.lines, 'line')} of the file, and remove whatever else they hold?`
    : `Put ${counted(file.lines, 'line')} of the file on top of what ${carts} hold?`
}

/** Lines that a question names. */
const NAMED = 5

function changeOf({before, target}: PlannedLine, verb = ''): string {
  if (before === target) return 'none'
  return verb + (before === 0 ? 'added' : target === 0 ? 'removed' : 'set')
}

const tones: Record<string, Tone> = {refused: 'bad', unknown: 'bad', pending: 'warn'}

export function importedTable(
  lines: Iterable<CartLineView>,
  title: string,
  empty: string,
): Table<CartLineView> {
  return {
    title,
    empty,
    rows: lines,
    columns: [
      ...columnsOf<CartLineView>(true),
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

/** What an import adds up to, in carts. */
export function importSummary(summary: CartSummary): Card<CartSummary> {
  const all: Column<CartSummary>[] = [
    {key: 'done', header: 'Carts done', get: ({done}) => done},
    {key: 'refused', header: 'With refused lines', get: ({refused}) => refused || null},
    {key: 'unknown', header: 'Unknown', get: ({unknown}) => unknown || null},
    {key: 'pending', header: 'Not done yet', get: ({pending}) => pending || null},
  ]
  return {rows: [summary], upright: true, columns: all.filter(({get}) => get(summary) !== null)}
}
