import {createHmac} from 'node:crypto'
import {renameSync, rmSync} from 'node:fs'
import sqlite, {type Database, type JSValue, type Statement} from 'node-sqlite3-wasm'
import * as schema from './schema.ts'

/** The database, with one writer: everything in it happens synchronously. */
export interface World {
  /** The first row, or undefined. */
  get<Row>(sql: string, ...values: JSValue[]): Row | undefined
  all<Row>(sql: string, ...values: JSValue[]): Row[]
  /** Runs a change and returns how many rows it touched. */
  run(sql: string, ...values: JSValue[]): number
  /** Several statements without values. */
  script(sql: string): void
  /** All or nothing: commits if `work` returns, rolls back if it throws. Inside another one it joins that. */
  transaction<T>(work: () => T): T
  /** The next number of a kind; a rolled back transaction gives it back. */
  next(kind: string): number
  /** The next UUID of a kind: the same seed gives the same ids. */
  id(kind: string): string
  meta(key: string): string | undefined
  setMeta(key: string, value: string): void
  /** Where a database of another version was put aside, whose place this one took. */
  aside?: string
  close(): void
}

/** A v4-shaped UUID from the seed, so that a run can be repeated id by id. */
export function uuidOf(seed: string, kind: string, n: number): string {
  const hex = createHmac('sha256', seed).update(`${kind}:${n}`).digest('hex')
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export const tables = Object.values(schema).filter((one) => typeof one === 'object')

/**
 * Opens the database at `file`, or one in memory. The caller makes sure that no other process uses the file. A database
 * of another version of the sandbox is kept beside it, under its number, and a new one takes its place (Z03).
 */
export function openWorld(file: string | ':memory:', seed: string): World {
  const db = openDatabase(file)
  if (db.get('SELECT 1 FROM sqlite_schema') === null) {
    const make = tables.map(({sql}) => sql).join('\n')
    db.exec(`BEGIN; ${make} PRAGMA user_version = ${schema.schemaVersion}; COMMIT`)
  }
  const {user_version: version} = db.get('PRAGMA user_version') as {user_version: number}
  if (version === schema.schemaVersion) return overDatabase(db, seed)
  db.close()
  const aside = `${file}.${version}`
  renameSync(file, aside)
  return {...openWorld(file, seed), aside}
}

function openDatabase(file: string | ':memory:'): Database {
  // The library's own lock is a folder, which a killed process leaves behind.
  if (file !== ':memory:') rmSync(`${file}.lock`, {recursive: true, force: true})
  const db: Database = file === ':memory:' ? new sqlite.Database() : new sqlite.Database(file)
  // Exclusive mode must come first: without shared memory WAL is refused silently, and writes are many times slower.
  db.get('PRAGMA locking_mode = EXCLUSIVE')
  db.get('PRAGMA journal_mode = WAL')
  // 64 MiB of cache, and rare checkpoints: each of them waits for the disk.
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 8000;')
  return db
}

function overDatabase(db: Database, seed: string): World {
  const prepared = new Map<string, Statement>()
  const statement = (sql: string): Statement => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const fresh = db.prepare(sql)
    prepared.set(sql, fresh)
    return fresh
  }
  const world: World = {
    // Not Statement.get: it leaves the statement standing on its row, and an open statement blocks the commit.
    get: <Row>(sql: string, ...values: JSValue[]) => (statement(sql).all(values) as Row[])[0],
    all: <Row>(sql: string, ...values: JSValue[]) => statement(sql).all(values) as Row[],
    run: (sql, ...values) => statement(sql).run(values).changes,
    script: (sql) => db.exec(sql),
    transaction: (work) => {
      if (db.inTransaction) return work()
      statement('BEGIN IMMEDIATE').run()
      try {
        const result = work()
        statement('COMMIT').run()
        return result
      } catch (error) {
        if (db.inTransaction) statement('ROLLBACK').run()
        throw error
      }
    },
    next: (kind) => {
      const sql = 'INSERT INTO counters VALUES (?, 1) ON CONFLICT (kind) DO UPDATE SET n = n + 1 RETURNING n'
      return world.get<{n: number}>(sql, kind)?.n ?? 0
    },
    id: (kind) => uuidOf(seed, kind, world.next(kind)),
    meta: (key) => world.get<{value: string}>('SELECT value FROM meta WHERE key = ?', key)?.value,
    setMeta: (key, value) => {
      world.run(
        'INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        key,
        value,
      )
    },
    close: () => {
      for (const known of prepared.values()) {
        try {
          known.finalize()
        } catch {
          // It says once more why its last run failed, and is gone all the same.
        }
      }
      prepared.clear()
      db.close()
    },
  }
  return world
}
