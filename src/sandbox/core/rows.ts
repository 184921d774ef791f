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

/** All rows that have all of these values; `order` is SQL. */
export function findAll<T extends Table>(
  world: World,
  {name}: T,
  values: Partial<Row<T>>,
  order: string,
): Row<T>[] {
  const where = Object.keys(values).map((column) => `${column} = ?`)
  const sql = `SELECT * FROM ${name} WHERE ${[...where, 'true'].join(' AND ')} ORDER BY ${order}`
  return world.all<Row<T>>(sql, ...valuesOf(values))
}

/** Counts the rows of a FROM clause. */
export function count(world: World, from: string, ...values: JSValue[]): number {
  return world.get<{n: number}>(`SELECT count(*) AS n ${from}`, ...values)?.n ?? 0
}

/** Changes the rows that have all of `values`; a column that is undefined stays as it is. Returns how many there were. */
export function update<T extends Table>(
  world: World,
  {name}: T,
  values: Partial<Row<T>>,
  changes: {[Column in keyof NewRow<T>]?: NewRow<T>[Column] | undefined},
): number {
  const changed = Object.entries(changes).filter(([, value]) => value !== undefined)
  const set = changed.map(([column]) => `${column} = ?`)
  const where = Object.keys(values).map((column) => `${column} = ?`)
  if (set.length === 0) return 0
  const sql = `UPDATE ${name} SET ${set.join(', ')} WHERE ${where.join(' AND ')}`
  return world.run(sql, ...changed.map(([, value]) => value as JSValue), ...valuesOf(values))
}
