import {badge} from '../../terminal/cells.ts'
import {type Column, localColumns} from '../../terminal/columns.ts'
import {type Card, card, type Table} from '../../terminal/table.ts'
import {counted, type Tone} from '../../terminal/text.ts'
import type {CartPlan, PlannedLine} from './plan.ts'
import type {CartLineView, CartSummary} from './report.ts'

/** A line of a cart, and what an import wants with it. */
interface ImportLine {
  customerRef: string
  variantId: string
  sku: string | null
  before: number | null
  target: number | null
}

/** A line of a cart, before an import. */
type SurveyedLine = ImportLine & PlannedLine

const columnsOf = <Row extends ImportLine>(done: boolean): Column<Row>[] =>
  localColumns<Row>(`customerRef- Customer; sku|variantId*! SKU; sku+ SKU; variantId+ Variant;
    before ${done ? 'Before' : 'Now'}; target! ${done ? 'Target' : 'Then'}`)

const sumOf = (carts: CartPlan[]) => carts.reduce((sum, {changes}) => sum + changes, 0)
const linesOf = (carts: CartPlan[]): SurveyedLine[] =>
  carts.flatMap(({customerRef, lines}) => lines.map((line) => ({customerRef, ...line})))

/** What an import would do with the lines of carts, and how many requests that takes. */
export function cartPlanTable(carts: CartPlan[]): Table<SurveyedLine> {
  const change: Column<SurveyedLine> = {
    key: 'change',
    header: 'Change',
    get: (line) => (line.error === null ? changeOf(line, 'to be ') : badge("can't be added", tones)),
  }
  return {
    columns: [
      ...columnsOf<SurveyedLine>(false),
      change,
      ...localColumns<SurveyedLine>('error.state+ State; error.message~ Why'),
    ],
    rows: linesOf(carts),
    below: [
      {label: 'Carts', cell: carts.length},
      {label: 'Requests that change something', cell: sumOf(carts)},
    ],
  }
}

/** The question before an import. `read` are its carts as they are now, none if they are too many to be read. */
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

function changeOf({before, target}: ImportLine, verb = ''): string {
  if (before === target) return 'none'
  return verb + (before === 0 ? 'added' : target === 0 ? 'removed' : 'set')
}

const tones: Record<string, Tone> = {
  refused: 'bad',
  unknown: 'bad',
  pending: 'warn',
  "can't be added": 'bad',
}

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
      ...localColumns<CartLineView>('outcome!; row Line; error.state+ State; error.message~ Why', {
        outcome: (line) => (line.outcome === 'done' ? changeOf(line) : badge(line.outcome, tones)),
      }),
    ],
  }
}

/** What an import adds up to, in carts. */
export function importSummary(summary: CartSummary): Card<CartSummary> {
  const all = localColumns<CartSummary>(
    'done Carts done; refused With refused lines; unknown Unknown; pending Not done yet',
  )
  return card(
    summary,
    all.filter(({key}) => key === 'done' || summary[key as keyof CartSummary]),
  )
}
