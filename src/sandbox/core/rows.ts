import type {JSValue} from 'node-sqlite3-wasm'
import type {NewRow, Row, Table} from './table.ts'
import type {World} from './world.ts'

const insertSql = (name: string, row: object) =>
  `INSERT INTO ${name} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row)
    .map(() => '?')
    .join(', ')})`
const valuesOf = (row: object) => Object.values(row) as JSValue[]

export function insert<T extends Table>(world: World, {name}: T, row: NewRow<T>): void {
  world.run(insertSql(name, row), ...valuesOf(row))
}

/** Inserts a row and returns it whole, which takes twice as long. */
export function insertAndRead<T extends Table>(world: World, {name}: T, row: NewRow<T>): Row<T> {
  const made = world.get<Row<T>>(`${insertSql(name, row)} RETURNING *`, ...valuesOf(row))
  if (made === undefined) throw new Error(`no row was written to ${name}`)
  return made
}

/** The first row that has all of these values. */
export function find<T extends Table>(world: World, {name}: T, values: Partial<Row<T>>): Row<T> | undefined {
  const where = Object.keys(values).map((column) => `${column} = ?`)
  return world.get<Row<T>>(`SELECT * FROM ${name} WHERE ${where.join(' AND ')}`, ...valuesOf(values))
}
