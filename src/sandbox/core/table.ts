/** A table of the database. `Columns` is the SQL of its columns, from which the types of its rows are read. */
export interface Table<Columns extends string = string> {
  name: string
  columns: Columns
  /** The statements that make it and its indexes. */
  sql: string
}

/**
 * `columns` is SQL: columns apart by a comma and a space or the end of a line, the values of a CHECK by a comma alone.
 * `more` is a PRIMARY KEY of several columns, and indexes. A table has a rowid only as its `INTEGER PRIMARY KEY`.
 */
export function table<const Columns extends string>(
  name: string,
  columns: Columns,
  ...more: string[]
): Table<Columns> {
  const body = [columns, ...more.filter((one) => one.startsWith('PRIMARY KEY'))].join(', ')
  const rowid = columns.includes('INTEGER PRIMARY KEY') ? '' : ', WITHOUT ROWID'
  const make = `CREATE TABLE ${name} (${body}) STRICT${rowid};`
  const indexes = more.flatMap((one) => {
    const [, kind, of = ''] = /^((?:UNIQUE )?INDEX) (.*)$/.exec(one) ?? []
    const words = of.match(/\w+/g) ?? []
    return kind === undefined ? [] : [`CREATE ${kind} ${[name, ...words].join('_')} ON ${name} ${of};`]
  })
  return {name, columns, sql: [make, ...indexes].join('\n')}
}

type Trimmed<Sql extends string> = Sql extends ` ${infer Rest}` ? Trimmed<Rest> : Sql
type OnOneLine<Sql extends string> = Sql extends `${infer Line}\n${infer Rest}`
  ? OnOneLine<`${Line} ${Trimmed<Rest>}`>
  : Trimmed<Sql>
/** `id TEXT PRIMARY KEY, n INTEGER` as a union of its columns. */
type Split<Sql extends string> = Sql extends `${infer One}, ${infer Rest}` ? One | Split<Rest> : Sql
type ColumnOf<Columns extends string> = Split<OnOneLine<Columns>>
type NameOf<Column extends string> = Column extends `${infer Name} ${string}` ? Name : never

type Listed<List extends string> = List extends `'${infer One}',${infer Rest}`
  ? One | Listed<Rest>
  : List extends `'${infer One}'`
    ? One
    : never
type Filled<Column extends string> = Column extends `${string} TEXT${infer Rule}`
  ? Rule extends `${string} IN (${infer List})${string}`
    ? Listed<List>
    : string
  : number
type Required<Column extends string> = Extract<Column, `${string}${'NOT NULL' | 'PRIMARY KEY'}${string}`>
type Cell<Column extends string> = Filled<Column> | (Column extends Required<Column> ? never : null)

export type Row<T extends Table> = {
  [Column in ColumnOf<T['columns']> as NameOf<Column>]: Cell<Column>
}

/** The value of a column in a new row; a flag may be a boolean. */
type Given<Column extends string> = Cell<Column> | (number extends Cell<Column> ? boolean : never)
/** The columns that a new row may not leave out. */
type Needed<Column extends string> = Exclude<
  Required<Column>,
  `${string}${'DEFAULT' | 'INTEGER PRIMARY KEY'}${string}`
>
export type NewRow<T extends Table> = {
  [Column in Needed<ColumnOf<T['columns']>> as NameOf<Column>]: Given<Column>
} & {
  [Column in Exclude<
    ColumnOf<T['columns']>,
    Needed<ColumnOf<T['columns']>>
  > as NameOf<Column>]?: Given<Column>
}
