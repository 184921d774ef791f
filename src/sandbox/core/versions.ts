import {mkdirSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import type {Database} from 'node-sqlite3-wasm'

/** How many of the steps of schema.ts a database has taken; 0 for a new one. */
export const versionOf = (db: Database): number =>
  (db.get('PRAGMA user_version') as {user_version: number}).user_version

/** Whether a database is of a later version than these steps lead to, or none of the sandbox's at all. */
export function isBeyond(db: Database, steps: readonly string[]): boolean {
  return versionOf(db) > steps.length || (versionOf(db) === 0 && !isNew(db))
}

const isNew = (db: Database) => db.get('SELECT 1 FROM sqlite_schema') === null

/** Z03: takes the steps that a database has not taken yet, all of them or none. */
export function bringForward(db: Database, steps: readonly string[]): void {
  const missing = steps.slice(versionOf(db))
  if (missing.length === 0) return
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const step of missing) db.exec(step)
    db.exec(`PRAGMA user_version = ${steps.length}; COMMIT`)
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

/** Z03: a copy of what is there, among the snapshots, before steps change it. */
export function keepCopy(db: Database, steps: readonly string[], snapshots: string): void {
  const version = versionOf(db)
  if (version > 0 && version < steps.length) copyInto(db, snapshots, `version-${version}`)
}

/** Writes a database whole to `<folder>/<name>.db`, over an older one of that name. */
export function copyInto(db: Pick<Database, 'exec'>, folder: string, name: string): void {
  const file = join(folder, `${name}.db`)
  mkdirSync(folder, {recursive: true, mode: 0o700})
  rmSync(file, {force: true})
  db.exec(`VACUUM INTO ${quoted(file)}`)
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
