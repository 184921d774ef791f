import type * as z from 'zod/mini'
import {isDigits} from '../contract/money.ts'
import {badge, bare, type Cell, money, time, unitOr, unwrapped} from './cells.ts'
import {guessed, words} from './guess.ts'
import {fieldAt, pathsOf, type Schema, valueAt} from './paths.ts'
import type {Tone} from './text.ts'
import {noColumn} from './usage.ts'

export interface Column<Row> {
  /** The path of its field in the row, such as `pricing.unitPrice`: its name in --columns, CSV and ndjson. */
  key: string
  /** The heading that people read. */
  header: string
  /** The cell that people see. */
  get(row: Row): Cell
  /** The value that programs get; by default that of the cell. */
  value?(row: Row): unknown
  /**
   * `plain`: in pipes and CSV only; `terminal`: the other way round; `asked`: only if --columns names it, or on the card
   * of one row; `known`: only if --columns names it.
   */
  shown?: 'plain' | 'terminal' | 'asked' | 'known'
  /** Neither left out nor cut for want of room. */
  keeps?: true
  /** Cut for want of room, though it `keeps`. */
  cuts?: true
  /** A reason or message: wrapped, and never cut. */
  wraps?: true
  /** Goes before the others if there is no room for all. */
  yields?: true
  /** A long id, which goes first if there is no room for all. */
  isId?: boolean
}

const marks: {[mark: string]: Partial<Column<never>>} = {
  '!': {keeps: true},
  '<': {keeps: true, cuts: true},
  '-': {yields: true},
  '~': {wraps: true},
  '?': {shown: 'asked'},
  '+': {shown: 'plain'},
  '*': {shown: 'terminal'},
}

type People<Row> = {[path: string]: (row: Row) => Cell}

/**
 * Columns of rows of a schema: of each the path of its field, a mark, and its heading, which is made of the path if it is
 * left out. The kind of a cell comes from the contract.
 *
 * Marks, for want of room: `!` is neither left out nor cut, `<` is cut and not left out, `-` goes first, but after long ids; then the last. `~` is a reason, and wraps; `?` is shown if asked for, and on the card of one row; `+` is
 * for programs, `*` for people. `a|b` is the first of several fields that is there. `people` draws what needs code;
 * programs get the field as it came, if the contract has it. All other paths of the schema are known, and shown if asked for.
 */
export function columns<S extends z.ZodMiniType>(
  schema: S,
  specs: string,
  people: People<z.output<S>> = {},
  currency?: string | null,
): Column<z.output<S>>[] {
  const columnAt = (paths: string[], header?: string) => {
    const [key = ''] = paths
    const field = fieldAt(schema, key)
    const get = people[key]
    if (field === undefined && get) return {key, header: header ?? words(key), get}
    if (field === undefined) throw new Error(`The contract has no field "${key}"`)
    return columnOf<z.output<S>>(
      paths,
      header,
      (row, path) => cellOf(field, row, path, currency),
      field.as ?? '',
    )
  }
  const given = parsed(specs, people, columnAt)
  const others = pathsOf(schema).filter((path) => !given.some(({key}) => key === path))
  return [...given, ...others.map((path) => ({...columnAt([path]), shown: 'known' as const}))]
}

/** Columns of rows of our own, for which the contract has no schema: the kind of a cell comes from its value. */
export function localColumns<Row>(specs: string, people: People<Row> = {}): Column<Row>[] {
  return parsed(specs, people, (paths, header) => columnOf<Row>(paths, header, guessed))
}

function parsed<Row>(
  specs: string,
  people: People<Row>,
  columnAt: (paths: string[], header?: string) => Column<Row>,
): Column<Row>[] {
  const found = specs.trim().split(/\s*;\s*/)
  return found.map((spec) => {
    const [, path = '', mark = '', header] = /^([\w.|]+)([!<~?+*-]*)(?: +(.+))?$/.exec(spec) ?? []
    const get = people[path.split('|')[0] ?? '']
    const column = columnAt(path.split('|'), header)
    return Object.assign(column, ...[...mark].map((one) => marks[one]), get && {get})
  })
}

function columnOf<Row>(
  paths: string[],
  header: string | undefined,
  cellAt: (row: Row, path: string) => Cell,
  as?: string,
): Column<Row> {
  const [key = ''] = paths
  const pathIn = (row: Row) =>
    paths.length === 1 ? key : (paths.find((path) => (valueAt(row, path) ?? null) !== null) ?? key)
  return {
    key,
    header: header ?? words(key),
    get: (row) => cellAt(row, pathIn(row)),
    value: (row) => valueAt(row, pathIn(row)),
    ...(as !== undefined && {isId: as === 'id'}),
  }
}

function cellOf(field: Schema, row: unknown, path: string, currency: string | null | undefined): Cell {
  const value = valueAt(row, path)
  if (typeof value === 'string' && field.as === 'time') return time(value)
  if (isDigits(value) && field.as === 'money') return money(value, currencyAt(row, path) ?? unitOr(currency))
  const tone = Object.entries(field.tones ?? {}).find(([, known]) => known.includes(value as string))?.[0]
  return tone === undefined ? bare(value) : badge(String(value), {[String(value)]: tone as Tone})
}

/** The currency that stands beside an amount, or beside what the amount is in. */
function currencyAt(row: unknown, path: string): string | undefined {
  const names = path.endsWith('Display') ? ['displayCurrency'] : ['currency', 'baseCurrency']
  const parents = path.split('.').slice(0, -1)
  for (let depth = parents.length; depth >= 0; depth -= 1) {
    const before = parents
      .slice(0, depth)
      .map((name) => `${name}.`)
      .join('')
    const found = names
      .map((name) => valueAt(row, before + name))
      .find((unit) => unit && typeof unit === 'string')
    if (found !== undefined) return found as string
  }
  return undefined
}

/**
 * The columns that --columns names, in its order, else those that are shown by themselves. A path that the contract
 * does not know is accepted if one of `rows`, the first ones, has it, if there are none, or if the names are `settled`:
 * what is done by now must not fail. Fails with INVALID_INPUT.
 */
export function chosen<Row>(
  all: Column<Row>[],
  names: string | undefined,
  target: 'terminal' | 'plain',
  rows: readonly unknown[] = [],
  settled = false,
): Column<Row>[] {
  const isFor = ({shown}: Column<Row>) => shown === undefined || shown === target
  if (names === undefined) return all.filter(isFor)
  return names.split(',').map((text) => {
    const name = text.trim()
    const found = all.filter(({key}) => key === name)
    const column = found.find(isFor) ?? found[0]
    if (column) return {...column, keeps: true as const}
    const isThere = settled || rows.length === 0 || rows.some((row) => valueAt(row, name) !== undefined)
    if (name !== '' && isThere) return {...fieldOf<Row>(name), keeps: true as const}
    throw noColumn(name, all)
  })
}

/** A column of a field that the contract does not know. */
export const fieldOf = <Row>(path: string, around?: unknown): Column<Row> =>
  columnOf<Row>([path], undefined, (row) => guessed(row, path, around))

/** The value of a row that a program gets. */
export const rawOf = <Row>({value, get}: Column<Row>, row: Row): unknown =>
  value ? value(row) : unwrapped(get(row))
